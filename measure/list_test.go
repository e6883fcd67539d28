package measure

import (
	"context"
	"math"
	"testing"

	"tattle/bound"
	"tattle/nn"
	"tattle/release"
)

// rows is a source of inputs in memory, all of class 0.
type rows struct {
	p int
	x []float32
}

func (r rows) Len() int      { return len(r.x) / r.p }
func (r rows) Label(int) int { return 0 }
func (r rows) Examples(x []float32, indices []int) {
	for k, i := range indices {
		copy(x[k*r.p:(k+1)*r.p], r.x[i*r.p:(i+1)*r.p])
	}
}

// TestList: two inputs that differ in the first of two numbers only, released as they are, one of
// them twice in the list.
func TestList(t *testing.T) {
	noise, err := release.NewGaussian(1)
	if err != nil {
		t.Fatal(err)
	}
	legal, err := bound.Legal([]float64{0, 0}, []float64{2, 1})
	if err != nil {
		t.Fatal(err)
	}
	target := Target{Front: identity(t, 2), Noise: noise, Coordinates: bound.Pixels(2), Legal: legal}
	list, err := target.List(context.Background(), ListRequest{
		Data:  rows{2, []float32{0, 1, 2, 1, 0, 1}},
		Bands: []Band{{Name: "all"}, {"first", []int{0}}, {"second", []int{1}}}, Draws: 20000, Seed: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	if list.Candidates != 2 || list.Merged != 1 {
		t.Errorf("%d candidates, %d merged, want 2 and 1", list.Candidates, list.Merged)
	}
	// At a distance of 2σ the truth is named with probability Φ(1), and h = .335².
	if want := .8413; math.Abs(list.Named.Mean-want) > .02 || list.Named.High < want {
		t.Errorf("named %+v, want %v", list.Named, want)
	}
	for k, want := range []float64{4 * .1122 / 2, 4 * .1122, 0} {
		if f := list.Floors[k]; math.Abs(f.List.Mean-want) > .03 || f.List.Low > want+1e-12 || f.Everybody > f.List.Low {
			t.Errorf("floor of %s: %+v, want %v", f.Band.Name, f, want)
		}
	}
	if b := list.Bits; b.Mean < .3 || b.Mean > .6 || b.High < b.Mean || list.BitsAbove < b.Mean {
		t.Errorf("bits %+v, at most %v", b, list.BitsAbove)
	}
}

// identity is a net that releases its n inputs.
func identity(t *testing.T, n int) *nn.Net {
	t.Helper()
	g := &nn.Graph{Name: "identity", Input: "x", InputShape: []int{n}, Output: "y"}
	weight := make([]float32, n*n)
	for i := range n {
		weight[i*n+i] = 1
	}
	g.Nodes = []*nn.Node{{Name: "dense", Op: &nn.Dense{In: n, Out: n,
		Weight: &nn.Param{Name: "w", Shape: []int{n, n}, Data: weight},
		Bias:   &nn.Param{Name: "b", Shape: []int{n}, Data: make([]float32, n)}}, Inputs: []string{"x"}, Output: "y"}}
	net, err := nn.NewNet(g)
	if err != nil {
		t.Fatal(err)
	}
	return net
}
