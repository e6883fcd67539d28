package cli

import (
	"bytes"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/rogpeppe/go-internal/testscript"

	"tattle/internal/engine/nn"
	"tattle/internal/engine/nn/zoo"
	"tattle/internal/engine/onnx"
	"tattle/internal/must"
	"tattle/internal/npy"
	"tattle/internal/protect/measure"
)

// mkColour FILE [hwc|open] writes an untrained net of pictures of 3×8×8 with five
// answers and a way past one of its convolutions; hwc takes the channels last, open
// leaves height and width open.
func mkColour(ts *testscript.TestScript, _ bool, args []string) {
	g := &nn.Graph{Name: "colour", Input: "input", InputShape: []int{3, 8, 8}, Output: "input"}
	add := func(name string, op nn.Op, inputs ...string) {
		if len(inputs) == 0 {
			inputs = []string{g.Output}
		}
		g.Nodes = append(g.Nodes, &nn.Node{Name: name, Op: op, Inputs: inputs, Output: name + "_output_0"})
		g.Output = name + "_output_0"
	}
	conv := func(name string, in, out int) nn.Op {
		return &nn.Conv2D{InChannels: in, OutChannels: out, Kernel: [2]int{3, 3}, Stride: [2]int{1, 1}, Dilation: [2]int{1, 1}, Pad: [4]int{1, 1, 1, 1}, Groups: 1,
			Weight: &nn.Param{Name: name + ".weight", Shape: []int{out, in, 3, 3}, Data: make([]float32, out*in*9)}}
	}
	if slices.Contains(args, "hwc") {
		g.InputShape = []int{8, 8, 3}
		add("first", &nn.Transpose{Perm: []int{2, 0, 1}})
	}
	add("conv1", conv("conv1", 3, 4))
	add("relu1", &nn.ReLU{})
	add("conv2", conv("conv2", 4, 4))
	add("add", &nn.Binary{Operator: "Add"}, "conv2_output_0", "relu1_output_0")
	add("relu2", &nn.ReLU{})
	add("pool", &nn.Reduce{Function: "Mean", Axes: []int{1, 2}, Keep: true})
	add("flatten", nn.Flatten())
	add("fc", &nn.Dense{In: 4, Out: 5, Weight: &nn.Param{Name: "fc.weight", Shape: []int{5, 4}, Data: make([]float32, 20)}})
	g.Init(1)
	b, err := onnx.Encode(g)
	ts.Check(err)
	if slices.Contains(args, "open") { // a size of 8 becomes an open dimension without a name
		size, open := []byte("\x0a\x02\x08\x08"), []byte("\x0a\x02\x12\x00")
		if bytes.Count(b, size) != 2 {
			ts.Fatalf("%d sizes of 8", bytes.Count(b, size))
		}
		b = bytes.ReplaceAll(b, size, open)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), b, 0o666))
}

// mkNPZ FILE N [labels|nan] writes N inputs of mkColour's net as an .npz archive.
func mkNPZ(ts *testscript.TestScript, _ bool, args []string) {
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	r := rand.New(rand.NewPCG(2, 2))
	x, y := make([]float32, n*3*8*8), make([]int64, n)
	for i := range x {
		x[i] = float32(r.NormFloat64())
	}
	for i := range y {
		y[i] = int64(i % 5)
	}
	if slices.Contains(args, "nan") {
		x[200] = float32(math.NaN())
	}
	writeNPZ(ts, args[0], func(w *npy.Writer) {
		ts.Check(w.Add("x", []int{n, 3, 8, 8}, x))
		if slices.Contains(args, "labels") {
			ts.Check(w.Add("y", []int{n}, y))
		}
	})
}

func TestByteSize(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{
		"0": 0, "4GiB": 4 << 30, "4gib": 4 << 30, "500M": 500e6, "500MB": 500e6, "2097152": 1 << 21, "1.5Ki": -1, "1.5Gi": 3 << 29, "2e9": 2e9, "1 GB": 1e9,
		"": -1, "G": -1, "4i": -1, "-1G": -1, "10": -1, "9e30": -1, "four": -1, "NaN": -1, "4PiB": -1,
	} {
		var b byteSize
		err := b.UnmarshalText([]byte(text))
		if (err != nil) != (want < 0) || err == nil && int64(b) != want {
			t.Errorf("%q: %d, %v, want %d", text, b, err, want)
		}
	}
}

func TestParseShape(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]int{"": nil, "3x224x224": {3, 224, 224}, "3,8,8": {3, 8, 8}, "784": {784}, "3×2": {3, 2}} {
		if got, err := measure.ParseShape(text); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"x", "3x0x2", "3x-1", "axb", "3xx2", "3x", "1x1x1x1x1x1x1x1x1", "99999999999"} {
		if got, err := measure.ParseShape(text); err == nil {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// TestInspectEscapes: names in a file do not reach the terminal as commands to it.
func TestInspectEscapes(t *testing.T) {
	b := must.Get(onnx.Encode(zoo.Table(4, 2, 1)))(t)
	for name, as := range map[string]string{"tattle": "\x1b[2J\a\r", "fc1.weight": "\x1b]0;title\a"} {
		if len(as) > len(name) {
			as = as[:len(name)]
		}
		b = bytes.ReplaceAll(b, []byte(name), []byte(as+strings.Repeat("\b", len(name)-len(as))))
	}
	path := filepath.Join(t.TempDir(), "m.onnx")
	must.Do(t, os.WriteFile(path, b, 0o666))
	for _, args := range [][]string{{"inspect", path}, {"inspect", "--json", path}, {"bound", "--model", path, "--features", "\x1bx", "--data", "glyphs", "--out", t.TempDir()}} {
		var out bytes.Buffer
		Execute(t.Context(), args, &out, &out)
		if out.Len() == 0 || bytes.ContainsFunc(out.Bytes(), func(r rune) bool { return r != '\n' && unicode.IsControl(r) }) {
			t.Errorf("%q prints %q", args, out.String())
		}
	}
}
