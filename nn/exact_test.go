package nn

import (
	"math"
	"math/big"
	"testing"
)

// The slow side of the tests of rounding: operators in arithmetic of 256 bits.
const exactBits = 256

func exact(v float64) *big.Float { return new(big.Float).SetPrec(exactBits).SetFloat64(v) }

func exactly(x []float64) []*big.Float {
	out := make([]*big.Float, len(x))
	for i, v := range x {
		out[i] = exact(v)
	}
	return out
}

// exactForward evaluates a graph of one example in big arithmetic.
func exactForward(t *testing.T, g *Graph, x []*big.Float) []*big.Float {
	t.Helper()
	tensors := map[string][]*big.Float{g.Input: x}
	for _, n := range g.Nodes {
		in := tensors[n.Inputs[0]]
		var out []*big.Float
		switch op := n.Op.(type) {
		case *Dense:
			out = exactDense(op, in)
		case *Conv2D:
			out = exactConv1(op, in)
		case *BatchNorm:
			out = exactNorm(op, in)
		case *ReLU:
			out = exactLeaky(0, in)
		case *LeakyReLU:
			out = exactLeaky(op.Slope, in)
		case *Binary:
			for i, v := range tensors[n.Inputs[1]] {
				out = append(out, exactPair[op.Operator](in[i], v))
			}
		case *Softmax:
			out = exactSoftmax(in)
		case *Unary:
			out = exactLog(in)
		case *Hardmax:
			out = exactHardmax(in)
		case *Flatten, *Identity, *Dropout:
			out = in
		default:
			t.Fatalf("no exact %s", n.Op.Kind())
		}
		tensors[n.Output] = out
	}
	return tensors[g.Output]
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

// exactConv1 is a convolution with one output per channel, which depends on all inputs.
func exactConv1(c *Conv2D, x []*big.Float) []*big.Float {
	return exactDense(&Dense{In: len(x), Out: c.OutChannels, Weight: c.Weight, Bias: c.Bias}, x)
}

// exactNorm is a BatchNorm of [channels].
func exactNorm(b *BatchNorm, x []*big.Float) []*big.Float {
	out := make([]*big.Float, len(x))
	for i, v := range x {
		root := exact(float64(b.Variance.Data[i]))
		root.Sqrt(root.Add(root, exact(b.epsilon())))
		y := exact(0).Sub(v, exact(float64(b.Mean.Data[i])))
		y.Quo(y.Mul(y, exact(float64(b.Scale.Data[i]))), root)
		out[i] = y.Add(y, exact(float64(b.Shift.Data[i])))
	}
	return out
}

func exactLeaky(slope float64, x []*big.Float) []*big.Float {
	out := make([]*big.Float, len(x))
	for i, v := range x {
		out[i] = v
		if v.Sign() < 0 {
			out[i] = exact(0).Mul(exact(slope), v)
		}
	}
	return out
}

func exactSoftmax(x []*big.Float) []*big.Float {
	out, sum := make([]*big.Float, len(x)), exact(0)
	for i, v := range x {
		out[i] = exactExp(v)
		sum.Add(sum, out[i])
	}
	for i := range out {
		out[i].Quo(out[i], sum)
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

// exactLog solves e^y = x by Newton's steps from float64, each of which doubles the
// digits.
func exactLog(x []*big.Float) []*big.Float {
	out := make([]*big.Float, len(x))
	for i, v := range x {
		from, _ := v.Float64()
		y := exact(math.Log(from))
		for range 3 {
			e := exactExp(y)
			y.Add(y, e.Quo(exact(0).Sub(v, e), e))
		}
		out[i] = y
	}
	return out
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
