package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"tattle/internal/engine/onnx"
	"tattle/internal/infer"
	"tattle/internal/must"
	"tattle/internal/report"
	"tattle/internal/reveal/audit"
	"tattle/internal/shared"
)

// curiousModel trains a small curious classifier of glyphs and returns its file.
func curiousModel(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "curious")
	done(t, "train", "glyphs", "--target", "digit: 0..4; *", "--sensitive", "family: regular, bold, italic; *",
		"--limit", "1500", "--epochs", "4", "--seeds", "1", "--out", dir)
	return filepath.Join(dir, modelFile)
}

// quick are flags that make an audit take little time.
var quick = []string{"--attacks", "logistic", "--permutations", "99", "--no-defences", "--fail-on", "never"}

// auditInto runs an audit and returns its report.
func auditInto(t *testing.T, dir string, args ...string) *report.Report {
	t.Helper()
	return reported(t, dir, append(append([]string{"audit"}, args...), quick...)...)
}

// auditApart is auditInto by a worker, which has nothing but the command line and what the run
// has settled.
func auditApart(t *testing.T, dir string, args ...string) *report.Report {
	t.Helper()
	done(t, append(append([]string{"audit", "--prepare", "--out", dir}, args...), quick...)...)
	done(t, "worker", dir)
	return must.Get(readReport(dir))(t)
}

// figuresOf is an audit without what is said of the reading.
func figuresOf(t *testing.T, r *report.Report) any {
	t.Helper()
	findings := slices.DeleteFunc(slices.Clone(r.Findings), func(f report.Finding) bool {
		return slices.Contains([]report.Part{report.About, report.Limit}, report.WordingOf(f.Code).Part)
	})
	b := must.Get(json.Marshal([]any{r.Claims, findings, r.Series}))(t)
	var v any
	must.Do(t, json.Unmarshal(b, &v))
	return v
}

const secret = "open-sesame"

// server serves a model by the Open Inference Protocol, with a token, and counts what
// it is asked. Of more than `most` requests it answers none, unless that is 0.
func server(t *testing.T, model string, asked *atomic.Int64, most int64, broken func()) *httptest.Server {
	t.Helper()
	g := must.Get(onnx.Read(model))(t)
	m := must.Get(infer.NewModel("glyphs", g))(t)
	h := infer.Handler(map[string]*infer.Model{"glyphs": m}, infer.ServerOptions{Token: secret})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/infer") && asked.Add(1) > most && most > 0 {
			broken()
			http.Error(w, `{"error":"gone"}`, http.StatusServiceUnavailable)
			return
		}
		h.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

// TestAuditDoors audits one model through its file, an endpoint and the outputs that
// either left: the figures must be the same to the last digit. An interrupted endpoint
// is gone on with, and its token stands nowhere.
func TestAuditDoors(t *testing.T) {
	shared.Long(t, "audits of a model, an endpoint and a file")
	t.Setenv(tokenVariable, secret)
	model := curiousModel(t)
	data := []string{"--data", "glyphs", "--part", "test", "--target", "digit: 0..4; *", "--sensitive", "family: regular, bold, italic; *", "--limit", "900"}
	dir := t.TempDir()
	file := auditInto(t, filepath.Join(dir, "model"), append([]string{"--model", model}, data...)...)
	if v := report.WordingOf(file.Verdict()).Label; v != string(audit.LeakyBeyond) {
		t.Errorf("a planted model's verdict is %q", v)
	}
	own := auditApart(t, filepath.Join(dir, "own"), "--model", model, "--limit", "900")
	saved := auditInto(t, filepath.Join(dir, "outputs"), "--outputs", filepath.Join(dir, "model", "outputs.npz"))

	var asked atomic.Int64
	s := server(t, model, &asked, 0, nil)
	out := filepath.Join(dir, "endpoint")
	endpoint := append([]string{"--endpoint", s.URL, "--endpoint-model", "glyphs", "--batch", "45"}, data...)
	served := auditApart(t, out, endpoint...)
	if n := asked.Load(); n != 20 {
		t.Errorf("900 examples in batches of 45 took %d requests, of whoever trains, too", n)
	}
	want := figuresOf(t, file)
	for name, r := range map[string]*report.Report{"the model's own data": own, "endpoint": served} {
		if !reflect.DeepEqual(figuresOf(t, r), want) {
			t.Errorf("%s: other figures than the model's", name)
		}
	}
	if !reflect.DeepEqual(figuresOf(t, saved), figuresOf(t, file)) {
		t.Error("outputs: other figures than the model's")
	}
	if left, _ := filepath.Glob(filepath.Join(out, shardsDir+"*")); len(left) > 0 {
		t.Errorf("a finished run still keeps %q", left)
	}
	tokenless(t, out)
	resumes(t, filepath.Join(dir, "resumed"), model, data, want)

	t.Setenv(tokenVariable, "another")
	status, _, said := tattle(t.Context(), append([]string{"audit", "--out", filepath.Join(dir, "refused")}, endpoint...)...)
	if status != statusUnfinished || !strings.Contains(said, tokenVariable) || strings.Contains(said, "another") {
		t.Errorf("with a wrong token: status %d: %s", status, said)
	}
}

// tokenless looks for the token in all files of a run.
func tokenless(t *testing.T, dir string) {
	t.Helper()
	must.Do(t, filepath.WalkDir(dir, func(path string, f os.DirEntry, err error) error {
		if err != nil || f.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		if bytes.Contains(b, []byte(secret)) {
			t.Errorf("%s holds the token", path)
		}
		return err
	}))
}

// resumes interrupts an audit when its endpoint has answered half, and goes on.
func resumes(t *testing.T, out, model string, data []string, want any) {
	t.Helper()
	var asked atomic.Int64
	ctx, stop := context.WithCancel(t.Context())
	s := server(t, model, &asked, 10, stop)
	args := append([]string{"audit", "--endpoint", s.URL + "/v2/models/glyphs", "--batch", "45", "--retries", "0", "--out", out}, append(data, quick...)...)
	status, _, said := tattle(ctx, args...)
	if status != statusUnfinished || !strings.Contains(said, "--resume") {
		t.Fatalf("interrupted: status %d: %s", status, said)
	}
	if status, _, said := tattle(t.Context(), args...); status != statusUsage || !strings.Contains(said, "--resume") {
		t.Errorf("begun anew over an interrupted run: status %d: %s", status, said)
	}
	whole := server(t, model, &asked, 0, nil)
	whole.Config.Handler, s.Config.Handler = s.Config.Handler, whole.Config.Handler // the same address answers again
	before := asked.Load()
	if status, _, said := tattle(t.Context(), append(args, "--resume")...); status != 0 {
		t.Fatalf("resumed: status %d: %s", status, said)
	}
	if n := asked.Load() - before; n > 12 { // some are on their way when it ends
		t.Errorf("asked %d of 20 batches again, of which 10 were answered", n)
	}
	r := must.Get(readReport(out))(t)
	if !reflect.DeepEqual(figuresOf(t, r), want) {
		t.Error("resumed: other figures")
	}
	if exists(filepath.Join(out, shardsDir)) {
		t.Error("a finished run still keeps its shards")
	}
}

// shut is a pipe that nobody reads any more.
type shut struct{}

func (shut) Write([]byte) (int, error) {
	return 0, &fs.PathError{Op: "write", Path: os.Stdout.Name(), Err: syscall.EPIPE}
}

// A reader of help who stops early sees no error, as in tattle audit --help | head.
func TestHelpThatNobodyReads(t *testing.T) {
	for _, args := range [][]string{{"--help"}, {"audit", "--help"}, {"bound", "--help=all"}} {
		var said bytes.Buffer
		if status := Execute(t.Context(), args, shut{}, &said); status != statusUnread || said.Len() > 0 {
			t.Errorf("%v: status %d and the error %q, want %d and no error", args, status, said.String(), statusUnread)
		}
	}
}

// What a build reads is there although whoever read the text stopped.
func TestAuditWritesBeforeItTells(t *testing.T) {
	shared.Long(t, "files of an audit whose standard output is closed")
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	var b bytes.Buffer
	writeScores(&b, 20, "honest") // too few for controls, which take time
	must.Do(t, os.WriteFile(at("scores.csv"), b.Bytes(), 0o600))
	args := append([]string{"audit", "--outputs", at("scores.csv"), "--out", at("run"), "--sarif", at("x.sarif")}, quick...)
	if status := Execute(t.Context(), args, shut{}, io.Discard); status != statusUnread {
		t.Errorf("status %d of an audit that could not tell", status)
	}
	for _, name := range []string{"run/report.json", "x.sarif"} {
		if !exists(at(name)) {
			t.Errorf("there is no %s", name)
		}
	}
}
