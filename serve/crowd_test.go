package serve

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"
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

// A report with as many parts as may be read costs neither minutes nor a page of
// tens of MiB.
func TestCrowdedReports(t *testing.T) {
	if testing.Short() {
		t.Skip("reads some large reports")
	}
	const n = 2*mostRows + 500
	dir := t.TempDir()
	for name, rest := range map[string]string{
		"bounds":   `"bounds":[` + many(n, `{"method":"m%d"}`) + `]`,
		"status":   `"bounds":[` + many(n, `{"status":"s%d"}`) + `]`,
		"attacks":  `"attacks":[` + many(n, `{"name":"m%d"}`) + `]`,
		"settings": `"settings":{` + many(n, `"k%d":"v"`) + `}`,
		"warnings": `"warnings":[` + many(n, `"w%d"`) + `]`,
		"others":   `"curiosity":{"others":[` + many(n, `{"sensitive":"s%d"}`) + `]}`,
		"findings": `"audit":{"findings":[` + many(n, `{"attribute":"s%d"}`) + `]}`,
	} {
		write(t, dir, name+"/report.json", `{"schema":"tattle/report/3","title":"T",`+rest+`}`)
	}
	h := handler(t, dir, Options{})
	for _, name := range []string{"bounds", "status", "attacks", "settings", "warnings", "others", "findings"} {
		for _, target := range []string{"/run/" + name, "/compare?run=" + name + "&run=bounds"} {
			began := time.Now()
			text := page(t, h, target)
			if took := time.Since(began); took > 30*time.Second || len(text) > 4<<20 {
				t.Errorf("%s: %v for %d bytes", target, took, len(text))
			}
			if name != "findings" && name != "others" && !strings.Contains(text, "not shown") {
				t.Errorf("%s does not say that it leaves something out", target)
			}
		}
	}
}

// However many runs an address marks, and however often, the list answers.
func TestManyMarks(t *testing.T) {
	v := url.Values{"run": {"a", "deep/b", "a"}}
	if q := parseQuery(v); fmt.Sprint(q.Marked) != "[a deep/b]" {
		t.Errorf("marked %v", q.Marked)
	}
	for i := range 10_000 {
		v.Add("run", fmt.Sprint("x", i))
	}
	v.Set("q", strings.Repeat("w ", 30_000))
	if q := parseQuery(v); len(q.Marked) > mostMarked || len(q.Text) > mostText {
		t.Errorf("%d marked, %d bytes of text", len(q.Marked), len(q.Text))
	}
}

// A panic over a report is that report's, not the program's.
func TestPanicOverAReport(t *testing.T) {
	e := &entry{Path: "a"}
	if r := e.fill(nil); r != nil || e.Kind != "not readable" || e.Broken == "" {
		t.Errorf("%+v", e)
	}
}
