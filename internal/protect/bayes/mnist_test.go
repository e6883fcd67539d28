package bayes

import (
	"context"
	"math"
	"testing"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/nn"
	"tattle/internal/engine/onnx"
	"tattle/internal/must"
	"tattle/internal/protect/release"
	"tattle/internal/shared"
)

// TestMNIST compares with an independent implementation on paper A's net: lists of
// 60,000 training images and of 10,000 test images.
func TestMNIST(t *testing.T) {
	shared.Full(t, "minutes")
	g := must.Get(onnx.Read(shared.Path(t, "models/mnist-mlp.onnx")))(t)
	node := must.Get(g.FeatureNode())(t)
	f, _ := must.Get2(g.Cut(node))(t)
	front := must.Get(nn.NewNet(f))(t)
	for _, c := range []struct {
		part              dataset.Split
		strength          float64
		floor, name, bits float64
	}{
		{dataset.Train, 1, 5.9, .960, 15.7},
		{dataset.Train, 5, 49.5, .102, 7.7},
		{dataset.Train, 20, 64.4, .001, 1.05},
		{dataset.Test, 1, 3.9, .986, 0},
		{dataset.Test, 5, 47.4, .206, 0},
		{dataset.Test, 20, 64.3, .004, 0},
	} {
		data, _ := must.Get2(dataset.OpenInputs(t.Context(), shared.Path(t, "data/mnist"), dataset.Options{Part: c.part}))(t)
		noise := must.Get(release.NewGaussian(1.7024195 * c.strength))(t)
		all := nn.Indices(data.Len())
		r := must.Get(Run(context.Background(), Inputs{Front: front, Data: data, Indices: all}, noise, nil, Options{Draws: 2000, Seed: 1}))(t)
		p, _ := front.Dims()
		x, y := make([]float32, p), make([]float32, p)
		var square []float64
		for _, d := range r.Draws {
			data.Examples(x, []int{d.Truth})
			data.Examples(y, []int{d.Other})
			var sum float64
			for i := range x {
				e := float64(x[i]-y[i]) * .3081 * 255 // in grey levels
				sum += e * e
			}
			square = append(square, sum/float64(p))
		}
		floor := r.Floor(square, 255*255, 5e-4)
		named, ten := r.Identified(1e-3)
		bits := r.Bits(1e-3)
		everybody := Population{N: data.Len(), Alpha: 5e-4}.Floor(floor.Low, 255*255)
		if got := math.Sqrt(floor.Mean); math.Abs(got-c.floor) > .05*c.floor+.5 {
			t.Errorf("%v %v×: floor %.1f, the independent one is %.1f", c.part, c.strength, got, c.floor)
		}
		if math.Abs(named.Mean-c.name) > .03 || c.bits > 0 && math.Abs(bits.Mean-c.bits) > .5 {
			t.Errorf("%v %v×: named %.3f, %.2f bits; the independent ones are %.3f, %.2f", c.part, c.strength, named.Mean, bits.Mean, c.name, c.bits)
		}
		t.Logf("%v %v×: floor %.1f ≥ %.1f (want %.1f), everybody ≥ %.1f; named %.3f ≤ %.3f (want %.3f), ten %.3f, rank %.1f; bits %.2f ≤ %.2f (want %.2f); rounding %.2g",
			c.part, c.strength, math.Sqrt(floor.Mean), math.Sqrt(floor.Low), c.floor, math.Sqrt(everybody), named.Mean, named.High, c.name, ten.Mean, r.Rank(1e-3).Mean, bits.Mean, bits.High, c.bits, r.Rounding)
	}
}

// TestMNISTPeople compares with an independent implementation: how often the writer of a digit is named, of 600 draws by prior
// 1/(people·inputs), and how often single images are, of the discriminant directions of paper A's net.
func TestMNISTPeople(t *testing.T) {
	shared.Full(t, "half a minute, 1 GB")
	g := must.Get(onnx.Read(shared.Path(t, "models/mnist-mlp.onnx")))(t)
	open := func(part dataset.Split) *dataset.Set {
		set, _, err := dataset.OpenInputs(t.Context(), shared.Path(t, "data/mnist"), dataset.Options{Part: part, Labels: shared.Path(t, "data/qmnist"), Group: "person"})
		return must.Get(set, err)(t)
	}
	train := open(dataset.Train)
	front, _ := must.Get2(release.Spec{}.Build(t.Context(), g, nil))(t)
	for _, c := range []struct {
		set                    *dataset.Set
		strength, named, error float64
	}{{train, 1, .970, .02}, {train, 5, .112, .02}, {train, 20, .005, .003}, {open(dataset.Test), 5, .218, .03}} {
		order, prior, people := ByPeople(c.set.People())
		list := Inputs{Front: must.Get(nn.NewNet(front))(t), Data: c.set, Indices: order}
		r := must.Get(Run(t.Context(), list, release.Gaussian{Sigma: 1.7024195 * c.strength}, nil, Options{Prior: prior, People: people, Draws: 1000, Seed: 2}))(t)
		if m := r.Named(1e-5); math.Abs(m.Mean-c.named) > c.error {
			t.Errorf("%d inputs, %v×: the writer is named in %+v, by the independent program in %v", c.set.Len(), c.strength, m, c.named)
		}
	}
	for _, c := range []struct{ norm, sigma, mean, q99 float64 }{{0, 1.5, .015, .275}, {0, 3, .0027, .06}, {7.07, 1.5, .0049, .11}} {
		front, _ := must.Get2(release.Spec{Keep: 9, Projection: release.ProjectionDiscriminant, ClipNorm: c.norm}.Build(t.Context(), g, train))(t)
		list := Inputs{Front: must.Get(nn.NewNet(front))(t), Data: train, Indices: nn.Indices(train.Len())}
		e := must.Get(Expose(t.Context(), list, release.Gaussian{Sigma: c.sigma}, 3000, 400, Options{Seed: 2}))(t)
		// The independent figures are of 300 to 400 images: their means have errors of 15 %, their 99th percentiles of 40 %.
		if m := MeanNamed(e.Named(nil), .001).Mean; math.Abs(m/c.mean-1) > .4 {
			t.Errorf("σ = %v, norm %v: named in %v, by the independent program in %v", c.sigma, c.norm, m, c.mean)
		}
		if q := e.Quantile(.99); math.Abs(q/c.q99-1) > .5 {
			t.Errorf("σ = %v, norm %v: the 1 %% most exposed are named in %v, by the independent program in %v", c.sigma, c.norm, q, c.q99)
		}
	}
}
