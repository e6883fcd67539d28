package design

import (
	"context"
	"testing"
	"time"

	"tattle/dataset"
	"tattle/internal/must"
	"tattle/internal/shared"
	"tattle/nn"
	"tattle/onnx"
)

// open reads both parts of a data set.
func open(t testing.TB, name string) (train, test *dataset.Set) {
	t.Helper()
	path := shared.Path(t, "data/"+name)
	train = must.Get(dataset.Open(path, dataset.Train))(t)
	test = must.Get(dataset.Open(path, dataset.Test))(t)
	return train, test
}

// A target with a limit on the drop, for the net of A section 3.1. A part of the data and
// of the sweep is enough to check the answer.
func TestRealData(t *testing.T) {
	shared.Long(t, "sweeps for seconds")
	training, test := open(t, "mnist")
	g := must.Get(onnx.Read(shared.Path(t, "models/mnist-mlp.onnx")))(t)
	o := Options{Target: Target{Directions: 10, Within: .5}, MaxDrop: .08, Families: []string{"gaussian"},
		Seed: 1, Examples: 10, Keeps: []int{0, 24}, Projections: []string{"principal"}}
	answered(t, g, first(training, 3000), first(test, 1000), o)
}

// first returns the first n examples of a set.
func first(s *dataset.Set, n int) *dataset.Set {
	indices := make([]int, n)
	for i := range indices {
		indices[i] = i
	}
	return s.Subset(indices)
}

// The whole default sweep.
func BenchmarkMNIST(b *testing.B) {
	for range b.N {
		sweepMNIST(b, Options{Target: Target{Directions: 10, Within: .5}, MaxDrop: .05, Seed: 1})
	}
}

func BenchmarkMNISTMaxDrop(b *testing.B) {
	for range b.N {
		sweepMNIST(b, Options{MaxDrop: .02, Seed: 1})
	}
}

func BenchmarkMNISTMedian(b *testing.B) {
	for range b.N {
		sweepMNIST(b, Options{Target: Target{MedianStd: 3, AttackMSE: .7}, Seed: 1})
	}
}

func sweepMNIST(b *testing.B, o Options) {
	training, test := open(b, "mnist")
	g := must.Get(onnx.Read(shared.Path(b, "models/mnist-mlp.onnx")))(b)
	answered(b, g, training, test, o)
}

// answered searches, and checks that what the answer says of itself agrees.
func answered(t testing.TB, g *nn.Graph, training, test *dataset.Set, o Options) {
	t.Helper()
	start := time.Now()
	a := must.Get(Search(context.Background(), g, "", training, test, o))(t)
	t.Logf("%.1f s, %d evaluations, %d points, met %v, near %q, left %q", time.Since(start).Seconds(), a.Evaluations, len(a.Frontier), a.Met, a.Near, a.Left)
	t.Logf("best %+v", a.Best)
	if a.Best == nil || a.Met && (!a.Best.Meets || !a.Best.Keeps) || a.Met != (a.Near == "") || o.Target.empty() && !a.Best.Keeps {
		t.Fatalf("%+v", a)
	}
	confirmed(t, a)
}
