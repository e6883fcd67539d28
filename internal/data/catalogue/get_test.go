package catalogue

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"tattle/internal/data/dataset"
	"tattle/internal/file"
	"tattle/internal/must"
	"tattle/internal/shared"
)

func tampered(b []byte, fromEnd int, xor byte) []byte {
	b = bytes.Clone(b)
	b[len(b)-fromEnd] ^= xor
	return b
}

func gzipped(b []byte) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	w.Write(b)
	w.Close()
	return out.Bytes()
}

// home is a server of files that misbehaves: request n is answered by tricks[n],
// later ones as they should be.
type home struct {
	*httptest.Server
	files    map[string][]byte
	tricks   []trick
	always   trick
	requests atomic.Int64
	sent     atomic.Int64 // bytes of bodies
}

// trick answers a request for a file of the given contents.
type trick func(w http.ResponseWriter, r *http.Request, data []byte)

func newHome(t *testing.T, files map[string][]byte, tricks ...trick) *home {
	h := &home{files: files, tricks: tricks, always: honest}
	h.Server = httptest.NewServer(h)
	t.Cleanup(h.Close)
	return h
}

func (h *home) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	data, ok := h.files[strings.TrimPrefix(r.URL.Path, "/")]
	if !ok {
		http.NotFound(w, r)
		return
	}
	answer := h.always
	if n := int(h.requests.Add(1)); n <= len(h.tricks) {
		answer = h.tricks[n-1]
	}
	answer(counted{w, &h.sent}, r, data)
}

// counted counts a body's bytes.
type counted struct {
	http.ResponseWriter
	n *atomic.Int64
}

func (c counted) Write(b []byte) (int, error) {
	c.n.Add(int64(len(b))) // before the client can have them
	return c.ResponseWriter.Write(b)
}

func (c counted) Flush() { c.ResponseWriter.(http.Flusher).Flush() }

// honest serves ranges.
func honest(w http.ResponseWriter, r *http.Request, data []byte) {
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
}

// breaksOff promises everything and sends the first half of it.
func breaksOff(w http.ResponseWriter, r *http.Request, data []byte) {
	w.Header().Set("Content-Length", fmt.Sprint(len(data)))
	w.Write(data[:len(data)/2])
	w.(http.Flusher).Flush()
	panic(http.ErrAbortHandler)
}

// stalls sends the first half and then nothing until the client goes away.
func stalls(w http.ResponseWriter, r *http.Request, data []byte) {
	w.Header().Set("Content-Length", fmt.Sprint(len(data)))
	w.Write(data[:len(data)/2])
	w.(http.Flusher).Flush()
	<-r.Context().Done()
}

// silent accepts the request and never answers.
func silent(w http.ResponseWriter, r *http.Request, data []byte) { <-r.Context().Done() }

// wholeOnly does not know ranges.
func wholeOnly(w http.ResponseWriter, r *http.Request, data []byte) { w.Write(data) }

// corrupts changes a byte.
func corrupts(w http.ResponseWriter, r *http.Request, data []byte) {
	honest(w, r, tampered(data, len(data)/2, 0x40))
}

// endless sends more than was promised.
func endless(w http.ResponseWriter, r *http.Request, data []byte) {
	for r.Context().Err() == nil {
		if _, err := w.Write(make([]byte, 1<<14)); err != nil {
			return
		}
	}
}

// otherRange answers every range with the file's beginning.
func otherRange(w http.ResponseWriter, r *http.Request, data []byte) {
	w.Header().Set("Content-Range", fmt.Sprintf("bytes 0-%d/%d", len(data)-1, len(data)))
	w.WriteHeader(http.StatusPartialContent)
	w.Write(data)
}

func status(code int) trick {
	return func(w http.ResponseWriter, r *http.Request, data []byte) { w.WriteHeader(code) }
}

// sample is a set of one file, whose contents do not compress.
func sample() (Description, map[string][]byte) {
	contents := make([]byte, 300_000)
	source := rand.NewChaCha8([32]byte{1})
	source.Read(contents)
	data := gzipped(contents)
	file := RemoteFile{
		Name: "x.gz", Size: int64(len(data)), Contents: int64(len(contents)),
		SHA256: fmt.Sprintf("%x", sha256.Sum256(contents)),
	}
	return Description{Name: "sample", Files: []RemoteFile{file}}, map[string][]byte{"x.gz": data}
}

// quick are options under which tests wait for a server that stalls, long enough for a busy machine.
func (h *home) quick() Options { return Options{BaseURL: h.URL, idle: time.Second} }

// onlyFile fails unless the folder holds the right file and nothing else.
func onlyFile(t *testing.T, dir string, files map[string][]byte) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != len(files) {
		t.Fatalf("%d files, %v", len(entries), err)
	}
	for name, want := range files {
		if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !bytes.Equal(got, want) {
			t.Fatalf("%s: %d bytes, want %d; %v", name, len(got), len(want), err)
		}
	}
}

// Whatever a server does, Get goes on where it ended, each time that it is run again. What is never right is given up.
func TestGetThroughTrouble(t *testing.T) {
	_, right := sample()
	sends := func(data []byte) trick {
		return func(w http.ResponseWriter, r *http.Request, _ []byte) { honest(w, r, data) }
	}
	for want, always := range map[string]trick{
		"404 Not Found":                           status(404),
		"is not the published file: SHA-256":      sends(gzipped(right["x.gz"])),
		"is not the published file (gzip":         sends([]byte("<html>log in</html>")),
		"is not the published file: SHA-256 a9f4": sends(gzipped(make([]byte, 1<<24))), // a bomb
		"sends more than":                         endless,
	} {
		d, files := sample()
		h, dir := newHome(t, files), t.TempDir()
		h.always = always
		must.Fail(t, d.get(context.Background(), dir, h.quick()), "x.gz: ", want)
		onlyFile(t, dir, nil)
	}
	for _, c := range []struct {
		name   string
		tricks []trick
		wants  []string // errors of the runs before the last
		times  float64  // what the server sends in all, in sizes of the file
	}{
		{"none", nil, nil, 1},
		{"breaks off", []trick{breaksOff}, []string{"are kept in"}, 1},
		{"stalls", []trick{stalls}, []string{"no byte for 1s"}, 1},
		{"never answers", []trick{silent}, []string{"no byte for 1s"}, 1},
		{"errors", []trick{status(500), status(429)}, []string{"500 Internal", "429 Too Many"}, 1},
		{"error between", []trick{breaksOff, status(502)}, []string{"are kept in", "502 Bad Gateway; "}, 1},
		{"ignores ranges", []trick{breaksOff, wholeOnly}, []string{"are kept in"}, 1.5},
		{"other range", []trick{breaksOff, otherRange}, []string{"are kept in", "for another range"}, 0}, // how much of the second is sent depends on the sockets
		{"corrupts", []trick{corrupts}, []string{"run it again to fetch it anew"}, 2},
		{"another file's first half", []trick{
			func(w http.ResponseWriter, r *http.Request, data []byte) {
				breaksOff(w, r, tampered(data, len(data)-100, 1))
			},
		}, []string{"are kept in", "sent is"}, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d, files := sample()
			h := newHome(t, files, c.tricks...)
			dir, last := t.TempDir(), int64(0)
			o := h.quick()
			o.Progress = func(done, total int64) {
				if last = done; total != d.Bytes() || done > total {
					t.Errorf("progress %d of %d", done, total)
				}
			}
			for _, want := range c.wants {
				must.Fail(t, d.get(context.Background(), dir, o), "x.gz: ", want)
			}
			must.Do(t, d.get(context.Background(), dir, o))
			onlyFile(t, dir, files)
			if got := int(h.requests.Load()); got != len(c.wants)+1 {
				t.Errorf("%d requests, want %d", got, len(c.wants)+1)
			}
			if got, size := h.sent.Load(), float64(d.Bytes()); c.times > 0 && (float64(got) < c.times*size-2 || float64(got) > c.times*size+2) {
				t.Errorf("%d bytes sent, want %.1f times %.0f", got, c.times, size)
			}
			if last != d.Bytes() {
				t.Errorf("progress ended at %d of %d", last, d.Bytes())
			}
			if err := d.get(context.Background(), dir, o); err != nil || int(h.requests.Load()) != len(c.wants)+1 {
				t.Errorf("fetched again although it is there: %v", err)
			}
		})
	}
}

// A cancelled Get neither works on nor throws away what it has.
func TestGetStopsBeforeVerifying(t *testing.T) {
	d, files := sample()
	h := newHome(t, files)
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(context.Background())
	o := h.quick()
	o.Progress = func(done, total int64) {
		if done == total {
			cancel()
		}
	}
	if err := d.get(ctx, dir, o); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	onlyFile(t, dir, map[string][]byte{"x.gz.part": files["x.gz"]})
}

func TestGetTwiceAtOnce(t *testing.T) {
	d, _ := sample()
	dir := t.TempDir()
	defer must.Get(file.Lock(dir))(t)()
	if err := d.get(context.Background(), dir, Options{}); !errors.Is(err, file.ErrLocked) || !strings.Contains(err.Error(), dir) {
		t.Errorf("the second: %v", err)
	}
}

// A whole .part needs no server; one of too many bytes is thrown away.
func TestGetWithLeftovers(t *testing.T) {
	d, files := sample()
	for name, c := range map[string]struct {
		part     []byte
		requests int
	}{
		"whole":    {files["x.gz"], 0},
		"too long": {append(bytes.Clone(files["x.gz"]), 1, 2, 3), 2},
		"rubbish":  {bytes.Repeat([]byte{7}, 1000), 2},
	} {
		h := newHome(t, files)
		dir := t.TempDir()
		os.WriteFile(filepath.Join(dir, "x.gz.part"), c.part, 0o666)
		if c.requests > 0 {
			must.Fail(t, d.get(context.Background(), dir, h.quick()))
		}
		must.Do(t, d.get(context.Background(), dir, h.quick()), name)
		onlyFile(t, dir, files)
		if got := int(h.requests.Load()); got != c.requests {
			t.Errorf("%s: %d requests, want %d", name, got, c.requests)
		}
	}
}

func TestGetUnwritable(t *testing.T) {
	d, files := sample()
	h := newHome(t, files)
	file := filepath.Join(t.TempDir(), "file")
	os.WriteFile(file, nil, 0o666)
	must.Fail(t, d.get(context.Background(), filepath.Join(file, "sub"), h.quick()), "cannot make the folder") // below a file
}

// entry is a member of a test's archive.
type entry struct {
	header tar.Header
	data   string
}

func archived(t *testing.T, entries ...entry) (Description, map[string][]byte) {
	t.Helper()
	var plain bytes.Buffer
	w := tar.NewWriter(&plain)
	for _, e := range entries {
		e.header.Size, e.header.Mode = int64(len(e.data)), 0o644
		must.Do(t, w.WriteHeader(&e.header))
		io.WriteString(w, e.data)
	}
	w.Close()
	data := gzipped(plain.Bytes())
	file := RemoteFile{
		Name: "a.tar.gz", Size: int64(len(data)), Contents: int64(len(data)), SHA256: fmt.Sprintf("%x", sha256.Sum256(data)),
		Folder: "in", Members: []string{"one.bin", "two.bin"}, MemberSize: 5,
	}
	return Description{Name: "archived", Files: []RemoteFile{file}}, map[string][]byte{"a.tar.gz": data}
}

func TestGetUnpacks(t *testing.T) {
	d, files := archived(t,
		entry{tar.Header{Name: "in/", Typeflag: tar.TypeDir}, ""},
		entry{tar.Header{Name: "../../outside", Typeflag: tar.TypeReg}, "evil"},
		entry{tar.Header{Name: "/tmp/one.bin", Typeflag: tar.TypeReg}, "evil!"},
		entry{tar.Header{Name: "in/link", Typeflag: tar.TypeSymlink, Linkname: "/etc/passwd"}, ""},
		entry{tar.Header{Name: "in/two.bin", Typeflag: tar.TypeReg}, "two!!"},
		entry{tar.Header{Name: "in/one.bin", Typeflag: tar.TypeReg}, "one!!"},
	)
	h := newHome(t, files)
	dir := filepath.Join(t.TempDir(), "a", "b")
	want := map[string][]byte{"one.bin": []byte("one!!"), "two.bin": []byte("two!!")}
	shorten := func() { os.WriteFile(filepath.Join(dir, "one.bin"), []byte("one"), 0o666) }
	for run, c := range []struct {
		before   func()
		requests int64
	}{{func() {}, 1}, {func() {}, 1}, {shorten, 2}} {
		c.before()
		must.Do(t, d.get(context.Background(), dir, h.quick()))
		onlyFile(t, dir, want)
		if got := h.requests.Load(); got != c.requests {
			t.Errorf("run %d: %d requests so far, want %d", run, got, c.requests)
		}
	}
	must.Fail(t, must.Err(os.Stat(filepath.Join(dir, "..", "..", "outside")))) // nothing is written outside of the folder
}

func TestGetRefusesArchive(t *testing.T) {
	two := entry{tar.Header{Name: "in/two.bin", Typeflag: tar.TypeReg}, "two!!"}
	for want, one := range map[string]entry{
		"has no in/one.bin":                   {tar.Header{Name: "in/other.bin", Typeflag: tar.TypeReg}, "one!!"},
		"in/one.bin is not a file of 5 bytes": {tar.Header{Name: "in/one.bin", Typeflag: tar.TypeReg}, "one"},
		"is not a file of 5":                  {tar.Header{Name: "in/one.bin", Typeflag: tar.TypeSymlink, Linkname: "/etc/passwd"}, ""},
	} {
		d, files := archived(t, two, one)
		h := newHome(t, files)
		dir := t.TempDir()
		err := d.get(context.Background(), dir, h.quick())
		must.Fail(t, err, want)
		if _, err := os.Stat(filepath.Join(dir, "two.bin")); err == nil {
			t.Errorf("%s: a part of the archive was put in place", want)
		}
	}
}

func TestInfo(t *testing.T) {
	if got := strings.Join(Names(), " "); !strings.HasPrefix(got, "mnist fashion-mnist qmnist cifar10 utkface ") {
		t.Errorf("names %q", got)
	}
	must.Fail(t, must.Err(Info("imagenet")), "there are mnist, fashion-mnist")
	must.Fail(t, Get(context.Background(), "imagenet", t.TempDir(), Options{})) // a set that is not known
	for _, name := range Names() {
		d, err := Info(name)
		if err != nil || d.About == "" || strings.HasSuffix(d.String(), "\n") {
			t.Errorf("%s: %q, %v", name, d, err)
		}
		for _, f := range d.Files {
			if len(f.SHA256) != 64 || f.Size == 0 || f.Contents == 0 || !strings.HasSuffix(f.URL, "/"+f.Name) {
				t.Errorf("%s: %+v", name, f)
			}
		}
	}
}

// The catalogue's SHA-256s are those of the real files, and Get takes them. The constants are those of their pixels.
func TestGetRealFiles(t *testing.T) {
	shared.Long(t, "reads the real sets")
	files := make(map[string][]byte)
	load := func(folder string) {
		dir := shared.Path(t, folder)
		entries := must.Get(os.ReadDir(dir))(t)
		for _, e := range entries {
			files[e.Name()] = must.Get(os.ReadFile(filepath.Join(dir, e.Name())))(t)
		}
	}
	for name, folders := range map[string][]string{"fashion-mnist": {"data/fashion-mnist"}, "qmnist": {"data/mnist", "data/qmnist"}} {
		clear(files)
		for _, folder := range folders {
			load(folder)
		}
		h, dir := newHome(t, files), t.TempDir()
		must.Do(t, Get(context.Background(), name, dir, Options{BaseURL: h.URL}))
		open := func(part dataset.Split) *dataset.Set {
			s, _, err := dataset.OpenInputs(t.Context(), dir, dataset.Options{Kind: dataset.KindMNIST, Part: part})
			return must.Get(s, err)(t)
		}
		train, test := open(dataset.Train), open(dataset.Test)
		mean, std := moments(train)
		if test.Name != name || test.Len() != 10000 || train.Len() != 60000 || math.Abs(mean-float64(train.Mean[0])) > 5.1e-5 || math.Abs(std-float64(train.Std[0])) > 5.1e-5 {
			t.Errorf("%s: %d and %d pictures, mean %.5f, std %.5f; the constants are %v, %v", test.Name, train.Len(), test.Len(), mean, std, train.Mean, train.Std)
		}
	}
}

// moments returns mean and standard deviation of all pixels, scaled to 0..1.
func moments(s *dataset.Set) (mean, std float64) {
	var count [256]float64
	for _, v := range s.Pixels {
		count[v]++
	}
	n := float64(len(s.Pixels))
	for v, k := range count {
		mean += k * float64(v) / 255 / n
	}
	for v, k := range count {
		std += k * (float64(v)/255 - mean) * (float64(v)/255 - mean) / n
	}
	return mean, math.Sqrt(std)
}
