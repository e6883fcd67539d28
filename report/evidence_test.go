package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tattle/audit"
	hbc "tattle/curious"
	"tattle/internal/must"
)

// pack is the evidence of a small audit whose guesses are made up: of a class
// attribute, numbers, and one that could not be audited.
func pack() Evidence {
	s := &audit.Sample{
		Name: "/secret/place/scores.csv", Kind: hbc.Raw, Target: "digit", Classes: []string{"zero", "=1+1"}, Outputs: []float32{1, 0, 0, 1, 1, 0, 2, 2},
		Y: []int{0, 1, 1, 0}, Sensitive: []audit.Attribute{{Name: "family", Values: []string{"serif", "@sans"}, Labels: []int{0, 1, 1, 0}}, {Name: "age", Numbers: []float64{1, 2.5, 3, -4}}, {Name: "site", Values: []string{"a"}, Labels: make([]int, 4)}},
	}
	a := audited()
	a.Sample, a.SHA256, a.Examples, a.Findings = s.Name, s.Sum(), 4, a.Findings[:3]
	a.Folds, a.Guesses, a.Values = []int{0, 1, 0, 1}, [][]int{{0, 1, 0, 0}, nil, nil}, [][]float64{nil, {1.25, 2, 3, 4}, nil}
	r := &Report{Schema: Schema, Title: "Is /secret/place/scores.csv curious?", Command: "tattle audit --outputs /secret/place/scores.csv --evidence /secret/here --seed 7", Settings: map[string]string{"evidence": "/secret/here", "reference": "/secret/place/train.npz"}, Seed: 7, Timing: map[string]Number{"audit": 3}}
	r.FillAudit(a)
	return Evidence{Report: r, Sample: s}
}

// contents are the files of a folder by name.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries := must.Get(os.ReadDir(dir))(t)
	all := map[string]string{}
	for _, e := range entries {
		b := must.Get(os.ReadFile(filepath.Join(dir, e.Name())))(t)
		all[e.Name()] = string(b)
	}
	return all
}

// TestEvidenceSameBytes: the same audit gives the same files, wherever and over
// whatever pack they are written, and nothing of when or where.
func TestEvidenceSameBytes(t *testing.T) {
	dir := t.TempDir()
	first, second := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	e := pack()
	must.Do(t, WriteEvidence(first, e))
	e.Report.Timing["audit"], e.Report.Command = 99, strings.Replace(e.Report.Command, "/secret/here", "elsewhere", 1)
	for range 2 { // the second time over the first
		must.Do(t, WriteEvidence(second, e))
	}
	one, two := contents(t, first), contents(t, second)
	if len(one) != len(evidenceFiles)+2 || len(two) != len(one) {
		t.Fatalf("%d and %d files", len(one), len(two))
	}
	for name, s := range one {
		if two[name] != s {
			t.Errorf("%s differs", name)
		}
		if strings.Contains(s, "secret") || strings.Contains(s, dir) {
			t.Errorf("%s says where it was written", name)
		}
	}
	if e.Report.Timing["audit"] != 99 || e.Report.Audit.Sample != "/secret/place/scores.csv" {
		t.Error("the report itself was changed")
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestEvidenceSums: the sums are those of the files, in the manifest and beside it.
func TestEvidenceSums(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "pack")
	must.Do(t, WriteEvidence(dir, pack()))
	all := contents(t, dir)
	var m packManifest
	must.Do(t, json.Unmarshal([]byte(all[EvidenceManifest]), &m))
	if m.Tool.Version != ProgramVersion() || len(m.Tool.SHA256) != 64 || m.Seed != 7 || m.Sample != pack().Sample.Sum() || m.Command != "tattle audit --outputs scores.csv --seed 7" {
		t.Errorf("%+v", m)
	}
	files := append([]packFile{{Name: EvidenceManifest, SHA256: Digest([]byte(all[EvidenceManifest]))}}, m.Files...)
	if list := string(sums(files)); list != all[EvidenceSums] {
		t.Errorf("sums are\n%s, not\n%s", all[EvidenceSums], list)
	}
	for _, f := range m.Files {
		if f.SHA256 != Digest([]byte(all[f.Name])) {
			t.Errorf("%s: the sum is another", f.Name)
		}
	}
	back := must.Get(audit.OpenOutputs(t.Context(), filepath.Join(dir, evidenceOutputs), audit.OpenOptions{}))(t)
	if n := back.Len(); n != 4 {
		t.Errorf("%d outputs", n)
	}
}

// TestEvidenceExamples checks every line of the examples.
func TestEvidenceExamples(t *testing.T) {
	var b bytes.Buffer
	e := pack()
	must.Do(t, e.writeExamples(&b))
	rows := must.Get(csv.NewReader(&b).ReadAll())(t)
	want := []string{
		"example fold y label label_right s:family guess:family right:family s:age guess:age right:age s:site guess:site right:site",
		"0 0 zero zero 1 serif serif 1 1 1.25  a  ", "1 1 '=1+1 '=1+1 1 '@sans '@sans 1 2.5 2  a  ",
		"2 0 '=1+1 zero 0 '@sans serif 0 3 3  a  ", "3 1 zero zero 1 serif serif 1 -4 4  a  ",
	}
	for i, r := range rows {
		if got := strings.Join(r, " "); i >= len(want) || got != want[i] {
			t.Errorf("line %d: %q", i, got)
		}
	}
}

// TestEvidenceKeepsWhatIsThere: a folder that is no pack is left alone, and what
// cannot be written leaves nothing.
func TestEvidenceKeepsWhatIsThere(t *testing.T) {
	dir := t.TempDir()
	must.Do(t, os.WriteFile(filepath.Join(dir, "thesis.tex"), []byte("years"), 0o666))
	fails := func(dir string, e Evidence, want string) {
		t.Helper()
		must.Fail(t, WriteEvidence(dir, e), want)
	}
	fails(dir, pack(), "thesis.tex, which is no part")
	fails(filepath.Join(dir, "thesis.tex"), pack(), "name a folder")
	fails(filepath.Join(dir, "new"), Evidence{Report: &Report{}}, "no audit")
	other := pack()
	other.Sample.Y[0] = 1
	fails(filepath.Join(dir, "new"), other, "give the one that was audited")
	short := pack()
	short.Report.Audit.Examples = 5
	fails(filepath.Join(dir, "new"), short, "5 examples")
	broken := pack()
	broken.Sample.Outputs[0] = 0
	broken.Report.Audit.SHA256 = ""
	broken.Sample.Kind = hbc.Soft
	fails(filepath.Join(dir, "new"), broken, "evidence")
	if all := contents(t, dir); len(all) != 1 || all["thesis.tex"] != "years" {
		t.Errorf("the folder holds %v", all)
	}
	half := filepath.Join(dir, "half")
	must.Do(t, os.Mkdir(half, 0o777))
	if err := WriteEvidence(half, pack()); err != nil { // an empty folder may be taken
		t.Fatal(err)
	}
	must.Do(t, os.WriteFile(filepath.Join(half, EvidenceManifest), []byte(`{"schema":"else"}`), 0o666))
	fails(half, pack(), "not that of an evidence pack")
}

func TestLastParts(t *testing.T) {
	for s, want := range map[string]string{
		"--model=/a/b.onnx --x 'q' /c/d": "--model=b.onnx --x 'q' d", "https://host/v2/models": "https://host/v2/models", "a/b c": "a/b c", "read (/x/y.csv), 1/2": "read (y.csv), 1/2", "/a/b/": "b", "/": "/", `x '/a b/c d' "/e f/g"`: `x 'c d' "g"`,
		`--out='x y' '--model=/secret/a b/m.onnx'`: `--out='x y' --model=m.onnx`, `'/secret/o'\''hara/f.csv' x`: `f.csv x`,
	} {
		if got := lastParts(s); got != want {
			t.Errorf("%q becomes %q, want %q", s, got, want)
		}
	}
	for s, want := range map[string]string{"tattle audit --out x --seed 1": "tattle audit --seed 1", "a --evidence='x y' b": "a b", "a --outputs x": "a --outputs x",
		`a --sarif s.sarif --junit=j '--markdown=/x y/m.md' --json --resume b --outputs 'x'`: `a b --outputs 'x'`, `a --out 'it'\''s' b`: "a b"} {
		if got := destinations.ReplaceAllString(s, ""); got != want {
			t.Errorf("%q becomes %q, want %q", s, got, want)
		}
	}
}
