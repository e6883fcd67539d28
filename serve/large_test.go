package serve

import (
	"net/url"
	"strings"
	"testing"
)

// A search text is cut off.
func TestLongSearch(t *testing.T) {
	if q := parseQuery(url.Values{"q": {strings.Repeat("w ", 30_000)}}); len(q.Text) > maxSearch {
		t.Errorf("%d bytes of text", len(q.Text))
	}
}

// A panic over a report is that report's, not the program's.
func TestPanicOverAReport(t *testing.T) {
	e := &entry{Path: "a"}
	if r := e.read(nil); r != nil || e.Kind != "not readable" || e.Broken == "" {
		t.Errorf("%+v", e)
	}
}
