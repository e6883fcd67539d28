package onnx

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tattle/internal/engine/nn"
	"tattle/internal/must"
)

// nonsense draws nodes of any inputs and attributes.
type nonsense struct{ *rand.Rand }

// among returns one of those.
func among[T any](r nonsense, of ...T) T { return of[r.IntN(len(of))] }

// number is small as a rule.
func (r nonsense) number() int64 {
	if r.IntN(30) == 0 {
		return among[int64](r, math.MinInt64, math.MaxInt64, 1<<40, -1<<40, 1<<31, 1<<20+1, 100)
	}
	return among[int64](r, -3, -2, -1, 0, 0, 1, 1, 1, 2, 2, 3, 4)
}

func (r nonsense) list(most int) (x []int64) {
	for range r.IntN(most + 1) {
		x = append(x, r.number())
	}
	return x
}

func (r nonsense) shape(low int) (s []int) {
	for range r.IntN(5) {
		s = append(s, low+r.IntN(4-low))
	}
	return s
}

// texts are what attributes of text may say.
var texts = map[string][]string{
	"auto_pad": {"NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID", "?"}, "approximate": {"none", "tanh", "?"}, "reduction": {"none", "add"},
	"mode":                           {"constant", "reflect", "edge", "wrap", "nearest", "linear", "cubic", "DCR", "CRD", "?"},
	"coordinate_transformation_mode": {"half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel", "half_pixel_symmetric", "?", ""},
	"nearest_mode":                   {"floor", "ceil", "round_prefer_ceil", "?"}, "keep_aspect_ratio_policy": {"not_larger", "not_smaller", "stretch"},
	"equation": {"ij,jk->ik", "...i->...", "ij", "i,j->", "...ij,...jk->...ik", "->", ",", "ii", "...,...", "a...b", "i...j,...->...j", "bij,bjk", "?"},
}

func (r nonsense) attribute(name string) []byte {
	if say, ok := texts[name]; ok {
		return attributeText(name, among(r, say...))
	}
	switch name {
	case "axes", "dilations", "ends", "kernel_shape", "output_padding", "output_shape", "pads", "perm", "split", "starts", "strides":
		var x []int
		for _, v := range r.list(6) {
			x = append(x, int(v))
		}
		return numbers(name, x...)
	case "scales":
		return floatList(name, []float64{.5, 1, 1.5, 2}[:r.IntN(5)]...)
	case "alpha", "beta", "bias", "cubic_coeff_a", "epsilon", "extrapolation_value", "gamma", "max", "min", "momentum", "ratio", "value":
		return float(name, among(r, -1, 0, 1e-5, .5, 2, 1e38))
	}
	return number(name, r.number())
}

// model has constants of any shape and one node of them.
func (r nonsense) model(op string) *modelFile {
	x := r.shape(1)
	f := newFile(nn.Size(x))
	f.opset = 7 + r.Int64N(maxOpset-6)
	f.input = fixedTo1("flat", []int{nn.Size(x)})
	f.tensor(intTensor("shape", sizes64(x)...)).node("Reshape", "x", in("flat", "shape")).node("Relu", "r", in("x"))
	names := []string{"x", "x", "r", ""}
	for i := range 4 {
		s := r.shape(0)
		f.floats(fmt.Sprint("f", i), s, ramp(nn.Size(s), -.5, .25)...)
		f.floats(fmt.Sprint("g", i), []int{3}, 1, 2, .5)
		f.ints(fmt.Sprint("i", i), r.list(6)...)
		f.tensor(shaped(fmt.Sprint("j", i), r.IntN(3), r.number()))
		names = append(names, fmt.Sprint("f", i), fmt.Sprint("g", i), fmt.Sprint("i", i), fmt.Sprint("j", i))
	}
	inputs := []string{among(r, "x", "x", "x", "f1", "")}
	for range r.IntN(1 + min(4, operators()[op].inputs)) {
		inputs = append(inputs, among(r, names...))
	}
	var attributes [][]byte
	for _, name := range strings.Fields(operators()[op].attributes) {
		if r.IntN(2) == 0 {
			attributes = append(attributes, r.attribute(name))
		}
	}
	return f.several(op, []string{"y", "z", "q"}[:1+r.IntN(3)], inputs, attributes...)
}

// Whatever a node says, it is read, refused or called damaged; what is read can be
// run, and written and read again.
func TestReadNonsense(t *testing.T) {
	r := nonsense{rand.New(rand.NewPCG(5, 6))}
	rounds := 40
	if testing.Short() {
		rounds = 20
	}
	ran := 0
	for _, op := range slices.Sorted(maps.Keys(standardOperators())) {
		for range rounds {
			f := r.model(op)
			g, err := f.decode()
			var format *FormatError
			var beyond *UnsupportedError
			if err != nil {
				if !errors.As(err, &format) && !errors.As(err, &beyond) {
					t.Fatalf("%s: %v", op, err)
				}
				continue
			}
			if shapes, err := g.Shapes(); err != nil || nn.Size(shapes[g.Output]) > 1<<12 || !small(t, g) {
				continue
			}
			m := must.Get(nn.NewNet(g))(t, op)
			ran++
			p, n := m.Dims()
			m.Forward(make([]float32, 2*n), ramp(2*p, -1, .125))
			if data, err := Encode(g); err == nil {
				if _, err := Decode("back.onnx", data); errors.As(err, &format) {
					t.Errorf("%s: written and read again: %v", op, err)
				}
			}
		}
	}
	t.Logf("%d nets were run", ran)
}
