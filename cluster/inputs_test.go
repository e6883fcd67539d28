package cluster

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tattle/internal/must"
	"tattle/run"
)

// lay makes files of what they hold.
func lay(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, name)
		must.Do(t, os.MkdirAll(filepath.Dir(path), 0o777))
		must.Do(t, os.WriteFile(path, []byte(text), 0o666))
	}
}

func hexSum(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

func TestInputs(t *testing.T) {
	dir := t.TempDir()
	lay(t, dir, map[string]string{"m.onnx": "net", "data/b/2.png": "two", "data/a.png": "one", "data/.cache/x.npz": "decoded"})
	must.Do(t, os.Symlink("a.png", filepath.Join(dir, "data", "z.png")))
	got, err := Inputs(t.Context(), dir, []Input{{Name: "--model", Path: "m.onnx"}, {Name: "--data", Path: filepath.Join(dir, "data")}})
	if err != nil || len(got) != 2 {
		t.Fatalf("%v, %v", got, err)
	}
	if m := got[0]; m.SHA256 != hexSum("net") || m.Size != 3 || m.Folder {
		t.Errorf("the file: %+v", m)
	}
	var archive bytes.Buffer
	if _, _, _, err := writeInput(t.Context(), &archive, filepath.Join(dir, "data")); err != nil {
		t.Fatal(err)
	}
	if d := got[1]; d.SHA256 != hexSum(archive.String()) || d.Size != int64(archive.Len()) || !d.Folder {
		t.Errorf("the folder: %+v", d)
	}
	to := t.TempDir()
	must.Do(t, run.Extract(&archive, int64(archive.Len()), to))
	for name, want := range map[string]string{"a.png": "one", "b/2.png": "two", "z.png": "one"} { // a link is followed, hidden files are not there
		if text, err := os.ReadFile(filepath.Join(to, name)); string(text) != want {
			t.Errorf("%s holds %q (%v)", name, text, err)
		}
	}
	if names, err := listFolder(to); err != nil || len(names) != 3 {
		t.Errorf("%v, %v", names, err)
	}
	must.Fail(t, must.Err(Inputs(t.Context(), dir, []Input{{Name: "--model", Path: "none"}})), "--model") // a model that is missing
	must.Do(t, os.Symlink(".", filepath.Join(dir, "data", "round")))
	must.Fail(t, must.Err(Inputs(t.Context(), dir, []Input{{Name: "--data", Path: "data"}})), "link") // a folder in itself
}

// openData opens the data of a run on a server of the test's own.
func openData(t *testing.T) blobs {
	t.Helper()
	url, _ := serving(t, ServerOptions{})
	c := must.Get(Connect(t.Context(), Dial{URL: url}))(t)
	t.Cleanup(c.Close)
	l := must.Get(openLedger(t.Context(), c.js, "0123456789abcdef", ledgerOptions{}))(t)
	return must.Get(openBlobs(t.Context(), l, true))(t)
}

// TestBlobs puts and gets data around the sizes where they are kept otherwise.
func TestBlobs(t *testing.T) {
	t.Parallel()
	b := openData(t)
	for _, n := range []int{0, 1, smallBlob, smallBlob + 1, partBytes, partBytes + 1} {
		data := bytes.Repeat([]byte{1, 2, 3}, n/3+1)[:n]
		name := fmt.Sprintf("test.%d", n)
		for range 2 {
			must.Do(t, b.put(t.Context(), name, bytes.NewReader(data)))
		}
		for most, whole := range map[int]bool{n: true, n - 1: false} {
			var got bytes.Buffer
			err := b.get(t.Context(), name, hexSum(string(data)), int64(most), &got)
			if whole && (err != nil || !bytes.Equal(got.Bytes(), data)) || !whole && !errors.Is(err, errDamaged) {
				t.Errorf("%d bytes came back as %d (%v)", n, got.Len(), err)
			}
		}
		must.Fail(t, b.get(t.Context(), name, hexSum("other"), int64(n), io.Discard), "SHA-256")
		must.Do(t, b.drop(t.Context(), name))
		if there, err := b.has(t.Context(), name); there || err != nil {
			t.Errorf("%d bytes are still there (%v)", n, err)
		}
	}
	objects, err := b.obj.List(t.Context())
	if len(objects) > 0 {
		t.Errorf("%d objects are left (%v)", len(objects), err)
	}
}

func TestCache(t *testing.T) {
	t.Parallel()
	b, dir := openData(t), t.TempDir()
	lay(t, dir, map[string]string{"m.onnx": "net", "data/b/2.png": "two", "data/a.png": strings.Repeat("one", 1<<17)})
	in := must.Get(Inputs(t.Context(), dir, []Input{{Name: "--model", Path: "m.onnx"}, {Name: "--data", Path: "./data/"}}))(t)
	c := cache(filepath.Join(dir, "cache"))
	for _, i := range in {
		if _, err := c.get(t.Context(), b, i); err == nil || !strings.Contains(err.Error(), "damaged") {
			t.Errorf("%s was got before it was put: %v", i.Name, err)
		}
		must.Do(t, putInput(t.Context(), b, filepath.Join(dir, i.Path), i))
		path := c.mustGet(t, b, i)
		if filepath.Base(path) != filepath.Base(i.Path) {
			t.Errorf("%s became %s", i.Path, path)
		}
		first, _ := os.Stat(path)
		c.mustGet(t, b, i)
		if second, _ := os.Stat(path); !os.SameFile(first, second) {
			t.Errorf("%s was fetched though it was there", i.Name)
		}
		spoil := path
		if i.Folder {
			spoil = filepath.Join(path, "b", "2.png")
		}
		must.Do(t, os.WriteFile(spoil, []byte("spoiled"), 0o666))
		c.mustGet(t, b, i)
	}
	changed := in[0]
	changed.SHA256 = hexSum("other")
	must.Fail(t, putInput(t.Context(), b, filepath.Join(dir, "m.onnx"), changed), "changed while")
	old := time.Now().Add(-keptFor - time.Hour)
	must.Do(t, os.Chtimes(filepath.Join(string(c), in[0].SHA256), old, old))
	c.sweep()
	_, err1 := os.Stat(filepath.Join(string(c), in[0].SHA256))
	_, err2 := os.Stat(filepath.Join(string(c), in[1].SHA256))
	if err1 == nil || err2 != nil {
		t.Errorf("of two the one that was not used for long should have gone: %v, %v", err1, err2)
	}
}

// mustGet gets an input and looks whether it is what it should be.
func (c cache) mustGet(t *testing.T, b blobs, i Input) string {
	t.Helper()
	path := must.Get(c.get(t.Context(), b, i))(t)
	if digest, _, _, err := hashInput(t.Context(), path); digest != i.SHA256 {
		t.Fatalf("%s: SHA-256 %s, not %s (%v)", i.Name, digest, i.SHA256, err)
	}
	return path
}
