package sheet

import (
	"fmt"
	"io"
)

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

func newLimit(from io.Reader, comma byte) *limit {
	return &limit{from: from, comma: comma, fields: 1, line: 1}
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
