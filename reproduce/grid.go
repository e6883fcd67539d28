package reproduce

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tattle/curious"
)

// add puts the training that a line needs among those of the experiment, or adds what
// the line wants of it to the one that is there, and returns its key.
func (x *Experiment) add(l line) string {
	t := l.training()
	have := x.Training(t.Key)
	if have == nil {
		x.Trainings = append(x.Trainings, t)
		return t.Key
	}
	have.Outputs = union(have.Outputs, t.Outputs...)
	have.Sensitive = union(have.Sensitive, t.Sensitive...)
	return t.Key
}

// training is what a line's figures come from.
func (l line) training() Training {
	t := Training{
		Kind: l.kind, Outputs: []curious.Outputs{l.outputs}, Beta: l.beta,
		Target: l.target, Widths: l.widths, Distill: l.role != "",
	}
	if l.sensitive != "" {
		t.Sensitive = []string{l.sensitive}
	}
	if t.Kind == curious.Overlearning {
		t.Kind = curious.Standard
	}
	t.Key = t.key()
	return t
}

// key returns a name that identifies a training within its experiment.
func (t Training) key() string {
	parts := []string{t.Target}
	if t.Kind == curious.Standard {
		parts = append(parts, string(t.Kind))
		if t.Beta.X > 0 {
			parts = append(parts, "x"+multiplier(t.Beta.X))
		}
	} else {
		b := "y" + multiplier(t.Beta.Y) + "s" + multiplier(t.Beta.S)
		if t.Beta.X > 0 {
			b = "x" + multiplier(t.Beta.X) + b
		}
		parts = append(parts, t.Sensitive[0], string(t.Kind), string(t.Outputs[0]), b)
	}
	if t.Widths != [5]int{} {
		parts = append(parts, widths(t.Widths, "."))
	}
	if t.Distill {
		parts = append(parts, "distilled")
	}
	return strings.Join(parts, "-")
}

// multiplier writes .7 as the paper does.
func multiplier(x float64) string {
	return strings.TrimPrefix(strconv.FormatFloat(x, 'f', -1, 64), "0")
}

func widths(w [5]int, separator string) string {
	if w == [5]int{} {
		return strings.ReplaceAll(defaultWidths, "-", separator)
	}
	s := make([]string, len(w))
	for i, n := range w {
		s[i] = strconv.Itoa(n)
	}
	return strings.Join(s, separator)
}

// table makes a table of lines, whose rows have the given labels, and adds their
// trainings.
func (x *Experiment) table(t Table, rows []label, all []line) {
	for _, r := range rows {
		t.Heads = append(t.Heads, r.head)
	}
	for _, l := range all {
		key := ""
		if l.target != "" {
			key = x.add(l)
		}
		row := make([]string, len(rows))
		for i, r := range rows {
			row[i] = r.of(l)
		}
		for _, f := range l.figures {
			t.Cells = append(t.Cells, Cell{
				Row: row, Column: l.column, Quantity: f.Quantity, Published: f.Published,
				Training: key, Measure: l.measure(), Sensitive: l.sensitive,
			})
		}
		if l.note != "" {
			t.Notes = append(t.Notes, l.title()+": "+l.note)
		}
	}
	x.Tables = append(x.Tables, t)
}

// measure names the result that a line's figures are of.
func (l line) measure() string {
	if l.role == Student {
		return Student
	}
	return string(l.outputs)
}

// A label is one head of a table's rows.
type label struct {
	head string
	of   func(line) string
}

func byGroup(head string) label { return label{head, func(l line) string { return l.group }} }

var (
	bySetting = label{"setting", line.setting}
	byBeta    = label{"(βy, βs)", func(l line) string { return fmt.Sprintf("(%s,%s)", beta(l.beta.Y), beta(l.beta.S)) }}
	byLayers  = label{"layers", func(l line) string { return widths(l.widths, "-") }}
	byNet     = label{"net", func(l line) string { return l.role }}
)

// beta writes a multiplier as tables do: 1, .7, 0.
func beta(x float64) string {
	if x == 0 {
		return "0"
	}
	return multiplier(x)
}

// setting names what is released and how it was trained, shortly.
func (l line) setting() string {
	switch l.kind {
	case curious.Overlearning:
		return "Std " + string(l.outputs)
	case curious.Parameterized:
		return string(l.outputs) + " param."
	case curious.Regularized:
		return string(l.outputs) + " reg."
	}
	return string(l.kind)
}

// title names a line in a note.
func (l line) title() string {
	parts := []string{l.group, l.column, l.setting()}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ", ")
}
