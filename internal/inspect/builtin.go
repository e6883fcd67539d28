package inspect

import (
	"fmt"
	"strings"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/nn"
	"tattle/internal/engine/nn/zoo"
	"tattle/internal/engine/onnx"
	"tattle/internal/file"
	"tattle/internal/run"
)

// BuiltIn describes the file of a built-in net. Its JSON keys are stable.
type BuiltIn struct {
	Net        string `json:"net"` // of zoo.Nets
	Path       string `json:"path"`
	SHA256     string `json:"sha256"`
	Parameters int    `json:"parameters"`
	Input      []int  `json:"input"`
	Classes    int    `json:"classes"`
	Weights    string `json:"weights,omitempty"`    // the file that they are from; empty if they are random
	Seed       uint64 `json:"seed"`                 // of random ones
	Features   string `json:"features"`             // paper A's node
	Size       []int  `json:"features_shape"`       // of its output
	Preprocess string `json:"preprocess,omitempty"` // the file beside the model
}

// Write writes the net as ONNX, and beside it how pictures become its inputs, if they do. It
// sets what is not known before.
func (w *BuiltIn) Write(g *nn.Graph, beside string) (err error) {
	net := zoo.Nets()[w.Net]
	if w.Features = net.Features; w.Features == "" {
		if w.Features, err = g.FeatureNode(); err != nil {
			return err
		}
	}
	shapes, err := g.Shapes()
	if err != nil {
		return err
	}
	w.Size = shapes[g.Node(w.Features).Output]
	made := w.Weights
	if made == "" {
		made = fmt.Sprintf("random, seed %d", w.Seed)
	}
	g.Metadata = map[string]string{"tattle.net": w.Net, "tattle.weights": made}
	if err := onnx.Write(w.Path, g); err != nil {
		return err
	}
	if w.SHA256, err = run.Digest(w.Path); err != nil || net.Preprocess == "" {
		return err
	}
	p, err := dataset.ParsePreprocess(net.Preprocess)
	if err != nil {
		return fmt.Errorf("the preprocessing of %s: %w", w.Net, err)
	}
	w.Preprocess = beside
	return p.WriteFile(beside)
}

// entries formats a shape with its number of entries.
func entries(shape []int) string {
	if len(shape) == 1 {
		return nn.ShapeString(shape)
	}
	return fmt.Sprintf("%s = %d", nn.ShapeString(shape), nn.Size(shape))
}

// String describes the net in words.
func (w *BuiltIn) String() string {
	var s strings.Builder
	made := fmt.Sprintf("random from seed %d, not trained", w.Seed)
	if w.Weights != "" {
		made = "from " + w.Weights
	}
	fmt.Fprintf(&s, "%s, %s: %d parameters, %s\n", w.Net, zoo.Nets()[w.Net].About, w.Parameters, made)
	fmt.Fprintf(&s, "inputs    %s\n", entries(w.Input))
	fmt.Fprintf(&s, "features  %s: --features %s\n", entries(w.Size), w.Features)
	fmt.Fprintf(&s, "classes   %d\n", w.Classes)
	fmt.Fprintf(&s, "wrote %s", file.Quote(w.Path))
	if w.Preprocess != "" {
		fmt.Fprintf(&s, " and %s", file.Quote(w.Preprocess))
	}
	return s.String() + "\n"
}
