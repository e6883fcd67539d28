package independent

import (
	"fmt"
	"math"
	"slices"

	"tattle/internal/engine/nn"
)

// pair is the number hi + lo, |lo| at most half a unit in the last place of hi.
type pair struct{ hi, lo float64 }

// sum returns a + b exactly (D. E. Knuth, The Art of Computer Programming 2, 4.2.2).
func sum(a, b float64) pair {
	s := a + b
	t := s - a
	return pair{s, (a - (s - t)) + (b - t)}
}

// plus returns x + y with a relative error of about 2⁻¹⁰⁵.
func (x pair) plus(y pair) pair {
	s, t := sum(x.hi, y.hi), sum(x.lo, y.lo)
	s = sum(s.hi, s.lo+t.hi)
	return sum(s.hi, s.lo+t.lo)
}

// times returns x·w with a relative error of about 2⁻¹⁰⁵. The conversion rounds the product:
// without it, arm64 and others would compute it anew, unrounded, in each operation of sum.
func (x pair) times(w float64) pair {
	p := float64(x.hi * w)
	return sum(p, math.FMA(x.lo, w, math.FMA(x.hi, w, -p)))
}

func (x pair) less(y pair) bool { return x.hi < y.hi || x.hi == y.hi && x.lo < y.lo }

// UnsupportedError says what of a run is not computed here.
type UnsupportedError struct{ What string }

// Error implements error.
func (e *UnsupportedError) Error() string { return e.What }

// forward returns the output of a graph for the input x. It returns an error for other
// operators than these.
func forward(g *nn.Graph, x []pair) ([]pair, error) {
	shapes, err := g.Shapes()
	if err != nil {
		return nil, err
	}
	values := map[string][]pair{g.Input: x}
	for _, node := range g.Nodes {
		in := values[node.Inputs[0]]
		var out []pair
		switch op := node.Op.(type) {
		case *nn.Dense:
			out = dense(op, in)
		case *nn.Conv2D:
			out = convolution(op, in, shapes[node.Inputs[0]], shapes[node.Output])
		case *nn.MaxPool:
			out = maxPool(op, in, shapes[node.Inputs[0]], shapes[node.Output])
		case *nn.ReLU:
			if op.Slope != 0 {
				return nil, unsupported(node)
			}
			out = make([]pair, len(in))
			for i, v := range in {
				if v.hi > 0 {
					out[i] = v
				}
			}
		default:
			if kind := node.Op.Kind(); kind == "Add" && len(node.Inputs) == 2 && len(values[node.Inputs[1]]) == len(in) && nn.Size(shapes[node.Output]) == len(in) {
				out = slices.Clone(in)
				for i, v := range values[node.Inputs[1]] {
					out[i] = out[i].plus(v)
				}
			} else if out = in; !slices.Contains([]string{"Flatten", "Reshape", "Identity", "Dropout"}, kind) {
				return nil, unsupported(node)
			}
		}
		values[node.Output] = out
	}
	return values[g.Output], nil
}

func unsupported(n *nn.Node) error {
	return &UnsupportedError{fmt.Sprintf("node %q: the independent check computes Gemm, Conv, Relu, MaxPool, Add, Flatten, Reshape, Identity and Dropout, not %s", n.Name, n.Op.Kind())}
}

// dense returns W·x + b for each row of x.
func dense(op *nn.Dense, x []pair) (out []pair) {
	for ; len(x) > 0; x = x[op.In:] {
		for o := range op.Out {
			s := bias(op.Bias, o)
			for i, w := range op.Weight.Data[o*op.In : (o+1)*op.In] {
				if x[i] != (pair{}) {
					s = s.plus(x[i].times(float64(w)))
				}
			}
			out = append(out, s)
		}
	}
	return out
}

func bias(b *nn.Param, o int) pair {
	if b == nil {
		return pair{}
	}
	return pair{hi: float64(b.Data[o])}
}

// slide returns the outputs of an operator that moves a window over images. out computes one
// of them, of a channel: cover calls f with the inputs of some channels that the window
// covers, and with their places in a kernel [channels, height, width].
func slide(x []pair, kernel, stride, dilation [2]int, pad [4]int, from, to []int, out func(channel int, cover func(first, channels int, f func(v pair, place int))) pair) []pair {
	n := len(from)
	height, width, rows, cols := from[n-2], from[n-1], to[n-2], to[n-1]
	var all []pair
	for k := range nn.Size(to) {
		image, channel := k/(to[n-3]*rows*cols), k/(rows*cols)%to[n-3]
		top, left := k/cols%rows*max(1, stride[0])-pad[0], k%cols*max(1, stride[1])-pad[1]
		all = append(all, out(channel, func(first, channels int, f func(v pair, place int)) {
			for place := range channels * kernel[0] * kernel[1] {
				c, r, s := place/(kernel[0]*kernel[1]), place/kernel[1]%kernel[0], place%kernel[1]
				y, z := top+r*max(1, dilation[0]), left+s*max(1, dilation[1])
				if y >= 0 && y < height && z >= 0 && z < width {
					f(x[((image*from[n-3]+first+c)*height+y)*width+z], place)
				}
			}
		}))
	}
	return all
}

func convolution(op *nn.Conv2D, x []pair, from, to []int) []pair {
	groups := max(1, op.Groups)
	each, size := op.InChannels/groups, op.InChannels/groups*op.Kernel[0]*op.Kernel[1]
	return slide(x, op.Kernel, op.Stride, op.Dilation, op.Pad, from, to, func(o int, cover func(int, int, func(pair, int))) pair {
		s := bias(op.Bias, o)
		cover(o/(op.OutChannels/groups)*each, each, func(v pair, place int) {
			s = s.plus(v.times(float64(op.Weight.Data[o*size+place])))
		})
		return s
	})
}

func maxPool(op *nn.MaxPool, x []pair, from, to []int) []pair {
	return slide(x, op.Kernel, op.Stride, op.Dilation, op.Pad, from, to, func(c int, cover func(int, int, func(pair, int))) pair {
		top := pair{hi: math.Inf(-1)}
		cover(c, 1, func(v pair, _ int) {
			if top.less(v) {
				top = v
			}
		})
		return top
	})
}
