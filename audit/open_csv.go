package audit

import (
	"bufio"
	"bytes"
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
	for _, f := range foreign {
		if bytes.HasPrefix(head, []byte(f.magic)) {
			return nil, errors.New(f.what)
		}
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
		if err == nil {
			err = t.add(row)
		}
		if err != nil {
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
	target  *column // nil if there is none
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
	if err := checkHeader(header, t.rows.Line(0)); err != nil {
		return err
	}
	if t.roles, err = findRoles(header, o); err != nil {
		return err
	}
	if k := t.roles.target; k >= 0 {
		t.target = newColumn(targetName(header[k]))
	}
	for _, w := range t.roles.sensitive {
		t.columns = append(t.columns, newColumn(w.name))
	}
	return nil
}

// add appends one row.
func (t *outputTable) add(row []string) error {
	r := t.roles
	if len(t.scores) > maxScores-len(r.scores) || len(t.lines) == math.MaxInt32 {
		return fmt.Errorf("has more than %d outputs: leave examples out", maxScores)
	}
	for j, k := range r.scores {
		v, err := parseScore(row[k])
		if err != nil {
			err = fmt.Errorf("line %d, column %s: %w", t.rows.Line(k), showName(r.header[k]), err)
		}
		if r.open != nil {
			r.open[j].add(len(t.lines), row[k], v, err)
		} else if err != nil {
			return err
		}
		t.scores = append(t.scores, v)
		if !t.finer {
			wide, err := strconv.ParseFloat(strings.TrimSpace(row[k]), 64)
			t.finer = err == nil && finer(wide)
		}
	}
	distinct := 0
	label := func(c *column, k int) error {
		if err := c.add(row[k]); err != nil {
			return fmt.Errorf("line %d: %w", t.rows.Line(0), err)
		}
		if distinct += len(c.values); distinct > maxDistinct {
			return fmt.Errorf("has more than %d different labels: round numbers, or name fewer sensitive columns", maxDistinct)
		}
		return nil
	}
	if t.target != nil {
		if err := label(t.target, r.target); err != nil {
			return err
		}
	}
	for i, w := range r.sensitive {
		if err := label(t.columns[i], w.at); err != nil {
			return err
		}
	}
	t.lines = append(t.lines, int32(t.rows.Line(0)))
	return nil
}

// source returns what was read.
func (t *outputTable) source() (*source, error) {
	r := t.roles
	if r.open != nil {
		if err := t.choose(); err != nil {
			return nil, err
		}
	}
	src := &source{scores: t.scores, classes: r.classes, kind: r.kind, target: t.target, rule: r.rule, numeric: r.numeric, columns: t.columns, wanted: r.sensitive, made: r.made}
	src.place = func(i int) string { return fmt.Sprintf("line %d", t.lines[i]) }
	src.notes = r.notes()
	if t.finer {
		src.note(finerNote)
	}
	return src, nil
}

// choose keeps the columns of outputs of those that were candidates.
func (t *outputTable) choose() error {
	r := t.roles
	target, classes, width := t.target, len(sorted(t.target.known())), len(r.scores)
	if r.rule != nil {
		a, err := r.rule.Apply(t.target.name, t.target.known())
		if err != nil {
			return err
		}
		target, classes = nil, len(a.Values)
	}
	columns, err := r.choose(len(t.lines), target, classes)
	if err != nil {
		return err
	}
	kept := t.scores[:0]
	for from := t.scores; len(from) > 0; from = from[width:] {
		for _, j := range columns {
			kept = append(kept, from[j])
		}
	}
	t.scores = kept
	return nil
}

// finerNote says that a code in further digits would not be found.
const finerNote = "the outputs have more digits than a float32: the attacks did not look at the digits beyond it, where anything can be hidden"

// finer reports whether v is not the shortest decimal number that rounds to its float32.
func finer(v float64) bool {
	shortest, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', -1, 32), 64)
	return err != nil || shortest != v && float64(float32(v)) != v
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
