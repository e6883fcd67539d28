// Package sheet reads text tables: rows of fields separated by commas, semicolons or tabs.
package sheet

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

const (
	// Peeked is how many bytes are looked at to find out what separates the fields.
	Peeked = 1 << 20
	// MaxColumns is the most fields of a row.
	MaxColumns = 99_999
	maxRow     = 16 << 20 // bytes: 160 for each field
)

// A Reader reads a table row by row.
type Reader struct {
	rows *csv.Reader
}

// NewReader returns a Reader of in. It reads the separator from the first two rows, or from
// a line sep=; before them, and skips a byte order mark. Lines that begin with comment are
// skipped, unless that is 0. It returns an error if lines end in CR alone.
func NewReader(in io.Reader, comment rune) (*Reader, error) {
	b := bufio.NewReaderSize(in, Peeked)
	head, err := b.Peek(Peeked)
	if err != nil && err != io.EOF && err != bufio.ErrBufferFull {
		return nil, err
	}
	if endsInCR(head) {
		return nil, errors.New("has lines that end in CR alone: save it with line ends LF or CRLF")
	}
	skip, comma := opening(head)
	b.Discard(skip)
	r := &Reader{csv.NewReader(&limit{from: b, comma: byte(comma), fields: 1, line: 1})}
	r.rows.Comma, r.rows.Comment, r.rows.ReuseRecord = comma, comment, true
	r.rows.TrimLeadingSpace = comma != '\t' // an empty field may be nothing but a tab
	return r, nil
}

// Read returns the fields of the next row, which are valid until the next call, and io.EOF
// after the last row. Empty lines are skipped. Every row must have as many fields as the
// first, all of them in UTF-8.
func (r *Reader) Read() ([]string, error) {
	row, err := r.rows.Read()
	var parse *csv.ParseError
	switch {
	case err == nil:
		for k, field := range row {
			if !utf8.ValidString(field) {
				return nil, fmt.Errorf("line %d: %q is not UTF-8: save the file as UTF-8", r.Line(k), field[:min(len(field), 60)])
			}
		}
		return row, nil
	case !errors.As(err, &parse):
		return nil, err
	case errors.Is(err, csv.ErrFieldCount):
		return nil, fmt.Errorf("line %d has %d fields and the first row %d: correct that line", parse.Line, len(row), r.rows.FieldsPerRecord)
	}
	return nil, fmt.Errorf("line %d is not CSV (%w): correct its quotes", parse.Line, parse.Err)
}

// Line returns the line, from 1, on which a field of the row that was read last begins.
func (r *Reader) Line(field int) int {
	line, _ := r.rows.FieldPos(field)
	return line
}

// opening returns how many bytes stand before the first row, a byte order mark and the line
// sep=; that spreadsheets understand, and what separates the fields.
func opening(head []byte) (skip int, comma rune) {
	whole := len(head)
	head = bytes.TrimPrefix(head, []byte("\ufeff"))
	if len(head) > 5 && bytes.HasPrefix(head, []byte("sep=")) && bytes.IndexByte([]byte(",;\t"), head[4]) >= 0 && (head[5] == '\n' || head[5] == '\r') {
		comma, head = rune(head[4]), head[5:]
		return whole - len(head), comma // the rest of its line is empty
	}
	return whole - len(head), separator(head)
}

// separator returns what separates the fields: of comma, semicolon and tab the one that
// divides the first two rows into as many fields, and the first into most.
func separator(head []byte) rune {
	first, rest, whole := cutRow(head)
	second, _, _ := cutRow(rest)
	best, most := ',', 0
	for _, c := range ",;\t" {
		n := count(first, byte(c))
		if n == 0 {
			continue
		}
		if whole && len(second) > 0 && n == count(second, byte(c)) {
			n += len(first) // one that agrees is preferred to all that do not
		}
		if n > most {
			best, most = c, n
		}
	}
	return best
}

// cutRow cuts behind the first line break outside quotes.
func cutRow(text []byte) (row, rest []byte, found bool) {
	quoted := false
	for i, c := range text {
		switch {
		case c == '"':
			quoted = !quoted
		case c == '\n' && !quoted:
			return text[:i], text[i+1:], true
		}
	}
	return text, nil, false
}

// count returns how often a separator stands outside quotes.
func count(row []byte, c byte) int {
	n := 0
	for i, part := range bytes.Split(row, []byte{'"'}) {
		if i%2 == 0 {
			n += bytes.Count(part, []byte{c})
		}
	}
	return n
}

// endsInCR reports whether the first line ends in CR and not in LF.
func endsInCR(head []byte) bool {
	line, _, _ := cutRow(head)
	first, _, found := bytes.Cut(line, []byte("\r"))
	return found && len(first) > 0 && len(bytes.TrimRight(line[len(first):], "\r")) > 0 && bytes.IndexByte(first, '"') < 0
}

// Repeated returns an error that names the line and the columns if a header on that line has a
// name twice. Names may differ in their case alone, and several may be empty.
func Repeated(header []string, line int) error {
	first := make(map[string]int, len(header))
	for k, name := range header {
		if i, again := first[name]; again && name != "" {
			return fmt.Errorf("line %d: columns %d and %d are both called %q: rename one", line, i+1, k+1, name[:min(len(name), 60)])
		} else if !again {
			first[name] = k
		}
	}
	return nil
}

// limit reads a table and fails before a row becomes larger than allowed, because the CSV reader
// keeps a row, and 32 bytes for each of its fields, in memory.
type limit struct {
	from   io.Reader
	comma  byte
	quoted bool
	bytes  int // of the row so far
	fields int
	line   int
}

// Read implements io.Reader.
func (l *limit) Read(p []byte) (int, error) {
	n, err := l.from.Read(p)
	for _, c := range p[:n] {
		l.bytes++
		switch c {
		case '"':
			l.quoted = !l.quoted
		case '\n':
			l.line++
			if !l.quoted {
				l.bytes, l.fields = 0, 1
			}
		case l.comma:
			if !l.quoted {
				l.fields++
			}
		}
		if l.fields > MaxColumns {
			return 0, fmt.Errorf("line %d has more than %d columns: leave some out", l.line, MaxColumns)
		}
		if l.bytes > maxRow {
			return 0, fmt.Errorf("the row that ends in or after line %d has more than %d MiB: is a quote missing?", l.line, maxRow>>20)
		}
	}
	return n, err
}
