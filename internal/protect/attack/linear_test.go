package attack

import (
	"context"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"tattle/internal/engine/nn"
	"tattle/internal/must"
	"tattle/internal/protect/bayes"
	"tattle/internal/protect/release"
)

// The map against normal equations written out.
func TestLinearIsLeastSquares(t *testing.T) {
	const sigma = .5
	ctx, g := context.Background(), newGaussian(t, 5, 3, 4)
	train := g.draw(1500, 5)
	l := must.Get(NewLinear(ctx, Setting{Front: g.front, Noise: release.Gaussian{Sigma: sigma}, Data: train}))(t)
	// Least squares on [a 1], with σ√N and the ridge as rows to be answered by zeros.
	effective := math.Sqrt(sigma*sigma + l.ridge*l.moments.Scale())
	count := train.Len()
	a := make([]float32, count*g.n)
	g.front.Forward(a, train.X)
	x, y := mat.NewDense(count+g.n, g.n+1, nil), mat.NewDense(count+g.n, g.p, nil)
	for i := range count {
		for j := range g.n {
			x.Set(i, j, float64(a[i*g.n+j]))
		}
		x.Set(i, g.n, 1)
		for j := range g.p {
			y.Set(i, j, float64(train.X[i*g.p+j]))
		}
	}
	var center mat.Dense // the ridge holds for features about their mean
	center.Sub(x.Slice(0, count, 0, g.n), mat.NewDense(count, g.n, repeat(l.moments.MeanX, count)))
	x.Slice(0, count, 0, g.n).(*mat.Dense).Copy(&center)
	for j := range g.n {
		x.Set(count+j, j, effective*math.Sqrt(float64(count)))
	}
	var w mat.Dense
	must.Do(t, w.Solve(x, y))
	for j := range g.p {
		for i := range g.n {
			if math.Abs(w.At(i, j)-float64(l.weight[j*g.n+i])) > 1e-5 {
				t.Errorf("weight %d, %d: %v, want %v", i, j, l.weight[j*g.n+i], w.At(i, j))
			}
		}
		bias := w.At(g.n, j)
		for i, v := range l.moments.MeanX {
			bias -= v * w.At(i, j)
		}
		if math.Abs(bias-float64(l.bias[j])) > 1e-5 {
			t.Errorf("bias %d: %v, want %v", j, l.bias[j], bias)
		}
	}
}

func repeat(x []float64, count int) []float64 {
	var y []float64
	for range count {
		y = append(y, x...)
	}
	return y
}

// An attack is adapted to what is done to a release: of the label alone, the one that knows does better than one that does not.
func TestLinearKnowsTheLabel(t *testing.T) {
	ctx, g := context.Background(), newGaussian(t, 6, 5, 15)
	train, test := g.draw(5000, 16), g.draw(1000, 17)
	noise := release.Gaussian{Sigma: .3}
	measure := func(known bool) float64 {
		l := must.Get(NewLinear(ctx, Setting{Front: g.front, Noise: noise, Data: train, Label: known}))(t)
		r := must.Get(Measure(ctx, l.Attack, Setting{Front: g.front, Noise: noise, Data: test, Label: true}, nn.Indices(1000), Options{}))(t)
		return r.RootMeanSquare()
	}
	knows, not := measure(true), measure(false)
	m := NewMean(Setting{Front: g.front}, g.prior.Mean)
	r := must.Get(Measure(ctx, m, Setting{Front: g.front, Noise: noise, Data: test, Label: true}, nn.Indices(1000), Options{}))(t)
	if knows > .97*not || knows > .97*r.RootMeanSquare() {
		t.Errorf("error %v of the one that knows, %v of the one that does not, %v of the prior", knows, not, r.RootMeanSquare())
	}
}

// TestFeaturesFromMemo holds that an attack needs no features to be computed that a memo knows.
func TestFeaturesFromMemo(t *testing.T) {
	ctx, front, noise, data := context.Background(), wide(t, 4), release.Gaussian{Sigma: 1}, signs(200, 5)
	memo := bayes.NewMemo(data.Len(), 4)
	want := must.Get(NewLinear(ctx, Setting{Front: front, Noise: noise, Data: data, Memo: memo}))(t)
	list := bayes.Inputs{Front: front, Data: data, Indices: nn.Indices(data.Len()), Memo: memo}
	must.Do(t, list.Features(ctx, make([]float64, 4*data.Len()), list.Indices))
	constant := must.Get(nn.NewNet(&nn.Graph{Name: "zero", Input: "x", InputShape: []int{4}, Output: "y", Nodes: []*nn.Node{
		{Name: "y", Op: &nn.Dense{In: 4, Out: 4, Weight: nn.NewParam("w", 4, 4)}, Inputs: []string{"x"}, Output: "y"}}}))(t)
	got := must.Get(NewLinear(ctx, Setting{Front: constant, Noise: noise, Data: data, Memo: memo}))(t)
	for i, w := range want.weight {
		if math.Abs(float64(got.weight[i]-w)) > 1e-6 {
			t.Fatalf("weight %d is %v, want %v", i, got.weight[i], w)
		}
	}
}

// wide is features that are the inputs.
func wide(t testing.TB, p int) *nn.Net {
	return chain(t, []int{p}, 0, &nn.Identity{})
}

// Progress counts every batch and every map once.
func TestLinearProgress(t *testing.T) {
	g, last, calls := newGaussian(t, 9, 7, 40), 0, 0
	must.Get(NewLinear(context.Background(), Setting{Front: g.front, Noise: release.Gaussian{Sigma: 1}, Data: g.draw(1400, 41), Progress: func(done, total int) {
		if done != calls+1 || done > total {
			t.Errorf("step %d of %d after %d", done, total, calls)
		}
		last, calls = total, done
	}}))(t)
	if calls != last || calls == 0 {
		t.Errorf("progress has %d of %d steps", calls, last)
	}
}
