package independent

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"tattle/internal/engine/nn"
	"tattle/internal/must"
)

// identity gives its p inputs.
func identity(p int) *nn.Graph {
	return &nn.Graph{Input: "x", InputShape: []int{p}, Output: "y", Nodes: []*nn.Node{{Name: "y", Op: &nn.Identity{}, Inputs: []string{"x"}, Output: "y"}}}
}

// accepts reports whether what e records is accepted.
func accepts(e example) bool {
	e.check()
	return len(e.found) == 0
}

// Bounds that are exactly what formulas of paper A give are accepted, those that are larger by 1e-7 are not. The features are
// the inputs: of one witness ε = (.3, −.4), χ² is known for both families of noise, for several releases and for a runtime that errs.
func TestBoundsAreThoseOfClosedForms(t *testing.T) {
	const sigma, off = .5, .01
	eps := []float64{.3, -.4}
	gauss := func(queries float64) float64 {
		d := (.5 + 2*off*math.Sqrt2) / sigma
		return math.Expm1(queries * d * d)
	}
	// 1 + χ² of Laplace noise of scale b = σ/√2 and a shift s is (2e^u + e^(−2u))/3 with u = |s|/b.
	laplace := func(queries float64) float64 {
		all := 1.
		for _, e := range eps {
			u := (math.Abs(e) + 2*off) * math.Sqrt2 / sigma
			all *= (2*math.Exp(u) + math.Exp(-2*u)) / 3
		}
		return math.Pow(all, queries) - 1
	}
	overlap := func(queries float64) float64 { // ρ²/4
		all := 1.
		for _, e := range eps {
			u := (math.Abs(e) + 2*off) * math.Sqrt2 / sigma
			all *= (1 + u/2) * math.Exp(-u/2)
		}
		return math.Pow(all, 2*queries) / 4
	}
	for _, c := range []struct {
		run    Run
		chi, h float64
	}{
		{Run{Sigma: sigma}, gauss(1), gaussianShare(math.Sqrt(math.Log1p(gauss(1))))},
		{Run{Sigma: sigma, Queries: 3}, gauss(3), gaussianShare(math.Sqrt(math.Log1p(gauss(3))))},
		{Run{Sigma: sigma, Laplace: true}, laplace(1), overlap(1)},
		{Run{Sigma: sigma, Laplace: true, Queries: 3}, laplace(3), overlap(3)},
	} {
		c.run.Graph = identity(2)
		e := example{run: c.run, kind: Kind{Name: "far", Runtime: off}, theta: []float64{.1, .2}, eps: eps}
		root := math.Sqrt(c.chi)
		for name, at := range map[string]struct {
			to    *[]float64
			exact []float64
		}{
			"std": {&e.std, []float64{.3 / root, .4 / root}}, "mean square": {&e.square, []float64{.25 / c.chi / 2}},
			"share": {&e.share, []float64{c.h}}, "floor": {&e.floor, []float64{.3 * math.Sqrt(c.h), .4 * math.Sqrt(c.h)}}, "mean": {&e.mean, []float64{.25 / 2 * c.h}},
		} {
			for k := range at.exact {
				for _, by := range []float64{1 - 1e-7, 1, 1 + 1e-7, math.Inf(1)} {
					recorded := make([]float64, len(at.exact))
					recorded[k] = at.exact[k] * by
					*at.to = recorded
					if got := accepts(e); got != (by <= 1) {
						t.Errorf("%+v: %s %d, %v of what is proved: accepted %t", c.run, name, k, by, got)
					}
				}
			}
			*at.to = nil
		}
	}
}

// Two witnesses along the axes prove together what each proves alone: with M diagonal, Barankin's bound on coordinate k is
// that of witness k, and the bound on the mean square their mean. A combination is not to be called unbounded unless its
// bound is at least 10⁶.
func TestCombinedBoundsAreThoseOfClosedForms(t *testing.T) {
	e := example{run: Run{Graph: identity(2), Sigma: 1}, kind: Kind{Name: "barankin"}, theta: []float64{.1, .2}, eps: []float64{.3, 0, 0, .4}, std: make([]float64, 2)}
	a, b := math.Expm1(.09), math.Expm1(.16)
	e.solve = []float64{1 / a, 0, 0, 1 / b}
	exact := []float64{.3 / math.Sqrt(a), .4 / math.Sqrt(b)}
	square := (.09/a + .16/b) / 2
	for _, by := range []float64{1 - 1e-5, 1, 1 + 1e-5, math.Inf(1)} {
		for k := range exact {
			e.std, e.square = make([]float64, 2), nil
			e.std[k] = exact[k] * by
			if got := accepts(e); got != (by <= 1) {
				t.Errorf("coordinate %d, %v of what is proved: accepted %t", k, by, got)
			}
		}
		e.square = []float64{square * by}
		e.std = make([]float64, 2)
		if got := accepts(e); got != (by <= 1) {
			t.Errorf("mean square, %v of what is proved: accepted %t", by, got)
		}
	}
	// Twins prove unbounded errors: z is 0. A witness outside the box proves nothing.
	twin := example{run: Run{Graph: &nn.Graph{Input: "x", InputShape: []int{1}, Output: "y", Nodes: []*nn.Node{{Name: "y", Op: &nn.ReLU{}, Inputs: []string{"x"}, Output: "y"}}}, Sigma: 1},
		kind: Kind{Name: "twin", Low: []float64{-1}, High: []float64{0}}, theta: []float64{-1}, eps: []float64{1}, std: []float64{math.Inf(1)}, square: []float64{math.Inf(1)}}
	if !accepts(twin) {
		t.Error("twins on the edges of the box are refused")
	}
	for _, box := range [][2]float64{{-.999, 0}, {-1, -.001}} {
		twin.kind.Low, twin.kind.High = []float64{box[0]}, []float64{box[1]}
		if accepts(twin) {
			t.Errorf("twins at −1 and 0 are accepted in the box %v", box)
		}
	}
}

// laplaceOverlap is the integral that its comment states, for all signs.
func TestLaplaceOverlap(t *testing.T) {
	density := func(x float64) float64 { return math.Exp(-math.Abs(x)) / 2 }
	for _, s := range []float64{-2, -.3, 0, .1, 1.5} {
		for _, u := range []float64{-1, -.2, .4, 2.5} {
			sum, step := 0., 1e-3
			for x := -30.; x < 30; x += step {
				sum += step * density(x-s) * density(x-u) / density(x)
			}
			if got := laplaceOverlap(s, u); math.Abs(got-sum+1) > 1e-4*(1+math.Abs(sum)) {
				t.Errorf("overlap of %v and %v: %v, by steps %v", s, u, got, sum-1)
			}
		}
	}
}

// Convolutions and pools of any stride, dilation, padding and number of groups, of two images each, as the engine has them.
func TestForwardAgreesWithTheEngine(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	random := func(n int) []float32 {
		x := make([]float32, n)
		for i := range x {
			x[i] = float32(r.NormFloat64())
		}
		return x
	}
	conv := func(in, out, groups int, kernel, stride, dilation [2]int, pad [4]int) nn.Op {
		shape := []int{out, in / groups, kernel[0], kernel[1]}
		return &nn.Conv2D{InChannels: in, OutChannels: out, Kernel: kernel, Stride: stride, Dilation: dilation, Pad: pad, Groups: groups,
			Weight: &nn.Param{Shape: shape, Data: random(nn.Size(shape))}, Bias: &nn.Param{Shape: []int{out}, Data: random(out)}}
	}
	for i, op := range []nn.Op{
		conv(4, 6, 2, [2]int{3, 2}, [2]int{1, 1}, [2]int{1, 1}, [4]int{1, 0, 1, 1}),
		conv(6, 3, 3, [2]int{2, 3}, [2]int{2, 1}, [2]int{1, 2}, [4]int{0, 2, 1, 1}),
		conv(3, 2, 1, [2]int{2, 2}, [2]int{1, 2}, [2]int{2, 1}, [4]int{}),
		&nn.MaxPool{Kernel: [2]int{2, 3}, Stride: [2]int{2, 1}, Pad: [4]int{0, 1, 1, 0}},
	} {
		channels := 4
		if c, ok := op.(*nn.Conv2D); ok {
			channels = c.InChannels
		}
		g := &nn.Graph{Input: "x", InputShape: []int{channels, 7, 5}, Output: "y", Nodes: []*nn.Node{{Name: "y", Op: op, Inputs: []string{"x"}, Output: "y"}}}
		net := must.Get(nn.NewNet(g))(t)
		p, n := net.Dims()
		x, want, pairs := make([]float64, p), make([]float64, n), make([]pair, p)
		for k := range x {
			x[k] = r.NormFloat64()
			pairs[k].hi = x[k]
		}
		net.Forward64(want, x)
		for k, v := range must.Get(forward(g, pairs))(t) {
			if math.Abs(v.hi-want[k]) > 1e-12*(1+math.Abs(want[k])) {
				t.Fatalf("operator %d, output %d: %v, the engine has %v", i, k, v.hi, want[k])
			}
		}
	}
}

// The transform is over rows and columns of each channel: an orthonormal one, whose first mode is the mean times √n.
func TestModesOfChannels(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 1))
	const channels, rows, cols = 2, 3, 4
	x := make([]float64, channels*rows*cols)
	for i := range x {
		x[i] = r.NormFloat64()
	}
	y := Run{DCT: []int{channels, rows, cols}}.apply(x)
	for c := range channels {
		var sum, before, after float64
		for i := range rows * cols {
			v, w := x[c*rows*cols+i], y[c*rows*cols+i]
			sum, before, after = sum+v, before+v*v, after+w*w
		}
		if first := y[c*rows*cols]; math.Abs(first-sum/math.Sqrt(rows*cols)) > 1e-12 || math.Abs(before-after) > 1e-12 {
			t.Errorf("channel %d: first mode %v, want %v; norms %v and %v", c, first, sum/math.Sqrt(rows*cols), before, after)
		}
	}
}

// A single array that does not fit the model is an error.
func TestMisfits(t *testing.T) {
	fits := example{run: Run{Graph: identity(2)}, theta: make([]float64, 2), eps: make([]float64, 4), std: make([]float64, 2), square: make([]float64, 1),
		solve: make([]float64, 4), share: make([]float64, 2), floor: make([]float64, 2), mean: make([]float64, 1)}
	must.Do(t, fits.fit())
	for name, change := range map[string]func(e *example){
		"theta": func(e *example) { e.theta = e.theta[:1] }, "eps": func(e *example) { e.eps = e.eps[:3] }, "std": func(e *example) { e.std = e.std[:1] },
		"square": func(e *example) { e.square = make([]float64, 2) }, "solve": func(e *example) { e.solve = e.solve[:2] },
		"share": func(e *example) { e.share = e.share[:1] }, "floor": func(e *example) { e.floor = e.floor[:1] }, "mean": func(e *example) { e.mean = make([]float64, 2) },
		"low": func(e *example) { e.kind.Low = make([]float64, 1) }, "high": func(e *example) { e.kind.High = make([]float64, 1) },
	} {
		e := fits
		change(&e)
		if err := e.fit(); err == nil || !strings.Contains(err.Error(), "do not fit") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
