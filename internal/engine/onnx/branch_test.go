package onnx

import (
	"math"
	"slices"
	"testing"

	"tattle/internal/must"
)

// branchOf encodes a graph of nodes as an attribute.
func branchOf(name string, f *modelFile, output string) []byte {
	g := slices.Concat(f.nodes, f.consts, appendBytes(nil, graphOutput, appendBytes(nil, valueName, []byte(output))))
	return appendAttribute(nil, name, 5, appendBytes(nil, attributeGraph, g))
}

// PyTorch's squeeze of a dimension that may be 1: If(size = 1, Squeeze, Identity).
func squeezing(size int64) *modelFile {
	then := newFile().ints("axes", 1).node("Squeeze", "t", in("r", "axes"))
	other := newFile().node("Neg", "t", in("r")).node("Exp", "e", in("t"))
	return newFile(1, 3).ints("i", 1).ints("one", size).node("Relu", "r", in("x")).
		node("Shape", "s", in("x")).node("Gather", "n", in("s", "i")).node("Equal", "c", in("n", "one")).
		node("If", "b", in("c"), branchOf("then_branch", then, "t"), branchOf("else_branch", other, "e")).
		node("Flatten", "y", in("b"))
}

func TestIf(t *testing.T) {
	if y := squeezing(1).run(t, 1, -2, 3); !slices.Equal(y, []float32{1, 0, 3}) {
		t.Errorf("then: %v", y)
	}
	y := squeezing(2).run(t, 1, -2, 0)
	for i, want := range []float64{math.Exp(-1), 1, 1} {
		if math.Abs(float64(y[i])-want) > 1e-6 {
			t.Errorf("else: %v", y)
		}
	}
}

// A branch reads what a branch around it computes, and weights of the same name are distinguished.
func TestNestedIf(t *testing.T) {
	yes := appendInt(tensorOf("yes", typeBool), tensorInt32s, 1)
	inner := newFile().floats("w", nil, 10).node("Mul", "v", in("u", "w"))
	outer := newFile().floats("w", nil, 100).node("Add", "u", in("x", "w")).
		node("If", "v", in("yes"), branchOf("then_branch", inner, "v"), branchOf("else_branch", inner, "v"))
	f := newFile(1).tensor(yes).node("If", "y", in("yes"), branchOf("then_branch", outer, "v"), branchOf("else_branch", outer, "v"))
	if y := f.run(t, 2); y[0] != 1020 {
		t.Errorf("%v", y)
	}
}

func TestIfRefused(t *testing.T) {
	bad := newFile().node("Unheard", "t", in("x"))
	yes := appendInt(tensorOf("yes", typeBool), tensorInt32s, 1)
	f := newFile(1).tensor(yes).node("If", "y", in("yes"), branchOf("then_branch", bad, "t"), branchOf("else_branch", bad, "t"))
	_, err := f.decode()
	if p := unsupportedParts(t, err); len(p) != 1 || p[0] != (Unsupported{"Unheard of t", "Unheard", ""}) {
		t.Errorf("%q", p)
	}
	deep := newFile().node("Relu", "t", in("x"))
	for range 6 {
		deep = newFile().node("If", "t", in("yes"), branchOf("then_branch", deep, "t"), branchOf("else_branch", deep, "t"))
	}
	f = newFile(1).tensor(yes)
	f.nodes, f.output = deep.nodes, "t"
	must.Fail(t, must.Err(f.decode()), "over 4 deep")
	none := newFile(1).tensor(yes).node("If", "y", in("yes"))
	must.Fail(t, must.Err(none.decode()), `"then_branch" is missing`)
}
