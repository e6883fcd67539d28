package tattle

import (
	"bytes"
	"context"
	"flag"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"tattle/internal/engine/nn"
	"tattle/internal/engine/onnx"
	"tattle/internal/must"
)

var update = flag.Bool("update", false, "write testdata/small.onnx")

// smallModel is the net of the examples: 8 inputs, 12 features, 3 classes.
func smallModel() *nn.Graph {
	r := rand.New(rand.NewPCG(11, 12))
	param := func(name string, scale float64, shape ...int) *nn.Param {
		x := &nn.Param{Name: name, Shape: shape, Data: make([]float32, nn.Size(shape))}
		for i := range x.Data {
			x.Data[i] = float32(scale * r.NormFloat64())
		}
		return x
	}
	return &nn.Graph{Name: "small", Input: "x", InputShape: []int{8}, Output: "scores", Nodes: []*nn.Node{
		{Name: "first", Op: &nn.Dense{In: 8, Out: 12, Weight: param("w1", .5, 12, 8), Bias: param("b1", .5, 12)}, Inputs: []string{"x"}, Output: "a"},
		{Name: "relu", Op: &nn.ReLU{}, Inputs: []string{"a"}, Output: "features"},
		{Name: "last", Op: &nn.Dense{In: 12, Out: 3, Weight: param("w2", .5, 3, 12), Bias: param("b2", .5, 3)}, Inputs: []string{"features"}, Output: "scores"},
	}}
}

// The file of the examples is the net above.
func TestSmallModel(t *testing.T) {
	const path = "testdata/small.onnx"
	want := must.Get(onnx.Encode(smallModel()))(t)
	if *update {
		must.Do(t, os.WriteFile(path, want, 0o666))
	}
	if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is not the net of smallModel (%v): go test -run TestSmallModel -update .", path, err)
	}
}

func small(t *testing.T) *Model {
	t.Helper()
	return must.Get(cut(smallModel(), ""))(t)
}

// What cannot be used is an error that says why, and no panic.
func TestBadInputs(t *testing.T) {
	m, ctx := small(t), t.Context()
	var none context.Context
	noise := Noise{Sigma: 1}
	x, short, nan, seen := make([]float32, 8), make([]float32, 7), make([]float32, 8), make([]float32, 12)
	nan[3] = float32(math.NaN())
	list := [][]float32{x, {1, 0, 0, 0, 0, 0, 0, 0}}
	rows := [][]float32{{0, 1}, {1, 0}}
	for want, f := range map[string]func() error{
		"no such file":             func() error { _, err := Open("testdata/absent.onnx"); return err },
		"absent":                   func() error { _, err := OpenAt("testdata/small.onnx", "absent"); return err },
		"no noise family":          func() error { _, err := m.Guard(Noise{Family: "absent", Sigma: 1}); return err },
		"standard deviation 0":     func() error { _, err := m.Guard(Noise{}); return err },
		"standard deviation NaN":   func() error { _, err := m.Guard(Noise{Sigma: math.NaN()}); return err },
		"release lattice noise":    func() error { _, err := m.Guard(Noise{Family: "gaussian", Sigma: 1}); return err },
		"an input of 7":            func() error { _, err := m.Features(short); return err },
		"number 3 is NaN":          func() error { _, err := m.Simulate(nan, noise, 1); return err },
		"a clip of the norm: give": func() error { _, err := m.Guard(Noise{Family: "laplace", Sigma: 1, ClipNorm: 1}); return err },
		"norm at -1":               func() error { _, err := m.Guard(Noise{Sigma: 1, ClipNorm: -1}); return err },
		"give ClipNorm":            func() error { _, err := m.WorstCase(Noise{Sigma: 1, Family: "lattice:0.015625:2:norm"}, 1); return err },
		"proves nothing":           func() error { _, err := m.WorstCase(noise, 1); return err },
		"0 releases":               func() error { _, err := m.WorstCase(Noise{Sigma: 1, ClipNorm: 1}, 0); return err },
		"features of 8":            func() error { _, err := m.Outputs(x); return err },
		"the context is nil":       func() error { _, err := m.Certify(none, x, noise, CertifyOptions{}); return err },
		"an input of 0":            func() error { _, err := m.Certify(ctx, nil, noise, CertifyOptions{}); return err },
		"low":                      func() error { _, err := m.Certify(ctx, x, noise, CertifyOptions{Low: []float64{1}}); return err },
		"a release of 7":           func() error { _, err := m.Attack(ctx, short, noise, list, AttackOptions{}); return err },
		"what is known, input 1":   func() error { _, err := m.Attack(ctx, seen, noise, [][]float32{x, short}, AttackOptions{}); return err },
		"0 inputs":                 func() error { _, err := m.Attack(ctx, seen, noise, nil, AttackOptions{}); return err },
		"the list: 1 inputs":       func() error { _, err := m.Identify(ctx, list[:1], noise, IdentifyOptions{}); return err },
		"inputs 0 and 1 are equal": func() error { _, err := m.Identify(ctx, [][]float32{x, x}, noise, IdentifyOptions{}); return err },
		"attribute s has 1 labels": func() error {
			_, err := m.Identify(ctx, list, noise, IdentifyOptions{Attributes: []Attribute{{"s", []int{0}}}})
			return err
		},
		"label -1": func() error {
			_, err := m.Identify(ctx, list, noise, IdentifyOptions{Attributes: []Attribute{{"s", []int{0, -1}}}})
			return err
		},
		"-1 releases":          func() error { _, err := m.Identify(ctx, list, noise, IdentifyOptions{Releases: -1}); return err },
		"0 labels of 2 inputs": func() error { _, err := m.Design(ctx, Examples{Inputs: list}, Examples{}, Promise{}, 1); return err },
		"class 3 of 3": func() error {
			_, err := m.Design(ctx, Examples{list, []int{0, 3}}, Examples{}, Promise{}, 1)
			return err
		},
		"no promise": func() error {
			e := Examples{list, []int{0, 1}}
			_, err := m.Design(ctx, e, e, Promise{}, 1)
			return err
		},
		"vectors of 0 numbers": func() error { _, err := Vectors(0); return err },
		"vectors of -3":        func() error { _, err := Vectors(-3); return err },
		"no sensible size":     func() error { _, err := Vectors(math.MaxInt); return err },
		"0 rows of outputs":    func() error { _, err := Audit(ctx, nil, nil, nil, AuditOptions{}); return err },
		"0 sensitive classes":  func() error { _, err := Audit(ctx, rows, []int{1, 0}, nil, AuditOptions{}); return err },
		"row 1 has 1 outputs": func() error {
			_, err := Audit(ctx, [][]float32{{0, 1}, {1}}, []int{1, 0}, []int{0, 0}, AuditOptions{})
			return err
		},
		"class -1 of":                   func() error { _, err := Audit(ctx, rows, []int{1, 0}, []int{-1, 1}, AuditOptions{}); return err },
		"sensitive class 1000000000 of": func() error { _, err := Audit(ctx, rows, []int{1, 0}, []int{0, 1e9}, AuditOptions{}); return err },
		"reference 0": func() error {
			_, err := Audit(ctx, rows, []int{1, 0}, []int{0, 1}, AuditOptions{References: [][][]float32{rows[:1]}})
			return err
		},
	} {
		must.Fail(t, f(), want)
	}
	g := must.Get(m.Guard(noise))(t)
	must.Do(t, g.Close())
	must.Fail(t, must.Err(g.Release(x)), "closed")
}

// A clip of the norm binds what a guard releases, and the design that promises to.
func TestClipNorm(t *testing.T) {
	m, n := small(t), Noise{Sigma: 1e-3, ClipNorm: .5}
	g := must.Get(m.Guard(n))(t)
	released := must.Get(g.Release([]float32{9, 9, 9, 9, 9, 9, 9, 9}))(t)
	must.Do(t, g.Close())
	square := 0.
	for _, v := range released {
		square += float64(v) * float64(v)
	}
	if norm := math.Sqrt(square); math.Abs(norm-.5) > .02 {
		t.Errorf("released with a norm of %v, clipped to .5", norm)
	}
	w := must.Get(m.WorstCase(Noise{Family: "gaussian", Sigma: 1, ClipNorm: 1.82}, 1))(t)
	if p := w.Success(1. / 60000); math.Abs(p-.01) > 2e-4 || w.Exposed(.1) != 1038 {
		t.Errorf("success %v, %v people exposed", p, w.Exposed(.1))
	}
	if rho, mu, epsilon := w.Privacy(1e-5); math.Abs(rho-2*1.82*1.82) > 1e-9 || math.Abs(mu-3.64) > 1e-9 || epsilon < mu*mu/2 {
		t.Errorf("ρ = %v, μ = %v, ε = %v", rho, mu, epsilon)
	}
}

// More releases prove less.
func TestCertify(t *testing.T) {
	m, x := small(t), []float32{.1, .9, .4, .6, .5, .5, .2, .8}
	o := CertifyOptions{Low: make([]float64, 8), High: []float64{1, 1, 1, 1, 1, 1, 1, 1}}
	one := must.Get(m.Certify(t.Context(), x, Noise{Family: "gaussian", Sigma: .5}, o))(t)
	o.Releases = 100
	many := must.Get(m.Certify(t.Context(), x, Noise{Family: "gaussian", Sigma: .5}, o))(t)
	for k, v := range one.Std {
		if !(many.Std[k] <= v) {
			t.Errorf("coordinate %d: %g by 100 queries, %g by one", k, many.Std[k], v)
		}
	}
	if !one.Certified {
		t.Error(one.Note)
	}
}

// The floor is below the error of an attack with the same list, and the limits of identification hold for one that
// runs: the nearest features.
func TestIdentifyLimitsAttacks(t *testing.T) {
	m, n := small(t), Noise{Sigma: .3}
	r := rand.New(rand.NewPCG(3, 4))
	list := make([][]float32, 64)
	a := Attribute{Name: "half"}
	for i := range list {
		list[i] = make([]float32, 8)
		for k := range list[i] {
			list[i][k] = r.Float32()
		}
		a.Labels = append(a.Labels, i%2)
	}
	id := must.Get(m.Identify(t.Context(), list, n, IdentifyOptions{Attributes: []Attribute{a}, Draws: 4000}))(t)
	named, squares := 0, 0.
	const tries = 2000
	for i := range tries {
		truth := r.IntN(len(list))
		y := must.Get(m.Simulate(list[truth], n, uint64(i)))(t)
		best, least := 0, math.Inf(1)
		for j, x := range list {
			f, d := must.Get(m.Features(x))(t), 0.
			for k, v := range f {
				d += math.Pow(float64(v-y[k]), 2)
			}
			if d < least {
				best, least = j, d
			}
		}
		if best == truth {
			named++
		}
		squares += meanSquare(list[truth], list[best]) / tries
	}
	// Half a million standard errors in a billion would be chance: 5 of a share of 2000 tries.
	if share := float64(named) / tries; share > id.First.High+5*math.Sqrt(.25/tries) || share < id.First.Low-5*math.Sqrt(.25/tries) {
		t.Errorf("named %.3f of the inputs: the limits are %v", share, id.First)
	}
	if rms := math.Sqrt(squares); rms < id.Floor.Low || id.Floor.Low <= 0 {
		t.Errorf("an attack errs by %.3f, the floor is %v", rms, id.Floor)
	}
	if id.Prior[0] != .5 || id.Guessed[0].High < .5 || id.Guessed[0].Low > id.First.High+.5 || id.Bits.High > 6 || id.Ten.Low < id.First.Low {
		t.Errorf("%+v", id)
	}
}
