package dataset

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tattle/internal/must"
)

// newFolder writes files, with their folders, into a new folder.
func newFolder(t testing.TB, name string, files map[string][]byte) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), name)
	must.Do(t, os.Mkdir(dir, 0o777))
	for name, data := range files {
		path := filepath.Join(dir, name)
		must.Do(t, os.MkdirAll(filepath.Dir(path), 0o777))
		must.Do(t, os.WriteFile(path, data, 0o666))
	}
	return dir
}

// folder writes files into a new folder called digits.
func folder(t testing.TB, files map[string][]byte) string { return newFolder(t, "digits", files) }

// openPart reads a part of idx files or CIFAR-10's batches.
func openPart(t testing.TB, path, labels string, part Split) (*Set, error) {
	s, _, err := OpenInputs(t.Context(), path, Options{Kind: KindMNIST, Labels: labels, Part: part})
	return s, err
}

// pictures is an idx3 file of n pictures of 3×2.
func pictures(n int) []byte {
	body := make([]byte, n*6)
	for i := range body {
		body[i] = byte(i * 11)
	}
	return idxBytes(8, body, n, 3, 2)
}

// classes is an idx1 file of labels.
func classes(y ...byte) []byte { return idxBytes(8, y, len(y)) }

// populations is an idx2-int file of QMNIST's columns: digit, code, six more.
func populations(rows ...[2]int) []byte {
	var body []byte
	for _, r := range rows {
		for _, v := range []int{r[0], r[1], 7, 7, 7, 7, 0, 0} {
			body = append(body, byte(v>>24), byte(v>>16), byte(v>>8), byte(v))
		}
	}
	return idxBytes(0x0C, body, len(rows), 8)
}

// records is a CIFAR-10 batch with these labels.
func records(labels ...byte) []byte {
	var b []byte
	for i, label := range labels {
		b = append(b, label)
		for j := range cifarPixels {
			b = append(b, byte(i+j))
		}
	}
	return b
}

func TestOpenIDX(t *testing.T) {
	images, labels := pictures(3), classes(7, 0, 9)
	for name, files := range map[string]map[string][]byte{
		"gz":            {"train-images-idx3-ubyte.gz": gzipped(images), "train-labels-idx1-ubyte.gz": gzipped(labels)},
		"plain":         {"train-images-idx3-ubyte": images, "train-labels-idx1-ubyte": labels},
		"dots":          {"train-images.idx3-ubyte": images, "train-labels.idx1-ubyte": labels},
		"mixed":         {"train-images.idx3-ubyte.gz": gzipped(images), "train-labels-idx1-ubyte": labels},
		"plain as gz":   {"train-images-idx3-ubyte.gz": images, "train-labels-idx1-ubyte.gz": labels},
		"gz as plain":   {"train-images-idx3-ubyte": gzipped(images), "train-labels-idx1-ubyte": gzipped(labels)},
		"others beside": {"train-images-idx3-ubyte": images, "train-labels-idx1-ubyte": labels, "t10k-images-idx3-ubyte": pictures(1)},
	} {
		t.Run(name, func(t *testing.T) {
			s := must.Get(openPart(t, folder(t, files), "", Train))(t)
			if s.Name != "digits" || !slices.Equal(s.Shape, []int{1, 3, 2}) || !slices.Equal(s.Y, []int{7, 0, 9}) || s.Sensitive != nil {
				t.Fatalf("%s %v %v %v", s.Name, s.Shape, s.Y, s.Sensitive)
			}
			if !slices.Equal(s.Pixels, images[16:]) || len(s.Source) != 2 || s.Mean[0] != .1307 || s.Std[0] != .3081 {
				t.Fatalf("%v %v %v %v", s.Pixels, s.Source, s.Mean, s.Std)
			}
		})
	}
}

func TestOpenOneFile(t *testing.T) {
	for _, names := range [][2]string{
		{"t10k-images.idx3-ubyte", "t10k-labels.idx1-ubyte"},
		{"t10k-images-idx3-ubyte.gz", "t10k-labels-idx1-ubyte"},
		{"my-images", "my-labels"},
		{"my-images.gz", "my-labels.gz"},
	} {
		dir := folder(t, map[string][]byte{names[0]: pictures(2), names[1]: classes(1, 2)})
		s := must.Get(openPart(t, filepath.Join(dir, names[0]), "", Test))(t)
		if !slices.Equal(s.Y, []int{1, 2}) {
			t.Errorf("%s: labels %v", names[0], s.Y)
		}
	}
	dir := newFolder(t, "my-Fashion-part", map[string][]byte{"t10k-images-idx3-ubyte": pictures(1), "t10k-labels-idx1-ubyte": classes(9)})
	if s := must.Get(openPart(t, dir, "", Test))(t); s.Name != "fashion-mnist" || s.YNames[9] != "ankle boot" || s.Mean[0] != .2860 {
		t.Errorf("%s %v %v", s.Name, s.YNames, s.Mean)
	}
}

func TestOpenQMNIST(t *testing.T) {
	images := map[string][]byte{"t10k-images-idx3-ubyte": pictures(2), "t10k-labels-idx1-ubyte": classes(5, 3)}
	labels := populations([2]int{5, 4}, [2]int{3, 0})
	apart := folder(t, map[string][]byte{"qmnist-test-labels-idx2-int.gz": gzipped(labels)})
	images["qmnist-test-labels-idx2-int"] = labels
	together := folder(t, images)

	one := must.Get(openPart(t, together, "", Test))(t)
	two := must.Get(openPart(t, together, apart, Test))(t)
	for _, s := range []*Set{one, two} {
		if s.Name != "qmnist" || !slices.Equal(s.Y, []int{5, 3}) || !slices.Equal(s.Sensitive[0].Labels, []int{1, 0}) || s.Sensitive[0].Values[1] != "high-school student" {
			t.Fatalf("%s %v %v", s.Name, s.Y, s.Sensitive)
		}
	}
	if one.SHA256 != two.SHA256 {
		t.Fatal("the same data, another SHA-256")
	}
}

func TestOpenCIFAR(t *testing.T) {
	dir := folder(t, map[string][]byte{
		"data_batch_2.bin": records(3), "data_batch_1.bin": records(1, 2), "test_batch.bin": records(9),
	})
	s := must.Get(openPart(t, dir, "", Train))(t)
	if s.Name != "cifar10" || !slices.Equal(s.Y, []int{1, 2, 3}) || s.YNames[3] != "cat" || s.Pixels[cifarPixels] != 1 {
		t.Fatalf("%s %v %v", s.Name, s.Y, s.YNames)
	}
	lo, hi := s.Range()
	if !slices.Equal(lo, []float32{-1, -1, -1}) || !slices.Equal(hi, []float32{1, 1, 1}) {
		t.Fatalf("range %v %v", lo, hi)
	}
	if test, err := openPart(t, dir, "", Test); err != nil || !slices.Equal(test.Y, []int{9}) {
		t.Fatal(test, err)
	}
}

func TestOpenRefuses(t *testing.T) {
	const images, labels, extended = "train-images-idx3-ubyte", "train-labels-idx1-ubyte", "qmnist-train-labels-idx2-int"
	type files = map[string][]byte
	for _, c := range []struct {
		name, want string
		files      files
	}{
		{"nothing", "no data set: wants train-images-idx3-ubyte(.gz) or data_batch_[1-5].bin", files{}},
		{"foreign batches", "no data set", files{"data_batch_copy.bin": records(1)}},
		{"no labels", "images without labels", files{images: pictures(2)}},
		{"no images", "labels without images", files{extended: populations([2]int{1, 0})}},
		{"other part", "holds the test part only", files{"t10k-images-idx3-ubyte": pictures(1)}},
		{"two sets", "holds both", files{images: pictures(1), "data_batch_1.bin": records(1)}},
		{"fewer labels", "1 labels for the 2 pictures of", files{images: pictures(2), labels: classes(1)}},
		{"more labels", "3 labels for the 2 pictures of", files{images: pictures(2), labels: classes(1, 2, 3)}},
		{"label range", "label 10 of picture 1 is out of range 0..9", files{images: pictures(2), labels: classes(1, 10)}},
		{"no pictures", "holds no pictures", files{images: pictures(0), labels: classes()}},
		{"flat pictures", "holds no pictures (2×0×5)", files{images: idxBytes(8, nil, 2, 0, 5), labels: classes(1, 2)}},
		{"swapped", "not pictures", files{images: classes(1), labels: pictures(1)}},
		{"images as labels", "not labels", files{images: pictures(1), labels: pictures(1)}},
		{"truncated", "truncated", files{images: pictures(2)[:20], labels: classes(1, 2)}},
		{"truncated labels", "truncated", files{images: pictures(2), labels: classes(1, 2)[:9]}},
		{"qmnist columns", "not QMNIST's labels", files{images: pictures(1), extended: idxBytes(0x0C, make([]byte, 28), 1, 7)}},
		{"qmnist count", "1 labels for the 2 pictures", files{images: pictures(2), extended: populations([2]int{1, 0})}},
		{"qmnist digit", "label -1 of picture 0 is out of range", files{images: pictures(1), extended: populations([2]int{-1, 0})}},
		{"qmnist code", "population 1 of picture 0 is neither", files{images: pictures(1), extended: populations([2]int{1, 1})}},
		{"qmnist disagrees", "do not belong together", files{images: pictures(1), labels: classes(2), extended: populations([2]int{1, 0})}},
		{"cifar length", "1 left over", files{"data_batch_1.bin": append(records(1), 0)}},
		{"cifar truncated", "truncated", files{"data_batch_1.bin": records(1, 2)[:4000]}},
		{"cifar empty", "holds no pictures", files{"data_batch_1.bin": nil}},
		{"cifar label", "label 10 of picture 1 is out of range", files{"data_batch_1.bin": records(1, 10)}},
	} {
		_, err := openPart(t, folder(t, c.files), "", Train)
		t.Run(c.name, func(t *testing.T) { must.Fail(t, err, c.want) })
	}
	must.Fail(t, must.Err(openPart(t, filepath.Join(t.TempDir(), "none"), "", Train)), "no such file or folder") // missing folder
	must.Fail(t, must.Err(openPart(t, t.TempDir(), "", "validation")), "has no validation part")                 // unknown split
	must.Fail(t, must.Err(openPart(t, os.DevNull, "", Train)), os.DevNull+": is a device")                       // a device
	sparse := filepath.Join(t.TempDir(), "big-images")
	if f, err := os.Create(sparse); err != nil || f.Truncate(5<<30) != nil || f.Close() != nil {
		t.Skip("no room for a file of 5 GiB without contents")
	}
	must.Fail(t, must.Err(openPart(t, sparse, "", Train)), "more bytes than the limit of 4294967296") // a huge file
	lines := folder(t, files{"a\nb-images": pictures(1)})
	if _, err := openPart(t, filepath.Join(lines, "a\nb-images"), "", Train); err == nil || strings.Contains(err.Error(), "\n") {
		t.Errorf("a name of two lines: %v", err)
	}
	must.Fail(t, must.Err(openPart(t, t.TempDir(), t.TempDir(), Train)), "wants MNIST's images") // QMNIST of nothing
}

func FuzzCIFAR(f *testing.F) {
	for _, seed := range [][]byte{records(1), records(0, 9), records(10), records(1)[:100], {}} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "batch")
		must.Do(t, os.WriteFile(path, data, 0o666))
		d, err := openCIFAR([]string{path})
		if err != nil {
			return
		}
		if n := len(d.columns[0].values); n*cifarRecord != len(data) || len(d.pixels) != n*cifarPixels {
			t.Fatalf("%d labels and %d pixels from %d bytes", n, len(d.pixels), len(data))
		}
	})
}
