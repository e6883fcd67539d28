package design

import (
	"context"
	"testing"
	"time"

	"tattle/dataset"
	"tattle/internal/shared"
	"tattle/nn/train"
	"tattle/nn/zoo"
	"tattle/onnx"
)

// open reads both parts of a data set.
func open(t testing.TB, name string) (train, test *dataset.Set) {
	t.Helper()
	path := shared.Path(t, "data/"+name)
	train, err := dataset.Open(path, dataset.Train)
	if err != nil {
		t.Fatal(err)
	}
	if test, err = dataset.Open(path, dataset.Test); err != nil {
		t.Fatal(err)
	}
	return train, test
}

// tell logs an answer.
func tell(t testing.TB, a *Answer, took time.Duration) {
	t.Helper()
	t.Logf("%.1f s, %d evaluations, %d points, met %v, near %q, left %q", took.Seconds(), a.Evaluations, len(a.Frontier), a.Met, a.Near, a.Left)
	t.Logf("best %+v", a.Best)
	t.Logf("confirmed %+v", a.Confirmed)
}

// The default sweep for the net of A section 3.1, of Gaussian noise.
func TestMNIST(t *testing.T) {
	if testing.Short() {
		t.Skip("a sweep of MNIST takes ten seconds and more")
	}
	sweepMNIST(t, Options{Target: Target{Directions: 10, Within: .5}, MaxDrop: .05, Seed: 1, Families: []string{"gaussian"}})
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

func sweepMNIST(t testing.TB, o Options) {
	train, test := open(t, "mnist")
	g, err := onnx.Read(shared.Path(t, "models/mnist-mlp.onnx"))
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	a, err := Search(context.Background(), g, "", train, test, o)
	if err != nil {
		t.Fatal(err)
	}
	tell(t, a, time.Since(start))
	if a.Best == nil || a.Met && (!a.Best.Meets || !a.Best.Keeps) || a.Met != (a.Near == "") {
		t.Fatalf("%+v", a)
	}
	confirmed(t, a)
}

// Another data set: A's architecture fitted to Fashion-MNIST, the most confidential
// release for three points of accuracy.
func TestFashionMNIST(t *testing.T) {
	if testing.Short() {
		t.Skip("training and sweeping take half a minute")
	}
	data, test := open(t, "fashion-mnist")
	g := zoo.MNIST(1)
	if _, err := train.Fit(context.Background(), g, data, train.Options{Epochs: 1, Batch: 128, Seed: 1}); err != nil {
		t.Fatal(err)
	}
	o := Options{MaxDrop: .03, Seed: 1, Families: []string{"gaussian", "laplace"}, Keeps: []int{0, 98, 24}, Projections: []string{"principal"}}
	start := time.Now()
	a, err := Search(context.Background(), g, "", data, test, o)
	if err != nil {
		t.Fatal(err)
	}
	tell(t, a, time.Since(start))
	if a.Best == nil || !a.Best.Keeps {
		t.Fatalf("%+v", a)
	}
	confirmed(t, a)
}
