package onnx

import (
	"bytes"
	"errors"
	"math"
	"runtime"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"tattle/internal/shared"
)

func affine() *modelFile {
	return newFile(2).floats("w", []int{2, 1}, 1, 4).node("MatMul", "y", in("x", "w"))
}

// damaged files, each with what its error must say.
func damaged() map[string]struct {
	data []byte
	want []string
} {
	type entry = struct {
		data []byte
		want []string
	}
	raw := func(n int) []byte { return make([]byte, n) }
	node := func(f *modelFile) []byte { return f.node("MatMul", "y", in("x", "w")).bytes() }
	nan := float32(math.NaN())
	twice := affine()
	twice.extra = twice.consts
	cut := affine()
	cut.nodes = appendBytes(nil, graphNode, append(appendBytes(nil, nodeOp, []byte("Relu")), nodeInput<<3|2, 50, 'x'))
	return map[string]entry{
		"nothing":       {nil, []string{"no graph"}},
		"text":          {[]byte("this is no model"), []string{"not an ONNX file"}},
		"half":          {affine().bytes()[:40], []string{"cut off"}},
		"cut node":      {cut.bytes(), []string{"cut off", `"Relu"`[1:5]}},
		"wire type":     {appendInt(nil, modelGraph, 3), []string{"field 7 is no message"}},
		"2^60 elements": {node(newFile(2).tensor(appendBytes(tensorOf("w", typeFloat, 2, 1<<59), tensorRaw, raw(8)))), []string{"MatMul of y", `"w"`, "impossible shape"}},
		"2^50 elements": {node(newFile(2).tensor(appendBytes(tensorOf("w", typeFloat, 2, 1<<49), tensorRaw, raw(8)))), []string{"MatMul of y", `"w"`, "there are 8"}},
		"negative":      {node(newFile(2).tensor(tensorOf("w", typeFloat, 2, -1))), []string{`"w"`, "impossible shape"}},
		"empty weight":  {node(newFile(2).tensor(tensorOf("w", typeFloat, 2, 0))), []string{`"w"`, "empty"}},
		"too short":     {node(newFile(2).floats("w", []int{2, 3}, 1, 2, 3)), []string{`"w"`, "24 bytes", "12"}},
		"NaN":           {node(newFile(2).floats("w", []int{2, 1}, 1, nan)), []string{`"w"`, "NaN", "element 1"}},
		"infinite":      {node(newFile(2).tensor(doubles("w", []int{2, 1}, 1, 1e300))), []string{`"w"`, "Inf"}},
		"misfit":        {node(newFile(3).floats("w", []int{2, 1}, 1, 4)), []string{"MatMul of y", "[3]"}},
		"undefined":     {newFile(2).node("Relu", "y", in("z")).bytes(), []string{"Relu of y", `"z" is not computed`}},
		"out of order":  {newFile(2).node("Relu", "y", in("z")).node("Relu", "z", in("x")).bytes(), []string{"Relu of y", `"z" is not computed`, `node "Relu of z" comes after it; sort`}},
		"no output":     {newFile(2).node("Relu", "z", in("x")).bytes(), []string{`"y" is not computed`}},
		"no input":      {newFile(2).node("Relu", "y", nil).bytes(), []string{"Relu of y", "input 1 is missing"}},
		"twice":         {newFile(2).node("Relu", "y", in("x")).node("Relu", "y", in("x")).bytes(), []string{`"y" is computed twice`}},
		"same tensor":   {twice.bytes(), []string{`"w" is given twice`}},
		"over input":    {newFile(2).node("Relu", "x", in("x")).node("Relu", "y", in("x")).bytes(), []string{"Relu of x", "already exists"}},
		"wrong type":    {newFile(2).node("LeakyRelu", "y", in("x"), number("alpha", 1)).bytes(), []string{"LeakyRelu of y", `"alpha" has the wrong type`}},
		"NaN slope":     {newFile(2).node("LeakyRelu", "y", in("x"), float("alpha", math.NaN())).bytes(), []string{"LeakyRelu of y", `"alpha" is NaN`}},
		"groups": {newFile(2, 1, 1).floats("w", []int{1, 1, 1, 1}, 1).node("Conv", "y", in("x", "w"), number("group", 1<<62)).bytes(),
			[]string{"Conv of y", "groups"}},
		"huge kernel":     {newFile(1, 4, 4).node("MaxPool", "y", in("x"), numbers("kernel_shape", 1<<40, 1)).bytes(), []string{"MaxPool of y", "kernel_shape"}},
		"zero stride":     {newFile(1, 4, 4).node("MaxPool", "y", in("x"), numbers("kernel_shape", 1, 1), numbers("strides", 0, 1)).bytes(), []string{"MaxPool of y", "strides"}},
		"no kernel":       {newFile(1, 4, 4).node("MaxPool", "y", in("x")).bytes(), []string{"MaxPool of y", "kernel_shape"}},
		"absurd input":    {newFile(1<<30, 1<<30, 1<<30).node("Relu", "y", in("x")).bytes(), []string{`"x"`, "of size 1073741824"}},
		"absurd output":   {newFile(1<<20, 1, 1).node("Conv", "y", in("x", "w"), number("group", 1<<20), numbers("pads", 1<<20, 1<<20, 0, 0)).bytes(), []string{`"w"`}},
		"absurd padding":  {newFile(1, 1, 1).floats("w", []int{1, 1, 1, 1}, 1).node("Conv", "y", in("x", "w"), numbers("pads", 1<<20, 1<<20, 0, 0)).bytes(), []string{"absurd"}},
		"one constant":    {newFile(2).floats("c", []int{2}, 1, 2).node("Add", "y", in("c")).bytes(), []string{"Add of y", "input 2 is missing"}},
		"attribute twice": {newFile(2).node("LeakyRelu", "y", in("x"), float("alpha", .1), float("alpha", .2)).bytes(), []string{"LeakyRelu of y", `"alpha"`, "twice"}},
		"long name":       {newFile(2).node(strings.Repeat("A", 1<<16), "y", in("x")).bytes(), []string{"name of 65541 bytes"}},
		"absurd channels": {newFile(1<<20, 10, 10).node("Relu", "y", in("x")).bytes(), []string{`"x"`, "absurd"}},
		"NaN epsilon":     {newFile(1).floats("a", []int{1}, 1).node("BatchNormalization", "y", in("x", "a", "a", "a", "a"), float("epsilon", math.NaN())).bytes(), []string{`"epsilon" is NaN`}},
		"huge padding":    {newFile(1, 4, 4).node("MaxPool", "y", in("x"), numbers("kernel_shape", 1, 1), numbers("pads", 1<<62, 0, 0, 0)).bytes(), []string{"MaxPool of y", "pads"}},
		"no groups":       {newFile(1, 1, 1).floats("w", []int{1, 1, 1, 1}, 1).node("Conv", "y", in("x", "w"), number("group", 0)).bytes(), []string{"Conv of y", "groups"}},
		"empty kernel":    {newFile(1, 1, 1).floats("w", []int{1, 1, 0, 1}).node("Conv", "y", in("x", "w")).bytes(), []string{"Conv of y", `"w"`}},
		"axis beyond":     {newFile(2, 2).node("Flatten", "y", in("x"), number("axis", -1<<63)).bytes(), []string{"Flatten of y", "axis -9223372036854775808 of 3 dimensions"}},
		"lines":           {newFile(2).node("Relu\n\x1b[2J", "y", in("z")).bytes(), []string{`\n`}},
		"negative spread": {newFile(1).floats("a", []int{1}, -1).node("BatchNormalization", "y", in("x", "a", "a", "a", "a")).bytes(), []string{"variance -1", "not 0 or more"}},
	}
}

func TestDamaged(t *testing.T) {
	for name, c := range damaged() {
		_, err := Decode("hurt.onnx", c.data)
		var format *FormatError
		if !errors.As(err, &format) || format.File != "hurt.onnx" {
			t.Errorf("%s: error %v, want a FormatError", name, err)
			continue
		}
		for _, want := range append(c.want, "hurt.onnx") {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: the message %q does not say %q", name, err, want)
			}
		}
		if strings.ContainsAny(err.Error(), "\n\x1b") || len(err.Error()) > 1000 {
			t.Errorf("%s: not a plain line: %.300q", name, err)
		}
	}
}

// Any prefix of a file is refused.
func TestTruncated(t *testing.T) {
	whole := affine().bytes()
	for n := range whole {
		if g, err := Decode("cut.onnx", whole[:n]); err == nil {
			t.Errorf("%d of %d bytes were read as %v", n, len(whole), g)
		}
	}
}

// Files of half a million bytes made of the pieces that cost most memory per byte.
func TestMemory(t *testing.T) {
	shared.Long(t, "files that cost most memory")
	const size, ratio = 1 << 19, 128 // of garbage; live at any time is less
	repeat := func(piece []byte) []byte { return bytes.Repeat(piece, size/len(piece)) }
	distinct := func(piece func(name []byte) []byte) (b []byte) {
		for i := 0; len(b) < size; i++ {
			b = append(b, piece(protowire.AppendVarint(nil, uint64(i)+1))...)
		}
		return b
	}
	tiny := appendBytes(appendBytes(nil, nodeOp, []byte("A")), nodeOutput, nil)
	graphOf := func(b []byte) []byte {
		return appendBytes(affine().bytes(), modelGraph, b)
	}
	alone := func(b []byte) []byte { return appendBytes(nil, modelGraph, b) }
	huge := newFile(2).tensor(appendBytes(tensorOf("w", typeFloat, 1<<30, 1<<28), tensorRaw, make([]byte, 8))).node("MatMul", "y", in("x", "w"))
	chain := newFile(2)
	for last := "x"; len(chain.nodes) < size; {
		next := string(protowire.AppendVarint(nil, uint64(len(chain.nodes))+1<<20))
		n := appendBytes(appendBytes(nil, nodeInput, []byte(last)), nodeOutput, []byte(next))
		chain.nodes = appendBytes(chain.nodes, graphNode, appendBytes(n, nodeOp, []byte("A")))
		last, chain.output = next, next
	}
	factors := newFile(64).floats("w", []int{64, 64}, make([]float32, 64*64)...)
	for i := range 200 {
		factors.node("Gemm", string(rune('a'+i+1)), in(string(rune('a'+i)), "w"), float("alpha", float64(i)))
	}
	factors.input, factors.output = fixedTo1("a", []int{64}), string(rune('a'+200))
	files := map[string][]byte{
		"chain":        chain.bytes(),
		"factors":      factors.bytes(),
		"empty nodes":  alone(repeat(appendBytes(nil, graphNode, nil))),
		"tiny nodes":   alone(repeat(appendBytes(nil, graphNode, tiny))),
		"two graphs":   graphOf(repeat(appendBytes(nil, graphNode, tiny))),
		"attributes":   alone(appendBytes(nil, graphNode, append(tiny, repeat(appendBytes(nil, nodeAttribute, appendBytes(nil, attributeName, []byte("a"))))...))),
		"inputs":       alone(appendBytes(nil, graphNode, append(tiny, repeat(appendBytes(nil, nodeInput, nil))...))),
		"tensors":      alone(distinct(func(n []byte) []byte { return appendBytes(nil, graphInitializer, appendBytes(nil, tensorName, n)) })),
		"graph inputs": alone(distinct(func(n []byte) []byte { return appendBytes(nil, graphInput, appendBytes(nil, valueName, n)) })),
		"metadata":     distinct(func(n []byte) []byte { return appendBytes(nil, modelMetadata, appendBytes(nil, entryKey, n)) }),
		"nodes": alone(distinct(func(n []byte) []byte {
			return appendBytes(nil, graphNode, appendBytes(appendBytes(nil, nodeOp, []byte("A")), nodeOutput, n))
		})),
		"integers": newFile(2).ints("s", make([]int64, size)...).node("Reshape", "y", in("x", "s")).bytes(),
		"2^58":     huge.bytes(),
	}
	for name, data := range files {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := Decode("big.onnx", data)
		runtime.ReadMemStats(&after)
		if err == nil {
			t.Errorf("%s: was read", name)
		}
		n := after.TotalAlloc - before.TotalAlloc
		t.Logf("%s: %.1f bytes of memory per byte of file: %.80v", name, float64(n)/float64(len(data)), err)
		if n > uint64(ratio*len(data)+1<<20) {
			t.Errorf("%s: a file of %d bytes made %d bytes of garbage", name, len(data), n)
		}
	}
}
