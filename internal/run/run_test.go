package run

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tattle/internal/file"
	"tattle/internal/must"
)

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries := must.Get(os.ReadDir(dir))(t)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestRandIsPinned(t *testing.T) {
	// Changing these numbers changes every published result.
	for _, c := range []struct {
		seed             uint64
		example, restart int
		want             uint64
	}{{0, 0, 0, 0xbc6382d93f609de9}, {1, 2, 3, 0x92de46358d72aad7}, {1 << 63, 9999, 24, 0xdf6e21061170d082}} {
		if got := Rand(c.seed, c.example, c.restart).Uint64(); got != c.want {
			t.Errorf("Rand(%d, %d, %d) begins with %#x, want %#x", c.seed, c.example, c.restart, got, c.want)
		}
	}
}

func put(text string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}
}

// commit puts data of shard i and records them.
func commit(f *Folder, i int, write func(io.Writer) error) error {
	digest, err := f.Put(i, write)
	if err == nil {
		err = f.Record(i, digest)
	}
	return err
}

func TestDigest(t *testing.T) {
	path := filepath.Join(t.TempDir(), "abc")
	must.Do(t, file.Write(path, put("abc")))
	const want = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" // FIPS 180-2, B.1
	if got, err := Digest(path); err != nil || got != want {
		t.Errorf("%s, %v", got, err)
	}
}

type settings struct {
	Sigma    float64 `json:"sigma"`
	Restarts int     `json:"restarts"`
	Seed     uint64  `json:"seed"`
}

func manifest() Manifest {
	return Manifest{
		Command: "bound", Shards: 6,
		Settings: settings{Sigma: 1.7024195, Restarts: 25, Seed: 1<<64 - 1},
		Hashes:   map[string]string{"model": "ab", "data": "cd"},
	}
}

func text(i int) string { return strings.Repeat(fmt.Sprint("shard ", i, "\n"), 1000) }

func TestResume(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "run")
	f := must.Get(Create(nil, dir, manifest()))(t)
	for _, i := range []int{4, 0, 2} {
		must.Do(t, commit(f, i, put(text(i))))
	}
	if err := commit(f, 1, func(io.Writer) error { return io.ErrClosedPipe }); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("error %v", err)
	}
	for _, i := range []int{0, -1, 6} {
		if err := commit(f, i, put("again")); err == nil {
			t.Errorf("shard %d was committed again", i)
		}
	}
	g := must.Get(Open(nil, dir, manifest()))(t)
	for _, f := range []*Folder{f, g} {
		if r := f.Remaining(); !slices.Equal(r, []int{1, 3, 5}) || f.Done(1) || !f.Done(2) || f.Len() != 6 || f.Corrupt() != nil {
			t.Errorf("remaining %v, corrupt %v", r, f.Corrupt())
		}
	}
	if got, _ := os.ReadFile(g.Path(2)); string(got) != text(2) {
		t.Error("shard 2 is not as committed")
	}
}

func TestOpenRefusesAnotherRun(t *testing.T) {
	dir := t.TempDir()
	must.Get(Create(nil, dir, manifest()))(t)
	other := func(change func(m *Manifest, s *settings)) Manifest {
		m := manifest()
		s := m.Settings.(settings)
		change(&m, &s)
		m.Settings = s
		return m
	}
	for field, m := range map[string]Manifest{
		"command is \"bound\" there and \"train\" here":                             other(func(m *Manifest, _ *settings) { m.Command = "train" }),
		"shards is 6 there and 7 here":                                              other(func(m *Manifest, _ *settings) { m.Shards = 7 }),
		"settings.sigma is 1.7024195 there and 1.7024194 here":                      other(func(_ *Manifest, s *settings) { s.Sigma = 1.7024194 }),
		"settings.seed is 18446744073709551615 there and 18446744073709551614 here": other(func(_ *Manifest, s *settings) { s.Seed-- }),
		"hashes.model is \"ab\" there and \"ef\" here":                              other(func(m *Manifest, _ *settings) { m.Hashes["model"] = "ef" }),
		"hashes.data is \"cd\" there and nothing here":                              other(func(m *Manifest, _ *settings) { delete(m.Hashes, "data") }),
	} {
		_, err := Open(nil, dir, m)
		var mismatch *MismatchError
		if !errors.As(err, &mismatch) || len(mismatch.Fields) != 1 || !strings.Contains(err.Error(), field) {
			t.Errorf("error %q, want %q", err, field)
		}
	}
	must.Fail(t, must.Err(Create(nil, dir, manifest())), "already holds a run")
}

func TestOpenRefusesWhatIsNoManifest(t *testing.T) {
	dir := t.TempDir()
	must.Fail(t, must.Err(Open(nil, dir, manifest())), "no run to resume")
	good := must.Get(manifest().Encode())(t)
	for _, text := range []string{
		"", "{", "[]", string(good[:len(good)/2]), string(good) + "{}",
		strings.Replace(string(good), `"command"`, `"comand"`, 1),
		strings.Replace(string(good), manifestSchema, "tattle run 1", 1),
	} {
		path := filepath.Join(dir, ManifestName)
		must.Do(t, os.WriteFile(path, []byte(text), 0o666))
		must.Fail(t, must.Err(Open(nil, dir, manifest())), path)
	}
}

// lay makes files below a folder; names that end in a slash are folders.
func lay(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	for name, data := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if strings.HasSuffix(name, "/") {
			must.Do(t, os.MkdirAll(path, 0o777))
			continue
		}
		must.Do(t, os.MkdirAll(filepath.Dir(path), 0o777))
		must.Do(t, os.WriteFile(path, []byte(data), 0o666))
	}
}
