package onnx

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tattle/internal/engine/nn"
)

// conformanceFolder names the environment variable with ONNX's own cases, as
// onnx.backend.test.cmd_tools generate-data writes them: folders of
// test_*/model.onnx and test_data_set_0/{input,output}_*.pb.
const conformanceFolder = "TATTLE_ONNX_NODE_TESTS"

// ONNX's own cases of single nodes. Each is read several times: with each of its
// float inputs as the activation and the others constant, and with all of them
// cut from one. Whatever is read must compute what ONNX says; what is not must be
// refused as unsupported.
func TestConformance(t *testing.T) {
	root := os.Getenv(conformanceFolder)
	if root == "" {
		t.Skipf("set %s to the node folder that python3 -m onnx.backend.test.cmd_tools generate-data writes", conformanceFolder)
	}
	folders, err := filepath.Glob(filepath.Join(root, "test_*"))
	if err != nil || len(folders) == 0 {
		t.Fatalf("no cases in %s (%v)", root, err)
	}
	passed, refused := map[string]int{}, map[string]map[string]int{}
	for _, folder := range folders {
		c, err := openCase(folder)
		if err != nil {
			continue // of sequences, optional values, text …
		}
		for _, v := range c.variants() {
			switch detail, err := c.check(v); {
			case err != nil:
				t.Errorf("%s, activations %v: %v", filepath.Base(folder), v, err)
			case detail != "":
				if refused[c.op] == nil {
					refused[c.op] = map[string]int{}
				}
				refused[c.op][detail]++
			default:
				passed[c.op]++
			}
		}
	}
	n := 0
	for _, op := range slices.Sorted(maps.Keys(passed)) {
		t.Logf("%s: %d passed, refused: %v", op, passed[op], refused[op])
		n += passed[op]
	}
	for _, op := range slices.Sorted(maps.Keys(refused)) {
		if passed[op] == 0 {
			t.Logf("%s: refused: %v", op, refused[op])
		}
	}
	t.Logf("%d passed of %d operators", n, len(passed))
}

// conformanceCase is one of ONNX's cases.
type conformanceCase struct {
	op              string
	opset           int64
	nodes           [][]byte // messages of the graph
	inputs, outputs []tensor
	bodies          [][]byte // of the inputs' messages
}

func openCase(folder string) (*conformanceCase, error) {
	data, err := os.ReadFile(filepath.Join(folder, "model.onnx"))
	if err != nil {
		return nil, err
	}
	w := &wire{}
	m := w.model(data)
	if w.err != nil {
		return nil, w.err
	}
	c := &conformanceCase{opset: m.opset}
	for _, n := range m.graph.nodes {
		if c.op == "" || c.op == "Constant" {
			c.op = n.op
		}
	}
	w.each(data, func(f field) {
		if f.number == modelGraph {
			w.each(w.bytes(f), func(f field) {
				if f.number == graphNode {
					c.nodes = append(c.nodes, w.bytes(f))
				}
			})
		}
	})
	for i, in := range m.graph.inputs {
		body, tensor, err := readTensor(folder, "input", i, in)
		if err != nil {
			return nil, err
		}
		c.bodies, c.inputs = append(c.bodies, body), append(c.inputs, tensor)
	}
	for i, out := range m.graph.outputs {
		_, tensor, err := readTensor(folder, "output", i, out)
		if err != nil {
			return nil, err
		}
		c.outputs = append(c.outputs, tensor)
	}
	return c, w.err
}

// readTensor reads an input or output, of the type that the model declares:
// bfloat16 is kept as uint16 in some files.
func readTensor(folder, kind string, i int, declared named) ([]byte, tensor, error) {
	b, err := os.ReadFile(filepath.Join(folder, "test_data_set_0", fmt.Sprintf("%s_%d.pb", kind, i)))
	if err != nil {
		return nil, tensor{}, err
	}
	w := &wire{}
	v := w.declared(declared.body)
	if v.element == 0 {
		return nil, tensor{}, errors.New("no tensor")
	}
	b = appendInt(b, tensorType, v.element)
	b = appendBytes(b, tensorName, []byte(declared.name))
	t := w.tensor(b)
	if _, ok := kindOf(t.kind); w.err == nil && !ok {
		w.err = fmt.Errorf("elements of %s", typeName(t.kind))
	}
	if w.err != nil {
		return nil, t, w.err
	}
	return b, t, attempt(func() { t.shape() })
}

// variants lists which inputs are activations.
func (c *conformanceCase) variants() (all [][]int) {
	var able []int
	for i, in := range c.inputs {
		if k, ok := kindOf(in.kind); ok && k != isInt && in.elements() > 0 {
			able = append(able, i)
			all = append(all, []int{i})
		}
	}
	if len(able) > 1 {
		all = append(all, able)
	}
	return all
}

func (t *tensor) elements() int {
	_, n := t.shape()
	return n
}

// values returns a tensor's elements as floats.
func (t *tensor) values() (x []float32, err error) {
	err = attempt(func() { x = asFloats((&constants{foldable: maxFolded}).load(t)).floats })
	return x, err
}

// check reads the case with these inputs as activations and compares every output
// that is computed; detail is why the first was refused.
func (c *conformanceCase) check(activations []int) (detail string, err error) {
	for i := range c.outputs {
		if c.outputs[i].elements() == 0 {
			return "an empty output", nil
		}
		detail, err = c.checkOutput(activations, &c.outputs[i])
		if err != nil || i == 0 && detail != "" {
			return detail, err
		}
	}
	return "", nil
}

func (c *conformanceCase) checkOutput(activations []int, out *tensor) (detail string, err error) {
	file, x, err := c.file(activations, out)
	if err == errNotFinite {
		return err.Error(), nil
	}
	if err != nil {
		return "", err
	}
	g, err := file.decode()
	var unsupported *UnsupportedError
	if errors.As(err, &unsupported) {
		return strings.TrimPrefix(err.Error(), "test.onnx: not supported: "), nil
	}
	if err != nil && strings.HasSuffix(err.Error(), "does not depend on the input") {
		return "constant", nil
	}
	if err != nil {
		return "", err
	}
	net, err := nn.NewNet(g)
	if err != nil {
		return "", err
	}
	want, err := out.values()
	if err != nil {
		return "", err
	}
	y := make([]float32, len(want))
	net.Forward(y, x)
	return "", closeTo(y, want, c.precision())
}

// precision is the relative error allowed: of what has fewer bits than float32,
// which is what everything is computed in here, half a bit of theirs.
func (c *conformanceCase) precision() float64 {
	limit := 1e-5
	for _, t := range slices.Concat(c.inputs, c.outputs) {
		switch t.kind {
		case typeFloat16:
			limit = max(limit, 0x1p-11)
		case typeBfloat16:
			limit = 0x1p-7
		}
	}
	return limit
}

// errNotFinite says that a constant is not finite, which is damage in a file of
// weights.
var errNotFinite = errors.New("a constant that is not finite")

// file writes the case as a model of one input, [batch, all activations], and one
// output, [batch, size], so that the batch of the case's tensors is none here.
func (c *conformanceCase) file(activations []int, out *tensor) (f *modelFile, x []float32, err error) {
	f = newFile(1)
	f.opset = max(c.opset, minOpset) // what is older here means the same
	for i := range c.inputs {
		if !slices.Contains(activations, i) {
			if x, err := c.inputs[i].values(); err == nil && slices.ContainsFunc(x, func(v float32) bool { return v-v != 0 }) {
				return nil, nil, errNotFinite
			}
			f.tensor(c.bodies[i])
			continue
		}
		from := &c.inputs[i]
		v, err := from.values()
		if err != nil {
			return nil, nil, err
		}
		name := func(what string) string { return "conformance " + what + " of " + from.name }
		f.tensor(shaped(name("axis"), 1, 1))
		x = append(x, v...)
		f.tensor(intTensor(name("shape"), from.dims...))
		if c.opset < 10 {
			f.node("Slice", name("part"), in("conformance x"), numbers("starts", 0, len(x)-len(v)), numbers("ends", 1, len(x)))
		} else {
			f.tensor(shaped(name("starts"), 1, int64(len(x)-len(v)))).tensor(shaped(name("ends"), 1, int64(len(x))))
			f.node("Slice", name("part"), in("conformance x", name("starts"), name("ends"), name("axis")))
		}
		last := name("part")
		if from.kind == typeBool {
			f.node("Cast", name("bool"), in(last), number("to", typeBool))
			last = name("bool")
		}
		f.node("Reshape", from.name, in(last, name("shape")))
	}
	for _, n := range c.nodes {
		f.nodes = appendBytes(f.nodes, graphNode, n)
	}
	f.tensor(intTensor("conformance out", 1, int64(out.elements())))
	f.node("Reshape", "conformance y", in(out.name, "conformance out"))
	f.input, f.output = fixedTo1("conformance x", []int{len(x)}), "conformance y"
	return f, x, nil
}
