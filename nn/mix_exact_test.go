package nn

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"tattle/internal/must"
)

// exactOp is an operator on one example in arithmetic of 256 bits: its definition,
// written index by index.
type exactOp func(in [][]*big.Float) []*big.Float

// testExact holds an operator's float64 outputs to its definition, and its bounds on
// their errors to what moving the inputs within theirs does: no error exceeds its
// bound, and the bounds are on average no more than slack times the errors,
// where there are any. draw makes
// the inputs' entries from normal ones.
func testExact(t *testing.T, op Op, define exactOp, slack float64, draw func(float64) float64, inputShapes ...[]int) {
	t.Helper()
	shape := must.Get(op.Shape(inputShapes...))(t)
	c := opCase{op, inputShapes, Size(shape)}
	kern := op.kernel64(inputShapes...)
	r := rand.New(rand.NewPCG(21, 22))
	for _, spread := range []float64{0, 1e-12, 1e-4, .1} {
		x := inputs[float64](c, r, 1, 1)
		e := make([][]float64, len(x))
		for i := range x {
			e[i] = make([]float64, len(x[i]))
			for j, v := range x[i] {
				x[i][j], e[i][j] = draw(v), spread*r.Float64()
			}
		}
		f := forwardFrame(kern, c, x, false)
		bound := make([]float64, len(f.y))
		boundRounding(kern, f, bound, e)
		errors, bounds := 0.0, 0.0
		for b := range testBatch {
			at := make([][]*big.Float, len(x))
			for i, s := range inputShapes {
				for j := b * Size(s); j < (b+1)*Size(s); j++ {
					side := [3]float64{-1, 1, 2*r.Float64() - 1}[r.IntN(3)]
					at[i] = append(at[i], exact(0).Add(exact(x[i][j]), exact(0).Mul(exact(side), exact(e[i][j]))))
				}
			}
			for i, want := range define(at) {
				y := f.y[b*c.out+i]
				off, _ := exact(0).Sub(want, exact(y)).Float64()
				if off = math.Abs(off); !(off <= bound[b*c.out+i]) {
					t.Fatalf("spread %v: output %v is off by %v, bound %v", spread, y, off, bound[b*c.out+i])
				}
				errors += off
				bounds += bound[b*c.out+i]
			}
		}
		if errors > 0 && !(bounds <= slack*errors) {
			t.Errorf("spread %v: the bounds add up to %v, the errors to %v", spread, bounds, errors)
		}
		t.Logf("spread %v: bounds / errors = %.3g", spread, bounds/errors)
	}
}

func itself(v float64) float64    { return v }
func awayFrom0(v float64) float64 { return .2 + math.Abs(v) }

// indices returns the indices of entry e of a tensor.
func indices(e int, shape []int) []int {
	at := make([]int, len(shape))
	for i := len(shape) - 1; i >= 0; i-- {
		at[i], e = e%shape[i], e/shape[i]
	}
	return at
}

// entry returns the entry at those indices, counted from the right, dimensions of
// size 1 being broadcast.
func entry(at, shape []int) int {
	e := 0
	for i, d := range shape {
		a := at[len(at)-len(shape)+i]
		if d == 1 {
			a = 0
		}
		e = e*d + a
	}
	return e
}

// exactMatMul is the definition of a MatMul.
func exactMatMul(o *MatMul, a, b, out []int) exactOp {
	return func(in [][]*big.Float) (y []*big.Float) {
		_, inner := lastTwo(a, o.TransA)
		for e := range Size(out) {
			at, sum := indices(e, out), exact(0)
			lead, i, j := at[:len(at)-2], at[len(at)-2], at[len(at)-1]
			for l := range inner {
				ia, ib := []int{i, l}, []int{l, j}
				if o.TransA {
					slices.Reverse(ia)
				}
				if o.TransB {
					slices.Reverse(ib)
				}
				ea, eb := entry(slices.Concat(lead, ia), a), entry(slices.Concat(lead, ib), b)
				sum.Add(sum, exact(0).Mul(in[0][ea], in[1][eb]))
			}
			y = append(y, sum)
		}
		return y
	}
}

// exactRowNorm standardises rows of cols entries; channel names the parameter of
// entry e of an example.
func exactRowNorm(epsilon float64, scale, shift *Param, cols int, channel func(e int) int) exactOp {
	return func(in [][]*big.Float) []*big.Float {
		y := make([]*big.Float, len(in[0]))
		n := exact(float64(cols))
		for lo := 0; lo < len(y); lo += cols {
			mean, variance := exact(0), exact(0)
			for _, v := range in[0][lo : lo+cols] {
				mean.Add(mean, v)
			}
			mean.Quo(mean, n)
			for _, v := range in[0][lo : lo+cols] {
				d := exact(0).Sub(v, mean)
				variance.Add(variance, d.Mul(d, d))
			}
			root := variance.Quo(variance, n)
			root.Sqrt(root.Add(root, exact(epsilon)))
			for e := lo; e < lo+cols; e++ {
				z := exact(0).Sub(in[0][e], mean)
				z.Quo(z, root)
				if scale != nil {
					z.Mul(z, exact(float64(scale.Data[channel(e)])))
				}
				if shift != nil {
					z.Add(z, exact(float64(shift.Data[channel(e)])))
				}
				y[e] = z
			}
		}
		return y
	}
}

func exactLogSoftmax(cols int) exactOp {
	return func(in [][]*big.Float) (y []*big.Float) {
		for lo := 0; lo < len(in[0]); lo += cols {
			sum := exactReductions["LogSumExp"](in[0][lo : lo+cols])
			for _, v := range in[0][lo : lo+cols] {
				y = append(y, exact(0).Sub(v, sum))
			}
		}
		return y
	}
}

// exactReductions are the functions of Reduce by their names' words.
var exactReductions = map[string]func(x []*big.Float) *big.Float{
	"Sum": func(x []*big.Float) *big.Float { return exactSum(x, func(v *big.Float) *big.Float { return v }) },
	"Mean": func(x []*big.Float) *big.Float {
		s := exactSum(x, func(v *big.Float) *big.Float { return v })
		return s.Quo(s, exact(float64(len(x))))
	},
	"Max": func(x []*big.Float) *big.Float { return slices.MaxFunc(x, (*big.Float).Cmp) },
	"Min": func(x []*big.Float) *big.Float { return slices.MinFunc(x, (*big.Float).Cmp) },
	"Prod": func(x []*big.Float) *big.Float {
		p := exact(1)
		for _, v := range x {
			p.Mul(p, v)
		}
		return p
	},
	"L1": func(x []*big.Float) *big.Float {
		return exactSum(x, func(v *big.Float) *big.Float { return exact(0).Abs(v) })
	},
	"SumSquare": func(x []*big.Float) *big.Float { return exactSum(x, exactSquare) },
	"L2":        func(x []*big.Float) *big.Float { s := exactSum(x, exactSquare); return s.Sqrt(s) },
	"LogSum": func(x []*big.Float) *big.Float {
		return exactLog([]*big.Float{exactSum(x, func(v *big.Float) *big.Float { return v })})[0]
	},
	"LogSumExp": func(x []*big.Float) *big.Float { return exactLog([]*big.Float{exactSum(x, exactExp)})[0] },
}

func exactSquare(v *big.Float) *big.Float { return exact(0).Mul(v, v) }

func exactSum(x []*big.Float, f func(*big.Float) *big.Float) *big.Float {
	s := exact(0)
	for _, v := range x {
		s.Add(s, f(v))
	}
	return s
}

// exactReduce collects the entries of each output by their indices.
func exactReduce(reduce *Reduce, in []int) exactOp {
	gone, _ := reduce.reduced(in)
	return func(x [][]*big.Float) (y []*big.Float) {
		var groups [][]*big.Float
		places := map[int]int{} // of an output's group
		kept := slices.Clone(in)
		for i := range kept {
			if gone[i] {
				kept[i] = 1
			}
		}
		for e, v := range x[0] {
			o := entry(indices(e, in), kept)
			if _, ok := places[o]; !ok {
				places[o] = len(groups)
				groups = append(groups, nil)
			}
			groups[places[o]] = append(groups[places[o]], v)
		}
		for o := range Size(kept) {
			y = append(y, exactReductions[reduce.Function](groups[places[o]]))
		}
		return y
	}
}

// TestShift32 holds float32 shifts of all sizes to the float64 ones, of which they keep
// all but the last digits.
func TestShift32(t *testing.T) {
	const k = 2
	r := rand.New(rand.NewPCG(31, 32))
	scale, shift := normParams(r, 19)
	gains, moves := normParams(r, 6)
	for _, op := range []Op{
		&LayerNorm{Scale: scale, Shift: shift}, &Softmax{}, &LogSoftmax{}, &Reduce{Function: "LogSumExp", Axes: []int{1}},
		&GroupNorm{Groups: 3, Scale: gains, Shift: moves}, &Reduce{Function: "L2", Axes: []int{0}},
	} {
		in := []int{6, 19}
		shape := must.Get(op.Shape(in))(t)
		c := opCase{op, [][]int{in}, Size(shape)}
		x := inputs[float32](c, r, 1, 1)
		narrowKernel, wideKernel := op.kernel32(in), op.kernel64(in)
		f := forwardFrame(narrowKernel, c, x, false)
		g := forwardFrame(wideKernel, c, [][]float64{wide(x[0])}, false)
		for _, size := range []float64{1e-12, 1e-6, 1e-2, 1, 30} {
			d := inputs[float32](c, r, k, size)
			got, want := make([]float32, testBatch*k*c.out), make([]float64, testBatch*k*c.out)
			narrowKernel.shift(f, got, d, k)
			wideKernel.shift(g, want, [][]float64{wide(d[0])}, k)
			closeTo(t, op.Kind(), wide(got), want, 2e-6)
		}
	}
}
