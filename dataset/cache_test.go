package dataset

import (
	"archive/zip"
	"bytes"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tattle/internal/must"
)

func crcOf(b []byte) uint32 { return crc32.ChecksumIEEE(b) }

// filesIn lists the files below a folder.
func filesIn(t testing.TB, dir string) []string {
	t.Helper()
	var names []string
	must.Do(t, fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names = append(names, name)
		}
		return err
	}))
	return names
}

// mustDecode decodes to 4×4, and says what was noted.
func mustDecode(t testing.TB, fsys fs.FS, files []string, o pictureOptions) (pixels []uint8, notes string) {
	t.Helper()
	o.side, o.note = 4, func(s string) { notes += s }
	pixels = must.Get(decodePictures(t.Context(), fsys, files, o))(t)
	return pixels, notes
}

// The cache is what is read, until a name, size or time changes.
func TestCacheOfFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "faces")
	must.Do(t, os.Mkdir(dir, 0o777))
	then := time.Unix(1e9, 0)
	put := func(name string, seed uint64, when time.Time) {
		path := filepath.Join(dir, name)
		must.Do(t, os.WriteFile(path, pngOf(t, noise(4, 4, seed)), 0o666))
		must.Do(t, os.Chtimes(path, when, when))
	}
	put("a.png", 1, then)
	put("b.png", 2, then)
	o := pictureOptions{source: dir}
	one, _ := mustDecode(t, os.DirFS(dir), []string{"a.png", "b.png"}, o)
	kept := filesIn(t, filepath.Join(filepath.Dir(dir), cacheFolder))
	if len(kept) != 1 || len(filesIn(t, dir)) != 2 {
		t.Fatalf("kept %v", kept)
	}
	put("b.png", 3, then) // other pixels of the same size and time: not seen
	if two, _ := mustDecode(t, os.DirFS(dir), []string{"a.png", "b.png"}, o); !bytes.Equal(one, two) {
		t.Error("the cache is not what is read")
	}
	if two, _ := mustDecode(t, os.DirFS(dir), []string{"b.png", "a.png"}, o); bytes.Equal(one, two) {
		t.Error("another order finds the same cache")
	}
	put("b.png", 3, then.Add(time.Nanosecond))
	if two, _ := mustDecode(t, os.DirFS(dir), []string{"a.png", "b.png"}, o); bytes.Equal(one, two) {
		t.Error("a changed file finds the same cache")
	}
}

// In a zip it is the checksum that counts.
func TestCacheOfZip(t *testing.T) {
	dir := t.TempDir()
	pack := func(seed uint64) (pixels []uint8) {
		path := filepath.Join(dir, "faces.zip")
		writeZip(t, path, zipped{"a.png", pngOf(t, noise(4, 4, seed))})
		fsys, closer := must.Get2(openFS(path))(t)
		defer closer.Close()
		pixels, _ = mustDecode(t, fsys, []string{"a.png"}, pictureOptions{source: path})
		return pixels
	}
	one, two := pack(1), pack(2)
	if bytes.Equal(one, two) || !bytes.Equal(one, pack(1)) {
		t.Error("a changed zip finds the same cache")
	}
	if kept := filesIn(t, filepath.Join(dir, cacheFolder)); len(kept) != 2 {
		t.Errorf("kept %v", kept)
	}
}

// What is not a whole cache of these pictures is remade.
func TestCacheRemade(t *testing.T) {
	files, names := many(t, 3)
	dir := t.TempDir()
	o := pictureOptions{source: "faces", cache: dir}
	want, _ := mustDecode(t, files, names, o)
	path := filepath.Join(dir, filesIn(t, dir)[0])
	whole := must.Get(os.ReadFile(path))(t)
	bent := slices.Clone(whole)
	at := bytes.Index(bent, want[:40])
	bent[at] ^= 1
	keyless := slices.Clone(whole)
	keyless[bytes.Index(whole, openCache(files, names, pictureOptions{source: "faces", cache: dir, side: 4}).key)] ^= 1
	for name, data := range map[string][]byte{
		"bent": bent, "cut": whole[:len(whole)/2], "empty": nil, "foreign": []byte("PK\x03\x04 something else"), "another key": keyless,
	} {
		must.Do(t, os.WriteFile(path, data, 0o666))
		if got, notes := mustDecode(t, files, names, o); !bytes.Equal(got, want) || notes != "" {
			t.Errorf("%s: other pixels, or a note %q", name, notes)
		}
		if again, err := os.ReadFile(path); err != nil || !bytes.Equal(again, whole) {
			t.Errorf("%s: not remade (%v)", name, err)
		}
	}
}

func TestCacheThatCannotBe(t *testing.T) {
	files, names := many(t, 3)
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain")
	must.Do(t, os.WriteFile(plain, nil, 0o666))
	if _, notes := mustDecode(t, files, names, pictureOptions{source: "faces", cache: filepath.Join(plain, "below")}); !strings.Contains(notes, "not kept") {
		t.Errorf("note %q", notes)
	}
	if _, notes := mustDecode(t, files, names, pictureOptions{source: "faces", cache: noCache}); notes != "" {
		t.Errorf("note %q", notes)
	}
	if kept := filesIn(t, dir); len(kept) != 1 {
		t.Errorf("left %v", kept)
	}
}

// zipped is one file of a zip.
type zipped struct {
	name string
	data []byte
}

func writeZip(t testing.TB, path string, files ...zipped) {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, f := range files {
		out, err := w.Create(f.name)
		if err == nil {
			_, err = out.Write(f.data)
		}
		must.Do(t, err)
	}
	must.Do(t, w.Close())
	must.Do(t, os.WriteFile(path, b.Bytes(), 0o666))
}
