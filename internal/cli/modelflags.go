package cli

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tattle/bound"
	"tattle/dataset"
	"tattle/nn"
	"tattle/onnx"
	"tattle/report"
	"tattle/run"
)

// modelFlags say which model is measured and how it is read.
type modelFlags struct {
	Model string `required:"" help:"The model, an ONNX file." placeholder:"FILE" input:"model"`
	readFlags
}

// readFlags say what a model's file leaves open, and what its inputs are.
type readFlags struct {
	InputShape  string `help:"Shape of one input, without the batch, if the file leaves it open." placeholder:"3x224x224"`
	ModelOutput string `help:"Which output of the model, if it has several." placeholder:"NAME"`
	Preprocess  string `help:"How pictures become inputs: a TOML file, a preset, or settings such as 'resize=256 crop=224' (default: MODEL.preprocess.toml)." placeholder:"SPEC|FILE" input:"file"`
}

// memoryFlag bounds what a run takes.
type memoryFlag struct {
	Memory byteSize `help:"Memory for what grows with examples and vectors, such as 4GiB or 500M (default: 4GiB)." placeholder:"SIZE"`
}

// A byteSize is a number of bytes as a flag gives it: 4GiB, 500M, 1e9.
type byteSize int64

// leastMemory is less than any run takes.
const leastMemory = 1 << 20

// UnmarshalText reads a number with k, M, G, T (thousands) or Ki, Mi, Gi, Ti, with or
// without a B behind it.
func (b *byteSize) UnmarshalText(text []byte) error {
	digits := strings.TrimSpace(string(text))
	digits = strings.TrimSuffix(strings.TrimSuffix(digits, "B"), "b")
	base := 1000.
	if s, ok := strings.CutSuffix(digits, "i"); ok {
		digits, base = s, 1024
	}
	unit := 1.
	if n := len(digits); n > 0 {
		if i := strings.IndexByte("KMGT", digits[n-1]&^0x20); i >= 0 {
			digits = digits[:n-1]
			for range i + 1 {
				unit *= base
			}
		}
	}
	v, err := strconv.ParseFloat(strings.TrimSpace(digits), 64)
	switch {
	case err != nil || base == 1024 && unit == 1:
		return fmt.Errorf("%q is not a number of bytes: write it as 4GiB or 500M", text)
	case v == 0:
		*b = 0
	case !(v*unit >= leastMemory && v*unit < 1<<62):
		return fmt.Errorf("%s is not between 1 MiB and what there is", text)
	default:
		*b = byteSize(v * unit)
	}
	return nil
}

// bytes is the budget, the default where none is given.
func (f memoryFlag) bytes() int64 {
	if f.Memory == 0 {
		return bound.DefaultMemory
	}
	return int64(f.Memory)
}

// A model is a net that was read from a file, with what stands between it and pictures.
type model struct {
	path, hash string
	graph      *nn.Graph // of pictures [channels, height, width], enlarged inside it where the preprocessing says so
	readFlags            // as they were settled: Preprocess is complete
	preprocess dataset.Preprocess
	beside     bool     // preprocess is that of the file beside the model
	notes      []string // what a reader wants to know of how the data were read for it
}

// open reads the model.
func (f modelFlags) open() (*model, error) { return f.readFlags.open(f.Model) }

// open reads the model at the path.
func (f readFlags) open(path string) (*model, error) {
	shape, err := parseShape(f.InputShape)
	if err != nil {
		return nil, usage(fmt.Errorf("--input-shape: %w", err), "write it as 3x224x224")
	}
	m := &model{path: path, readFlags: f}
	if m.graph, err = onnx.ReadWith(path, onnx.ReadOptions{Shape: shape, Output: f.ModelOutput}); err != nil {
		return nil, f.explain(err)
	}
	if m.hash, err = run.Digest(path); err != nil {
		return nil, err
	}
	if err := m.settle(); err != nil {
		return nil, err
	}
	return m, m.wrap()
}

// explain names the flag behind what is wrong with reading a model.
func (f readFlags) explain(err error) error {
	err = fmt.Errorf("--model: %w", err)
	var refused *onnx.UnsupportedError
	if errors.As(err, &refused) {
		return hinted(err, "tattle inspect shows what the file holds")
	}
	return err
}

// settle finds the preprocessing: the flag's, or that beside the model.
func (m *model) settle() (err error) {
	if m.Preprocess != "" {
		if m.preprocess, err = dataset.ParsePreprocess(m.Preprocess); err != nil {
			return usage(fmt.Errorf("--preprocess: %w", err), "give a TOML file, "+strings.Join(dataset.PreprocessPresets(), ", ")+", or settings such as resize=256 crop=224")
		}
	} else if m.preprocess, m.beside, err = dataset.PreprocessBeside(m.path); err != nil {
		return err
	}
	m.Preprocess = m.preprocess.String()
	return nil
}

// wrap puts in front of the net what turns a picture [channels, height, width] into its
// input, so that pictures are what is differentiated by.
func (m *model) wrap() (err error) {
	p := m.preprocess
	if p.Layout == dataset.LayoutHWC {
		if m.graph, err = channelsFirst(m.graph); err != nil {
			return usage(fmt.Errorf("--preprocess: %w", err), "leave layout=hwc out")
		}
	}
	if len(p.Upsample) == 0 {
		return nil
	}
	side, mode := p.Upsample, "linear"
	if p.UpsampleFilter == dataset.FilterBicubic {
		mode = "cubic"
	}
	if in := m.graph.InputShape; len(in) != 3 || !slices.Equal(in[1:], side) {
		return usage(fmt.Errorf("--preprocess: upsample=%d,%d, but the model takes inputs of shape %v", side[0], side[1], in), "give the sizes of the model's own input")
	}
	small := p.Resize
	if len(p.Crop) > 0 {
		small = p.Crop
	}
	if len(small) == 0 {
		return usage(errors.New("--preprocess: upsample without resize or crop: nothing says how large the pictures are"), "add resize=91,91")
	}
	if len(small) == 1 && len(p.Crop) == 0 {
		return usage(fmt.Errorf("--preprocess: resize=%d leaves the longer side of a picture open, and the model's upsampling needs both", small[0]), fmt.Sprintf("write resize=%d,%d, or add crop=%d", small[0], small[0], small[0]))
	}
	m.graph, err = m.graph.Upsampled(mode, small...)
	if err != nil {
		return usage(fmt.Errorf("--preprocess: %w", err), "")
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

// pictures is the shape that examples must have: nil, for any of the right size, where
// the model takes a plain vector, of which pictures stay pictures.
func (m *model) pictures() []int {
	if len(m.graph.InputShape) < 2 {
		return nil
	}
	return m.graph.InputShape
}

// forData is the preprocessing as far as it is done to the data.
func (m *model) forData() dataset.Preprocess {
	p := m.preprocess
	p.Layout, p.Upsample, p.UpsampleFilter = "", nil, ""
	return p
}

// said tells in words how pictures become inputs, where anything is asked of it.
func (m *model) said() []string {
	if m.preprocess.IsZero() {
		return nil
	}
	words := "preprocessing: " + m.Preprocess
	if m.beside {
		words += " (the file beside the model)"
	}
	said := []string{words}
	if len(m.preprocess.Upsample) > 0 {
		said = append(said, fmt.Sprintf("pictures of %s are enlarged inside the model: the small ones are what is measured", sizesOf(m.graph.InputShape)))
	}
	return said
}

// record writes into the report how the model was read.
func (m *model) record(r *report.Report) {
	r.Reading.InputShape, r.Reading.ModelOutput, r.Reading.Beside = m.InputShape, m.ModelOutput, m.beside
	if !m.preprocess.IsZero() {
		r.Reading.Preprocess = m.Preprocess
	}
}

// recordedFlags reads back what record wrote.
func recordedFlags(r *report.Report) readFlags {
	f := readFlags{InputShape: r.Reading.InputShape, ModelOutput: r.Reading.ModelOutput, Preprocess: r.Reading.Preprocess}
	if f.Preprocess == "" {
		f.Preprocess = "none" // whatever lies beside the model by now
	}
	return f
}

// mostDimensions is more than any input has.
const mostDimensions = 8

// parseShape reads 3x224x224; nil for nothing.
func parseShape(s string) ([]int, error) {
	if s == "" {
		return nil, nil
	}
	var shape []int
	for _, word := range strings.Split(strings.NewReplacer("×", "x", ",", "x").Replace(s), "x") {
		d, err := strconv.Atoi(strings.TrimSpace(word))
		if err != nil || d < 1 || d > 1<<24 {
			return nil, fmt.Errorf("%q is no size in %q", word, s)
		}
		shape = append(shape, d)
	}
	if len(shape) > mostDimensions {
		return nil, fmt.Errorf("%q is not the sizes of an input", s)
	}
	return shape, nil
}
