package inspect

import (
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"tattle/internal/engine/nn"
	"tattle/internal/file"
	"tattle/internal/report"
)

// WriteJSON writes one JSON object.
func (m *Model) WriteJSON(w io.Writer) error { return report.WriteIndented(w, m) }

// WriteText prints what the file declares, and the table of nodes.
func (m *Model) WriteText(w io.Writer) error {
	head := []string{filepath.Base(m.File)}
	if m.Graph != "" {
		head = append(head, "graph "+strconv.Quote(m.Graph))
	}
	if m.Producer != "" {
		head = append(head, "by "+m.Producer)
	}
	head = append(head, fmt.Sprintf("opset %d", m.Opset))
	fmt.Fprintln(w, strings.Join(append(head, m.Domains...), ", "))
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, d := range m.Inputs {
		fmt.Fprintf(t, "input\t%s\n", d.describe())
	}
	for _, d := range m.Outputs {
		fmt.Fprintf(t, "output\t%s\n", d.describe())
	}
	fmt.Fprintf(t, "weights\t%s in %s%s\n", report.Grouped(int(m.Weights)), report.Many(m.WeightTensors, "tensor"), externalFiles(m.Beside))
	if m.Preprocess != "" {
		fmt.Fprintf(t, "preprocessing\t%s (the file beside the model)\n", m.Preprocess)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	var kinds []string
	for _, k := range m.Operators {
		kinds = append(kinds, fmt.Sprintf("%d %s", k.Nodes, k.Operator))
	}
	listing(w, report.Many(m.Nodes, "node")+":", kinds)
	if !m.Readable {
		return nil
	}
	return m.writeNodes(w)
}

func (d Tensor) describe() string {
	if d.Dims == nil && strings.HasPrefix(d.Type, "a") { // a sequence, a map …
		return d.Name + "  " + d.Type
	}
	if d.Dims == nil {
		return d.Name + "  " + d.Type + " of any shape"
	}
	return d.Name + "  " + d.Type + " [" + strings.Join(d.Dims, ", ") + "]"
}

func externalFiles(files []string) string {
	if len(files) == 0 {
		return ""
	}
	return ", stored in " + strings.Join(files, ", ")
}

// writeNodes prints the table of nodes.
func (m *Model) writeNodes(w io.Writer) error {
	fmt.Fprintf(w, "one input of %s: %s numbers in, %s out, %s multiply-adds, %s parameters\n",
		nn.ShapeString(m.InputShape), report.Grouped(m.InputSize), nn.ShapeString(m.OutputShape), scaled(m.MultiplyAdds), scaled(m.Parameters))
	m.writeTable(w)
	fmt.Fprintln(w)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "\tnode\ttensor\toperator\tshape\tnumbers\tof inputs\tmultiply-adds\tparameters")
	for _, c := range m.Candidates {
		mark, note := "", ""
		switch {
		case !c.Cuts:
			mark, note = "-", fmt.Sprintf("\tnot alone: %s also needs %s", c.Join, c.Bypass)
		case c.Default:
			mark = "*"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s%s\n", mark, c.Node, c.shortTensor(), c.Operator, nn.ShapeString(c.Shape),
			report.Grouped(c.Size), share(c.Ratio), scaled(c.MultiplyAdds), scaled(c.Parameters), note)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(w)
	if m.Default != "" {
		fmt.Fprintln(w, "*: default of --features, which accepts the name of a node or of its tensor.")
	} else {
		fmt.Fprintf(w, "There is no default of --features: %s. Name one of these nodes or tensors.\n", strings.TrimSuffix(m.NoDefault, ": name a node"))
	}
	if m.Hidden > 0 {
		fmt.Fprintf(w, "Not listed: %s that a path of the model goes around; --all lists them.\n", report.Many(m.Hidden, "node"))
	}
	return nil
}

// writeTable prints the columns and classes of a model of tables, and what it lacks.
func (m *Model) writeTable(w io.Writer) {
	if len(m.Columns) > 0 {
		var words []string
		for _, c := range m.Columns {
			word := file.Name(c.Name) + " (" + c.Type
			if c.Width > 1 {
				word += fmt.Sprintf(" × %d", c.Width)
			}
			words = append(words, word+")")
		}
		listing(w, "columns:", words)
	}
	if len(m.Classes) > 0 {
		var words []string
		for _, c := range m.Classes {
			words = append(words, file.Name(c))
		}
		listing(w, "scores of the classes", words)
	}
	if m.NoJacobian != "" {
		fmt.Fprintf(w, "%s has no Jacobian: tattle audit can be used, and tattle bound and design cannot\n", file.Name(m.NoJacobian))
	}
}

// ownOutput is what PyTorch's exporter appends to a node's name for its output.
const ownOutput = "_output_0"

// shortTensor returns the tensor's name, abbreviated if it is the node's with that ending.
func (c Candidate) shortTensor() string {
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

// scaled prints three digits of a number, in thousands, millions or billions.
func scaled(n int64) string {
	x, units := float64(n), []string{"", " k", " M", " G", " T"}
	i := 0
	for x >= 999.5 && i+1 < len(units) {
		x, i = x/1000, i+1
	}
	return strconv.FormatFloat(x, 'g', 3, 64) + units[i]
}

// share prints the size of a release relative to that of the input.
func share(x float64) string {
	if x >= .995 {
		return strconv.FormatFloat(x, 'g', 3, 64) + "×"
	}
	return strconv.FormatFloat(100*x, 'g', 2, 64) + " %"
}
