package serve

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRunShowsWhatThereIs(t *testing.T) {
	h := handler(t, runsOf(t), Options{})
	text := page(t, h, "/run/a")
	for _, want := range []string{
		"Open the report", `href="/file/a/report.html"`, `href="/file/a/arrays.npz" download`, `href="/file/a/seed-1/model.onnx" download`,
		"tattle train glyphs --sensitive family",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(text, "notes.exe") {
		t.Error("a file that is no part of a run is listed")
	}
	if text := page(t, h, "/run/bounds"); strings.Contains(text, "Open the report") {
		t.Error("a report that is not there is offered")
	}
}

func TestRunInTheFolderItself(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, ".", bounded(1), 0)
	h := handler(t, dir, Options{})
	if text := page(t, h, "/"); !strings.Contains(text, `href="/run/"`) {
		t.Error("not listed")
	}
	if text := page(t, h, "/run/"); !strings.Contains(text, `href="/file/report.json"`) {
		t.Error("its files are not listed")
	}
}

func TestEvidence(t *testing.T) {
	dir := runsOf(t)
	write(t, dir, "a/SHA256SUMS", "sums")
	write(t, dir, "a/audit.md", "# <script>")
	write(t, dir, "a/results.xml", "<x/>")
	h := handler(t, dir, Options{})
	for target, want := range map[string][2]string{
		"/file/a/report.html":       {"text/html; charset=utf-8", ""},
		"/file/a/report.json":       {"application/json; charset=utf-8", ""},
		"/file/a/arrays.npz":        {"application/zip", "attachment"},
		"/file/a/seed-1/model.onnx": {"application/octet-stream", "attachment"},
		"/file/a/SHA256SUMS":        {"text/plain; charset=utf-8", ""},
		"/file/a/audit.md":          {"text/plain; charset=utf-8", ""},
		"/file/a/results.xml":       {"text/plain; charset=utf-8", ""},
		"/file/%61/%61rrays%2Enpz":  {"application/zip", "attachment"},
	} {
		r := get(h, target)
		if r.StatusCode != 200 || r.Header.Get("Content-Type") != want[0] || r.Header.Get("Content-Disposition") != want[1] {
			t.Errorf("%s: %s, %q, %q", target, r.Status, r.Header.Get("Content-Type"), r.Header.Get("Content-Disposition"))
		}
	}
	if r := get(h, "/file/a/seed-1/model.onnx", "Range", "bytes=1-2"); r.StatusCode != 206 || body(t, r) != "od" {
		t.Errorf("a part of a file: %s", r.Status)
	}
}

// Nothing outside the folder, nothing hidden, nothing that is no part of a run.
func TestNothingElseIsServed(t *testing.T) {
	dir := runsOf(t)
	outside := t.TempDir()
	secret := write(t, outside, "secret.json", "SECRET")
	write(t, outside, "run/report.json", "SECRET")
	write(t, dir, ".hidden/report.json", "SECRET")
	write(t, dir, "a/.key.json", "SECRET")
	write(t, dir, "norun/secret.json", "SECRET")
	write(t, dir, "a/1/2/3/far.json", "SECRET")
	write(t, dir, "a/id_rsa", "SECRET")
	write(t, dir, "1/2/3/4/5/report.json", "SECRET")
	for name, to := range map[string]string{"a/out.json": secret, "out": filepath.Join(outside, "run"), "a/up.json": "../../" + filepath.Base(outside) + "/secret.json", "l/report.json": filepath.Join(outside, "run", "report.json"), "a/in.json": "../.hidden/report.json", "a/in": "../.hidden"} {
		os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755)
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Skip("no symbolic links here")
		}
	}
	h := handler(t, dir, Options{})
	for _, target := range []string{
		"/file/../secret.json", "/file/%2e%2e/secret.json", "/file/a/%2e%2e/%2e%2e/secret.json", "/file/a/..%2f..%2fsecret.json", `/file/a/..%5c..%5csecret.json`,
		"/file//etc/passwd", "/file/%2fetc%2fpasswd", "/file/" + strings.TrimPrefix(secret, "/"), "/file/a/out.json", "/file/a/up.json", "/file/out/report.json", "/file/l/report.json", "/file/a/in.json", "/file/a/in/report.json", "/run/a/in",
		"/file/.hidden/report.json", "/file/a/.key.json", "/file/norun/secret.json", "/file/a/1/2/3/far.json", "/file/a/id_rsa", "/file/a/notes.exe",
		"/file/1/2/3/4/5/report.json", "/file/a", "/file/", "/file/a/", "/file/a/report.json%00.html", "/file/a/seed-1", "/file/a/seed-1.json",
		"/run/..", "/run/%2e%2e", "/run/.hidden", "/run/out", "/run/l", "/run/none", "/run/a%00", "/run/1/2/3/4/5", "/run/%2fetc", "/assets/..%2fhandler.go", "/assets/none",
	} {
		r := get(h, target)
		if text := body(t, r); r.StatusCode/100 == 2 || strings.Contains(text, "SECRET") {
			t.Errorf("%s: %s, %.60q", target, r.Status, text)
		}
	}
	if got := strings.Join(listed(page(t, h, "/?sort=name")), " "); got != "a audit bounds deep/b" {
		t.Errorf("listed: %s", got)
	}
	for _, name := range []string{"out.json", ".key.json", "id_rsa", "far.json"} {
		if strings.Contains(page(t, h, "/run/a"), name) {
			t.Errorf("the run lists %s", name)
		}
	}
}
