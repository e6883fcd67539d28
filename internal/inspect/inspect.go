// Package inspect describes the file of a model: what it declares, and the nodes whose output
// could be released.
package inspect

import (
	"slices"
	"strings"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/nn"
	"tattle/internal/engine/onnx"
)

// Model describes a model's file. Its JSON keys are stable.
type Model struct {
	File          string            `json:"file"`
	Graph         string            `json:"graph"`
	Producer      string            `json:"producer"`
	Opset         int64             `json:"opset"`
	Domains       []string          `json:"domains"`
	Metadata      map[string]string `json:"metadata"`
	Inputs        []Tensor          `json:"inputs"`
	Outputs       []Tensor          `json:"outputs"`
	Operators     []Operators       `json:"operators"`
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
	Columns      []Column    `json:"columns,omitempty"`     // that a model of tables takes
	Classes      []string    `json:"classes,omitempty"`     // of its scores, where the file names them
	NoJacobian   string      `json:"no_jacobian,omitempty"` // the first node that has values only
	MultiplyAdds int64       `json:"multiply_adds,omitempty"`
	Parameters   int64       `json:"parameters,omitempty"`
	Default      string      `json:"default_features,omitempty"`
	NoDefault    string      `json:"no_default,omitempty"` // why there is none
	Candidates   []Candidate `json:"release_candidates"`
	Hidden       int         `json:"not_cuts_left_out,omitempty"`
}

// Column is a part of the input of a model of tables.
type Column struct {
	Name  string `json:"name"`
	Type  string `json:"type"` // number, integer or text
	Width int    `json:"width"`
}

// Tensor is an input or output that a file declares.
type Tensor struct {
	Name string   `json:"name"`
	Type string   `json:"type"`
	Dims []string `json:"dims"`
}

// Operators counts the nodes of one operator.
type Operators struct {
	Operator string `json:"operator"`
	Nodes    int    `json:"nodes"`
}

// New describes a model's file, with the preprocessing from the file beside it.
func New(d *onnx.Description) (*Model, error) {
	m := &Model{
		File: d.Path, Graph: d.Name, Producer: strings.TrimSpace(d.Producer), Opset: d.Opset, Domains: d.Domains, Metadata: d.Metadata,
		Inputs: declarations(d.Inputs), Outputs: declarations(d.Outputs), Nodes: d.Nodes, WeightTensors: d.Weights, Weights: int64(d.Elements),
		Beside: d.Beside, Readable: d.Refused == nil, Operators: []Operators{}, Candidates: []Candidate{},
	}
	if m.Domains == nil {
		m.Domains = []string{}
	}
	if m.Beside == nil {
		m.Beside = []string{}
	}
	if m.Metadata == nil {
		m.Metadata = map[string]string{}
	}
	for _, k := range d.Operators {
		m.Operators = append(m.Operators, Operators{k.Operator, k.Nodes})
	}
	p, beside, err := dataset.PreprocessBeside(d.Path)
	if err != nil {
		return nil, err
	}
	if beside {
		m.Preprocess = p.String()
	}
	if d.Refused != nil {
		m.Refused = d.Refused.Error()
		return m, nil
	}
	return m, m.addNet(d.Graph)
}

func declarations(all []onnx.Declared) []Tensor {
	out := []Tensor{}
	for _, d := range all {
		dims := d.Dims
		if d.Any {
			dims = nil
		}
		out = append(out, Tensor{d.Name, d.Type, dims})
	}
	return out
}

// addNet describes the net.
func (m *Model) addNet(g *nn.Graph) (err error) {
	if m.Candidates, err = candidates(g); err != nil {
		return err
	}
	shapes, err := g.Shapes()
	if err != nil {
		return err
	}
	m.InputShape, m.OutputShape, m.InputSize = g.InputShape, shapes[g.Output], nn.Size(g.InputShape)
	m.Classes = g.Classes
	for _, c := range g.Columns {
		m.Columns = append(m.Columns, Column{c.Name, c.Type, c.Width})
	}
	if n := g.Opaque(); n != nil {
		m.NoJacobian = n.Name
	}
	for _, c := range m.Candidates {
		if c.Tensor == g.Output {
			m.MultiplyAdds, m.Parameters = c.MultiplyAdds, c.Parameters
		}
		if c.Default {
			m.Default = c.Node
		}
	}
	if m.Default == "" {
		_, err := g.FeatureNode()
		m.NoDefault = "a path of the model goes around its default node"
		if err != nil {
			m.NoDefault = err.Error()
		}
	}
	return nil
}

// HideBypassed leaves out the nodes that cannot be released alone.
func (m *Model) HideBypassed() {
	all := len(m.Candidates)
	m.Candidates = slices.DeleteFunc(m.Candidates, func(c Candidate) bool { return !c.Cuts })
	m.Hidden = all - len(m.Candidates)
}
