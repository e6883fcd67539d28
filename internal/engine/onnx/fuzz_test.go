package onnx

import (
	"errors"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"tattle/internal/engine/nn"
	"tattle/internal/must"
)

// What decoding may allocate: so many bytes for each of the file, whatever it
// claims, with so many elements of folded constants; and of each of those 8, in and
// out of what is computed, some of them twice.
const (
	fuzzFolded  = 1 << 16
	fuzzRatio   = 256
	fuzzElement = 64
)

// FuzzDecode changes models as choices say, and decodes them: without a panic, with
// errors of one line, within a bound of memory. What is read runs, and is read
// again where it can be written.
func FuzzDecode(f *testing.F) {
	for _, c := range damaged() {
		f.Add(c.data, []byte(nil))
	}
	files := seeds()
	for _, m := range classicalZoo() {
		files = append(files, m.file)
	}
	r := rand.New(rand.NewPCG(1, 7))
	for _, m := range files {
		for range 20 {
			choices := make([]byte, 2+r.IntN(30))
			for i := range choices {
				choices[i] = byte(r.Uint32())
			}
			f.Add(m.bytes(), choices)
		}
	}
	f.Add(everything(f), []byte{1})
	f.Fuzz(decodeMutant)
}

// decodeMutant is one trial of FuzzDecode.
func decodeMutant(t *testing.T, data, choices []byte) {
	if len(data) > 1<<16 || len(choices) > 64 {
		return
	}
	data = mutated(data, choices)
	g, err := bounded32(t, data)
	if err != nil {
		var format *FormatError
		var beyond *UnsupportedError
		if !errors.As(err, &format) && !errors.As(err, &beyond) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v is neither a FormatError nor an UnsupportedError", err)
		}
		return
	}
	runs(t, g)
	written, err := Encode(g)
	if err != nil {
		return // empty tensors, say, have no form in ONNX with an open batch
	}
	again := must.Get(Decode("again.onnx", written))(t)
	runs(t, again)
}

// bounded32 decodes within the bound of memory.
func bounded32(t *testing.T, data []byte) (*nn.Graph, error) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	g, err := decode("fuzz.onnx", data, ReadOptions{}, nil, fuzzFolded)
	runtime.ReadMemStats(&after)
	n, most := after.TotalAlloc-before.TotalAlloc, uint64((fuzzRatio+fuzzElement)*len(data)+fuzzElement*fuzzFolded+1<<20)
	if n > most {
		t.Errorf("a file of %d bytes made %d bytes of garbage, more than %d (%v)", len(data), n, most, err)
	}
	return g, err
}

// runs runs a net that is quick to run.
func runs(t *testing.T, g *nn.Graph) {
	if !small(t, g) {
		return
	}
	net := must.Get(nn.NewNet(g))(t)
	p, n := net.Dims()
	net.Forward(make([]float32, 2*n), make([]float32, 2*p))
}

// small reports whether a net is quick to run.
func small(t *testing.T, g *nn.Graph) bool {
	shapes := must.Get(g.Shapes())(t)
	n := 0
	for _, s := range shapes {
		n += nn.Size(s)
	}
	for _, p := range g.Params() {
		n += len(p.Data)
	}
	return n < 1<<13
}

// seeds are small models that together have every kind of operator, with the
// arithmetic of shapes that exporters leave in.
func seeds() []*modelFile {
	image := func() *modelFile { return newFile(4, 6, 6) }
	rows := func() *modelFile { return newFile(3, 4) }
	four := []float32{1, 2, 3, 4}
	return []*modelFile{
		image().floats("w", []int{4, 2, 3, 3}, ramp(72, -1, .03)...).floats("b", []int{4}, four...).
			node("Conv", "c", in("x", "w", "b"), number("group", 2), numbers("pads", 1, 1, 1, 1), numbers("strides", 2, 1), numbers("dilations", 1, 1)).
			floats("v", []int{4, 1, 2, 2}, ramp(16, -1, .1)...).node("ConvTranspose", "t", in("c", "v"), number("group", 2), numbers("strides", 2, 2), numbers("output_padding", 1, 0)).
			node("GlobalMaxPool", "y", in("t")),
		image().node("MaxPool", "a", in("x"), numbers("kernel_shape", 3, 2), numbers("strides", 2, 2), number("ceil_mode", 1)).
			node("AveragePool", "b", in("a"), numbers("kernel_shape", 2, 2), attributeText("auto_pad", "SAME_UPPER"), number("count_include_pad", 1)).
			node("GlobalAveragePool", "y", in("b")),
		image().floats("s", []int{4}, four...).floats("v", []int{4}, four...).node("BatchNormalization", "a", in("x", "s", "s", "v", "v"), float("epsilon", .01)).
			node("InstanceNormalization", "b", in("a", "s", "v")).floats("k", []int{4, 1, 1}, four...).node("PRelu", "y", in("b", "k")),
		at(21, image()).floats("s", []int{4}, four...).node("GroupNormalization", "y", in("x", "s", "s"), number("num_groups", 2)),
		at(17, rows()).floats("s", []int{4}, four...).node("LayerNormalization", "y", in("x", "s", "s"), number("axis", -1), float("epsilon", .01)),
		image().floats("s", []int{4}, 1, 1, 2, 1.5).node("Resize", "y", in("x", "", "s"), attributeText("mode", "linear"), attributeText("coordinate_transformation_mode", "align_corners")),
		image().ints("z", 1, 4, 3, 9).node("Resize", "y", in("x", "", "", "z"), attributeText("mode", "cubic"), float("cubic_coeff_a", -.5), number("exclude_outside", 1)),
		image().ints("p", 0, 0, 1, 2, 0, 0, -1, 0).node("Pad", "y", in("x", "p"), attributeText("mode", "reflect")),
		image().ints("s", 5, 1).ints("e", -9, 4).ints("a", 3, 1).ints("t", -2, 1).node("Slice", "y", in("x", "s", "e", "a", "t")),
		image().ints("s", 4).node("Split", "a", in("x", "s"), number("axis", 1)).node("Transpose", "b", in("a"), numbers("perm", 0, 2, 3, 1)).
			node("Concat", "y", in("b", "b"), number("axis", 2)),
		image().ints("i", 2, -1, 0).node("Gather", "a", in("x", "i"), number("axis", 1)).node("DepthToSpace", "b", in("x"), number("blocksize", 2)).
			node("SpaceToDepth", "c", in("b"), number("blocksize", 3)).node("Flatten", "d", in("c")).node("Flatten", "e", in("a")).node("Concat", "y", in("d", "e"), number("axis", 1)),
		rows().tensor(shapedInts("i", []int{1, 2, 4}, 0, 1, 2, 0, 2, 2, 1, 0)).node("GatherElements", "a", in("x", "i"), number("axis", 1)).
			tensor(shapedInts("j", []int{1, 2, 2}, 0, 1, 0, 2)).node("GatherND", "b", in("x", "j")).node("Add", "y", in("a", "b")),
		rows().tensor(shapedInts("j", []int{1, 1, 2}, 0, 1)).node("Gather", "u", in("x", "z"), number("axis", 1)).ints("z", 2).node("ScatterND", "y", in("x", "j", "u")),
		rows().ints("s", 2, 1, 3, 4).node("Expand", "a", in("x", "s")).ints("r", 1, 2, 1, 1).node("Tile", "b", in("a", "r")).
			node("ReduceMean", "c", in("b"), numbers("axes", 1, -1)).node("ReduceMax", "d", in("b"), number("keepdims", 0), numbers("axes", 2)).
			node("ReduceL2", "e", in("d"), numbers("axes", -1)).node("ReduceSumSquare", "f", in("e")).node("Mul", "y", in("c", "f")),
		at(18, rows()).ints("a", 1).node("ReduceSum", "b", in("x", "a"), number("noop_with_empty_axes", 1)).node("ReduceLogSumExp", "c", in("x")).node("Sub", "y", in("b", "c")),
		rows().floats("w", []int{4, 2}, ramp(8, 0, .1)...).node("MatMul", "a", in("x", "w")).node("Transpose", "b", in("x"), numbers("perm", 0, 2, 1)).
			node("MatMul", "c", in("b", "a")).node("Softmax", "d", in("c"), number("axis", 1)).node("LogSoftmax", "y", in("d"), number("axis", -1)),
		rows().node("Einsum", "a", in("x", "x"), attributeText("equation", "bij,bkj->bik")).node("Hardmax", "y", in("a")),
		rows().floats("k", []int{1, 4}, 1, .5, 2, 3).node("Pow", "a", in("x", "k")).node("Div", "b", in("k", "a")).node("Clip", "c", in("b", "l", "h")).floats("l", nil, -1).floats("h", nil, 1).
			node("Greater", "g", in("c", "k")).node("Where", "d", in("g", "x", "k")).node("Min", "e", in("d", "x", "k")).node("Sum", "y", in("e", "d")),
		rows().node("Equal", "a", in("x", "x")).node("Not", "b", in("a")).node("Cast", "c", in("b"), number("to", typeFloat)).node("Max", "y", in("c", "x")),
		chainOf("Sqrt", "Exp", "Erf", "Abs", "Neg", "Reciprocal", "Sigmoid", "Tanh", "Elu", "Selu", "Celu"),
		at(20, chainOf("Gelu", "HardSigmoid", "HardSwish", "Softplus", "Softsign", "Mish", "ThresholdedRelu", "Sin", "Cos", "Floor", "Ceil", "Round", "Sign", "Log", "Identity", "Dropout", "LeakyRelu", "Relu")),
		newFile(4).floats("w", []int{4, 3}, ramp(12, 0, .1)...).floats("b", []int{3}, 1, 2, 3).node("Gemm", "y", in("x", "w", "b"), float("alpha", .5), float("beta", 2)),
		rows().node("Unsqueeze", "a", in("x", "o")).ints("o", 0, -1).node("Squeeze", "y", in("a", "o")),
		squeezing(1), squeezing(2),
		// A window's mask as exporters write it.
		rows().node("Shape", "s", in("x")).ints("i", 1).node("Gather", "n", in("s", "i")).ints("f", 5).node("Concat", "m", in("n", "f"), number("axis", 0)).
			node("ConstantOfShape", "z", in("m")).node("NonZero", "q", in("z")).node("Shape", "r", in("q")).ints("one", 1).
			node("Mul", "t", in("r", "one")).node("Mod", "u", in("t", "f")).node("Cast", "v", in("u"), number("to", typeFloat)).node("ReduceSum", "k", in("v"), number("keepdims", 0)).
			node("Add", "y", in("x", "k")),
		rows().node("Shape", "s", in("x"), number("start", 1)).node("ConstantOfShape", "z", in("s")).node("Trilu", "t", in("z"), number("upper", 0)).
			node("CumSum", "c", in("t", "o")).ints("o", 1).node("Tile", "e", in("c", "w")).ints("w", 2, 1).node("Transpose", "p", in("e")).
			node("ArgMax", "a", in("p"), number("axis", 0)).node("OneHot", "h", in("a", "d", "v")).ints("d", 4).ints("v", 0, 1).
			node("Reshape", "g", in("h", "sh")).ints("sh", -1, 1, 4).node("Cast", "fl", in("g"), number("to", typeFloat)).node("Add", "y", in("x", "fl")),
	}
}

func at(opset int64, f *modelFile) *modelFile { f.opset = opset; return f }

func chainOf(ops ...string) *modelFile {
	f := newFile(3)
	last := "x"
	for _, op := range ops {
		f.node(op, "after "+op, in(last))
		last = "after " + op
	}
	f.output = last
	return f
}

// The seeds are sound, but for what cannot be known here.
func TestSeeds(t *testing.T) {
	read := 0
	for i, f := range seeds() {
		g, err := f.decode()
		if err != nil {
			t.Logf("%d: %v", i, err)
			continue
		}
		runs(t, g)
		read++
	}
	if read < len(seeds())*9/10 {
		t.Errorf("%d of %d are read", read, len(seeds()))
	}
}
