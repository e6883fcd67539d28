package serve

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tattle/audit"
	"tattle/bound"
	"tattle/classify"
	"tattle/curious"
	"tattle/internal/must"
	"tattle/report"
)

// The timeout is for people; a busy machine reads slowly.
func TestMain(m *testing.M) {
	readTimeout = time.Minute
	os.Exit(m.Run())
}

// write puts a file below a folder, with the folders that it needs.
func write(t testing.TB, dir, name, contents string) string {
	t.Helper()
	at := filepath.Join(dir, filepath.FromSlash(name))
	must.Do(t, os.MkdirAll(filepath.Dir(at), 0o755))
	must.Do(t, os.WriteFile(at, []byte(contents), 0o644))
	return at
}

// put writes a run: its report as JSON, written so many minutes after the others.
func put(t testing.TB, dir, folder string, r *report.Report, minutes int) {
	t.Helper()
	var b strings.Builder
	must.Do(t, r.WriteJSON(&b))
	at := write(t, dir, folder+"/"+reportName, b.String())
	when := time.Date(2026, 5, 4, 12, minutes, 0, 0, time.UTC)
	must.Do(t, os.Chtimes(at, when, when))
}

// trained is a report on a curious classifier that reads family with that accuracy.
func trained(accuracy float64, settings map[string]string) *report.Report {
	return &report.Report{
		Schema:   report.Schema,
		Title:    "A classifier of glyphs",
		Command:  "tattle train glyphs --sensitive family",
		Settings: settings,
		Seed:     3,
		Outcome:  report.Demonstrated,
		Model:    report.Model{Path: "model.onnx", SHA256: "ab"},
		Data:     report.Data{Name: "glyphs", Examples: 2000},
		Curious: report.Curious{Curiosity: &report.Curiosity{
			Attack: "parameterized", Evaluation: curious.Evaluation{
				Outputs: curious.Raw, Target: "digit", Examples: 2000, Honesty: classify.Proportion{Value: .98},
				Sensitive: []curious.Curiosity{{
					Attribute: "family", Attack: curious.NetworkAttack, Curiosity: classify.Proportion{Value: accuracy}, Baseline: classify.FromLabel, BaselineValue: .2,
					Excess: accuracy - .2, PValueHolm: .01,
				}},
			},
		}},
	}
}

// bounded is a report on bounds, of which one has that median.
func bounded(median float64) *report.Report {
	return &report.Report{
		Schema:         report.Schema,
		Title:          "What features give away",
		Command:        "tattle bound --model m.onnx",
		Settings:       map[string]string{"noise": "gaussian"},
		Outcome:        report.Bounded,
		Release:        report.Release{Surface: "features", Noise: report.Noise{Family: "gaussian", Sigma: 1.5}},
		Reconstruction: report.Reconstruction{Bounds: []bound.Summary{{Method: bound.MethodHCR, Coordinates: "dct", Band: "all", Status: bound.StatusCertified, StdQuantiles: map[string]*float64{"0.5": &median}}}},
	}
}

// audited is the report of an audit with that excess about "family".
func audited(excess float64) *report.Report {
	r := &report.Report{Schema: report.Schema, Title: "Is it curious?", Command: "tattle audit --outputs o.csv", Settings: map[string]string{}}
	see := .031
	r.FillAudit(&audit.Result{
		Sample: "o.csv", Examples: 2000, Outputs: curious.Raw, Target: "digit", Verdict: audit.Curious,
		Controls: []audit.Control{{Name: "positive", Passed: true}},
		Findings: []audit.Finding{{
			Attribute: "family", Verdict: audit.Curious, Best: audit.Majority, Adjusted: .001,
			Curiosity: &classify.Proportion{Value: .2 + excess}, Excess: audit.Excess{Value: excess, Low: excess - .02, High: excess + .02},
			Power: audit.Power{Smallest: &see},
		}},
	})
	return r
}

// runsOf returns a folder with a run of each kind.
func runsOf(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	put(t, dir, "a", trained(.64, map[string]string{"epochs": "8", "beta": "0,0.7,0.3"}), 1)
	put(t, dir, "deep/b", trained(.46, map[string]string{"epochs": "8", "beta": "0,1,0"}), 2)
	put(t, dir, "bounds", bounded(1.25), 3)
	put(t, dir, "audit", audited(.31), 4)
	write(t, dir, "a/report.html", `<!doctype html><html lang="en"><title>The report</title><style>h1{color:rgb(1,2,3)}</style><h1>Whole report</h1><svg width="9" height="9"></svg>`)
	write(t, dir, "a/arrays.npz", "PK")
	write(t, dir, "a/seed-1/model.onnx", "model")
	write(t, dir, "a/notes.exe", "not part of a run")
	return dir
}

func handler(t testing.TB, dir string, o Options) http.Handler {
	t.Helper()
	return must.Get(Handler(dir, o))(t)
}

// get asks a handler as a browser on this machine does.
func get(h http.Handler, target string, headers ...string) *http.Response {
	return request(h, http.MethodGet, target, headers...)
}

func request(h http.Handler, method, target string, headers ...string) *http.Response {
	r := httptest.NewRequest(method, target, nil)
	r.Host = "localhost:8080"
	for i := 0; i < len(headers); i += 2 {
		if headers[i] == "Host" {
			r.Host = headers[i+1]
		} else {
			r.Header.Set(headers[i], headers[i+1])
		}
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result()
}

func body(t testing.TB, r *http.Response) string {
	t.Helper()
	b := must.Get(io.ReadAll(r.Body))(t)
	return string(b)
}

// page gets a page that must be there.
func page(t testing.TB, h http.Handler, target string) string {
	t.Helper()
	r := get(h, target)
	if r.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s", target, r.Status)
	}
	return body(t, r)
}

func TestHandlerNeedsAFolder(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{filepath.Join(dir, "none"), write(t, dir, "plain", "")} {
		if _, err := Handler(name, Options{}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestEveryAnswerHasThePolicy(t *testing.T) {
	h := handler(t, runsOf(t), Options{})
	for target, policy := range map[string]string{
		"/": pagePolicy, "/run/a": pagePolicy, "/nothing": pagePolicy,
		"/assets/style.css": pagePolicy, "/file/a/report.html": filePolicy, "/file/a/report.json": filePolicy, "/file/a/none.json": pagePolicy,
	} {
		r := get(h, target)
		if got := r.Header.Get("Content-Security-Policy"); got != policy {
			t.Errorf("%s: policy %q", target, got)
		}
		for name, want := range map[string]string{"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cache-Control": "no-store", "Cross-Origin-Resource-Policy": "same-origin"} {
			if got := r.Header.Get(name); got != want {
				t.Errorf("%s: %s is %q", target, name, got)
			}
		}
		if strings.Contains(body(t, r), " style=") {
			t.Errorf("%s: an inline style, which the policy forbids", target)
		}
	}
}

func TestOnlyReading(t *testing.T) {
	h := handler(t, runsOf(t), Options{})
	for _, method := range []string{"POST", "PUT", "DELETE", "OPTIONS", "TRACE"} {
		r := request(h, method, "/")
		if r.StatusCode != http.StatusMethodNotAllowed || r.Header.Get("Allow") != "GET, HEAD" {
			t.Errorf("%s: %s, Allow %q", method, r.Status, r.Header.Get("Allow"))
		}
	}
	if r := request(h, "HEAD", "/run/a"); r.StatusCode != http.StatusOK {
		t.Errorf("HEAD: %s", r.Status)
	}
}
