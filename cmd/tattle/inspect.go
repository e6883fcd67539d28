package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"tattle/dataset"
	"tattle/nn"
	"tattle/onnx"
	"tattle/report"
)

// inspectCmd tells what a model's file holds and what of it could be released.
type inspectCmd struct {
	Model      string `arg:"" help:"The model, an ONNX file." placeholder:"FILE"`
	InputShape string `help:"Sizes of one input, without the batch, where the file leaves them open." placeholder:"3x224x224"`
	Output     string `aliases:"model-output" help:"Which of the model's outputs, where it has several." placeholder:"NAME"`
	All        bool   `help:"List the nodes, too, that do not cut the model in two."`
	JSON       bool   `name:"json" help:"Print one JSON object on standard output, and nothing else there."`
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
	d, err := onnx.Describe(c.Model, onnx.ReadOptions{Shape: shape, Output: c.Output})
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
	return hinted(d.Refused, "what the file says of itself is on standard output; --input-shape and --output choose what a file leaves open")
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

func (s *inspection) writeJSON(w io.Writer) error {
	j := json.NewEncoder(w)
	j.SetIndent("", "  ")
	j.SetEscapeHTML(false)
	return j.Encode(s)
}

// writeText prints the file's account of itself, and the table of nodes.
func (s *inspection) writeText(w io.Writer) error {
	said := []string{filepath.Base(s.File)}
	if s.Graph != "" {
		said = append(said, "graph "+strconv.Quote(s.Graph))
	}
	if s.Producer != "" {
		said = append(said, "by "+s.Producer)
	}
	said = append(said, fmt.Sprintf("opset %d", s.Opset))
	fmt.Fprintln(w, strings.Join(append(said, s.Domains...), ", "))
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, d := range s.Inputs {
		fmt.Fprintf(t, "input\t%s\n", d.words())
	}
	for _, d := range s.Outputs {
		fmt.Fprintf(t, "output\t%s\n", d.words())
	}
	fmt.Fprintf(t, "weights\t%s in %s%s\n", grouped(s.Weights), report.Count(s.WeightTensors, "tensor"), besideWords(s.Beside))
	if s.Preprocess != "" {
		fmt.Fprintf(t, "preprocessing\t%s (the file beside the model)\n", s.Preprocess)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	var kinds []string
	for _, k := range s.Operators {
		kinds = append(kinds, fmt.Sprintf("%d %s", k.Nodes, k.Operator))
	}
	listing(w, report.Count(s.Nodes, "node")+":", kinds)
	if !s.Readable {
		return nil
	}
	return s.writeNodes(w)
}

func (d declared) words() string {
	if d.Dims == nil {
		return d.Name + "  " + d.Type + " of any shape"
	}
	return d.Name + "  " + d.Type + " [" + strings.Join(d.Dims, ", ") + "]"
}

func besideWords(files []string) string {
	if len(files) == 0 {
		return ""
	}
	return ", kept in " + strings.Join(files, ", ")
}

// writeNodes prints the table of nodes.
func (s *inspection) writeNodes(w io.Writer) error {
	fmt.Fprintf(w, "one input of %s: %s numbers in, %s out, %s multiply-adds, %s parameters\n\n",
		sizesOf(s.InputShape), grouped(int64(s.InputSize)), sizesOf(s.OutputShape), scaled(s.MultiplyAdds), scaled(s.Parameters))
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "\tnode\ttensor\toperator\tshape\tnumbers\tof inputs\tmultiply-adds\tparameters")
	for _, c := range s.Candidates {
		mark, note := "", ""
		switch {
		case !c.Cuts:
			mark, note = "-", fmt.Sprintf("\tno cut: %s is also given %s", c.Join, c.Bypass)
		case c.Default:
			mark = "*"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s%s\n", mark, c.Node, c.tensorWords(), c.Operator, sizesOf(c.Shape),
			grouped(int64(c.Size)), share(c.Ratio), scaled(c.MultiplyAdds), scaled(c.Parameters), note)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(w)
	if s.Default != "" {
		fmt.Fprintln(w, "*: what --features names where it is left out. Node or tensor is what it takes.")
	} else {
		fmt.Fprintf(w, "--features has to name one of them, by node or tensor: %s.\n", strings.TrimSuffix(s.NoDefault, ": name a node"))
	}
	if s.Hidden > 0 {
		are := "are"
		if s.Hidden == 1 {
			are = "is"
		}
		fmt.Fprintf(w, "%s %s not listed, from which alone the model's output does not follow; --all lists them.\n", report.Count(s.Hidden, "further node"), are)
	}
	return nil
}

// ownOutput is what PyTorch's exporter calls the output of a node, behind its name.
const ownOutput = "_output_0"

// tensorWords is the tensor's name, cut where it is the node's with that ending.
func (c candidate) tensorWords() string {
	if c.Tensor == c.Node+ownOutput {
		return "…" + ownOutput
	}
	return c.Tensor
}

// listing prints words with commas, in lines of a hundred columns.
func listing(w io.Writer, first string, words []string) {
	column := utf8.RuneCountInString(first)
	fmt.Fprint(w, first)
	for i, word := range words {
		if i+1 < len(words) {
			word += ","
		}
		if n := utf8.RuneCountInString(word); column+1+n > 100 {
			fmt.Fprint(w, "\n  ", word)
			column = 2 + n
		} else {
			fmt.Fprint(w, " ", word)
			column += 1 + n
		}
	}
	fmt.Fprintln(w)
}

// sizesOf prints a shape as 3×224×224.
func sizesOf(shape []int) string {
	if len(shape) == 0 {
		return "1"
	}
	words := make([]string, len(shape))
	for i, d := range shape {
		words[i] = strconv.Itoa(d)
	}
	return strings.Join(words, "×")
}

// grouped prints a number with commas.
func grouped(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// scaled prints three digits of a number with its thousands, millions or milliards.
func scaled(n int64) string {
	x, units := float64(n), []string{"", " k", " M", " G", " T"}
	i := 0
	for x >= 999.5 && i+1 < len(units) {
		x, i = x/1000, i+1
	}
	return strconv.FormatFloat(x, 'g', 3, 64) + units[i]
}

// share prints what part of the inputs' number a release has.
func share(x float64) string {
	if x >= .995 {
		return strconv.FormatFloat(x, 'g', 3, 64) + "×"
	}
	return strconv.FormatFloat(100*x, 'g', 2, 64) + " %"
}
