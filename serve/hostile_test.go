package serve

import (
	"bytes"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tattle/internal/must"
	"tattle/report"
)

func TestHostileReports(t *testing.T) {
	dir := t.TempDir()
	for name, contents := range map[string]string{
		"empty":  "",
		"cut":    `{"schema":"` + report.Schema + `","title":"half`,
		"other":  `{"coverage": 12}`,
		"list":   `[1,2,3]`,
		"null":   `null`,
		"types":  `{"schema":"` + report.Schema + `","title":{"a":1}}`,
		"deep":   strings.Repeat(`[`, 200_000),
		"commas": `{"schema":"` + report.Schema + `","runs":[` + strings.Repeat("0,", maxCommas) + `0]}`,
		"binary": "\x00\xff\xfe",
		"number": `{"schema":"` + report.Schema + `","utility":{"clean_accuracy":1e999}}`,
	} {
		write(t, dir, name+"/report.json", contents)
	}
	huge := write(t, dir, "huge/report.json", "{")
	must.Do(t, os.Truncate(huge, maxReport+1))
	h := handler(t, dir, Options{})
	list := page(t, h, "/")
	if n := strings.Count(list, `<span class="badge bad">not readable</span>`); n != 11 {
		t.Errorf("%d of 11 reports are said to be unreadable", n)
	}
	for _, want := range []string{"16.0 MiB", "200001 values", "of report.json" /* never */} {
		if strings.Contains(list, want) != (want != "of report.json") {
			t.Errorf("the list and %q", want)
		}
	}
	for _, run := range listed(list) {
		if text := page(t, h, "/run/"+run); !strings.Contains(text, "This report cannot be read.") {
			t.Errorf("%s: not said to be unreadable", run)
		}
	}
}

// Reports with inconsistent parts are shown as far as possible.
func TestReportsThatDoNotFit(t *testing.T) {
	dir := t.TempDir()
	const head = `{"schema":"` + report.Schema + `","title":"T","command":"tattle bound",`
	for name, rest := range map[string]string{
		"resolvable": `"resolvable":{"thresholds":[1,2,3],"directions_median":[1]},"release":{"noise":{"family":"gaussian"}}}`,
		"design":     `"design":{"met":true,"points":[{"family":"x"}]}}`,
		"promise":    `"design":{"released":{},"points":[{}],"checked":[{}]}}`,
		"curious":    `"curiosity":{}, "runs":[{},{}], "plane":{}, "tables":[{"rows":[{"cells":[{}]}]}]}`,
		"training":   `"training":{"epochs":[]},"histograms":[{}],"spectrum":{},"methods":[{}],"floors_and_ceilings":{"bands":[{}]},"release":{"noise":{"family":"x"}}}`,
		"audit":      `"audit":{"findings":[{"attribute":"s"},{}],"controls":[{}],"defences":[{"left":[{}]}]}}`,
		"bounds":     `"bounds":[{},{"std_quantiles":{"0.5":null}}],"attacks":[{}]}`,
	} {
		write(t, dir, name+"/report.json", head+rest)
	}
	h := handler(t, dir, Options{})
	page(t, h, "/")
	for _, run := range []string{"resolvable", "design", "promise", "curious", "training", "audit", "bounds"} {
		page(t, h, "/run/"+run)
	}
}

// Text from a report is escaped on every page.
func TestWordsAreEscaped(t *testing.T) {
	const evil = `<img src=x onerror=alert(1)>"'&\u202e`
	dir := t.TempDir()
	r := trained(.5, map[string]string{evil: evil})
	r.Title, r.Command, r.Verdict = evil+"\x1b[2J", "tattle "+evil+" "+evil, evil
	r.Curiosity.Target, r.Curiosity.Sensitive[0].Attribute, r.Warnings, r.Data.Name = evil, evil, []string{evil}, evil
	r.Audit = audited(.2).Audit
	r.Audit.Findings[0].Attribute, r.Audit.Controls[0].Name = evil, evil
	folder := `x <b onclick='a'>&"q` + "\n" + `#?%2e`
	put(t, dir, folder, r, 0)
	write(t, dir, folder+"/<i>.json", "{}")
	h := handler(t, dir, Options{})
	at := linkTo("/run/", folder)
	for _, target := range []string{"/", at, "/?q=" + url.QueryEscape(evil), "/?verdict=" + url.QueryEscape(evil)} {
		text := page(t, h, target)
		for _, raw := range []string{"<img", "<b onclick", "<i>", "\x1b", "\u202e"} {
			if strings.Contains(text, raw) {
				t.Errorf("%s holds %q", target, raw)
			}
		}
	}
	if r := get(h, linkTo("/file/", folder+"/<i>.json")); r.StatusCode != 200 {
		t.Errorf("a file with an odd name: %s", r.Status)
	}
}

// A pipe or a folder that is called report.json is passed over.
func TestNoPlainFile(t *testing.T) {
	dir := runsOf(t)
	os.MkdirAll(filepath.Join(dir, "folder", "report.json"), 0o755)
	pipe(t, filepath.Join(dir, "a", "pipe.json"))
	pipe(t, filepath.Join(dir, "piped", "report.json"))
	h := handler(t, dir, Options{})
	if n := len(listed(page(t, h, "/"))); n != 4 {
		t.Errorf("%d runs", n)
	}
	for _, target := range []string{"/run/folder", "/run/piped", "/file/a/pipe.json", "/file/folder/report.json"} {
		if r := get(h, target); r.StatusCode != 404 {
			t.Errorf("%s: %s", target, r.Status)
		}
	}
}

func FuzzReport(f *testing.F) {
	for _, r := range []*report.Report{audited(.2), bounded(1), trained(.5, map[string]string{"a": "b"})} {
		var b bytes.Buffer
		must.Do(f, r.WriteJSON(&b))
		f.Add(b.Bytes())
	}
	f.Add([]byte(`{"schema":"` + report.Schema + `","design":{"best":{}},"release":{"noise":{"family":"x"}}}`))
	f.Add([]byte(`{"schema":`))
	f.Fuzz(func(t *testing.T, b []byte) {
		e := &entry{Path: "a"}
		r, err := parse(b)
		e.summarize(r, err)
		query{}.view([]*entry{e})
		show(httptest.NewRecorder(), 200, "run.html", frame{Page: &runPage{entry: e}})
	})
}

func FuzzRequested(f *testing.F) {
	for _, s := range []string{"", "a", "../a", "a/..", "a//b", ".", "./a", "a/.b", "\\a", "a\x00", "/etc"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		name, ok := requested(s)
		if ok && (strings.HasPrefix(name, "/") || strings.Contains("/"+name+"/", "/../") || name != rootRun && hidden(name)) {
			t.Errorf("%q is let through as %q", s, name)
		}
	})
}
