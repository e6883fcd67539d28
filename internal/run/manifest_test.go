package run

import (
	"errors"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"tattle/internal/file"
	"tattle/internal/must"
)

// A manifest that was changed since the run began is refused, with both digests.
func TestManifestChangedByHand(t *testing.T) {
	dir := t.TempDir()
	f := begin(t, dir, manifest())
	path := filepath.Join(dir, ManifestName)
	changed := strings.Replace(string(f.manifest), `"restarts": 25`, `"restarts": 26`, 1)
	must.Do(t, os.WriteFile(path, []byte(changed), 0o666))
	for _, open := range []func(*file.Dir, string, Manifest) (*Folder, error){Open, Join} {
		_, err := open(nil, dir, manifest())
		for _, part := range []string{path, "changed since the run began", ManifestDigest([]byte(changed)), ManifestDigest(f.manifest)} {
			must.Fail(t, err, part)
		}
	}
	must.Do(t, os.WriteFile(path, f.manifest, 0o666))
	must.Do(t, os.Remove(filepath.Join(dir, digestName)))
	must.Fail(t, must.Err(Open(nil, dir, manifest())), digestName)
}

func TestManifestOfAnotherProgram(t *testing.T) {
	dir := t.TempDir()
	other := manifest()
	other.Program = Program{Version: "v9", Kernels: Current().Kernels}
	begin(t, dir, other)
	_, err := Open(nil, dir, manifest())
	var mismatch *MismatchError
	if !errors.As(err, &mismatch) || len(mismatch.Fields) != 1 || mismatch.Fields[0].Field != "program.version" || !strings.Contains(err.Error(), "the same program") {
		t.Errorf("error %v", err)
	}
	must.Do(t, other.Check(dir))
}

func TestKeepManifest(t *testing.T) {
	dir := t.TempDir()
	shards := filepath.Join(dir, "shards")
	f := begin(t, shards, manifest())
	lay(t, dir, map[string]string{"arrays.npz": "merged"})
	if Intact(dir) {
		t.Error("results without digests count as intact")
	}
	must.Do(t, f.KeepManifest(nil, dir, "arrays.npz"))
	if !Intact(dir) {
		t.Error("the results are not intact")
	}
	lay(t, dir, map[string]string{"arrays.npz": "merfed"})
	if Intact(dir) {
		t.Error("changed results count as intact")
	}
	must.Do(t, f.Discard())
	must.Do(t, manifest().Check(dir))
	must.Fail(t, of(7).Check(dir)) // another run
	data := must.Get(ReadManifest(dir))(t)
	m, err := ParseManifest(data)
	if err != nil || m.Shards != 6 || m.Command != "bound" || m.Hashes["model"] != "ab" || m.Program != Current() {
		t.Errorf("%+v, %v", m, err)
	}
}

func TestVersion(t *testing.T) {
	for _, c := range []struct {
		main, want string
		ok         bool
		definite   bool
	}{
		{"", unreleased, false, false},
		{"(devel)", unreleased, true, false},
		{"v1.2.3", "v1.2.3", true, true},
		{"v0.0.0-1-abc+dirty", "v0.0.0-1-abc+dirty", true, false},
	} {
		got := Program{Version: version(&debug.BuildInfo{Main: debug.Module{Version: c.main}}, c.ok)}
		if got.Version != c.want || got.Definite() != c.definite || (got.Caveat() == "") != c.definite {
			t.Errorf("%q: %q, want %q, definite %t, %q", c.main, got.Version, c.want, got.Definite(), got.Caveat())
		}
	}
	if p := Current(); p.Version == "" || !strings.Contains(p.Kernels, " ") {
		t.Errorf("%+v", p)
	}
	path, err := os.Executable()
	if err != nil {
		t.Skip(err)
	}
	want, _ := Digest(path)
	if got, err := executable(); err != nil || got != want {
		t.Errorf("%s, %v", got, err)
	}
}

// TestMismatchIsShort: long values are cut, and many fields counted; short ones come first.
func TestMismatchIsShort(t *testing.T) {
	e := &MismatchError{Folder: "dir"}
	for _, f := range []string{"a", "b", "c", "d", "e"} {
		e.Fields = append(e.Fields, Difference{f, strings.Repeat("1", 1000), "2"})
	}
	e.Fields = append(e.Fields, Difference{"seed", "1", "2"})
	text := e.Error()
	if len(text) > 500 || !strings.HasPrefix(text, "dir holds another run: seed is 1 there and 2 here, a is 111") || !strings.Contains(text, "and 2 more settings differ") {
		t.Error(text)
	}
	e.Fields = e.Fields[1:]
	if text := e.Error(); strings.Contains(text, "more setting") || !strings.Contains(text, "e is 111") {
		t.Error(text)
	}
}
