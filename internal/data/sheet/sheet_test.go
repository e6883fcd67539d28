package sheet

import (
	"fmt"
	"io"
	"strings"
	"testing"
)

func ExampleReader() {
	r, err := NewReader(strings.NewReader("x;density\n-1;1\n0;5,5\n"), 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	for row, err := r.Read(); err == nil; row, err = r.Read() {
		fmt.Println(r.Line(0), row)
	}
	// Output:
	// 1 [x density]
	// 2 [-1 1]
	// 3 [0 5,5]
}

// The separator is the one that divides the first two rows alike, or that sep=; names; a
// row of another length, a quote that is not closed and lines that end in CR are errors.
func TestReader(t *testing.T) {
	for text, want := range map[string]string{
		"a,b\n1,2\n":           "[a b][1 2]",
		"a,b;c\n1;2\n":         "[a,b c][1 2]",
		"\ufeffsep=;\na,b;c\n": "[a,b c]",
		"\"a;b\",c\nd,e\n":     "[a;b c][d e]",
		"a\tb\n\t2\n":          "[a b][ 2]",
		"a, b\n\n1, 2":         "[a b][1 2]",
		"|a\nb,c\n":            "[b c]",
		"a,b\n1\n":             "[a b]line 2 has 1 fields and the first row 2: correct that line",
		"a,b\n1,\"2\n":         "[a b]line 2 is not CSV (extraneous or missing \" in quoted-field): correct its quotes",
		"a,b\r1,2\r":           "has lines that end in CR alone: save it with line ends LF or CRLF",
	} {
		if got := readAll(text); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// readAll prints the rows of a text, and the error if there is one.
func readAll(text string) string {
	r, err := NewReader(strings.NewReader(text), '|')
	said := ""
	for err == nil {
		var row []string
		if row, err = r.Read(); err == nil {
			said += fmt.Sprint(row)
		}
	}
	if err != io.EOF {
		said += err.Error()
	}
	return said
}
