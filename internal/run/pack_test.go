package run

import (
	"archive/tar"
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tattle/internal/must"
)

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

// laid returns what lay would make.
func laid(t testing.TB, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	must.Do(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		name, _ := filepath.Rel(dir, path)
		if err != nil || name == "." {
			return err
		}
		if d.IsDir() {
			files[filepath.ToSlash(name)+"/"] = ""
			return nil
		}
		data, err := os.ReadFile(path)
		files[filepath.ToSlash(name)] = string(data)
		return err
	}))
	return files
}

func TestPack(t *testing.T) {
	files := map[string]string{
		"a": "one", "a-b": "", "empty/": "", "model.onnx": strings.Repeat("m", 100_000), "sub/": "", "sub/deep/": "", "sub/deep/x": "y",
		strings.Repeat("long", 40): "ä", "ünï": "code", ".hidden": "h", "b c": "blank",
	}
	var packed [2]bytes.Buffer
	dir := t.TempDir()
	for k := range packed {
		from := filepath.Join(dir, "from", strings.Repeat("x", k+1))
		lay(t, from, files)
		path := filepath.Join(from, "a")
		must.Do(t, os.Chmod(path, fs.FileMode(0o600+0o111*k)))
		must.Do(t, os.Chtimes(path, time.Unix(int64(k), 0), time.Unix(int64(k)*1e6, 0)))
		must.Do(t, Pack(nil, &packed[k], from))
	}
	if !bytes.Equal(packed[0].Bytes(), packed[1].Bytes()) {
		t.Error("the same files are packed to other bytes")
	}
	archive, to := filepath.Join(dir, "archive"), filepath.Join(dir, "to")
	must.Do(t, os.WriteFile(archive, packed[0].Bytes(), 0o666))
	must.Do(t, Unpack(nil, archive, to))
	got := laid(t, to)
	if len(got) != len(files) {
		t.Errorf("%d files, want %d", len(got), len(files))
	}
	for name, data := range files {
		if g, ok := got[name]; !ok || g != data {
			t.Errorf("%s holds %.20q", name, g)
		}
	}
	must.Fail(t, Unpack(nil, archive, to), "there already") // over another folder
	must.Do(t, os.WriteFile(archive, packed[0].Bytes()[:50_000], 0o666))
	must.Fail(t, Unpack(nil, archive, to+"2")) // half an archive
	if n := names(t, dir); len(n) != 3 {
		t.Errorf("the folder holds %q", n)
	}
}

func TestPackRefusesLinks(t *testing.T) {
	dir := t.TempDir()
	if err := os.Symlink("/etc/passwd", filepath.Join(dir, "link")); err != nil {
		t.Skip(err)
	}
	must.Fail(t, Pack(nil, &bytes.Buffer{}, dir), "link")
}

// hostile are archives that Unpack refuses, by what is wrong with them.
func hostile(t testing.TB) map[string][]byte {
	one := func(headers ...tar.Header) []byte {
		var b bytes.Buffer
		w := tar.NewWriter(&b)
		for _, h := range headers {
			if h.Typeflag == 0 {
				h.Typeflag = tar.TypeReg
			}
			must.Do(t, w.WriteHeader(&h))
			must.Get(w.Write(make([]byte, h.Size)))(t)
		}
		w.Close()
		return b.Bytes()
	}
	huge := one(tar.Header{Name: "a", Size: 1 << 10})
	header := huge[:512]
	copy(header[124:136], "77777777777\x00") // its size
	copy(header[148:156], "        ")
	sum := 0
	for _, b := range header {
		sum += int(b)
	}
	copy(header[148:156], []byte{'0' + byte(sum>>15&7), '0' + byte(sum>>12&7), '0' + byte(sum>>9&7), '0' + byte(sum>>6&7), '0' + byte(sum>>3&7), '0' + byte(sum&7), 0, ' '})
	return map[string][]byte{
		"absolute":    one(tar.Header{Name: "/etc/x", Size: 1}),
		"above":       one(tar.Header{Name: "../x", Size: 1}),
		"through":     one(tar.Header{Name: "a/../../x", Size: 1}),
		"dot":         one(tar.Header{Name: "./x", Size: 1}),
		"link":        one(tar.Header{Name: "x", Typeflag: tar.TypeSymlink, Linkname: "/etc"}),
		"hard link":   one(tar.Header{Name: "x", Typeflag: tar.TypeLink, Linkname: "y"}),
		"device":      one(tar.Header{Name: "x", Typeflag: tar.TypeChar}),
		"pipe":        one(tar.Header{Name: "x", Typeflag: tar.TypeFifo}),
		"twice":       one(tar.Header{Name: "x", Size: 1}, tar.Header{Name: "x", Size: 1}),
		"disorder":    one(tar.Header{Name: "x", Size: 1}, tar.Header{Name: "a", Size: 1}),
		"file as dir": one(tar.Header{Name: "x", Size: 1}, tar.Header{Name: "x/y", Size: 1}),
		"huge":        huge,
		"no archive":  bytes.Repeat([]byte("no archive"), 100),
	}
}

func TestUnpackRefuses(t *testing.T) {
	dir := t.TempDir()
	for what, data := range hostile(t) {
		archive := filepath.Join(dir, "archive")
		must.Do(t, os.WriteFile(archive, data, 0o666))
		must.Fail(t, Unpack(nil, archive, filepath.Join(dir, "to")), archive)
		if n := names(t, dir); len(n) != 1 {
			t.Fatalf("%s left %q", what, n)
		}
	}
}

func FuzzUnpack(f *testing.F) {
	for _, data := range hostile(f) {
		f.Add(data)
	}
	dir := f.TempDir()
	lay(f, dir, map[string]string{"a": "one", "b/c": "two"})
	var good bytes.Buffer
	must.Do(f, Pack(nil, &good, dir))
	f.Add(good.Bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		dir := t.TempDir()
		archive, to := filepath.Join(dir, "archive"), filepath.Join(dir, "to")
		must.Do(t, os.WriteFile(archive, data, 0o666))
		if err := Unpack(nil, archive, to); err != nil {
			if n := names(t, dir); len(n) != 1 {
				t.Fatalf("%v left %q", err, n)
			}
			return
		}
		total := 0
		for _, data := range laid(t, to) {
			total += len(data)
		}
		if total > len(data) {
			t.Fatalf("%d bytes of %d", total, len(data))
		}
		var b bytes.Buffer
		must.Do(t, Pack(nil, &b, to))
	})
}
