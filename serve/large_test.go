package serve

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"tattle/report"

	"tattle/internal/shared"
)

// many joins n texts, each made of its number.
func many(n int, format string) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// The page of a report with as many parts as are read stays small, and says what it
// leaves out.
func TestLargeReports(t *testing.T) {
	shared.Long(t, "reads some large reports")
	const n = 2*maxLines + 500
	dir := t.TempDir()
	for name, rest := range map[string]string{
		"bounds":   `"bounds":[` + many(n, `{"method":"m%d"}`) + `]`,
		"status":   `"bounds":[` + many(n, `{"status":"s%d"}`) + `]`,
		"attacks":  `"attacks":[` + many(n, `{"name":"m%d"}`) + `]`,
		"settings": `"settings":{` + many(n, `"k%d":"v"`) + `}`,
		"warnings": `"warnings":[` + many(n, `"w%d"`) + `]`,
		"others":   `"curiosity":{"sensitive":[` + many(n, `{"attribute":"s%d"}`) + `]}`,
		"findings": `"audit":{"findings":[` + many(n, `{"attribute":"s%d"}`) + `]}`,
	} {
		write(t, dir, name+"/report.json", `{"schema":"`+report.Schema+`","title":"T",`+rest+`}`)
	}
	h := handler(t, dir, Options{})
	for _, name := range []string{"bounds", "status", "attacks", "settings", "warnings", "others", "findings"} {
		text := page(t, h, "/run/"+name)
		if len(text) > 4<<20 {
			t.Errorf("%s: a page of %d bytes", name, len(text))
		}
		if leaves := name == "settings" || name == "warnings"; leaves && !strings.Contains(text, "not shown") {
			t.Errorf("%s: the page does not say that it leaves something out", name)
		}
	}
}

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
