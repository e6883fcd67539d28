package dataset

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"tattle/internal/engine/nn"
	"tattle/internal/file"
)

// maxExact is the largest integer up to which float32 holds all of them.
const maxExact = 1 << 24

// modelColumns makes inputs of the columns of a model, by their names and as
// they are: nothing is scaled or encoded.
func (t *tableReader) modelColumns(rows []int, c *chosen) (*Set, error) {
	hidden := slices.Clone(c.columns[:c.answers])
	if k := t.splitColumn(); k >= 0 {
		hidden = append(hidden, k)
	}
	columns, note, err := modelColumns(t.labels, t.Options.Columns, hidden, c.columns[c.answers:])
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.source, err)
	}
	if note != "" {
		t.note("%s", note)
	}
	words := make(map[string]int, len(t.Words))
	for i, w := range t.Words {
		words[w] = i
	}
	width := len(columns)
	if width > maxArray/4/max(len(rows), 1) {
		return nil, fmt.Errorf("%s: %d inputs for each of %d rows are too many: leave rows out", t.source, width, len(rows))
	}
	set := &Set{Shape: []int{width}, Values: make([]float32, len(rows)*width)}
	for j, col := range columns {
		missing, unknown, example := 0, 0, ""
		for k, i := range rows {
			x, err := col.value(words, i)
			if err != nil {
				return nil, malformed(t.source, "row %d, column %s: %v", i+1, col.name, err)
			}
			if x != x {
				missing++
			}
			if x < 0 && col.kind == nn.ColumnText {
				unknown++
				example = col.values[i]
			}
			set.Values[k*width+j] = x
		}
		if missing > 0 && !t.Missing {
			return nil, fmt.Errorf("%s: column %s has %s without a number: fill them in", t.source, col.name, plural(missing, "row"))
		}
		if missing > 0 {
			t.note("%s of column %s have no number: the model is given NaN", plural(missing, "row"), col.name)
		}
		if unknown > 0 {
			t.note("%s of column %s have text that the model does not know, such as %q", plural(unknown, "row"), col.name, example)
		}
	}
	return set, nil
}

// modelColumn is a column of a table that a model takes.
type modelColumn struct {
	column
	kind string // as in nn.Column
}

// value returns what the model is given of row i: NaN where a number is missing.
func (c *modelColumn) value(words map[string]int, i int) (float32, error) {
	text := c.values[i]
	if c.kind == nn.ColumnText {
		if k, ok := words[text]; ok {
			return float32(k), nil
		}
		return -1, nil
	}
	x, err := strconv.ParseFloat(text, 64)
	whole := c.kind == nn.ColumnInteger
	switch {
	case whole && strings.EqualFold(text, "true"):
		return 1, nil
	case whole && strings.EqualFold(text, "false"):
		return 0, nil
	case whole && (err != nil || x != math.Trunc(x) || math.Abs(x) > maxExact):
		return 0, fmt.Errorf("%q is not an integer of at most %d, which the model takes", text, maxExact)
	case err == nil && math.Abs(x) <= math.MaxFloat32:
		return float32(x), nil
	case isMissing(text):
		return float32(math.NaN()), nil
	}
	return 0, fmt.Errorf("%q is not a number, which the model takes", text)
}

// modelColumns finds the columns of a table that a model takes: by name where the table has
// all names, and else all of numbers, or of text, but the hidden ones, in their order, with
// the sensitive ones if they are as many then. The note says what was taken where names do not.
func modelColumns(l *labels, want []nn.Column, hidden, sensitive []int) (list []modelColumn, note string, err error) {
	var lacking []string
	for _, w := range want {
		k, err := l.find(w.Name)
		if w.Width != 1 || err != nil {
			lacking = append(lacking, w.Name)
			continue
		}
		list = append(list, modelColumn{l.columns[k], w.Type})
	}
	if len(lacking) == 0 {
		return list, "", nil
	}
	if len(want) > 1 {
		return nil, "", fmt.Errorf("the model takes columns by name, and the file lacks these: %s; it has %s", file.ShownNames(lacking), file.ShownNames(l.names()))
	}
	var others, all []int
	for k, c := range l.columns {
		if slices.Contains(hidden, k) || c.name == "" || want[0].Type != nn.ColumnText && parseNumbers(c.values) == nil {
			continue
		}
		all = append(all, k)
		if !slices.Contains(sensitive, k) {
			others = append(others, k)
		}
	}
	what := "all of the type but the target and the sensitive ones"
	taken := others
	if len(taken) != want[0].Width {
		taken, what = all, "all of the type but the target"
	}
	if len(taken) != want[0].Width {
		return nil, "", fmt.Errorf("the model takes %d columns; the file has %d, and %d without the sensitive ones (target and split are not counted): remove those that are not inputs; it has %s", want[0].Width, len(all), len(others), file.ShownNames(l.names()))
	}
	list = list[:0]
	var names []string
	for _, k := range taken {
		list = append(list, modelColumn{l.columns[k], want[0].Type})
		names = append(names, l.columns[k].name)
	}
	return list, fmt.Sprintf("the model was given these columns in this order, %s: %s", what, file.ShownNames(names)), nil
}
