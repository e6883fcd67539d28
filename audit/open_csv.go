package audit

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"tattle/internal/sheet"
)

// readCSV reads a table row by row.
func readCSV(ctx context.Context, in *bufio.Reader, o OpenOptions) (*source, error) {
	head, err := in.Peek(8)
	if err != nil && err != io.EOF {
		return nil, err
	}
	if err := refuseForeign(head); err != nil {
		return nil, err
	}
	rows, err := sheet.NewReader(in, 0)
	if err != nil {
		return nil, err
	}
	t := &outputTable{rows: rows}
	if err := t.begin(o); err != nil {
		return nil, err
	}
	for {
		if len(t.lines)%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		row, err := t.rows.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		if err := t.add(row); err != nil {
			return nil, err
		}
	}
	if len(t.lines) == 0 {
		return nil, errors.New("holds a header and no rows: give a row for every example")
	}
	return t.source()
}

// outputTable is a CSV file that is being read, with the rows so far.
type outputTable struct {
	rows    *sheet.Reader
	roles   *roles
	scores  []float32
	target  *column
	columns []*column
	lines   []int32 // of each row
	finer   bool    // a score has more digits than a float32
}

// begin reads the header.
func (t *outputTable) begin(o OpenOptions) error {
	row, err := t.rows.Read()
	if err == io.EOF {
		return errors.New("is empty: give a header, and a row for every example")
	}
	if err != nil {
		return err
	}
	header := make([]string, len(row))
	for i, name := range row {
		header[i] = strings.TrimSpace(name)
	}
	if len(header) == 1 {
		return fmt.Errorf("has the one column %s: part fields by commas, semicolons or tabs", showName(header[0]))
	}
	if err := checkHeader(header, t.rows.Line(0)); err != nil {
		return err
	}
	if t.roles, err = findRoles(header, o); err != nil {
		return err
	}
	if t.roles.target >= 0 {
		t.target = newColumn(t.roles.targetName)
	}
	for _, w := range t.roles.wanted {
		t.columns = append(t.columns, newColumn(w.name))
	}
	return nil
}

// add appends one row.
func (t *outputTable) add(row []string) error {
	line := t.rows.Line(0)
	if len(t.scores) > maxScores-len(t.roles.scores) || len(t.lines) == math.MaxInt32 {
		return fmt.Errorf("has more than %d outputs: leave examples out", maxScores)
	}
	for j, k := range t.roles.scores {
		v, err := parseScore(row[k])
		if t.roles.open != nil {
			t.roles.open.add(j, row[k], v, err, func() error { return inColumn(t.rows.Line(k), t.roles.header[k], err) })
		} else if err != nil {
			return inColumn(t.rows.Line(k), t.roles.header[k], err)
		}
		t.scores = append(t.scores, v)
		t.finer = t.finer || finerText(row[k])
	}
	if t.target != nil {
		if err := t.target.add(row[t.roles.target]); err != nil {
			return fmt.Errorf("line %d: %w", line, err)
		}
	}
	for i, k := range t.roles.sensitive {
		if err := t.columns[i].add(row[k]); err != nil {
			return fmt.Errorf("line %d: %w", line, err)
		}
	}
	t.lines = append(t.lines, int32(line))
	if t.roles.open != nil {
		t.roles.open.rows++
	}
	if len(t.lines)%1024 == 0 {
		return t.checkDistinct()
	}
	return nil
}

// checkDistinct bounds what is kept of labels.
func (t *outputTable) checkDistinct() error {
	n := 0
	if t.target != nil {
		n = len(t.target.values)
	}
	for _, c := range t.columns {
		n += len(c.values)
	}
	if n > maxDistinct {
		return fmt.Errorf("has more than %d different labels: round numbers, or name fewer sensitive columns", maxDistinct)
	}
	return nil
}

// inColumn says where an error is.
func inColumn(line int, name string, err error) error {
	return fmt.Errorf("line %d, column %s: %w", line, showName(name), err)
}

// choose keeps the columns of outputs of those that were candidates.
func (t *outputTable) choose() error {
	r := t.roles
	target, classes := t.target, len(sorted(t.target.known()))
	if r.rule != nil {
		a, err := r.rule.Apply(t.target.name, t.target.known())
		if err != nil {
			return err
		}
		target, classes = nil, len(a.Values)
	}
	columns, of, err := r.open.chosen(pick(r.header, r.scores), target, classes)
	if err != nil {
		return err
	}
	kept := t.scores[:0]
	for from := t.scores; len(from) > 0; from = from[len(r.scores):] {
		for _, j := range columns {
			kept = append(kept, from[j])
		}
	}
	t.scores, r.scores, r.classes, r.guessed = kept, pick(r.scores, columns), of, true
	return r.checkClasses()
}

// source returns what was read.
func (t *outputTable) source() (*source, error) {
	r := t.roles
	if r.open != nil {
		if err := t.choose(); err != nil {
			return nil, err
		}
	}
	src := &source{scores: t.scores, classes: r.classes, kind: r.kind, target: t.target, rule: r.rule, numeric: r.numeric, made: r.made}
	for i, c := range t.columns {
		src.columns = append(src.columns, attributeColumn{c, r.wanted[i]})
	}
	src.place = func(i int) string { return fmt.Sprintf("line %d", t.lines[i]) }
	if r.guessed {
		src.note("%s", r.taking())
	}
	if t.finer {
		src.note(finerNote)
	}
	if unused := r.unused(); len(unused) > 0 {
		src.note("columns that are not used: %s", showNames(unused))
	}
	return src, nil
}

// parseScore reads one finite float32.
func parseScore(text string) (float32, error) {
	text = strings.TrimSpace(text)
	v, err := strconv.ParseFloat(text, 32)
	switch {
	case strings.ContainsAny(text, notDecimal) && err == nil:
		return 0, fmt.Errorf("the score %s is no decimal number: write one", showName(text))
	case text == "":
		return 0, errors.New("the score is missing: fill it in, or leave the row out")
	case errors.Is(err, strconv.ErrRange):
		return 0, fmt.Errorf("the score %s is too large for float32: scale the outputs", showName(text))
	case err != nil && strings.Contains(text, ",") && strings.Contains(text, "."):
		return 0, fmt.Errorf("the score %s is not a number: write it without separators of thousands", showName(text))
	case err != nil && strings.Count(text, ",") == 1:
		return 0, fmt.Errorf("the score %s is not a number: write a point instead of the decimal comma", showName(text))
	case err != nil:
		return 0, fmt.Errorf("the score %s is not a number: write one, or leave the column out", showName(text))
	case math.IsNaN(v) || math.IsInf(v, 0):
		return 0, fmt.Errorf("the score is %v: outputs must be finite; correct the model or leave the row out", v)
	}
	return float32(v), nil
}
