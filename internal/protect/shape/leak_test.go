package shape

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"tattle/internal/engine/nn"
	"tattle/internal/engine/nn/train"
	"tattle/internal/shared"
)

// direct is the penalty of a leak by its definition, in float64.
func direct(l *leak, values, noisy []float64, sigma float64, indices []int) (mean float64) {
	b := len(indices)
	n := len(values) / b
	for i := range b {
		k := make([]float64, b)
		for j := range k {
			var d float64
			for c := range n {
				d += math.Pow(noisy[i*n+c]-values[j*n+c], 2)
			}
			k[j] = math.Exp(-d / (2 * sigma * sigma))
		}
		var others float64
		for j := range k {
			if j != i {
				others += k[j] * float64(l.candidates-1) / float64(b-1)
			}
		}
		if l.weight > 0 {
			mean += l.weight * k[i] / (k[i] + others) / float64(b)
		}
		for _, p := range l.protected {
			var same, other float64
			for j := range k {
				switch {
				case j == i || l.given[indices[j]] != l.given[indices[i]]:
				case p.class[indices[j]] == p.class[indices[i]]:
					same += k[j]
				default:
					other += k[j]
				}
			}
			if same+other > 0 {
				mean += p.weight * same / (same + other) / float64(b)
			}
		}
	}
	return mean
}

// batchOf draws released values and noise.
func batchOf(b, n int, sigma float64) (values, noise []float64, indices []int) {
	r := rand.New(rand.NewPCG(1, uint64(b*n)))
	values, noise = make([]float64, b*n), make([]float64, b*n)
	for i := range values {
		values[i] = float64(float32(r.NormFloat64()))
		noise[i] = float64(float32(sigma * r.NormFloat64()))
	}
	return values, noise, r.Perm(2 * b)[:b]
}

func plus(x, y []float64) []float64 {
	z := make([]float64, len(x))
	for i := range x {
		z[i] = x[i] + y[i]
	}
	return z
}

// classesOf draws classes.
func classesOf(n, classes int, seed uint64) []int {
	r := rand.New(rand.NewPCG(seed, 2))
	y := make([]int, n)
	for i := range y {
		y[i] = r.IntN(classes)
	}
	return y
}

// TestLeak compares the penalty with the slow implementation, and its gradient with finite
// differences of that.
func TestLeak(t *testing.T) {
	shared.Long(t, "learns shapes with a penalty")
	for _, c := range []struct {
		b, n   int
		sigma  float64
		weight float64
		attrs  int
	}{
		{20, 4, 1, 2, 0},
		{20, 4, 1, 0, 1},
		{20, 4, .6, 1.5, 2},
		{33, 3, .8, 1, 1},
		{12, 500, 8, 1, 1}, // exp(−‖noise‖²/2σ²) is below the smallest float32
		{12, 40, .3, 1, 1}, // all others are far away
		{1, 3, 1, 1, 1},    // a batch of one example
		{2, 3, 1, 1, 1},
	} {
		t.Run(fmt.Sprintf("%d×%d,σ=%v,%v,%d", c.b, c.n, c.sigma, c.weight, c.attrs), func(t *testing.T) {
			values, noise, indices := batchOf(c.b, c.n, c.sigma)
			l := &leak{candidates: 300, weight: c.weight, given: classesOf(2*c.b, 2, 1)}
			for a := range c.attrs {
				l.protected = append(l.protected, protected{classesOf(2*c.b, 3, uint64(5+a)), .7})
			}
			f := func(v []float64) float64 { return direct(l, v, plus(v, noise), c.sigma, indices) }
			grad := make([]float32, len(values))
			for i := range grad {
				grad[i] = .5 // the gradient is added to what is there
			}
			got := l.penalty(grad, train.Released{Values: nn.Float32s(values), Noisy: nn.Float32s(plus(values, noise)), Sigma: c.sigma, Indices: indices})
			if c.b > 1 {
				if want := f(values); math.Abs(got-want) > 2e-5*(1+want) {
					t.Errorf("penalty %v, want %v", got, want)
				}
			}
			const h = 1e-5
			most := 0.
			for i := range min(len(values), 120) {
				up, down := append([]float64(nil), values...), append([]float64(nil), values...)
				up[i] += h
				down[i] -= h
				want := (f(up) - f(down)) / (2 * h)
				if c.b == 1 {
					want = 0
				}
				most = max(most, math.Abs(want))
				if d := math.Abs(float64(grad[i]) - .5 - want); !(d < 2e-5+1e-3*math.Abs(want)) {
					t.Errorf("gradient %d is %v, want %v", i, grad[i]-.5, want)
				}
			}
			t.Logf("largest slope %.3g", most)
		})
	}
}

// TestLeakAllocatesNothing holds for batches of two sizes, as at the end of an epoch.
func TestLeakAllocatesNothing(t *testing.T) {
	const b, n = 60, 6
	values, noise, indices := batchOf(b, n, 1)
	l := &leak{candidates: 1000, weight: 1, given: classesOf(2*b, 2, 1), protected: []protected{{classesOf(2*b, 2, 3), 1}}}
	grad := make([]float32, b*n)
	all := train.Released{Values: nn.Float32s(values), Noisy: nn.Float32s(plus(values, noise)), Sigma: 1, Indices: indices}
	last := train.Released{Values: all.Values[:20*n], Noisy: all.Noisy[:20*n], Sigma: 1, Indices: indices[:20]}
	l.penalty(grad, all)
	if a := testing.AllocsPerRun(20, func() {
		l.penalty(grad[:20*n], last)
		l.penalty(grad, all)
	}); a != 0 {
		t.Errorf("two penalties allocate %v times", a)
	}
}
