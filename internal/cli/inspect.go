package cli

import (
	"errors"
	"fmt"
	"strings"

	"tattle/dataset"
	"tattle/nn"
	"tattle/onnx"
)

// inspectCmd tells what a model's file holds and what of it could be released.
type inspectCmd struct {
	Model       string `arg:"" help:"The model, an ONNX file." placeholder:"FILE"`
	InputShape  string `help:"Sizes of one input, without the batch, where the file leaves them open." placeholder:"3x224x224"`
	ModelOutput string `aliases:"output" help:"Which of the model's outputs, where it has several." placeholder:"NAME"`
	All         bool   `help:"List the nodes, too, that do not cut the model in two."`
	JSON        bool   `name:"json" help:"Print one JSON object on standard output, and nothing else there."`
}

func (inspectCmd) Help() string {
	return "Example: tattle inspect model.onnx\n\nLists every node whose output alone could leave the device: node or tensor is what --features takes. Of a file that cannot be read as a whole it prints what the file says of itself and what stands in the way; the exit status is 3 then."
}

// Run prints what there is to know, and why the model cannot be read where it cannot.
func (c *inspectCmd) Run(e *env) error {
	shape, err := parseShape(c.InputShape)
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
	return hinted(d.Refused, "what the file says of itself is on standard output")
}

// An inspection is what is known of a model's file. Its JSON keys are stable.
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
	Preprocess    string            `json:"preprocess,omitempty"` // of the file beside the model
	Readable      bool              `json:"readable"`
	Refused       string            `json:"refused,omitempty"`

	// What follows is of the net as it is read, and zero where it is not.
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

// newInspection gathers what is known.
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

// addNet adds what is known of the net.
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
		s.NoDefault = "its node does not cut the model in two"
		if err != nil {
			s.NoDefault = err.Error()
		}
	}
	return nil
}

// hide leaves out the nodes that are no cut.
func (s *inspection) hide() {
	kept := []candidate{}
	for _, c := range s.Candidates {
		if c.Cuts {
			kept = append(kept, c)
		} else {
			s.Hidden++
		}
	}
	s.Candidates = kept
}
