package sheet

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"tattle/internal/file"
)

const (
	gzipMagic    = "\x1f\x8b"
	maxHeader    = 1 << 20 // bytes of a header's field, which may list a hundred labels
	progressStep = 1 << 20 // bytes between two reports of progress
)

// text is a CSV, alone or packed by gzip.
type text struct {
	file     io.ReaderAt
	size     int64
	packed   bool
	progress func(done, total int64)
}

// openText reads the header of a CSV.
func openText(ctx context.Context, t *text) (*Columns, error) {
	_, header, err := t.open()
	if err != nil {
		return nil, err
	}
	c := &Columns{Noun: "column"}
	for _, name := range header {
		c.Fields = append(c.Fields, Field{Name: name})
	}
	c.Read = func(numbers [][]int, labels []int) (*Content, error) {
		rows, header, err := t.open()
		if err != nil {
			return nil, err
		}
		r := &rowReader{rows: rows, names: header, numbers: numbers, labels: labels}
		return r.read(ctx)
	}
	return c, nil
}

// open returns the names of columns, and what reads the rows that follow.
func (t *text) open() (*Reader, []string, error) {
	stored := &counted{from: io.NewSectionReader(t.file, 0, t.size), total: t.size, tell: t.progress}
	from := stored
	if t.packed {
		z, err := gzip.NewReader(bufio.NewReader(stored))
		if err != nil {
			return nil, nil, fmt.Errorf("is a broken gzip file (%w): pack it again", err)
		}
		from = &counted{from: z, packed: stored}
	}
	in := bufio.NewReaderSize(from, Peeked)
	head, err := in.Peek(8)
	if err != nil && err != io.EOF {
		return nil, nil, err
	}
	if foreign(head) {
		return nil, nil, errors.New("is not CSV in UTF-8, alone or packed once by gzip: save it so, or outputs and labels together with numpy.savez")
	}
	rows, err := NewReader(in, 0)
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

// checkHeader returns an error if a line is not a header: its names must be distinct, and not all numbers.
func checkHeader(header []string, line int) error {
	for i, name := range header {
		if len(name) > maxHeader || strings.ContainsRune(name, 0) {
			return fmt.Errorf("the name of column %d has %d bytes, more than %d, or is not text: write a header, in UTF-8", i+1, len(name), maxHeader)
		}
	}
	switch {
	case len(header) == 1:
		return fmt.Errorf("has the one column %s: part fields by commas, semicolons or tabs", file.Shown(header[0]))
	case !slices.ContainsFunc(header, func(name string) bool { _, err := strconv.ParseFloat(name, 64); return err != nil }):
		return errors.New("has no header: write the names of the columns in the first line, such as y,s1,score_0,score_1")
	}
	return Repeated(header, line)
}

// rowReader reads the rows of a CSV.
type rowReader struct {
	rows    *Reader
	names   []string
	numbers [][]int
	labels  []int
	got     Content
	total   int     // of numbers
	lines   []int32 // of each row
}

func (r *rowReader) read(ctx context.Context) (*Content, error) {
	r.got.Numbers = make([][]float32, len(r.numbers))
	for range r.labels {
		r.got.Labels = append(r.got.Labels, &Labels{seen: map[string]int32{}})
	}
	for {
		if len(r.lines)%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		row, err := r.rows.Read()
		if err == io.EOF {
			break
		}
		if err == nil {
			err = r.add(row)
		}
		if err != nil {
			return nil, err
		}
	}
	if len(r.lines) == 0 {
		return nil, errors.New("holds a header and no rows: give a row for every example")
	}
	r.got.Place = func(i int) string { return fmt.Sprintf("line %d", r.lines[i]) }
	return &r.got, nil
}

// add appends one row.
func (r *rowReader) add(row []string) error {
	for g, columns := range r.numbers {
		if r.total += len(columns); r.total > maxNumbers || len(r.lines) == math.MaxInt32 {
			return fmt.Errorf("has more than %d outputs: leave examples out", maxNumbers)
		}
		for _, k := range columns {
			text := strings.TrimSpace(row[k])
			v, err := strconv.ParseFloat(text, 32)
			digits := significant(text)
			if err != nil || v-v != 0 || digits < 0 {
				fix := "correct it, or leave the row or column out"
				if first, _ := utf8.DecodeRuneInString(text); err != nil && len(columns) == 1 && unicode.IsLetter(first) {
					fix = "instead of predicted classes, give a column for each class, with 1 for the predicted one and 0 for the others"
				}
				return fmt.Errorf("line %d, column %s: the score is %s: want a finite decimal number, such as -1.5, that fits float32; %s", r.rows.Line(k), file.Shown(r.names[k]), cmp.Or(file.Shown(text), "missing"), fix)
			}
			r.got.Numbers[g] = append(r.got.Numbers[g], float32(v))
			if !r.got.Finer && digits > 6 { // a float32 holds every decimal of 6 digits
				wide, err := strconv.ParseFloat(text, 64)
				r.got.Finer = err == nil && finer(wide)
			}
		}
	}
	distinct := 0
	for i, k := range r.labels {
		l, text := r.got.Labels[i], strings.TrimSpace(row[k])
		if len(text) > MaxName {
			return fmt.Errorf("line %d: %s: a label of %d bytes: want at most %d", r.rows.Line(0), file.Shown(r.names[k]), len(text), MaxName)
		}
		l.add(text, strings.Clone) // a piece of a row would keep the row
		if distinct += len(l.Values); distinct > maxDistinct {
			return fmt.Errorf("has more than %d different labels: round numbers, or name fewer sensitive columns", maxDistinct)
		}
	}
	r.lines = append(r.lines, int32(r.rows.Line(0)))
	return nil
}

// significant returns the number of significant digits of a decimal, many for one with an exponent, −1 for a number
// as only programs write it: 0x1p-2 and 1_000.
func significant(text string) (n int) {
	for _, c := range []byte(text) {
		switch {
		case '1' <= c && c <= '9' || c == '0' && n > 0:
			n++
		case c == '_' || c == 'x' || c == 'X':
			return -1
		case c == 'e' || c == 'E':
			n += 1000
		}
	}
	return n
}

// finer reports whether v is not the shortest decimal number that rounds to its float32.
func finer(v float64) bool {
	shortest, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', -1, 32), 64)
	return err != nil || shortest != v && float64(float32(v)) != v
}

// counted reads a file and reports how much of it has been read; or passes on what gzip unpacks, up to a
// bound by the bytes that were read for it so far, so that a file that unpacks to far more is refused early.
type counted struct {
	from                  io.Reader
	done, reported, total int64
	tell                  func(done, total int64)
	packed                *counted // the file whose content is unpacked; nil of the file itself
}

// Read implements io.Reader.
func (r *counted) Read(p []byte) (int, error) {
	n, err := r.from.Read(p)
	r.done += int64(n)
	if r.packed != nil && r.done > freeBytes+maxGzip*r.packed.done {
		return 0, fmt.Errorf("unpacks to more than %d MiB and %d times its size: unpack it first", freeBytes>>20, maxGzip)
	}
	if r.packed != nil && err != nil && err != io.EOF {
		return n, fmt.Errorf("is a broken gzip file (%w): pack it again", err)
	}
	if r.tell != nil && (r.done-r.reported >= progressStep || err == io.EOF && r.done > r.reported) {
		r.reported = r.done
		r.tell(r.done, r.total)
	}
	return n, err
}
