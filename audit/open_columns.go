package audit

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"tattle/internal/sheet"
)

// columns are those of a file, whose values are read once their roles are known.
type columns struct {
	fields []field
	noun   string // "column", or "array" of an .npz
	read   func(scores, labels []int) (*content, error)
}

// field is a column of a CSV or an array of an .npz, as its header describes it.
type field struct {
	name   string
	title  string // what it is called, if not by its name
	shape  []int  // of an array; nil of a column
	manner manner
}

// width returns the columns of an array: 0 if it has other than one or two dimensions.
func (f *field) width() int {
	switch {
	case len(f.shape) == 2:
		return f.shape[1]
	case f.shape == nil || len(f.shape) == 1:
		return 1
	}
	return 0
}

func (c *columns) names() []string {
	var names []string
	for _, f := range c.fields {
		names = append(names, f.name)
	}
	return names
}

// foreign reports whether a file does not begin as text in UTF-8 does, or begins as JSON or an archive.
func foreign(head []byte) bool {
	for _, magic := range []string{"PAR1", "ARROW1", "PK", "{", "["} {
		if bytes.HasPrefix(head, []byte(magic)) {
			return true
		}
	}
	r, _ := utf8.DecodeRune(head)
	return len(head) > 0 && (r == utf8.RuneError || r < ' ' && !strings.ContainsRune("\t\r\n", r))
}

// openCSV reads the header of a table. open returns the text from its begin.
func openCSV(ctx context.Context, open func() (io.Reader, error)) (*columns, error) {
	rows, header, err := readHeader(open)
	if err != nil {
		return nil, err
	}
	c := &columns{noun: "column"}
	for _, name := range header {
		c.fields = append(c.fields, field{name: name})
	}
	c.read = func(scores, labels []int) (*content, error) {
		if rows == nil {
			if rows, _, err = readHeader(open); err != nil {
				return nil, err
			}
		}
		t := &csvTable{fields: c.fields, rows: rows, scores: scores, labels: labels}
		rows = nil
		return t.read(ctx)
	}
	return c, nil
}

// readHeader returns the names of columns, and what reads the rows that follow.
func readHeader(open func() (io.Reader, error)) (*sheet.Reader, []string, error) {
	from, err := open()
	if err != nil {
		return nil, nil, err
	}
	in := bufio.NewReaderSize(from, sheet.Peeked)
	head, err := in.Peek(8)
	if err != nil && err != io.EOF {
		return nil, nil, err
	}
	if foreign(head) {
		return nil, nil, errors.New("is not CSV in UTF-8, alone or packed once by gzip: save it so, or outputs and labels together with numpy.savez")
	}
	rows, err := sheet.NewReader(in, 0)
	if err != nil {
		return nil, nil, err
	}
	row, err := rows.Read()
	if err == io.EOF {
		return nil, nil, errors.New("is empty: give a header, and a row for every example")
	}
	if err != nil {
		return nil, nil, err
	}
	var header []string
	for _, name := range row {
		header = append(header, strings.TrimSpace(name))
	}
	return rows, header, checkHeader(header, rows.Line(0))
}

// checkHeader returns an error if a line is not a header: its names must be distinct, and not all numbers.
func checkHeader(header []string, line int) error {
	for i, name := range header {
		if len(name) > maxField || strings.ContainsRune(name, 0) {
			return fmt.Errorf("the name of column %d has %d bytes, more than %d, or is not text: write a header, in UTF-8", i+1, len(name), maxField)
		}
	}
	switch {
	case len(header) == 1:
		return fmt.Errorf("has the one column %s: part fields by commas, semicolons or tabs", showName(header[0]))
	case !slices.ContainsFunc(header, func(name string) bool { _, err := strconv.ParseFloat(name, 64); return err != nil }):
		return errors.New("has no header: write the names of the columns in the first line, such as y,s1,score_0,score_1")
	}
	return sheet.Repeated(header, line)
}

// csvTable is a CSV file that is being read.
type csvTable struct {
	fields         []field
	rows           *sheet.Reader
	scores, labels []int
	content
	lines []int32 // of each row
}

func (t *csvTable) read(ctx context.Context) (*content, error) {
	for range t.labels {
		t.content.labels = append(t.content.labels, newColumn())
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
	t.place = func(i int) string { return fmt.Sprintf("line %d", t.lines[i]) }
	return &t.content, nil
}

// add appends one row.
func (t *csvTable) add(row []string) error {
	if len(t.content.scores) > maxScores-len(t.scores) || len(t.lines) == math.MaxInt32 {
		return fmt.Errorf("has more than %d outputs: leave examples out", maxScores)
	}
	for _, k := range t.scores {
		text := strings.TrimSpace(row[k])
		v, err := strconv.ParseFloat(text, 32)
		if err != nil || v-v != 0 || strings.ContainsAny(text, notDecimal) {
			return fmt.Errorf("line %d, column %s: the score is %s: want a finite decimal number, such as -1.5, that fits float32; correct it, or leave the row or column out", t.rows.Line(k), showName(t.fields[k].name), cmp.Or(showName(text), "missing"))
		}
		t.content.scores = append(t.content.scores, float32(v))
		if !t.finer {
			wide, err := strconv.ParseFloat(text, 64)
			t.finer = err == nil && finer(wide)
		}
	}
	distinct := 0
	for i, k := range t.labels {
		c := t.content.labels[i]
		if err := c.add(row[k]); err != nil {
			return fmt.Errorf("line %d: %s: %w", t.rows.Line(0), showName(t.fields[k].name), err)
		}
		if distinct += len(c.values); distinct > maxDistinct {
			return fmt.Errorf("has more than %d different labels: round numbers, or name fewer sensitive columns", maxDistinct)
		}
	}
	t.lines = append(t.lines, int32(t.rows.Line(0)))
	return nil
}

// finer reports whether v is not the shortest decimal number that rounds to its float32.
func finer(v float64) bool {
	shortest, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', -1, 32), 64)
	return err != nil || shortest != v && float64(float32(v)) != v
}

// content is what columns hold.
type content struct {
	scores []float32 // [n, columns]
	labels []*column
	place  func(i int) string // of example i, for errors
	finer  bool               // a score has more digits than a float32
}
