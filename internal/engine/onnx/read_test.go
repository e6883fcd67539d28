package onnx

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"tattle/internal/engine/nn"
	"tattle/internal/must"
)

// array is a tensor of the slow oracle: what ONNX says, entry by entry.
type array struct {
	shape []int
	data  []float64
}

// fill makes an array whose entries are f of their index.
func fill(shape []int, f func(at []int) float64) array {
	a := array{shape: slices.Clone(shape), data: make([]float64, 0, nn.Size(shape))}
	at := make([]int, len(shape))
	for range nn.Size(shape) {
		a.data = append(a.data, f(at))
		for d := len(shape) - 1; d >= 0; d-- {
			if at[d]++; at[d] < shape[d] {
				break
			}
			at[d] = 0
		}
	}
	return a
}

// at returns an entry; along dimensions of size 1 any index will do, and indices
// count from the last dimension.
func (a array) at(index ...int) float64 {
	index = index[len(index)-len(a.shape):]
	i := 0
	for d, s := range a.shape {
		i *= s
		if s > 1 {
			i += index[d]
		}
	}
	return a.data[i]
}

func (a array) each(f func(float64) float64) array {
	return fill(a.shape, func(at []int) float64 { return f(a.at(at...)) })
}

// over returns, for each entry with those axes left at 0, the entries along them.
func (a array) over(axes ...int) (shape []int, entries func(at []int) []float64) {
	shape = slices.Clone(a.shape)
	inside := slices.Repeat([]int{1}, len(shape))
	for _, d := range axes {
		inside[d], shape[d] = shape[d], 1
	}
	return shape, func(at []int) (x []float64) {
		fill(inside, func(by []int) float64 {
			index := make([]int, len(by))
			for d := range by {
				index[d] = by[d]
				if inside[d] == 1 {
					index[d] = at[d]
				}
			}
			x = append(x, a.at(index...))
			return 0
		})
		return x
	}
}

// transposed moves dimensions.
func (a array) transposed(perm ...int) array {
	shape := make([]int, len(perm))
	for i, p := range perm {
		shape[i] = a.shape[p]
	}
	return fill(shape, func(at []int) float64 {
		index := make([]int, len(at))
		for i, p := range perm {
			index[p] = at[i]
		}
		return a.at(index...)
	})
}

func (a array) as(shape ...int) array { return array{shape, a.data} }

// random returns entries of magnitude about 1, none near 0.
func random(seed uint64, shape ...int) array {
	r := rand.New(rand.NewPCG(seed, 7))
	return fill(shape, func([]int) float64 {
		v := r.NormFloat64()
		return float64(float32(v + math.Copysign(.1, v)))
	})
}

func positive(a array) array { return a.each(math.Abs) }

func (a array) floats() []float32 {
	return nn.Float32s(a.data)
}

// readCase is a model of the node "y", of one activation and some constants, and
// what it has to compute.
type readCase struct {
	name  string
	opset int64 // 0 for 17
	x     array
	with  map[string]array
	ints  map[string][]int64
	node  func(f *modelFile)
	want  array
}

// holdReads runs each case with its activation in its ONNX shape, whatever that
// is: a Reshape makes it of a flat input, and another one makes the output flat. It
// is run in a batch with its double, which must not mix with it.
func holdReads(t *testing.T, cases []readCase) {
	t.Helper()
	for _, c := range cases {
		f := newFile(len(c.x.data))
		if f.opset = c.opset; f.opset == 0 {
			f.opset = 17
		}
		f.input, f.output = fixedTo1("flat x", []int{len(c.x.data)}), "flat y"
		f.tensor(intTensor("shape of x", sizes64(c.x.shape)...)).tensor(intTensor("shape of y", 1, int64(len(c.want.data))))
		for name, a := range c.with {
			f.floats(name, a.shape, a.floats()...)
		}
		for name, v := range c.ints {
			f.ints(name, v...)
		}
		f.node("Reshape", "x", in("flat x", "shape of x"))
		c.node(f)
		f.node("Reshape", "flat y", in("y", "shape of y"))
		g, err := f.decode()
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		m, err := nn.NewNet(g)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		must.Do(t, c.holds(m), c.name)
		c.written(t, g)
	}
}

// closeTo holds y to want, relative to each entry and a little to the largest.
func closeTo(y, want []float32, limit float64) error {
	var most float64
	for _, v := range want {
		if v-v == 0 {
			most = max(most, math.Abs(float64(v)))
		}
	}
	for i, v := range want {
		d := math.Abs(float64(y[i]) - float64(v))
		if y[i] != v && !(d <= limit*(math.Abs(float64(v))+most/10)) && (v == v || y[i] == y[i]) {
			return fmt.Errorf("entry %d is %v, want %v", i, y[i], v)
		}
	}
	return nil
}

// holds compares what the net computes, of the double first.
func (c *readCase) holds(m *nn.Net) error {
	n := len(c.want.data)
	y := make([]float32, 2*n)
	x := c.x.floats()
	m.Forward(y, append(c.x.each(func(v float64) float64 { return 2 * v }).floats(), x...))
	return closeTo(y[n:], c.want.floats(), 1e-5)
}

// written holds the net to itself after it was written and read again.
func (c *readCase) written(t *testing.T, g *nn.Graph) {
	t.Helper()
	data, err := Encode(g)
	if err != nil {
		t.Errorf("%s, written: %v", c.name, err)
		return
	}
	back, err := Decode("back.onnx", data)
	if err != nil {
		t.Errorf("%s, written and read again: %v", c.name, err)
		return
	}
	if err := c.holds(net(t, back)); err != nil {
		t.Errorf("%s, written and read again: %v", c.name, err)
	}
}

func sizes64(shape []int) []int64 {
	x := make([]int64, len(shape))
	for i, s := range shape {
		x[i] = int64(s)
	}
	return x
}

// apply returns a case's node of one input.
func apply(op string, attributes ...[]byte) func(*modelFile) {
	return func(f *modelFile) { f.node(op, "y", in("x"), attributes...) }
}

// between returns a case's node of these inputs.
func between(op string, inputs []string, attributes ...[]byte) func(*modelFile) {
	return func(f *modelFile) { f.node(op, "y", inputs, attributes...) }
}

// Functions of each entry, from their definitions in ONNX.
func TestReadUnary(t *testing.T) {
	softplus := func(x float64) float64 { return math.Log1p(math.Exp(x)) }
	sigmoid := func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
	elu := func(a float64) func(float64) float64 {
		return func(x float64) float64 {
			if x < 0 {
				return a * (math.Exp(x) - 1)
			}
			return x
		}
	}
	hard := func(a, b float64) func(float64) float64 {
		return func(x float64) float64 { return math.Max(0, math.Min(1, a*x+b)) }
	}
	above := func(a float64) func(float64) float64 {
		return func(x float64) float64 {
			if x > a {
				return x
			}
			return 0
		}
	}
	tanhGelu := func(x float64) float64 {
		return .5 * x * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(x+.044715*x*x*x)))
	}
	selu := func(a, g float64) func(float64) float64 {
		return func(x float64) float64 { return g * elu(a)(x) }
	}
	var cases []readCase
	for _, c := range []struct {
		op         string
		opset      int64
		f          func(float64) float64
		attributes []byte
	}{
		{"Abs", 7, math.Abs, nil},
		{"Ceil", 7, math.Ceil, nil},
		{"Celu", 12, func(x float64) float64 { return math.Max(0, x) + math.Min(0, .7*(math.Exp(x/.7)-1)) }, float("alpha", .7)},
		{"Celu", 12, elu(1), nil},
		{"Cos", 7, math.Cos, nil},
		{"Elu", 7, elu(.7), float("alpha", .7)},
		{"Elu", 22, elu(1), nil},
		{"Erf", 9, math.Erf, nil},
		{"Exp", 7, math.Exp, nil},
		{"Floor", 7, math.Floor, nil},
		{"Gelu", 20, func(x float64) float64 { return .5 * x * (1 + math.Erf(x/math.Sqrt2)) }, nil},
		{"Gelu", 20, tanhGelu, attributeText("approximate", "tanh")},
		{"HardSigmoid", 7, hard(.2, .5), nil},
		{"HardSigmoid", 7, hard(.3, .4), slices.Concat(float("alpha", .3), float("beta", .4))},
		{"HardSwish", 14, func(x float64) float64 { return x * hard(1./6, .5)(x) }, nil},
		{"LeakyRelu", 7, func(x float64) float64 { return math.Max(x, .01*x) }, nil},
		{"LeakyRelu", 16, func(x float64) float64 { return math.Max(x, .3*x) }, float("alpha", .3)},
		{"Mish", 18, func(x float64) float64 { return x * math.Tanh(softplus(x)) }, nil},
		{"Neg", 7, func(x float64) float64 { return -x }, nil},
		{"Reciprocal", 7, func(x float64) float64 { return 1 / x }, nil},
		{"Relu", 7, func(x float64) float64 { return math.Max(x, 0) }, nil},
		{"Round", 11, math.RoundToEven, nil},
		{"Selu", 7, selu(compounds()["Selu"].settings[0].absent, compounds()["Selu"].settings[1].absent), nil},
		{"Selu", 7, selu(1.5, 1.1), slices.Concat(float("alpha", 1.5), float("gamma", 1.1))},
		{"Sigmoid", 7, sigmoid, nil},
		{"Sign", 9, func(x float64) float64 { return math.Copysign(1, x) }, nil},
		{"Sin", 7, math.Sin, nil},
		{"Softplus", 7, softplus, nil},
		{"Softsign", 7, func(x float64) float64 { return x / (1 + math.Abs(x)) }, nil},
		{"Swish", 24, func(x float64) float64 { return x * sigmoid(x) }, nil},
		{"Swish", 24, func(x float64) float64 { return x * sigmoid(1.7*x) }, float("alpha", 1.7)},
		{"Tanh", 7, math.Tanh, nil},
		{"ThresholdedRelu", 10, above(1), nil},
		{"ThresholdedRelu", 10, above(.3), float("alpha", .3)},
		{"Identity", 7, func(x float64) float64 { return x }, nil},
		{"Dropout", 7, func(x float64) float64 { return x }, float("ratio", .3)},
		{"Cast", 9, func(x float64) float64 { return x }, number("to", typeDouble)},
		{"Cast", 9, func(x float64) float64 { return 1 }, number("to", typeBool)},
		{"Clip", 7, func(x float64) float64 { return math.Max(-.5, math.Min(.4, x)) }, slices.Concat(float("min", -.5), float("max", .4))},
		{"Clip", 10, func(x float64) float64 { return math.Max(-.5, x) }, float("min", -.5)},
		{"Clip", 10, func(x float64) float64 { return x }, nil},
	} {
		for i, shape := range [][]int{{1, 3, 5}, {3, 5}, {}, {1}} {
			x := random(uint64(i), shape...)
			cases = append(cases, readCase{fmt.Sprint(c.op, "-", c.opset, shape), c.opset, x, nil, nil, apply(c.op, c.attributes), x.each(c.f)})
		}
	}
	for i, shape := range [][]int{{1, 3, 5}, {7}} {
		x := positive(random(uint64(i), shape...))
		cases = append(cases,
			readCase{"Sqrt", 13, x, nil, nil, apply("Sqrt"), x.each(math.Sqrt)},
			readCase{"Log", 13, x, nil, nil, apply("Log"), x.each(math.Log)})
	}
	holdReads(t, cases)
}

// The limits of a clip are inputs from opset 11 on; either may lack, and where
// they cross all is the upper one.
func TestReadClip(t *testing.T) {
	x := random(1, 2, 9)
	limits := map[string]array{"low": {nil, []float64{-.5}}, "high": {[]int{1}, []float64{.25}}}
	one := map[string][]int64{"one": {1}}
	mean := reductions["Mean"](x.data)
	clip := func(low, high float64) array {
		return x.each(func(v float64) float64 { return math.Min(high, math.Max(low, v)) })
	}
	holdReads(t, []readCase{
		{"both", 11, x, limits, nil, between("Clip", in("x", "low", "high")), clip(-.5, .25)},
		{"low", 13, x, limits, nil, between("Clip", in("x", "low")), clip(-.5, math.Inf(1))},
		{"high", 12, x, limits, nil, between("Clip", in("x", "", "high")), clip(math.Inf(-1), .25)},
		{"crossed", 13, x, limits, nil, between("Clip", in("x", "high", "low")), clip(.25, -.5)},
		{"none", 13, x, limits, nil, between("Clip", in("x")), x},
		{"computed", 13, x, limits, nil, func(f *modelFile) {
			f.node("ReduceMean", "mean", in("x"), number("keepdims", 0)).node("Clip", "y", in("x", "mean", "high"))
		}, clip(mean, .25)},
		{"computed upper", 13, x, limits, one, func(f *modelFile) {
			f.node("ReduceMean", "mean", in("x"), numbers("axes", 0, 1)).node("Reshape", "m", in("mean", "one")).node("Clip", "y", in("x", "", "m"))
		}, clip(math.Inf(-1), mean)},
	})
}
