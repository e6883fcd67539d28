package onnx

import (
	"math"
	"strings"
	"testing"

	"tattle/internal/engine/nn"
)

// batchSize computes n, the size of the batch, and count, the same as a float.
func (f *modelFile) batchSize() *modelFile {
	return f.node("Shape", "dims", in("x")).ints("first", 0).node("Gather", "n", in("dims", "first")).
		node("Cast", "count", in("n"), number("to", typeFloat))
}

// mixers are graphs with an open batch that are right for one example and wrong for a
// batch: by the node that makes them so.
func mixers() map[string]*modelFile {
	rows := func() *modelFile { return openBatch(3, 4) }
	flat := func() *modelFile { return openBatch(14) }
	return map[string]*modelFile{
		"ReduceMean of m": rows().node("ReduceMean", "m", in("x"), numbers("axes", 0)).node("Sub", "y", in("x", "m")),
		"ReduceMax of m":  rows().node("ReduceMax", "m", in("x"), numbers("axes", 0, 1)).node("Sub", "y", in("x", "m")),
		"Softmax of y":    rows().node("Softmax", "y", in("x"), number("axis", 0)),
		"Hardmax of h":    rows().node("Hardmax", "h", in("x"), number("axis", 0)).node("Add", "y", in("x", "h")),
		// Statistics of the batch, spelled out.
		"ReduceMean of mean": openBatch(2, 3, 3).node("ReduceMean", "mean", in("x"), numbers("axes", 0, 2, 3)).node("Sub", "c", in("x", "mean")).
			node("Mul", "q", in("c", "c")).node("ReduceMean", "v", in("q"), numbers("axes", 0, 2, 3)).node("Div", "y", in("c", "v")),
		"Softmax of moved": flat().ints("s", 14, -1).node("Reshape", "r", in("x", "s")).node("Softmax", "moved", in("r"), number("axis", 1)).
			ints("t", -1, 14).node("Reshape", "y", in("moved", "t")),
		// 3 rows of 2 are not whole examples.
		"Softmax of across": openBatch(3).ints("s", 3, -1).node("Reshape", "r", in("x", "s")).node("Softmax", "across", in("r"), number("axis", 1)).
			ints("t", -1, 3).node("Reshape", "y", in("across", "t")),
		"Softmax of one row": flat().node("Flatten", "r", in("x"), number("axis", 0)).node("Softmax", "one row", in("r"), number("axis", 1)).
			ints("t", -1, 14).node("Reshape", "y", in("one row", "t")),
		"LayerNormalization of turned": at(17, flat()).node("Transpose", "t", in("x"), numbers("perm", 1, 0)).floats("s", []int{1}, 2).
			node("LayerNormalization", "turned", in("t", "s"), number("axis", -1), float("epsilon", 1)).node("Transpose", "y", in("turned"), numbers("perm", 1, 0)),
		"Gather of first":   rows().ints("i", 0).node("Gather", "first", in("x", "i"), number("axis", 0)).node("Sub", "y", in("x", "first")),
		"Slice of backward": rows().ints("s", -1).ints("e", -99).ints("a", 0).ints("t", -1).node("Slice", "backward", in("x", "s", "e", "a", "t")).node("Add", "y", in("x", "backward")),
		"Concat of longer":  rows().floats("c", []int{1, 3, 4}, ramp(12, 0, 1)...).node("Concat", "longer", in("x", "c"), number("axis", 0)).node("ReduceMean", "y", in("longer"), numbers("axes", 0)),
		"Pad of longer":     rows().ints("p", 1, 0, 0, 0, 0, 0).node("Pad", "longer", in("x", "p")).node("ReduceMean", "y", in("longer"), numbers("axes", 0)),
		"MatMul of gram":    flat().node("Transpose", "t", in("x"), numbers("perm", 1, 0)).node("MatMul", "gram", in("x", "t")).node("MatMul", "y", in("gram", "x")),
		"Gemm of gram":      flat().node("Gemm", "gram", in("x", "x"), number("transB", 1)).node("MatMul", "y", in("gram", "x")),
		"Einsum of gram":    flat().node("Einsum", "gram", in("x", "x"), attributeText("equation", "bi,ci->bc")).node("MatMul", "y", in("gram", "x")),
		"Einsum of sum":     flat().node("Einsum", "sum", in("x"), attributeText("equation", "bi->i")).node("Add", "y", in("x", "sum")),
		"Sub of pairs": flat().ints("o", 1).node("Unsqueeze", "u", in("x", "o")).ints("z", 0).node("Unsqueeze", "v", in("x", "z")).
			node("Sub", "pairs", in("u", "v")).node("ReduceMax", "y", in("pairs"), numbers("axes", 1)),
		// Every example by itself, but not in the same way.
		"Add of y": openBatch(4).batchSize().ints("z", 0).ints("one", 1).node("Squeeze", "k", in("n")).
			node("Range", "r", in("zero", "k", "step")).tensor(shapedInts("zero", nil, 0)).tensor(shapedInts("step", nil, 1)).
			node("Cast", "places", in("r"), number("to", typeFloat)).node("Unsqueeze", "col", in("places", "one")).node("Add", "y", in("x", "col")),
		// Every example in the same way, but not as it is alone.
		"Div of y": rows().batchSize().node("Div", "y", in("x", "count")),
	}
}

// Each of these is refused, with a line that names the output's node. That the refusal is just
// is shown by running the file's graph: an example in a batch of 7 does not have the
// outputs that it has alone, or they change with its neighbours.
func TestMixingGraphsAreRefused(t *testing.T) {
	for name, f := range mixers() {
		_, err := f.decode()
		if err == nil {
			t.Errorf("%s: read", name)
			continue
		}
		if p := unsupportedParts(t, err); len(p) != 1 || p[0].Node != p[0].Op+" of y" || !strings.Contains(p[0].Detail, "batch") {
			t.Errorf("%s: %q", name, p)
		}
		if strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), "fixed to 1") {
			t.Errorf("%s: %v", name, err)
		}
		if gap := outOfPlace(t, f.bytes(), 7); gap < 1e-3 {
			t.Errorf("%s: an example's outputs in a batch differ by %v from those alone: the refusal is wrong", name, gap)
		}
		f.input = fixedTo1("x", inputDims(t, f))
		if _, err := f.decode(); err != nil {
			t.Errorf("%s with the batch fixed to 1: %v", name, err)
		}
	}
}

// inputDims returns the shape of a file's input.
func inputDims(t *testing.T, f *modelFile) []int {
	w := &wire{}
	v := w.declared(f.input)
	return v.sizes(nil)
}

// outOfPlace returns how far outputs in a batch are from those of its examples alone,
// relative to the largest: 1 if there are not as many.
func outOfPlace(t *testing.T, data []byte, batch int) float64 {
	t.Helper()
	at := func(batch int) *nn.Graph {
		w := &wire{}
		m := w.model(data)
		d := newDecoder(m, ReadOptions{})
		d.batch, d.room, d.foldable = batch, 1<<20, 1<<20
		if err := attempt(func() { d.decode(m) }); err != nil || len(d.refused) > 0 {
			t.Fatal(err, d.refused)
		}
		return d.graph
	}
	one, many := at(1), at(batch)
	x := examplesOf(batch, nn.Size(one.InputShape))
	alone := run(one, x, batch)
	together := run(many, x, 1)
	if len(alone) != len(together) {
		return 1
	}
	gap, scale := 0.0, 0.0
	for i, a := range alone {
		gap, scale = max(gap, math.Abs(a-together[i])), max(scale, math.Abs(a))
	}
	return gap / scale
}

// Graphs that handle the batch, and keep its examples apart.
func TestSeparateGraphsAreRead(t *testing.T) {
	rows := func() *modelFile { return openBatch(4, 6) }
	for name, f := range map[string]*modelFile{
		"batch last and back": rows().node("Transpose", "t", in("x"), numbers("perm", 1, 2, 0)).node("Relu", "r", in("t")).
			node("Softmax", "s", in("r"), number("axis", 0)).node("Transpose", "y", in("s"), numbers("perm", 2, 0, 1)),
		"sequence first": rows().node("Transpose", "t", in("x"), numbers("perm", 1, 0, 2)).node("Softmax", "s", in("t"), number("axis", 0)).
			floats("w", []int{6, 2}, ramp(12, -1, .2)...).node("MatMul", "m", in("s", "w")).node("Transpose", "y", in("m"), numbers("perm", 1, 0, 2)),
		"windows": rows().ints("s", -1, 2, 6).node("Reshape", "r", in("x", "s")).node("Transpose", "t", in("r"), numbers("perm", 0, 2, 1)).
			node("MatMul", "m", in("r", "t")).node("Softmax", "p", in("m"), number("axis", -1)).node("MatMul", "q", in("p", "r")).
			ints("b", -1, 4, 6).node("Reshape", "y", in("q", "b")),
		"all rows at once": rows().ints("s", -1, 6).node("Reshape", "r", in("x", "s")).floats("w", []int{6, 3}, ramp(18, -1, .1)...).
			node("Gemm", "g", in("r", "w")).ints("b", -1, 12).node("Reshape", "y", in("g", "b")),
		"means of places": rows().node("ReduceMean", "m", in("x"), numbers("axes", 1)).node("Sub", "y", in("x", "m")),
		"einsum":          rows().node("Einsum", "a", in("x", "x"), attributeText("equation", "bij,bkj->bik")).node("Softmax", "y", in("a"), number("axis", 1)),
		"a class token": rows().node("Shape", "dims", in("x")).ints("z", 0).node("Gather", "n", in("dims", "z")).ints("rest", 1, 6).
			node("Concat", "to", in("n", "rest"), number("axis", 0)).floats("token", []int{1, 1, 6}, ramp(6, 0, .3)...).node("Expand", "e", in("token", "to")).
			node("Concat", "c", in("e", "x"), number("axis", 1)).ints("i", 0).node("Gather", "first", in("c", "i"), number("axis", 1)).
			node("ReduceSum", "s", in("c"), ints1("axes", 1)...).node("Concat", "y", in("first", "s"), number("axis", 1)),
		"twice and halves": rows().node("Concat", "c", in("x", "x"), number("axis", 0)).ints("s", 2, -1, 4, 6).node("Reshape", "r", in("c", "s")).
			node("ReduceMean", "y", in("r"), numbers("axes", 0), number("keepdims", 0)),
		"normed windows": openBatch(2, 4, 4).ints("s", -1, 2, 2, 4).node("Reshape", "r", in("x", "s")).floats("k", []int{2}, 1, 2).
			node("InstanceNormalization", "i", in("r", "k", "k")).node("BatchNormalization", "n", in("i", "k", "k", "k", "k")).
			ints("b", -1, 2, 4, 4).node("Reshape", "y", in("n", "b")),
		"convolved": openBatch(2, 4, 4).floats("w", []int{3, 2, 3, 3}, ramp(54, -1, .04)...).node("Conv", "c", in("x", "w")).
			node("MaxPool", "m", in("c"), numbers("kernel_shape", 2, 2)).node("GlobalAveragePool", "g", in("m")).node("Flatten", "y", in("g")),
		"a mask of windows": openBatch(2, 3).floats("k", []int{1, 2, 3}, ramp(6, -1, .4)...).node("Add", "y", in("x", "k")),
		// It joins the 4 numbers of each example and then 2 numbers of each example. It keeps the first part alone.
		"undone": openBatch(4).batchSize().ints("one", -1, 1).node("Reshape", "a", in("x", "one")).ints("i", 0, 1).node("Gather", "h", in("x", "i"), number("axis", 1)).
			node("Reshape", "b", in("h", "one")).node("Concat", "c", in("a", "b"), number("axis", 0)).ints("four", 4).node("Mul", "end", in("n", "four")).
			ints("zero", 0).node("Slice", "front", in("c", "zero", "end", "zero")).ints("back", -1, 4).node("Reshape", "y", in("front", "back")),
	} {
		if _, err := f.decode(); err != nil {
			t.Errorf("%s: %v", name, err)
		} else if gap := outOfPlace(t, f.bytes(), 7); gap > 1e-9 {
			t.Errorf("%s: outputs in a batch differ by %v", name, gap)
		}
	}
}

// ints1 is an attribute of integers as a list of one.
func ints1(name string, x ...int) [][]byte {
	return [][]byte{numbers(name, x...), number("keepdims", 1)}
}
