package verify_test

import (
	"bytes"
	"cmp"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tattle/internal/cli"
	"tattle/internal/must"
	"tattle/internal/npy"
	"tattle/internal/report"
	"tattle/internal/verify"
)

// TestNoiseFromTraining: noise is computed from training data, and limits without a list then need no
// allowance. Verify computes it again, and refuses a report that leaves the allowance out although inputs of
// the sample are among these data.
func TestNoiseFromTraining(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	model, data, learned := filepath.Join(dir, "net.onnx"), filepath.Join(dir, "data.npz"), filepath.Join(dir, "learned.npz")
	writeTiny(t, model, data, learned)
	with := filepath.Join(dir, "with.npz") // the measured data and others
	join(t, with, data, learned)
	run := func(name string, further ...string) string {
		t.Helper()
		made, said := filepath.Join(dir, name), bytes.Buffer{}
		args := append([]string{"bound", "--model", model, "--data", data, "--examples", "1", "--restarts", "1", "--barankin", "0", "--far", "0", "--twins", "0",
			"--attack", "none", "--candidates", "50", "--list-draws", "100", "--out", made}, further...)
		if status := cli.Execute(t.Context(), args, io.Discard, &said); status != 0 {
			t.Fatalf("%s: status %d: %s", name, status, said.String())
		}
		return made
	}
	check := func(dir string) (string, []report.Difference) {
		t.Helper()
		found, err := verify.Run(t.Context(), dir, verify.Options{})
		if err != nil {
			return err.Error(), nil
		}
		return strings.Join(found.Found, "\n"), found.Unchecked
	}
	change := func(from, name, was, is string) string {
		t.Helper()
		to := filepath.Join(dir, name)
		must.Do(t, os.CopyFS(to, os.DirFS(from)))
		path := filepath.Join(to, report.FileJSON)
		b, err := os.ReadFile(path)
		if err != nil || !bytes.Contains(b, []byte(was)) {
			t.Fatalf("no %s in %s: %v", was, path, err)
		}
		must.Do(t, os.WriteFile(path, bytes.ReplaceAll(b, []byte(was), []byte(is)), 0o666))
		return to
	}
	const trained, conditions = "THE NOISE: that its strength was computed from training data", "THE CONDITIONS of limits without a list: Limits without a list depend on three conditions that this run cannot check: the 12 inputs of the test part are independent draws"
	settings := map[string]string{"among": "(features, projection, kind of noise)"} // else the strength too
	apart, among, given := run("apart", "--training-data", learned), run("among", "--training-data", with), run("given", "--training-data", learned, "--sigma", "2")
	type checked struct {
		run, found string // found: part of what verify finds, nothing if empty
		left       string // begins a part that is not checked
	}
	try := func(c checked) {
		t.Helper()
		found, left := check(c.run)
		if c.found == "" && found != "" || !strings.Contains(found, c.found) {
			t.Errorf("%s: found %q, want %q", filepath.Base(c.run), found, c.found)
		}
		var said []string
		of := cmp.Or(settings[filepath.Base(c.run)], "(features, projection, kind of noise, strength)")
		conditioned := left == nil
		for _, u := range left {
			if strings.HasPrefix(u.What, "THE NOISE") {
				said = append(said, u.What)
			}
			conditioned = conditioned || strings.HasPrefix(u.String(), conditions) && strings.Contains(u.String(), of)
		}
		if !conditioned {
			t.Errorf("%s: conditions with %s are not among %q", filepath.Base(c.run), of, left)
		}
		if len(said) > 0 != (c.left != "") || c.left != "" && !strings.HasPrefix(said[0], c.left) {
			t.Errorf("%s: not checked %q, want %q", filepath.Base(c.run), said, c.left)
		}
	}
	for _, c := range []checked{
		{apart, "", ""},
		{among, "", ""},
		{given, "", ""},
		{change(apart, "other", `"noise_from_training": true`, `"noise_from_training": false`), "request", ""},
		{change(among, "hidden", `"noise_from_sample": "sigma",`, ""), "it was computed from 12 inputs of the sample", ""},
		{change(given, "older", `"noise": "gaussian"`, `"noise": "student-t:3"`), "older/report.json: written by tattle " + report.ProgramVersion() + `, and this version has no noise family "student-t:3"`, ""},
		{change(given, "claimed", `"noise": "gaussian",`, `"noise": "gaussian", "noise_from_training": true,`), "recorded nothing, recomputed: The noise was computed from training data", ""},
	} {
		try(c)
	}
	for made, want := range map[string]string{
		apart: "The noise was computed from training data, not from the sample.",
		among: "The strength of the noise was computed from training data that contain inputs of this sample, so",
		given: "no setting of the release (features, projection, kind of noise, strength) was chosen by results on them.",
	} {
		page, err := os.ReadFile(filepath.Join(made, report.FileHTML))
		if err != nil || !bytes.Contains(page, []byte(want)) {
			t.Errorf("%s: the page does not say %q: %v", filepath.Base(made), want, err)
		}
	}
	must.Do(t, os.Remove(learned))
	try(checked{apart, "", trained})
}

// join writes the examples of two files into one.
func join(t *testing.T, to string, files ...string) {
	t.Helper()
	var x []float32
	var y []int64
	for _, path := range files {
		f := must.Get(npy.Open(path))(t)
		values, _ := must.Get2(f.Float32s("x"))(t)
		x = append(x, values...)
		f.Close()
	}
	for i := range len(x) / 36 {
		y = append(y, int64(i%4))
	}
	var b bytes.Buffer
	w := npy.NewWriter(&b)
	for _, err := range []error{w.Add("x", []int{len(y), 1, 6, 6}, x), w.Add("y", []int{len(y)}, y), w.Close(), os.WriteFile(to, b.Bytes(), 0o666)} {
		must.Do(t, err)
	}
}
