package onnx

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tattle/internal/must"
	"tattle/internal/shared"
)

func TestDescribe(t *testing.T) {
	f := newFile().floats("w", []int{2, 3}, make([]float32, 6)...).tensor(beside("v", "weights", 0, 8, typeFloat, 2)).
		node("Relu", "a", in("x")).node("Relu", "b", in("a")).node("Unheard", "y", in("b"))
	f.input = declaredAs("x", typeFloat16, "N", 3, "height", "")
	f.inputs = appendBytes(nil, graphInput, fixedBatch("w", 2, 3))
	data := append(f.bytes(), appendBytes(nil, modelProducer, []byte("pytorch"))...)
	data = append(data, appendBytes(nil, modelVersion, []byte("1.13"))...)
	other := appendInt(appendBytes(nil, opsetDomain, []byte("com.microsoft")), opsetVersion, 1)
	path := writeFile(t, filepath.Join(t.TempDir(), "m.onnx"), append(data, appendBytes(nil, modelOpset, other)...))
	d := must.Get(Describe(path, ReadOptions{Shape: []int{3, 8, 8}}))(t)
	if d.Opset != 13 || d.IR != 8 || d.Producer != "pytorch 1.13" || !slices.Equal(d.Domains, []string{"com.microsoft 1"}) {
		t.Errorf("%+v", d)
	}
	if len(d.Inputs) != 1 || d.Inputs[0].Type != "float16" || !slices.Equal(d.Inputs[0].Dims, []string{"N", "3", "height", "?"}) {
		t.Errorf("inputs %+v", d.Inputs)
	}
	if len(d.Outputs) != 1 || d.Outputs[0].Name != "y" {
		t.Errorf("outputs %+v", d.Outputs)
	}
	if !slices.Equal(d.Operators, []Count{{"Relu", 2}, {"Unheard", 1}}) || d.Nodes != 3 {
		t.Errorf("operators %v", d.Operators)
	}
	if d.Weights != 2 || d.Elements != 8 || !slices.Equal(d.Beside, []string{"weights"}) {
		t.Errorf("%d weights of %d elements beside %q", d.Weights, d.Elements, d.Beside)
	}
	if d.Graph != nil || d.Refused == nil || !strings.Contains(d.Refused.Error(), "Unheard") {
		t.Errorf("refused: %v", d.Refused)
	}
	must.Fail(t, must.Err(Describe(writeFile(t, path, data[:50]), ReadOptions{}))) // half a file
}

func TestDescribeModel(t *testing.T) {
	d, err := Describe(shared.Path(t, "models/resnet20-cifar10.onnx"), ReadOptions{})
	if err != nil || d.Refused != nil || d.Graph == nil || d.Opset != 13 {
		t.Errorf("%+v, %v", d, err)
	}
	t.Logf("%s: %d nodes, %d weights of %d elements, %v %v → %v, %v", d.Producer, d.Nodes, d.Weights, d.Elements, d.Inputs, d.Graph.InputShape, d.Outputs, d.Operators)
}
