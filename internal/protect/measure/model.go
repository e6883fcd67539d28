package measure

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/nn"
	"tattle/internal/engine/nn/zoo"
	"tattle/internal/engine/onnx"
	"tattle/internal/run"
)

// ModelOptions say what a model's file leaves open, and what its inputs are.
type ModelOptions struct {
	InputShape  string `json:"input_shape,omitempty"`   // of one input without the batch, such as 3x224x224; empty: the file's
	ModelOutput string `json:"model_output,omitempty"`  // which of several outputs; empty: the only one
	Preprocess  string `json:"preprocessing,omitempty"` // how pictures become inputs, as dataset.ParsePreprocess reads it; empty: the file beside the model
}

// A Model is a net that was read from a file, with what turns pictures into its inputs.
type Model struct {
	Path, SHA256 string
	Graph        *nn.Graph          // of pictures [channels, height, width], enlarged inside it where the preprocessing says so
	Options      ModelOptions       // with the preprocessing that was found
	Preprocess   dataset.Preprocess // all of it; DataPreprocess is what is done outside of Graph
	Beside       bool               // Preprocess is that of the file beside the model
}

// OpenModel reads the ONNX file at the path. Options that cannot be used are reported as an
// OptionError.
func OpenModel(path string, o ModelOptions) (*Model, error) {
	shape, err := ParseShape(o.InputShape)
	if err != nil {
		return nil, &OptionError{"InputShape", err, "write it as 3x224x224"}
	}
	m := &Model{Path: path, Options: o}
	if m.Graph, err = onnx.ReadWith(path, onnx.ReadOptions{Shape: shape, Output: o.ModelOutput}); err != nil {
		return nil, WrongModel(err)
	}
	if m.SHA256, err = run.Digest(path); err != nil {
		return nil, WrongModel(err)
	}
	if err := m.settle(); err != nil {
		return nil, err
	}
	return m, m.wrap()
}

// NoModel stands for a model of vectors that are released themselves, of n numbers; 0: they are counted when they are read.
func NoModel(n int) *Model {
	if n == 0 {
		return &Model{}
	}
	return &Model{Graph: zoo.Vectors(n)}
}

// Vectors reports whether there is no model: the features are the inputs themselves.
func (m *Model) Vectors() bool {
	return m.Path == "" && (m.Graph == nil || m.Graph.Node(zoo.VectorNode) != nil)
}

// ofVectors is the key of a model's metadata which says that a search made it of vectors without a model.
const ofVectors = "tattle.of_vectors"

// RecordVectors notes in a graph that a search made it of vectors without a model.
func RecordVectors(g *nn.Graph) {
	if g.Metadata == nil {
		g.Metadata = map[string]string{}
	}
	g.Metadata[ofVectors] = "true"
}

// OfVectors reports whether the model is what a search made of vectors, or there is none.
func (m *Model) OfVectors() bool { return m.Vectors() || m.Graph.Metadata[ofVectors] != "" }

// WrongModel is the error of a model's file that cannot be read.
func WrongModel(err error) error {
	hint := ""
	if unsupported := (*onnx.UnsupportedError)(nil); errors.As(err, &unsupported) {
		hint = "tattle inspect shows what the file holds"
	}
	return &InputError{OptionError{"Model", err, hint}}
}

// ModelOf is a graph of features that a run kept, read with the options of its model.
func ModelOf(g *nn.Graph, o ModelOptions) (*Model, error) {
	m := &Model{Graph: g, Options: o}
	return m, m.settle()
}

// wrongPreprocess reports preprocessing that cannot be used.
func wrongPreprocess(err error, hint string) error { return &OptionError{"Preprocess", err, hint} }

// settle finds the preprocessing: the flag's, or that beside the model.
func (m *Model) settle() (err error) {
	if m.Options.Preprocess != "" {
		if m.Preprocess, err = dataset.ParsePreprocess(m.Options.Preprocess); err != nil {
			return wrongPreprocess(err, "give a TOML file, "+strings.Join(dataset.PreprocessPresets(), ", ")+", or settings such as resize=256 crop=224")
		}
	} else if m.Preprocess, m.Beside, err = dataset.PreprocessBeside(m.Path); err != nil {
		return WrongModel(err)
	}
	m.Options.Preprocess = m.Preprocess.String()
	return nil
}

// wrap puts in front of the net what turns a picture [channels, height, width] into its
// input, so that pictures are what is differentiated by.
func (m *Model) wrap() (err error) {
	p := m.Preprocess
	if p.Layout == dataset.LayoutHWC {
		if m.Graph, err = channelsFirst(m.Graph); err != nil {
			return wrongPreprocess(err, "leave layout=hwc out")
		}
	}
	if len(p.Upsample) == 0 {
		return nil
	}
	side, mode := p.Upsample, "linear"
	if p.UpsampleFilter == dataset.FilterBicubic {
		mode = "cubic"
	}
	if in := m.Graph.InputShape; len(in) != 3 || !slices.Equal(in[1:], side) {
		return wrongPreprocess(fmt.Errorf("upsample=%d,%d is for models of inputs of that size, and this one takes inputs of shape %v", side[0], side[1], in), "give settings for inputs of that shape, such as --preprocess none")
	}
	small := p.Resize
	if len(p.Crop) > 0 {
		small = p.Crop
	}
	if len(small) == 0 {
		return wrongPreprocess(errors.New("upsample without resize or crop: nothing says how large the pictures are"), "add resize=91,91")
	}
	if len(small) == 1 && len(p.Crop) == 0 {
		return wrongPreprocess(fmt.Errorf("resize=%d leaves the longer side of a picture open, and the model's upsampling needs both", small[0]), fmt.Sprintf("write resize=%d,%d, or add crop=%d", small[0], small[0], small[0]))
	}
	m.Graph, err = m.Graph.Upsampled(mode, small...)
	if err != nil {
		return wrongPreprocess(err, "")
	}
	return nil
}

// channelsFirst puts a transposition in front of a net of inputs [height, width,
// channels], which makes it one of [channels, height, width].
func channelsFirst(g *nn.Graph) (*nn.Graph, error) {
	in := g.InputShape
	if len(in) != 3 {
		return nil, fmt.Errorf("layout=hwc, but the model takes inputs of shape %v", in)
	}
	input := "chw"
	for input == g.Input || g.Node(input) != nil {
		input += "_"
	}
	name := "channels_last"
	for g.Node(name) != nil {
		name += "_"
	}
	first := &nn.Node{Name: name, Op: &nn.Transpose{Perm: []int{1, 2, 0}}, Inputs: []string{input}, Output: g.Input}
	out := *g
	out.Input, out.InputShape = input, []int{in[2], in[0], in[1]}
	out.Nodes = append([]*nn.Node{first}, g.Nodes...)
	return &out, nil
}

// Pictures is the shape that examples must have: nil, for any of the right size, where
// the model takes a plain vector, of which pictures stay pictures.
func (m *Model) Pictures() []int {
	if len(m.Graph.InputShape) < 2 {
		return nil
	}
	return m.Graph.InputShape
}

// DataPreprocess is the part of the preprocessing that is done to the data.
func (m *Model) DataPreprocess() dataset.Preprocess {
	p := m.Preprocess
	p.Layout, p.Upsample, p.UpsampleFilter = "", nil, ""
	return p
}

// Notes say how pictures become inputs; there are none without preprocessing.
func (m *Model) Notes() []string {
	if m.Preprocess.IsZero() {
		return nil
	}
	words := "preprocessing: " + m.Options.Preprocess
	if m.Beside {
		words += " (the file beside the model)"
	}
	notes := []string{words}
	if len(m.Preprocess.Upsample) > 0 {
		notes = append(notes, fmt.Sprintf("pictures of %s are enlarged inside the model: the small ones are what is measured", nn.ShapeString(m.Graph.InputShape)))
	}
	return notes
}

// mostDimensions is more than any input has.
const mostDimensions = 8

// ParseShape reads the sizes of an array, such as 3x224x224; it returns nil for an empty string.
func ParseShape(s string) ([]int, error) {
	if s == "" {
		return nil, nil
	}
	var shape []int
	for _, word := range strings.Split(strings.NewReplacer("×", "x", ",", "x").Replace(s), "x") {
		d, err := strconv.Atoi(strings.TrimSpace(word))
		if err != nil || d < 1 || d > 1<<24 {
			return nil, fmt.Errorf("%q is not a size, in %q", word, s)
		}
		shape = append(shape, d)
	}
	if len(shape) > mostDimensions {
		return nil, fmt.Errorf("%q is not the sizes of an input", s)
	}
	return shape, nil
}
