package nn

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"tattle/internal/must"
	"tattle/internal/shared"
)

// wideCase is an operator and how its inputs are drawn.
type wideCase struct {
	name string
	op   Op
	in   [][]int
	draw func(r *rand.Rand, i int) float64 // entry i of an input
}

func drawNormal(r *rand.Rand, _ int) float64 { return r.NormFloat64() }

func drawTimes(size float64) func(*rand.Rand, int) float64 {
	return func(r *rand.Rand, _ int) float64 { return size * r.NormFloat64() }
}

func wideCases() []wideCase {
	r := rand.New(rand.NewPCG(51, 51))
	var cases []wideCase
	add := func(name string, op Op, draw func(*rand.Rand, int) float64, in ...[]int) {
		cases = append(cases, wideCase{name, op, in, draw})
	}
	for _, size := range []float64{.01, 1, 20, 2000} {
		add("Softmax", &Softmax{}, drawTimes(size), []int{2, 9})
		gains, moves := normParams(r, 12)
		add("LayerNorm", &LayerNorm{Scale: gains, Shift: moves}, drawTimes(size), []int{3, 12})
		for _, name := range []string{"Erf", "Gelu", "GeluTanh", "Sigmoid", "Tanh", "Swish"} {
			op := &Unary{Function: name, Alpha: 1.7}
			if size > 1 && (name == "Erf" || name == "Gelu") {
				continue // the definition's series cancels
			}
			add(name, op, drawTimes(min(size, 9)), []int{40})
		}
	}
	add("Softmax of one", &Softmax{}, drawNormal, []int{3, 1})
	add("Softmax, masked", &Softmax{}, func(r *rand.Rand, i int) float64 { return r.NormFloat64() - 100*float64(i/2%2) }, []int{2, 8})
	add("Softmax, decided", &Softmax{}, func(r *rand.Rand, i int) float64 { return r.NormFloat64() - 700*float64(i%8) }, []int{2, 8})
	add("LayerNorm, flat rows", &LayerNorm{}, func(r *rand.Rand, i int) float64 { return 5 + 1e-7*r.NormFloat64() }, []int{2, 6})
	add("LayerNorm, far from 0", &LayerNorm{}, func(r *rand.Rand, i int) float64 { return 1e9 + r.NormFloat64() }, []int{2, 6})
	gains, moves := normParams(r, 6)
	add("GroupNorm", &GroupNorm{Groups: 2, Epsilon: .01, Scale: gains, Shift: moves}, drawNormal, []int{6, 2, 2})
	for _, c := range []struct {
		op   MatMul
		a, b []int
	}{
		{MatMul{}, []int{4, 3, 5}, []int{4, 5, 2}}, {MatMul{TransB: true}, []int{2, 3, 4, 7}, []int{2, 3, 5, 7}},
		{MatMul{TransA: true}, []int{2, 6, 3}, []int{6, 4}}, {MatMul{}, []int{3, 4}, []int{5, 4, 2}}, {MatMul{}, []int{40, 33}, []int{33, 3}}, {MatMul{}, []int{1, 1}, []int{1, 1}},
	} {
		add("MatMul", &c.op, drawNormal, c.a, c.b)
		add("MatMul, many sizes", &c.op, func(r *rand.Rand, i int) float64 { return math.Ldexp(r.NormFloat64(), -r.IntN(130)) }, c.a, c.b)
	}
	return cases
}

// wideRun is an operator's wide kernel at inputs in double words with errors.
func (c *wideCase) run(t *testing.T, x []wideTensor) (y wideTensor) {
	t.Helper()
	shape := must.Get(c.op.Shape(c.in...))(t)
	k := wideOf(&step[float64]{op: c.op, kernel: c.op.kernel64(c.in...), shapes: c.in, shape: shape}, &wideRoom{})
	if k == nil {
		t.Fatalf("%s: no wide kernel", c.name)
	}
	n := testBatch * Size(shape)
	y = wideTensor{make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, testBatch)}
	fill(y.norm, math.Inf(1))
	k.wide(y, x, testBatch)
	return y
}

// words draws inputs that use both words.
func (c *wideCase) words(r *rand.Rand) (x []wideTensor) {
	for _, s := range c.in {
		n := testBatch * Size(s)
		w := wideTensor{make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, testBatch)}
		for i := range w.hi {
			w.hi[i] = c.draw(r, i)
			w.lo[i] = w.hi[i] * 0x1p-54 * r.Float64()
		}
		x = append(x, w)
	}
	return x
}

// values returns the exact inputs of example b, moved by the entries of d.
func (c *wideCase) values(x []wideTensor, d [][]*big.Float, b int) (at [][]*big.Float) {
	for i, w := range x {
		var row []*big.Float
		for j, h := range rowOf(w.hi, b, testBatch) {
			v := bigAdd(exact(h), exact(rowOf(w.lo, b, testBatch)[j]))
			if d != nil {
				v.Add(v, d[i][j])
			}
			row = append(row, v)
		}
		at = append(at, row)
	}
	return at
}

// errorsOf returns the distances of example b of y from the definition at the values.
func (c *wideCase) errorsOf(t *testing.T, y wideTensor, at [][]*big.Float, b int) (off []float64) {
	out := must.Get(c.op.Shape(c.in...))(t)
	hi, lo := rowOf(y.hi, b, testBatch), rowOf(y.lo, b, testBatch)
	for i, want := range exactOf(t, c.op, c.in, out)(at) {
		d, _ := bigSub(bigSub(want, exact(hi[i])), exact(lo[i])).Float64()
		off = append(off, math.Abs(d))
	}
	return off
}

func finiteAnd(v, most float64) bool { return v <= most && !math.IsInf(most, 0) }

// TestWideKernels holds the kernels' bounds on entries and on norms to exact outputs: at
// exact inputs, where both are a few last bits of the largest number on the way, and at
// inputs moved by up to their errors.
func TestWideKernels(t *testing.T) {
	for _, c := range wideCases() {
		r := rand.New(rand.NewPCG(52, 52))
		for _, spread := range []float64{0, 1e-20, 1e-6, .1} {
			x := c.words(r)
			moved := make([][][]*big.Float, testBatch)
			for _, w := range x {
				for b := range testBatch {
					var d []*big.Float
					for i := range rowOf(w.e, b, testBatch) {
						e := spread * r.Float64()
						rowOf(w.e, b, testBatch)[i] = e
						d = append(d, exact(e*float64(2*r.IntN(2)-1)))
					}
					moved[b] = append(moved[b], d)
					w.norm[b] = length(rowOf(w.e, b, testBatch))
				}
			}
			y := c.run(t, x)
			var errors, bounds, norms float64
			for b := range testBatch {
				off := c.errorsOf(t, y, c.values(x, moved[b], b), b)
				for i, e := range rowOf(y.e, b, testBatch) {
					if !finiteAnd(off[i], e) {
						t.Fatalf("%s, spread %v: entry %d is off by %v, bound %v", c.name, spread, i, off[i], e)
					}
				}
				if !finiteAnd(norm64(off), y.norm[b]) {
					t.Fatalf("%s, spread %v: the norm of the errors is %v, bound %v", c.name, spread, norm64(off), y.norm[b])
				}
				errors, bounds, norms = errors+norm64(off), bounds+norm64(rowOf(y.e, b, testBatch)), norms+y.norm[b]
			}
			t.Logf("%s, spread %v: bounds / errors = %.3g, of norms %.3g", c.name, spread, bounds/errors, norms/errors)
			largest := 1 + norm64(y.hi)
			for _, w := range x {
				largest = max(largest, norm64(w.hi))
			}
			if spread == 0 && !(max(bounds, norms) <= 0x1p-86*largest) {
				t.Errorf("%s: the bounds at exact inputs are %v, of norms %v", c.name, bounds, norms)
			}
		}
	}
}

// TestWideNorms moves inputs, of whose errors the norm alone is known, in directions of many
// kinds: no output moves by more than the bound of its norm, and some by a good part of it.
func TestWideNorms(t *testing.T) {
	shared.Long(t, "norms in double words")
	for _, c := range wideCases() {
		r := rand.New(rand.NewPCG(53, 53))
		for _, size := range []float64{1e-20, 1e-3, 1} {
			x := c.words(r)
			for _, w := range x {
				fill(w.e, math.Inf(1))
				for b := range w.norm {
					w.norm[b] = size
				}
			}
			y := c.run(t, x)
			worst, bound := 0.0, 0.0
			for range 12 {
				for b := range testBatch {
					var d [][]*big.Float
					for _, w := range x {
						d = append(d, direction(r, len(w.hi)/testBatch, size))
					}
					off := norm64(c.errorsOf(t, y, c.values(x, d, b), b))
					if !finiteAnd(off, y.norm[b]) {
						t.Fatalf("%s, norm %v: the output moves by %v, bound %v", c.name, size, off, y.norm[b])
					}
					worst, bound = max(worst, off/y.norm[b]), max(bound, y.norm[b])
				}
			}
			t.Logf("%s, norm %v: the worst direction moves by %.3g of the bound %.3g", c.name, size, worst, bound)
		}
	}
}

// direction returns a vector of at most that norm: a random one, one of a few entries, or one
// of equal entries.
func direction(r *rand.Rand, n int, size float64) []*big.Float {
	d := make([]float64, n)
	switch r.IntN(3) {
	case 0:
		d = randomSlice[float64](r, n, 1)
	case 1:
		for range 1 + r.IntN(2) {
			d[r.IntN(n)] = float64(2*r.IntN(2) - 1)
		}
	default:
		fill(d, 1)
	}
	s := norm64(d)
	if s == 0 {
		return exactly(d)
	}
	for i := range d {
		d[i] *= size / s * (1 - 1e-12)
	}
	return exactly(d)
}

// TestWideFunctions holds exp and erf to their errors where the series and the reductions
// are worst, and the series' losses to what the errors of both are derived from.
func TestWideFunctions(t *testing.T) {
	r := rand.New(rand.NewPCG(54, 54))
	for j, loss := range expTable().loss {
		if !(loss <= 0x1p-103*expTable().h[j*expTerms]) {
			t.Errorf("exp, knot %d: loss %v", j, loss)
		}
	}
	if loss := slices.Max(erfTable().loss); !(loss <= 0x1p-103-0x1p-109) {
		t.Errorf("erf: loss %v", loss)
	}
	hold := func(what string, x float64, f func(xh, xl float64) (h, l float64), limit float64, relative bool, define func(*big.Float) *big.Float) float64 {
		xl := x * 0x1p-54 * r.Float64()
		h, l := f(x, xl)
		want := define(bigAdd(exact(x), exact(xl)))
		off := bigSub(bigSub(want, exact(h)), exact(l))
		if relative {
			off.Quo(off, want)
		}
		v, _ := off.Float64()
		if !(math.Abs(v) <= limit) || h+l != h {
			t.Errorf("%s(%v) = %v + %v is off by %v", what, x, h, l, v)
		}
		return math.Abs(v) / limit
	}
	worst := [2]float64{}
	for range 4000 {
		x := r.Float64()*40 - 20
		worst[0] = max(worst[0], hold("exp", x, expDouble, expError, true, exactExp))
		// between knots, and at them
		k := (float64(r.IntN(2*expReach*80)-expReach*80) + .5*float64(r.IntN(2))) * math.Ln2 / expKnots
		worst[0] = max(worst[0], hold("exp", k, expDouble, expError, true, exactExp))
		x = (float64(r.IntN(2*9*erfKnots)-9*erfKnots) + .5*float64(r.IntN(2))) / erfKnots
		worst[1] = max(worst[1], hold("erf", x*(1-0x1p-40), erfDouble, erfError, false, bigErf))
		worst[1] = max(worst[1], hold("erf", 3*r.NormFloat64(), erfDouble, erfError, false, bigErf))
	}
	t.Logf("the largest errors are %.2g of the bounds", worst)
	for _, x := range []float64{0, 1e-300, -1e-300, expReach, -expReach, 1e-17, 5e-324} {
		hold("exp", x, expDouble, expError, true, exactExp)
	}
	for _, x := range []float64{0, 1e-300, -1e-300, 8.4999999, 8.5, -8.5, 10} {
		hold("erf", x, erfDouble, erfError, false, bigErf)
	}
}

// TestSpectralBound holds the bound between the norm that power iteration finds and a
// little more.
func TestSpectralBound(t *testing.T) {
	r := rand.New(rand.NewPCG(55, 55))
	for _, c := range []struct {
		rows, cols int
		size       float64
	}{{1, 1, 1}, {7, 3, 1}, {3, 7, 1e-30}, {40, 90, 1e25}, {64, 64, 1e-3}, {128, 32, 1}} {
		w := randomSlice[float32](r, c.rows*c.cols, c.size)
		bound := spectralBound(w, c.rows, c.cols)
		v, norm := randomSlice[float64](r, c.cols, 1), 0.0
		for range 300 {
			u := make([]float64, c.rows)
			scale := norm64(v)
			next := make([]float64, c.cols)
			for i := range u {
				for j := range v {
					u[i] += float64(w[i*c.cols+j]) * v[j] / scale
				}
				for j := range v {
					next[j] += float64(w[i*c.cols+j]) * u[i]
				}
			}
			norm, v = norm64(u), next
			for j := range v {
				v[j] /= norm
			}
		}
		if !(norm <= bound && bound <= norm*1.15) {
			t.Errorf("%d × %d: spectral norm %v, bound %v", c.rows, c.cols, norm, bound)
		}
	}
	if b := spectralBound(make([]float32, 6), 2, 3); !(b < 1e-100) {
		t.Errorf("zeros: bound %v", b)
	}
	for _, v := range []float64{math.NaN(), math.Inf(1)} {
		if b := spectralBound([]float32{1, float32(v)}, 1, 2); b <= math.MaxFloat64 {
			t.Errorf("%v: bound %v", v, b)
		}
	}
}
