package nn

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"tattle/internal/must"
)

// The slow side of the tests: the operators' definitions, written index by index, in
// arithmetic of 256 bits.
const exactBits = 256

func exact(v float64) *big.Float { return new(big.Float).SetPrec(exactBits).SetFloat64(v) }

func exactly(x []float64) []*big.Float {
	out := make([]*big.Float, len(x))
	for i, v := range x {
		out[i] = exact(v)
	}
	return out
}

// exactForward evaluates a graph of one example.
func exactForward(t *testing.T, g *Graph, x []*big.Float) []*big.Float {
	t.Helper()
	shapes := must.Get(g.Shapes())(t)
	tensors := map[string][]*big.Float{g.Input: x}
	for _, n := range g.Nodes {
		var in [][]int
		var at [][]*big.Float
		for _, name := range n.Inputs {
			in, at = append(in, shapes[name]), append(at, tensors[name])
		}
		tensors[n.Output] = exactOf(t, n.Op, in, shapes[n.Output])(at)
	}
	return tensors[g.Output]
}

// exactOp is an operator on the inputs of one example.
type exactOp func(in [][]*big.Float) []*big.Float

// exactOf returns an operator's definition.
func exactOf(t *testing.T, op Op, in [][]int, out []int) exactOp {
	switch op := op.(type) {
	case *Conv2D:
		return exactTerms(convTerms(op, in[0], out), op.Weight, op.Bias, out)
	case *ConvTranspose:
		return exactTerms(transposedTerms(op, in[0], out), op.Weight, op.Bias, out)
	case *Dense:
		return eachRow(op.In, func(x []*big.Float) []*big.Float { return exactDense(op, x) })
	case *BatchNorm:
		return exactBatchNorm(op, in[0])
	case *MaxPool:
		return exactPool(op.Kernel, op.Stride, op.Dilation, op.Pad, in[0], out, exactReductions["Max"])
	case *AveragePool:
		return exactPool(op.Kernel, op.Stride, op.Dilation, op.Pad, in[0], out, func(w []*big.Float) *big.Float {
			if op.CountIncludePad {
				return bigQuo(exactReductions["Sum"](w), exact(float64(op.Kernel[0]*op.Kernel[1])))
			}
			return exactReductions["Mean"](w)
		})
	case *Binary:
		return exactBinary(op, in, out)
	case *Reduce:
		return exactReduce(op, in[0])
	case *MatMul:
		return exactMatMul(op, in[0], in[1], out)
	case *LayerNorm:
		cols := Size(in[0][len(in[0])-op.axes():])
		return exactRowNorm(op.Epsilon, op.Scale, op.Shift, cols, func(e int) int { return e % cols })
	case *Softmax:
		return eachRow(in[0][len(in[0])-1], exactSoftmax)
	case *Hardmax:
		return eachRow(in[0][len(in[0])-1], exactHardmax)
	case *ReLU:
		return each(func(v *big.Float) *big.Float { return exactLeaky(op.Slope, v) })
	case *Unary:
		return each(func(v *big.Float) *big.Float { return exactUnary[op.Function](op, v) })
	case *Identity, *Dropout, *Reshape, *Transpose, *Slice, *Gather, *Pad, *Concat, *Constant:
	default:
		t.Fatalf("no exact %s", op.Kind())
	}
	return exactCopies(op, in, out)
}

// each applies a function to every entry.
func each(f func(v *big.Float) *big.Float) exactOp {
	return eachRow(1, func(x []*big.Float) []*big.Float { return []*big.Float{f(x[0])} })
}

// eachRow applies a definition to rows of cols entries.
func eachRow(cols int, f func(x []*big.Float) []*big.Float) exactOp {
	return func(in [][]*big.Float) (y []*big.Float) {
		for lo := 0; lo < len(in[0]); lo += cols {
			y = append(y, f(in[0][lo:lo+cols])...)
		}
		return y
	}
}

// exactTerms sums products of inputs and weights.
func exactTerms(terms []convTerm, weight, bias *Param, out []int) exactOp {
	return func(x [][]*big.Float) []*big.Float {
		y := make([]*big.Float, Size(out))
		for o := range y {
			if y[o] = exact(0); bias != nil {
				y[o] = exact(float64(bias.Data[o/Size(out[1:])]))
			}
		}
		for _, s := range terms {
			y[s.y].Add(y[s.y], bigMul(exact(float64(weight.Data[s.w])), x[0][s.x]))
		}
		return y
	}
}

func exactDense(d *Dense, x []*big.Float) []*big.Float {
	out := make([]*big.Float, d.Out)
	for i := range out {
		sum := exact(0)
		if d.Bias != nil {
			sum = exact(float64(d.Bias.Data[i]))
		}
		for j, v := range x {
			sum.Add(sum, exact(0).Mul(exact(float64(d.Weight.Data[i*d.In+j])), v))
		}
		out[i] = sum
	}
	return out
}

func exactBatchNorm(b *BatchNorm, shape []int) exactOp {
	return func(x [][]*big.Float) (y []*big.Float) {
		for i, v := range x[0] {
			c := i / Size(shape[1:])
			root := exact(float64(b.Variance.Data[c]))
			root.Sqrt(root.Add(root, exact(b.epsilon())))
			z := bigMul(bigSub(v, exact(float64(b.Mean.Data[c]))), exact(float64(b.Scale.Data[c])))
			y = append(y, bigAdd(z.Quo(z, root), exact(float64(b.Shift.Data[c]))))
		}
		return y
	}
}

func exactPool(kernel, stride, dilation [2]int, pad [4]int, in, out []int, reduce func(w []*big.Float) *big.Float) exactOp {
	return func(x [][]*big.Float) (y []*big.Float) {
		for o := range Size(out) {
			plane := x[0][o/(out[1]*out[2])*in[1]*in[2]:]
			var w []*big.Float
			for _, a := range windowOf(kernel, stride, dilation, pad, in, o/out[2]%out[1], o%out[2]) {
				w = append(w, plane[a])
			}
			y = append(y, reduce(w))
		}
		return y
	}
}

// exactBinary combines two tensors, or one and a constant, entry by entry.
func exactBinary(op *Binary, in [][]int, out []int) exactOp {
	return func(x [][]*big.Float) (y []*big.Float) {
		x, in := slices.Clone(x), slices.Clone(in)
		if c := op.Constant; c != nil {
			at := 1
			if op.ConstantFirst {
				at = 0
			}
			x, in = slices.Insert(x, at, exactly(wide(c.Data))), slices.Insert(in, at, c.Shape)
		}
		for o := range Size(out) {
			at := indices(o, out)
			y = append(y, exactPair[op.Operator](x[0][entry(at, in[0])], x[1][entry(at, in[1])]))
		}
		return y
	}
}

// exactCopies finds out which input each output is by having the operator copy
// numbers of theirs.
func exactCopies(op Op, in [][]int, out []int) exactOp {
	return func(x [][]*big.Float) []*big.Float {
		f := &frame[float64]{batch: 1, y: make([]float64, Size(out))}
		all := []*big.Float{}
		for _, x := range x {
			number := make([]float64, len(x))
			for j := range number {
				number[j] = float64(len(all) + 1000)
				all = append(all, x[j])
			}
			f.x = append(f.x, number)
		}
		op.kernel64(in...).forward(f)
		y := make([]*big.Float, len(f.y))
		for i, v := range f.y {
			if y[i] = exact(v); v >= 1000 {
				y[i] = all[int(v)-1000]
			}
		}
		return y
	}
}

func exactLeaky(slope float64, v *big.Float) *big.Float {
	if v.Sign() < 0 {
		return bigMul(exact(slope), v)
	}
	return v
}

func exactSoftmax(x []*big.Float) []*big.Float {
	sum := exactSum(x, exactExp)
	out := make([]*big.Float, len(x))
	for i, v := range x {
		out[i] = bigQuo(exactExp(v), sum)
	}
	return out
}

// exactExp is e^x by its series at x/2⁴⁰, squared forty times.
func exactExp(x *big.Float) *big.Float {
	const halvings = 40
	small := exact(0).SetMantExp(x, -halvings)
	sum, term := exact(1), exact(1)
	for i := 1; i < 40; i++ {
		term.Mul(term, small)
		term.Quo(term, exact(float64(i)))
		sum.Add(sum, term)
	}
	for range halvings {
		sum.Mul(sum, sum)
	}
	return sum
}

// bigLog solves e^y = x by Newton's steps from float64, each of which doubles the
// digits.
func bigLog(x *big.Float) *big.Float {
	from, _ := x.Float64()
	y := exact(math.Log(from))
	for range 3 {
		e := exactExp(y)
		y.Add(y, e.Quo(bigSub(x, e), e))
	}
	return y
}

func exactHardmax(x []*big.Float) []*big.Float {
	out, best := make([]*big.Float, len(x)), 0
	for i, v := range x {
		out[i] = exact(0)
		if v.Cmp(x[best]) > 0 {
			best = i
		}
	}
	out[best] = exact(1)
	return out
}

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
		inner := a[len(a)-1]
		for e := range Size(out) {
			at, sum := indices(e, out), exact(0)
			lead, i, j := at[:len(at)-2], at[len(at)-2], at[len(at)-1]
			for l := range inner {
				ia, ib := []int{i, l}, []int{l, j}
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
		for lo := 0; lo < len(y); lo += cols {
			row := in[0][lo : lo+cols]
			mean := exactReductions["Mean"](row)
			root := bigQuo(exactSum(row, func(v *big.Float) *big.Float { return exactSquare(bigSub(v, mean)) }), exact(float64(cols)))
			root.Sqrt(root.Add(root, exact(cmp.Or(epsilon, DefaultLayerNormEpsilon))))
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

// exactReductions are the functions of Reduce by their names' words.
var exactReductions = map[string]func(x []*big.Float) *big.Float{
	"Sum":  func(x []*big.Float) *big.Float { return exactSum(x, unchanged) },
	"Mean": func(x []*big.Float) *big.Float { return bigQuo(exactSum(x, unchanged), exact(float64(len(x)))) },
	"Max":  func(x []*big.Float) *big.Float { return slices.MaxFunc(x, (*big.Float).Cmp) },
	"Min":  func(x []*big.Float) *big.Float { return slices.MinFunc(x, (*big.Float).Cmp) },
}

func unchanged(v *big.Float) *big.Float   { return v }
func exactSquare(v *big.Float) *big.Float { return bigMul(v, v) }

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
		kept := slices.Clone(in)
		for i := range kept {
			if gone[i] {
				kept[i] = 1
			}
		}
		groups := make([][]*big.Float, Size(kept))
		for e, v := range x[0] {
			o := entry(indices(e, in), kept)
			groups[o] = append(groups[o], v)
		}
		for _, g := range groups {
			y = append(y, exactReductions[reduce.Function](g))
		}
		return y
	}
}

// holds fails if a computed y is off from want by more than its bound, and returns by how much.
func holds(t *testing.T, what string, y, bound float64, want *big.Float) float64 {
	t.Helper()
	off := bigSub(want, exact(y))
	v, _ := off.Abs(off).Float64()
	if !(bound >= 0) || off.Cmp(exact(bound)) > 0 {
		t.Errorf("%s: %v is off by %v, bound %v", what, y, v, bound)
	}
	return v
}

// boundCheck adds up errors and finite bounds.
type boundCheck struct {
	t              *testing.T
	what           string
	errors, bounds float64
}

func (c *boundCheck) add(y, bound float64, want *big.Float) {
	c.t.Helper()
	if off := holds(c.t, c.what, y, bound, want); !math.IsInf(bound, 1) {
		c.errors, c.bounds = c.errors+off, c.bounds+bound
	}
}

// tight fails if the bounds are much more than the errors.
func (c *boundCheck) tight(times float64) {
	c.t.Helper()
	if !(c.bounds <= times*c.errors+0x1p-700) {
		c.t.Errorf("%s: the bounds add up to %v, the errors to %v", c.what, c.bounds, c.errors)
	}
	c.t.Logf("%s: bounds / errors = %.3g", c.what, c.bounds/c.errors)
}

// sideOf returns a point of x ± e.
func sideOf(r *rand.Rand, x, e float64) *big.Float {
	side := [3]float64{-1, 1, 2*r.Float64() - 1}[r.IntN(3)]
	return bigAdd(exact(x), bigMul(exact(side), exact(e)))
}

// testExact holds an operator's float64 outputs to its definition, and its bounds on
// their errors to what moving the inputs within theirs does: no error exceeds its
// bound, and the bounds are on average no more than slack times the errors,
// where there are any. draw makes the inputs' entries from normal ones.
func testExact(t *testing.T, op Op, slack float64, draw func(float64) float64, inputShapes ...[]int) {
	t.Helper()
	shape := must.Get(op.Shape(inputShapes...))(t)
	c := opCase{op, inputShapes, Size(shape), draw}
	kern, define := op.kernel64(inputShapes...), exactOf(t, op, inputShapes, shape)
	rounds := rounderOf(op, kern, inputShapes...)
	r := rand.New(rand.NewPCG(21, 22))
	spreads := []float64{0, 1e-12, 1e-4, .1}
	if Size(inputShapes[0]) > 1200 { // it takes time
		spreads = spreads[:1]
	}
	for _, spread := range spreads {
		x, e := points[float64](c, r), inputs[float64](c, r, 1, 1)
		for _, e := range e {
			for j := range e {
				e[j] = spread * r.Float64()
			}
		}
		f := forwardFrame(kern, c, x, false)
		bound := make([]float64, len(f.y))
		if rounds != nil {
			round(rounds, f, bound, e)
		} else if spread == 0 {
			for i, y := range f.y {
				bound[i] = 1e-10 * max(1, math.Abs(y))
			}
		} else {
			return
		}
		check := &boundCheck{t: t, what: fmt.Sprintf("%s, spread %v", op.Kind(), spread)}
		for b := range testBatch {
			at := make([][]*big.Float, len(x))
			for i, s := range inputShapes {
				for j := b * Size(s); j < (b+1)*Size(s); j++ {
					at[i] = append(at[i], sideOf(r, x[i][j], e[i][j]))
				}
			}
			for i, want := range define(at) {
				check.add(f.y[b*c.out+i], bound[b*c.out+i], want)
			}
		}
		if check.errors > 0 && rounds != nil {
			check.tight(slack)
		}
	}
}

func itself(v float64) float64    { return v }
func awayFrom0(v float64) float64 { return .2 + math.Abs(v) }
