package folders

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tattle/internal/file"
	"tattle/internal/must"
)

// TestPack: the same files are the same archive, and come back.
func TestPack(t *testing.T) {
	files := map[string]string{"a": "one", "sub/deep/x": "", "model.onnx": strings.Repeat("m", 100_000), strings.Repeat("long", 40): "ä", "ünï": "b c"}
	names := []string{"sub/deep/x", "a", "model.onnx", strings.Repeat("long", 40), "ünï"}
	dir := t.TempDir()
	var packed [2]bytes.Buffer
	for k := range packed {
		from := filepath.Join(dir, strings.Repeat("from", k+1))
		must.Do(t, os.MkdirAll(filepath.Join(from, "sub", "deep"), 0o777))
		for name, text := range files {
			path := filepath.Join(from, name)
			must.Do(t, os.WriteFile(path, []byte(text), os.FileMode(0o600+0o111*k)))
			must.Do(t, os.Chtimes(path, time.Unix(int64(k), 0), time.Unix(int64(k)*1e6, 0)))
		}
		must.Do(t, Pack(nil, &packed[k], from, names))
	}
	if !bytes.Equal(packed[0].Bytes(), packed[1].Bytes()) {
		t.Error("the same files are packed to other bytes")
	}
	archive, to := filepath.Join(dir, "archive"), filepath.Join(dir, "to")
	must.Do(t, os.WriteFile(archive, packed[0].Bytes(), 0o666))
	must.Do(t, errors.Join(os.Mkdir(to, 0o777), extract(nil, archive, to)))
	for name, text := range files {
		if got := string(must.Get(os.ReadFile(filepath.Join(to, name)))(t)); got != text {
			t.Errorf("%s holds %.20q", name, got)
		}
	}
	must.Fail(t, Pack(nil, io.Discard, dir, []string{"../x"}), "pack ../x")
	must.Do(t, os.WriteFile(archive, packed[0].Bytes()[:50_000], 0o666))
	must.Fail(t, extract(nil, archive, to)) // half an archive
}

// hostile are archives that extract refuses.
func hostile(t testing.TB) (all [][]byte) {
	add := func(headers ...tar.Header) {
		var b bytes.Buffer
		w := tar.NewWriter(&b)
		for _, h := range headers {
			must.Do(t, w.WriteHeader(&h))
			must.Get(w.Write(make([]byte, h.Size)))(t)
		}
		w.Close()
		all = append(all, b.Bytes())
	}
	for _, name := range []string{"/etc/x", "../x", "a/../../x"} {
		add(tar.Header{Name: name, Typeflag: tar.TypeReg, Size: 1})
	}
	for _, kind := range []byte{tar.TypeSymlink, tar.TypeLink, tar.TypeChar, tar.TypeFifo, tar.TypeDir} {
		add(tar.Header{Name: "x", Typeflag: kind, Linkname: "/etc"})
	}
	add(tar.Header{Name: "x", Typeflag: tar.TypeReg, Size: 1}, tar.Header{Name: "x/y", Typeflag: tar.TypeReg, Size: 1})
	return append(all, bytes.Repeat([]byte("no archive"), 100))
}

// FuzzExtract: no archive is written outside of its folder, or to more bytes than it has.
func FuzzExtract(f *testing.F) {
	for i, data := range hostile(f) {
		f.Add(data)
		archive := filepath.Join(f.TempDir(), "archive")
		if must.Do(f, os.WriteFile(archive, data, 0o666)); extract(nil, archive, f.TempDir()) == nil {
			f.Errorf("archive %d is not refused", i)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		above := t.TempDir()
		archive, to := filepath.Join(above, "archive"), filepath.Join(above, "to")
		must.Do(t, errors.Join(os.WriteFile(archive, data, 0o666), os.Mkdir(to, 0o777)))
		extract(nil, archive, to)
		total := int64(0)
		file.Holds(to, func(path string) bool {
			total += must.Get(os.Stat(path))(t).Size()
			return false
		})
		if names := must.Get(os.ReadDir(above))(t); len(names) != 2 || total > int64(len(data)) {
			t.Fatalf("%d bytes of %d, and %v", total, len(data), names)
		}
	})
}
