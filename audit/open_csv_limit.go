package audit

import (
	"bytes"
	"fmt"
	"io"
)

// opening returns how many bytes stand before the header, a mark of UTF-8 and the line
// sep=; that spreadsheets understand, and what parts the fields.
func opening(head []byte) (skip int, comma rune) {
	whole := len(head)
	head = bytes.TrimPrefix(head, []byte("\ufeff"))
	if len(head) > 5 && bytes.HasPrefix(head, []byte("sep=")) && bytes.IndexByte([]byte(",;\t"), head[4]) >= 0 && (head[5] == '\n' || head[5] == '\r') {
		comma, head = rune(head[4]), head[5:]
		return whole - len(head), comma // the rest of its line is empty
	}
	return whole - len(head), separator(head)
}

// separator tells what parts the fields: of comma, semicolon and tab the one that
// divides the first two lines into as many fields, and the first into most.
func separator(head []byte) rune {
	first, rest, whole := cutRecord(head)
	second, _, _ := cutRecord(rest)
	best, most := ',', 0
	for _, c := range ",;\t" {
		n := count(first, byte(c))
		if n == 0 {
			continue
		}
		if whole && len(second) > 0 && n == count(second, byte(c)) {
			n += len(first) // even a single field goes before what does not agree
		}
		if n > most {
			best, most = c, n
		}
	}
	return best
}

// cutRecord cuts behind the first line break outside quotes.
func cutRecord(text []byte) (record, rest []byte, found bool) {
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
func count(record []byte, c byte) int {
	n := 0
	for i, part := range bytes.Split(record, []byte{'"'}) {
		if i%2 == 0 {
			n += bytes.Count(part, []byte{c})
		}
	}
	return n
}

// limit passes a CSV on and fails before a row grows past what is taken: the reader
// behind it keeps a row, and 32 bytes for each of its fields, in memory.
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
		if l.fields > maxColumns {
			return 0, fmt.Errorf("line %d has more than %d columns: leave some out", l.line, maxColumns)
		}
		if l.bytes > maxRecord {
			return 0, fmt.Errorf("the row that ends in or after line %d has more than %d MiB: is a quote missing?", l.line, maxRecord>>20)
		}
	}
	return n, err
}
