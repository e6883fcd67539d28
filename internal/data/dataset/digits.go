package dataset

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"tattle/internal/engine/nn"
	"tattle/internal/file"
)

// digits is one part of a set of pictures of ten classes.
type digits struct {
	name    string // of the set
	preset         // its section of presets.toml
	shape   []int
	pixels  []uint8 // nil if they are drawn when they are read
	columns []column
	source  []string
}

// classColumn returns the column of the classes.
func (d *digits) classColumn(classes []int) column {
	return column{name: d.Target, values: Pick(d.Listed[d.Target], 1, classes)}
}

// openDigits reads both parts of what readPart reads, or the one that is asked for.
func openDigits(path string, o Options) (*origin, error) {
	wanted := []Split{Train, Test}
	switch {
	case !o.divided && o.Part == Validation:
		return nil, fmt.Errorf("%s: has no %s part: ask for %s or %s", path, Validation, Train, Test)
	case !o.divided:
		wanted = []Split{o.Part}
	case !hasPart(path, Test):
		wanted = wanted[:1]
	}
	var parts []*digits
	for _, part := range wanted {
		d, err := readPart(path, o.Labels, part)
		if err != nil {
			return nil, err
		}
		if side := d.shape[1]; o.Side != 0 && o.Side != side {
			return nil, fmt.Errorf("%s: pictures of %d×%d are not resized to %d: leave the side out", path, side, d.shape[2], o.Side)
		}
		parts = append(parts, d)
	}
	src, err := fromParts(path, parts, wanted, o, nil)
	if err != nil {
		return nil, err
	}
	src.elsewhere = map[string]string{"writer": "QMNIST's labels say the writers of MNIST: put them beside the pictures, or name their folder for the labels"}
	if len(parts[0].Mean) > 1 {
		src.scaled = "the bytes of CIFAR-10 are scaled to −1 … 1"
	}
	return src, err
}

// fromParts makes one origin of the parts of a set. draw returns the pixels of some rows; nil takes them of the parts.
func fromParts(source string, parts []*digits, names []Split, o Options, draw func(rows []int) []uint8) (*origin, error) {
	first := parts[0]
	src := &origin{labels: &labels{source: source}, name: first.name}
	var pixels []uint8
	var files []string
	for k, d := range parts {
		if err := src.addPart(&labels{list: strings.Join(d.source, " and "), columns: d.columns}, names[k]); err != nil {
			return nil, err
		}
		pixels, files = append(pixels[:len(pixels):len(pixels)], d.pixels...), append(files, d.source...)
	}
	src.take(first.preset)
	if draw == nil {
		draw = func(rows []int) []uint8 { return Pick(pixels, sizeOf(first.shape), rows) }
	}
	src.read = func(_ context.Context, rows, _ []int, _ *chosen) (*Set, error) {
		set := &Set{Shape: first.shape, Pixels: draw(rows), Mean: first.Mean, Std: first.Std, Source: files}
		return set, o.Preprocess.reshape(source, set)
	}
	return src, nil
}

// readPart reads one part of a data set from path, which is one of
//
//   - a folder of idx files named as MNIST's are (train-images-idx3-ubyte and so
//     on, "." for the last "-" allowed, with or without .gz), with QMNIST's label
//     files beside them or not: where they are, the sensitive attribute is the writer's population;
//   - a folder of CIFAR-10's binary records (data_batch_1.bin to data_batch_5.bin, test_batch.bin),
//     as many of the training batches as are there;
//   - one idx file of images with its labels beside it, for which split is not
//     looked at.
//
// Whether a file is compressed is seen from its contents, not its name. If the folder of QMNIST's labels is given, these
// are of MNIST's images. The folders may be the same.
func readPart(path, labelsDir string, split Split) (*digits, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &file.NotFoundError{Path: path, Give: "give a folder of idx files or CIFAR-10 batches, or one idx file of images"}
	}
	if err != nil {
		return nil, err
	}
	if !info.IsDir() && labelsDir == "" {
		return openImages(path, "")
	}
	images := stemsOf[split][0] + "-idx3-ubyte"
	idx, cifar, labels := idxImages(path, split), cifarBatches(path, split), qmnistLabels(cmp.Or(labelsDir, path), split)
	other := map[Split]Split{Train: Test, Test: Train}[split]
	switch {
	case labelsDir != "" && idx == "":
		return nil, fmt.Errorf("%s: no %s(.gz): wants MNIST's images", path, images)
	case labelsDir != "" && labels == "":
		return nil, fmt.Errorf("%s: no qmnist-%s-labels-idx2-int(.gz): wants QMNIST's labels", labelsDir, split)
	case idx != "" && len(cifar) > 0:
		return nil, fmt.Errorf("%s: holds both %s and %s: give each data set a folder of its own", path, filepath.Base(idx), filepath.Base(cifar[0]))
	case idx != "":
		return openImages(idx, labels)
	case len(cifar) > 0:
		return openCIFAR(cifar)
	case labels != "":
		return nil, malformed(labels, "labels without images: put MNIST's %s.gz beside it, or name MNIST's folder as well", images)
	case hasPart(path, other):
		return nil, fmt.Errorf("%s: holds the %s part only: no %s images", path, other, split)
	}
	return nil, fmt.Errorf("%s: no data set: wants %s(.gz) or %s", path, images, batches[split])
}

// What the files of a part are called: stemsOf begins those of idx sets, MNIST's own first; batches are CIFAR-10's.
var (
	stemsOf = map[Split][]string{Train: {"train-images"}, Test: {"t10k-images", "test-images"}}
	batches = map[Split]string{Train: "data_batch_[1-5].bin", Test: "test_batch.bin"}
)

// firstFile returns the first of the names that is there, or "".
func firstFile(dir string, names ...string) string {
	for _, name := range names {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err == nil && !info.IsDir() {
			return path
		}
	}
	return ""
}

// firstIDX returns the first file of an idx data set that is there, however its name is written: with a dash or a point
// before idx, with or without .gz.
func firstIDX(dir string, stems []string, kind string) string {
	for _, stem := range stems {
		if f := firstFile(dir, stem+"-"+kind+".gz", stem+"-"+kind, stem+"."+kind+".gz", stem+"."+kind); f != "" {
			return f
		}
	}
	return ""
}

func idxImages(dir string, split Split) string {
	return firstIDX(dir, stemsOf[split], "idx3-ubyte")
}

func qmnistLabels(dir string, split Split) string {
	return firstIDX(dir, []string{"qmnist-" + string(split) + "-labels"}, "idx2-int")
}

// cifarBatches lists the files of a part, in order.
func cifarBatches(dir string, split Split) []string {
	paths, _ := fs.Glob(os.DirFS(dir), batches[split])
	for i, name := range paths {
		paths[i] = filepath.Join(dir, name)
	}
	return paths
}

// hasPart reports whether a folder holds idx files or batches of a part.
func hasPart(dir string, split Split) bool {
	return idxImages(dir, split) != "" || len(cifarBatches(dir, split)) > 0
}

// labelsFor returns the labels file beside an images file, or "".
func labelsFor(images string) string {
	dir, base := filepath.Split(images)
	if !strings.Contains(base, "images") {
		return ""
	}
	base = strings.NewReplacer("images", "labels", "idx3", "idx1").Replace(strings.TrimSuffix(base, ".gz"))
	if stem, kind, cut := strings.Cut(base, "idx1"); cut && stem != "" {
		return firstIDX(dir, []string{stem[:len(stem)-1]}, "idx1"+kind)
	}
	return firstFile(dir, base+".gz", base)
}

// openImages reads an idx file of images, and its labels: those of QMNIST or, where that is "", those beside it. Where both
// are there, the digits must agree.
func openImages(path, qmnist string) (*digits, error) {
	a, err := readIDX(path)
	if err != nil {
		return nil, err
	}
	if a.size != 1 || len(a.shape) != 3 {
		return nil, malformed(path, "holds %s, not pictures: wants an idx3 file of unsigned bytes [pictures, height, width]", a)
	}
	if len(a.data) == 0 {
		return nil, malformed(path, "holds no pictures (%s): get the file again", nn.ShapeString(a.shape))
	}
	d := &digits{name: baseName(filepath.Dir(path)), shape: []int{1, a.shape[1], a.shape[2]}, pixels: a.data, source: []string{path}}
	kind, own := KindMNIST, labelsFor(path)
	switch {
	case qmnist != "":
		kind, d.name = "qmnist", "qmnist"
	case own == "":
		return nil, malformed(path, "images without labels: put the idx1 labels file beside it, named as the images are with \"labels\" for \"images\"")
	case d.isFashion():
		kind, d.name = "fashion-mnist", "fashion-mnist"
	}
	d.preset = presetsOf()[kind]
	if own != "" {
		if err := d.readLabels(own, path, a.shape[0], false); err != nil || qmnist == "" {
			return d, err
		}
	}
	digits := d.columns
	if err := d.readLabels(qmnist, path, a.shape[0], true); err != nil {
		return nil, err
	}
	if digits != nil {
		for i, want := range digits[0].values {
			if got := d.columns[0].values[i]; got != want {
				return nil, malformed(qmnist, "says %s of picture %d and %s says %s: the files do not belong together", got, i, own, want)
			}
		}
	}
	return d, nil
}

// isFashion reports whether the pictures are Fashion-MNIST's, whose files have the same names as MNIST's: by their pixels
// or, for a part of them, by "fashion" in the folder's name.
func (d *digits) isFashion() bool {
	sum := sha256.Sum256(d.pixels)
	return slices.Contains(presetsOf()["fashion-mnist"].Pixels, hex.EncodeToString(sum[:])) || strings.Contains(strings.ToLower(d.name), "fashion")
}

// Columns and codes of QMNIST's label files.
const (
	qmnistColumns    = 8
	qmnistDigit      = 0 // column
	qmnistPopulation = 1 // column: the series of NIST's Special Database 19
	qmnistPerson     = 2 // column: the writer
	employeeCode     = 0 // hsf_0 to hsf_3: census employees
	studentCode      = 4 // hsf_4: high-school students
	mnistTest        = 10000
	qmnistTest       = 60000 // the first 10,000 of them are MNIST's test set
)

// readLabels reads the classes of n pictures and, of QMNIST's labels, these writers' populations and who wrote each.
func (d *digits) readLabels(path, images string, n int, qmnist bool) error {
	a, err := readIDX(path)
	if err != nil {
		return err
	}
	columns := 1
	switch {
	case qmnist && (a.size != 4 || len(a.shape) != 2 || a.shape[1] != qmnistColumns):
		return malformed(path, "holds %s, not QMNIST's labels: wants an idx2 file of ints with %d columns", a, qmnistColumns)
	case qmnist:
		columns = qmnistColumns
	case a.size != 1 || len(a.shape) != 1:
		return malformed(path, "holds %s, not labels: wants an idx1 file of unsigned bytes", a)
	}
	if a.shape[0] != n && !(qmnist && n == mnistTest && a.shape[0] == qmnistTest) {
		return malformed(path, "%d labels for the %d pictures of %s: the two files do not belong together; give the labels of these pictures", a.shape[0], n, images)
	}
	classes, writers, people := make([]int, n), make([]int, n), make([]string, n)
	for i := range n {
		if classes[i] = a.at(i*columns + qmnistDigit); classes[i] < 0 || classes[i] > 9 {
			return malformed(path, "label %d of picture %d is out of range 0..9: wants a set of ten classes", classes[i], i)
		}
		if !qmnist {
			continue
		}
		code := a.at(i*columns + qmnistPopulation)
		if code != employeeCode && code != studentCode {
			return malformed(path, "population %d of picture %d is neither %d (employee) nor %d (student)", code, i, employeeCode, studentCode)
		}
		writers[i], people[i] = code/studentCode, strconv.Itoa(a.at(i*columns+qmnistPerson))
	}
	d.columns, d.source = []column{d.classColumn(classes)}, append(d.source[:1], path)
	if qmnist {
		d.columns = append(d.columns, column{name: "writer", values: Pick(d.Listed["writer"], 1, writers)}, column{name: "person", values: people})
	}
	return nil
}

// CIFAR-10's binary records: one label byte, then 32×32 bytes each of red,
// green and blue.
const (
	cifarSide   = 32
	cifarPixels = 3 * cifarSide * cifarSide
	cifarRecord = 1 + cifarPixels
)

// openCIFAR reads batches.
func openCIFAR(paths []string) (*digits, error) {
	d := &digits{name: "cifar10", preset: presetsOf()["cifar10"], shape: []int{3, cifarSide, cifarSide}, source: paths}
	var classes []int
	for _, path := range paths {
		data, err := readFile(path)
		if err != nil {
			return nil, err
		}
		if extra := len(data) % cifarRecord; extra != 0 {
			return nil, malformed(path, "%d bytes are not whole records of %d (%d left over): truncated, or not CIFAR-10's binary version; get the file again", len(data), cifarRecord, extra)
		}
		if len(data) == 0 {
			return nil, malformed(path, "holds no pictures: get the file again")
		}
		d.pixels = slices.Grow(d.pixels, len(data))
		for i := 0; len(data) > 0; i++ {
			if data[0] > 9 {
				return nil, malformed(path, "label %d of picture %d is out of range 0..9: not CIFAR-10's binary version; get the file again", data[0], i)
			}
			classes, d.pixels = append(classes, int(data[0])), append(d.pixels, data[1:cifarRecord]...)
			data = data[cifarRecord:]
		}
	}
	d.columns = []column{d.classColumn(classes)}
	return d, nil
}

// ClassNumbers are the names of n classes that have none.
func ClassNumbers(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = strconv.Itoa(i)
	}
	return names
}

// baseName is the last element of a path: for "." the name of the folder.
func baseName(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	return filepath.Base(path)
}
