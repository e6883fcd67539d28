package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"tattle/dataset"
	"tattle/measure"
	"tattle/nn"
	"tattle/onnx"
)

// inspectCmd describes a model's file, and the nodes whose output could be released.
type inspectCmd struct {
	Model       string `arg:"" help:"ONNX model." placeholder:"FILE"`
	InputShape  string `help:"Sizes of one input, without the batch, if the file leaves them open." placeholder:"3x224x224"`
	ModelOutput string `aliases:"output" help:"Output to use, if the model has several." placeholder:"NAME"`
	All         bool   `help:"Also list nodes that cannot be released alone, because a path of the model bypasses them."`
	JSON        bool   `name:"json" help:"Print one JSON object on standard output."`
}

func (inspectCmd) Help() string {
	return "Example: tattle inspect model.onnx\n\nLists every node whose output alone could leave the device; --features accepts the name of the node or of its tensor. If the model is not supported, inspect prints what the file declares and which operators are not supported, and exits with status 3."
}

// Run describes the model, and errs if it cannot be read.
func (c *inspectCmd) Run(e *env) error {
	shape, err := measure.ParseShape(c.InputShape)
	if err != nil {
		return usage(fmt.Errorf("--input-shape: %w", err), "write it as 3x224x224")
	}
	d, err := onnx.Describe(c.Model, onnx.ReadOptions{Shape: shape, Output: c.ModelOutput})
	if err != nil {
		return err
	}
	seen, err := newInspection(d)
	if err != nil {
		return err
	}
	if !c.All {
		seen.hide()
	}
	if c.JSON {
		err = seen.writeJSON(e.stdout)
	} else {
		err = seen.writeText(e.stdout)
	}
	if err != nil || d.Refused == nil {
		return err
	}
	var damaged *onnx.FormatError
	if errors.As(d.Refused, &damaged) {
		return d.Refused
	}
	return hinted(d.Refused, "standard output has what the file declares")
}

// An inspection describes a model's file. Its JSON keys are stable.
type inspection struct {
	File          string            `json:"file"`
	Graph         string            `json:"graph"`
	Producer      string            `json:"producer"`
	Opset         int64             `json:"opset"`
	Domains       []string          `json:"domains"`
	Metadata      map[string]string `json:"metadata"`
	Inputs        []declared        `json:"inputs"`
	Outputs       []declared        `json:"outputs"`
	Operators     []operatorCount   `json:"operators"`
	Nodes         int               `json:"nodes"`
	WeightTensors int               `json:"weight_tensors"`
	Weights       int64             `json:"weights"`
	Beside        []string          `json:"external_files"`
	Preprocess    string            `json:"preprocess,omitempty"` // from the file beside the model
	Readable      bool              `json:"readable"`
	Refused       string            `json:"refused,omitempty"`

	// The fields below describe the net; they are zero if it cannot be read.
	InputShape   []int       `json:"input_shape,omitempty"`
	OutputShape  []int       `json:"output_shape,omitempty"`
	InputSize    int         `json:"input_size,omitempty"`
	MultiplyAdds int64       `json:"multiply_adds,omitempty"`
	Parameters   int64       `json:"parameters,omitempty"`
	Default      string      `json:"default_features,omitempty"`
	NoDefault    string      `json:"no_default,omitempty"` // why there is none
	Candidates   []candidate `json:"release_candidates"`
	Hidden       int         `json:"not_cuts_left_out,omitempty"`
}

type declared struct {
	Name string   `json:"name"`
	Type string   `json:"type"`
	Dims []string `json:"dims"`
}

type operatorCount struct {
	Operator string `json:"operator"`
	Nodes    int    `json:"nodes"`
}

// newInspection fills in an inspection.
func newInspection(d *onnx.Description) (*inspection, error) {
	s := &inspection{
		File: d.Path, Graph: d.Name, Producer: strings.TrimSpace(d.Producer), Opset: d.Opset, Domains: d.Domains, Metadata: d.Metadata,
		Inputs: declarations(d.Inputs), Outputs: declarations(d.Outputs), Nodes: d.Nodes, WeightTensors: d.Weights, Weights: int64(d.Elements),
		Beside: d.Beside, Readable: d.Refused == nil, Operators: []operatorCount{}, Candidates: []candidate{},
	}
	if s.Domains == nil {
		s.Domains = []string{}
	}
	if s.Beside == nil {
		s.Beside = []string{}
	}
	if s.Metadata == nil {
		s.Metadata = map[string]string{}
	}
	for _, k := range d.Operators {
		s.Operators = append(s.Operators, operatorCount{k.Operator, k.Nodes})
	}
	p, beside, err := dataset.PreprocessBeside(d.Path)
	if err != nil {
		return nil, err
	}
	if beside {
		s.Preprocess = p.String()
	}
	if d.Refused != nil {
		s.Refused = d.Refused.Error()
		return s, nil
	}
	return s, s.addNet(d.Graph)
}

func declarations(all []onnx.Declared) []declared {
	out := []declared{}
	for _, d := range all {
		dims := d.Dims
		if d.Any {
			dims = nil
		}
		out = append(out, declared{d.Name, d.Type, dims})
	}
	return out
}

// addNet describes the net.
func (s *inspection) addNet(g *nn.Graph) (err error) {
	if s.Candidates, err = candidates(g); err != nil {
		return err
	}
	shapes, err := g.Shapes()
	if err != nil {
		return err
	}
	s.InputShape, s.OutputShape, s.InputSize = g.InputShape, shapes[g.Output], nn.Size(g.InputShape)
	for _, c := range s.Candidates {
		if c.Tensor == g.Output {
			s.MultiplyAdds, s.Parameters = c.MultiplyAdds, c.Parameters
		}
		if c.Default {
			s.Default = c.Node
		}
	}
	if s.Default == "" {
		_, err := g.FeatureNode()
		s.NoDefault = "a path of the model goes around its default node"
		if err != nil {
			s.NoDefault = err.Error()
		}
	}
	return nil
}

// hide leaves out the nodes that cannot be released alone.
func (s *inspection) hide() {
	all := len(s.Candidates)
	s.Candidates = slices.DeleteFunc(s.Candidates, func(c candidate) bool { return !c.Cuts })
	s.Hidden = all - len(s.Candidates)
}
