package try

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tattle/internal/browser"
	"tattle/internal/file"
	"tattle/internal/must"
	"tattle/internal/reveal/audit"
)

// leaking is a CSV whose outputs carry sex beyond the answer.
func leaking(n int) []byte {
	r := rand.New(rand.NewPCG(1, 2))
	var b bytes.Buffer
	b.WriteString("id,answer,sex,town,q0,q1\n")
	for i := range n {
		y, s := r.IntN(2), r.IntN(2)
		z := 3*float64(y) - 1.5 + r.NormFloat64()
		w := 2*float64(s) - 1 + .5*r.NormFloat64()
		fmt.Fprintf(&b, "%d,%s,%c,%c,%.4f,%.4f\n", i, []string{"no", "yes"}[y], "fm"[s], "ab"[r.IntN(2)], w-z, w+z)
	}
	return b.Bytes()
}

func TestAudit(t *testing.T) {
	content := leaking(400)
	columns, err := Columns(content)
	if err != nil || !slices.Equal(columns, []string{"id", "answer", "sex", "town", "q0", "q1"}) {
		t.Fatal(columns, err)
	}
	stages := map[string]bool{}
	q := Request{Name: "it's.csv", Target: "answer", Sensitive: []string{"sex"}, Scores: []string{"q0", "q1"}, Seed: 3}
	r := must.Get(Audit(t.Context(), content, q, func(stage string, _, _ int) { stages[stage] = true }))(t)
	if !strings.HasPrefix(r.Verdict(), "beyond.") || len(stages) == 0 {
		t.Errorf("verdict %q, stages %v", r.Verdict(), stages)
	}
	var page bytes.Buffer
	must.Do(t, r.WriteHTML(&page))
	for _, want := range []string{"Reveals sex", "It trained no model as a control", `--scores=q0,q1`} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("the report does not contain %q", want)
		}
	}
	if !strings.Contains(r.Command, `'--outputs=it'\''s.csv' --seed=3`) {
		t.Error(r.Command)
	}
	if hostile := (Request{Name: "--x;touch y", Target: "--$(touch z)"}).command(); hostile != "tattle audit '--outputs=--x;touch y' --seed=0 '--target=--$(touch z)'" {
		t.Error(hostile)
	}
}

func TestErrors(t *testing.T) {
	for content, want := range map[string]string{
		"":           "is empty",
		"PK\x03\x04": "not an .npz archive",
		"a,b\n1,2\n": "has no column y, target or label",
	} {
		must.Fail(t, must.Err(Audit(t.Context(), []byte(content), Request{Name: "x.csv"}, nil)), "x.csv: ", want)
	}
	must.Fail(t, must.Err(Columns(nil))) // an empty file
}

// The page's program has no server, no browser driver and no command line in it.
func TestImports(t *testing.T) {
	cmd := exec.Command("go", "list", "-deps", "tattle/cmd/tattle-wasm")
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0")
	out := must.Get(cmd.Output())(t)
	for _, word := range []string{"nats", "chromedp", "kong", "bbolt", "html/template", "tattle/internal/cli"} {
		if strings.Contains(string(out), word) {
			t.Errorf("it imports %s", word)
		}
	}
	if !strings.Contains(string(out), "tattle/internal/try\n") {
		t.Error("it does not import this package")
	}
}

// page is the folder of the page.
var page = filepath.Join("..", "..", "docs", "try")

// TestPage audits a CSV in a browser: the verdict and the excess are those of this process, and
// nothing but the page's own files is asked for.
func TestPage(t *testing.T) {
	if _, err := os.Stat(filepath.Join(page, "tattle.wasm")); err != nil {
		t.Skip("there is no docs/try/tattle.wasm: make try builds it")
	}
	ctx := browser.New(t)
	asked := make(chan string, 100)
	files := http.FileServer(http.Dir(page))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- r.Method + " " + r.URL.Path
		files.ServeHTTP(w, r)
	}))
	defer server.Close()
	content := leaking(400)
	browser.Open(ctx, t, server.URL)
	browser.Value[bool](ctx, t, fmt.Sprintf("!open(new File([%q], 'people.csv'))", content))
	await(ctx, t, "!at('choice').hidden || at('state').className")
	for column, role := range map[string]string{"answer": "target", "sex": "sensitive", "q0": "output", "q1": "output"} {
		browser.Value[bool](ctx, t, fmt.Sprintf("!!(document.querySelector('[data-column=%s]').value = %q)", column, role))
	}
	browser.Value[bool](ctx, t, "!at('run').click()")
	await(ctx, t, "!at('report').hidden || at('state').className")
	if state := browser.Value[string](ctx, t, "at('state').textContent"); state != "Verdict: "+string(audit.LeakyBeyond) {
		t.Fatalf("the page says %q", state)
	}
	r := must.Get(Audit(t.Context(), content, Request{Name: "people.csv", Target: "answer", Sensitive: []string{"sex"}, Scores: []string{"q0", "q1"}, Seed: 1}, nil))(t)
	if here, there := r.Claim("excess", "sex").Value.X, browser.Value[float64](ctx, t, "result.claims.find(c => c.id == 'excess').value.x"); math.Abs(here-there) > .01 {
		t.Errorf("the excess is %g in the browser, %g here", there, here)
	}
	if browser.Value[float64](ctx, t, "scrollY") == 0 {
		t.Error("the page has not scrolled to the report")
	}
	browser.Value[bool](ctx, t, "!(at('choice').hidden = true, at('example').click())")
	await(ctx, t, "!at('choice').hidden || at('state').className")
	if got := browser.Value[string](ctx, t, "[...document.querySelectorAll('#columns select')].map(s => s.dataset.column + '=' + s.value).join()"); got != "age=target,gender=sensitive,score:young=output,score:old=output" {
		t.Errorf("the example's columns are taken for %s", got)
	}
	close(asked)
	for request := range asked {
		if !strings.HasPrefix(request, "GET /") || !file.Exists(filepath.Join(page, strings.TrimPrefix(request, "GET "))) && request != "GET /favicon.ico" {
			t.Errorf("the page asked for %s", request)
		}
	}
}

// TestPageWithoutProgram: the page says at once what is missing, and how to make it.
func TestPageWithoutProgram(t *testing.T) {
	ctx, dir := browser.New(t), t.TempDir()
	for _, name := range []string{"index.html", "try.js", "worker.js"} {
		must.Do(t, os.WriteFile(filepath.Join(dir, name), must.Get(os.ReadFile(filepath.Join(page, name)))(t), 0o666))
	}
	server := httptest.NewServer(http.FileServer(http.Dir(dir)))
	defer server.Close()
	for _, c := range []struct{ at, says string }{{server.URL, "wasm_exec.js is missing: run make try"}, {"file://" + filepath.Join(dir, "index.html"), "This page needs a web server: run make try"}} {
		browser.Open(ctx, t, c.at)
		await(ctx, t, "at('state').className")
		if state := browser.Value[string](ctx, t, "at('state').textContent"); !strings.HasPrefix(state, c.says) {
			t.Errorf("%s says %q", c.at, state)
		}
	}
}

// await waits until an expression is true in the page.
func await(ctx context.Context, t *testing.T, expression string) {
	t.Helper()
	for range 1200 {
		if browser.Value[bool](ctx, t, "!!("+expression+")") {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatalf("%s is still false; the page says %q", expression, browser.Value[string](ctx, t, "at('state').textContent"))
}

// TestPageSize packs the page's files as a web server does.
func TestPageSize(t *testing.T) {
	program, err := os.ReadFile(filepath.Join(page, "tattle.wasm"))
	if err != nil {
		t.Skip("there is no docs/try/tattle.wasm: make try builds it")
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	z.Write(program)
	z.Close()
	if len(program) > 10e6 || packed.Len() > 3e6 {
		t.Errorf("tattle.wasm has %d bytes and %d compressed, want at most 10 MB and 3 MB", len(program), packed.Len())
	}
	t.Logf("tattle.wasm: %.1f MB, %.1f MB compressed", float64(len(program))/1e6, float64(packed.Len())/1e6)
}

// The columns of a packed table are those of the table.
func TestColumnsOfGzip(t *testing.T) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	must.Get(z.Write([]byte("y,s,p\n1,a,.5\n")))(t)
	must.Do(t, z.Close())
	if names := must.Get(Columns(b.Bytes()))(t); !slices.Equal(names, []string{"y", "s", "p"}) {
		t.Errorf("%q", names)
	}
}
