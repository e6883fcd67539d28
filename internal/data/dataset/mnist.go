package dataset

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"tattle/internal/engine/nn"
	"tattle/internal/file"
)

// Normalisation constants: mean and standard deviation of all training pixels,
// scaled to 0..1. MNIST's .1307 and .3081 are those in general use (computed:
// .13066, .30811); A's text has a mean of 0.1037, a typing error. QMNIST's
// pictures are MNIST's. Fashion-MNIST's are computed from its training images:
// .28604, .35302.
const (
	mnistMean, mnistStd     = .1307, .3081
	fashionMean, fashionStd = .2860, .3530
)

var digitNames = []string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"}

var fashionNames = []string{"T-shirt/top", "trouser", "pullover", "dress", "coat",
	"sandal", "shirt", "sneaker", "bag", "ankle boot"}

var populationNames = []string{"census employee", "high-school student"}

// openImages reads an idx file of images, and its labels: those of QMNIST or, where that is "", those beside it. Where both
// are there, the digits must agree.
func openImages(path, qmnist string) (*Set, error) {
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
	set := &Set{Shape: []int{1, a.shape[1], a.shape[2]}, Pixels: a.data, Source: []string{path}, YName: "digit", YNames: digitNames}
	set.Mean, set.Std = []float32{mnistMean}, []float32{mnistStd}
	own := labelsFor(path)
	if own == "" && qmnist == "" {
		return nil, malformed(path, "images without labels: put the idx1 labels file beside it, named as the images are with \"labels\" for \"images\"")
	}
	if own != "" {
		if set.Y, _, _, err = readLabels(own, path, a.shape[0], false); err != nil {
			return nil, err
		}
	}
	if qmnist == "" {
		set.Source = append(set.Source, own)
		set.recognise(path)
		return set.finish(), nil
	}
	digits, writers, people, err := readLabels(qmnist, path, a.shape[0], true)
	if err != nil {
		return nil, err
	}
	for i, y := range set.Y {
		if y != digits[i] {
			return nil, malformed(qmnist, "says %d of picture %d and %s says %d: the files do not belong together", digits[i], i, own, y)
		}
	}
	set.Name, set.Y, set.Source = "qmnist", digits, append(set.Source, qmnist)
	set.Sensitive = []Attribute{{Name: "writer", Values: populationNames, Labels: writers}}
	set.Group = new(sortedClasses(column{name: "person", values: people}))
	return set.finish(), nil
}

// readLabels reads the classes 0..9 of n pictures and, of QMNIST's labels, who wrote each and these writers' populations.
func readLabels(path, images string, n int, qmnist bool) (y, writers []int, people []string, err error) {
	a, err := readIDX(path)
	if err != nil {
		return nil, nil, nil, err
	}
	columns := 1
	switch {
	case qmnist && (a.size != 4 || len(a.shape) != 2 || a.shape[1] != qmnistColumns):
		return nil, nil, nil, malformed(path, "holds %s, not QMNIST's labels: wants an idx2 file of ints with %d columns", a, qmnistColumns)
	case qmnist:
		columns = qmnistColumns
	case a.size != 1 || len(a.shape) != 1:
		return nil, nil, nil, malformed(path, "holds %s, not labels: wants an idx1 file of unsigned bytes", a)
	}
	if a.shape[0] != n && !(qmnist && n == mnistTest && a.shape[0] == qmnistTest) {
		return nil, nil, nil, malformed(path, "%d labels for the %d pictures of %s: the two files do not belong together; give the labels of these pictures", a.shape[0], n, images)
	}
	for i := range n {
		digit := a.at(i*columns + qmnistDigit)
		if digit < 0 || digit > 9 {
			return nil, nil, nil, malformed(path, "label %d of picture %d is out of range 0..9: wants a set of ten classes", digit, i)
		}
		y = append(y, digit)
		if !qmnist {
			continue
		}
		code := a.at(i*columns + qmnistPopulation)
		if code != employeeCode && code != studentCode {
			return nil, nil, nil, malformed(path, "population %d of picture %d is neither %d (employee) nor %d (student)", code, i, employeeCode, studentCode)
		}
		writers, people = append(writers, code/studentCode), append(people, strconv.Itoa(a.at(i*columns+qmnistPerson)))
	}
	return y, writers, people, nil
}

// fashionPixels are the SHA-256s of Fashion-MNIST's pixels, training and test.
var fashionPixels = []string{
	"2e487a6c89124f78f2d7521542223cafe96f7123c3ca13d447772ac6ecbb3012",
	"c867c93ff95360594e8ec3287995350b824dd110b11595c0e13d5423f621867a",
}

// recognise sets the name of a set and its constants for normalisation. Fashion-MNIST's files
// have the same names as MNIST's: it is recognised by its pixels or, for a part of it, by
// "fashion" in the folder's name. All other sets get MNIST's constants.
func (s *Set) recognise(path string) {
	s.Name = baseName(filepath.Dir(path))
	sum := sha256.Sum256(s.Pixels)
	if slices.Contains(fashionPixels, hex.EncodeToString(sum[:])) || strings.Contains(strings.ToLower(s.Name), "fashion") {
		s.Name, s.YName, s.YNames = "fashion-mnist", "class", fashionNames
		s.Mean, s.Std = []float32{fashionMean}, []float32{fashionStd}
	}
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

// maxArray is the largest idx array taken, in bytes.
const maxArray = 4 << 30

// maxHeader is the longest header of an idx file, in bytes.
const maxHeader = 4 + 4*255

// idxArray is an array as idx files hold it, in C order: of unsigned bytes, or of big-endian integers of 4 bytes. These
// are the types of pictures and labels.
type idxArray struct {
	shape []int
	size  int // bytes of an element
	data  []byte
}

// String describes the array, such as "60000×28×28 unsigned byte".
func (a idxArray) String() string {
	return nn.ShapeString(a.shape) + map[int]string{1: " unsigned byte", 4: " int"}[a.size]
}

// at returns element i.
func (a idxArray) at(i int) int {
	if a.size == 1 {
		return int(a.data[i])
	}
	return int(int32(binary.BigEndian.Uint32(a.data[4*i:])))
}

// readIDX reads an idx file, compressed by gzip or not, whatever its name.
func readIDX(path string) (idxArray, error) {
	data, err := readFile(path)
	if err != nil {
		return idxArray{}, err
	}
	return decodeIDX(path, data)
}

// readFile reads a whole file.
func readFile(path string) ([]byte, error) {
	data, err := file.ReadFileAtMost(path, maxArray+maxHeader)
	if errors.Is(err, file.ErrTooLong) {
		return nil, malformed(path, "has more bytes than the limit of %d: split it", uint64(maxArray))
	}
	return data, err
}

func isGzip(data []byte) bool { return len(data) >= 2 && data[0] == 0x1f && data[1] == 0x8b }

// decodeIDX decodes an idx file's bytes, compressed by gzip or not: the magic number 0, 0, type, rank, the big-endian
// dimensions, and the elements. name stands for the file in errors. What it allocates is bounded by the bytes there
// are, not by what a header says.
func decodeIDX(name string, data []byte) (a idxArray, err error) {
	var in io.Reader = bytes.NewReader(data)
	if isGzip(data) {
		if in, err = gzip.NewReader(in); err != nil {
			return a, malformed(name, "gzip header is broken (%v): get the file again", err)
		}
	}
	magic := make([]byte, 4)
	if _, err := io.ReadFull(in, magic); err != nil {
		return a, unreadable(name, err)
	}
	if magic[0] != 0 || magic[1] != 0 {
		return a, malformed(name, "not an idx file: begins with % x, not 00 00; give an idx file, gzip or plain", magic)
	}
	if a.size = map[byte]int{0x08: 1, 0x0C: 4}[magic[2]]; a.size == 0 || magic[3] == 0 {
		return a, malformed(name, "not an idx file: magic number % x has no type that is read (unsigned byte, int) or no dimensions; get it again", magic)
	}
	dims := make([]byte, 4*int(magic[3]))
	if _, err := io.ReadFull(in, dims); err != nil {
		return a, unreadable(name, err)
	}
	for i := 0; i < len(dims); i += 4 {
		a.shape = append(a.shape, int(binary.BigEndian.Uint32(dims[i:])))
	}
	claimed, ok := nn.SizeWithin(append([]int{a.size}, a.shape...), maxArray)
	if !ok {
		return a, malformed(name, "header claims %s, more than %d bytes: the header is wrong; get the file again", a, uint64(maxArray))
	}
	var body bytes.Buffer
	body.Grow(min(claimed, 4*len(data)) + bytes.MinRead)
	n, err := body.ReadFrom(io.LimitReader(in, int64(claimed)+1))
	switch {
	case err != nil:
		return a, unreadable(name, err)
	case n < int64(claimed):
		return a, malformed(name, "truncated: header claims %s (%d bytes), %d are there; get the file again", a, claimed, n)
	case n > int64(claimed):
		return a, malformed(name, "bytes follow the %s that the header claims: header or contents are wrong; get the file again", a)
	}
	a.data = body.Bytes()
	return a, nil
}

// unreadable says that a file ends early, or that what gzip packed is damaged.
func unreadable(name string, err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return malformed(name, "truncated: ends too early; get the file again")
	}
	return malformed(name, "gzip contents are damaged (%v): get the file again", err)
}

// CIFAR-10's binary records: one label byte, then 32×32 bytes each of red,
// green and blue.
const (
	cifarSide   = 32
	cifarPixels = 3 * cifarSide * cifarSide
	cifarRecord = 1 + cifarPixels
)

var cifarNames = []string{"airplane", "automobile", "bird", "cat", "deer", "dog",
	"frog", "horse", "ship", "truck"}

func cifarPattern(split Split) string {
	if split == Train {
		return "data_batch_[1-5].bin"
	}
	return "test_batch.bin"
}

// cifarBatches lists the files of a part, in order.
func cifarBatches(dir string, split Split) []string {
	paths, _ := fs.Glob(os.DirFS(dir), cifarPattern(split))
	for i, name := range paths {
		paths[i] = filepath.Join(dir, name)
	}
	return paths
}

// openCIFAR reads batches. Pixels are normalised to x/255·2 − 1, that is with
// mean and standard deviation .5 (A, section 3.2).
func openCIFAR(paths []string) (*Set, error) {
	set := &Set{
		Name: "cifar10", Shape: []int{3, cifarSide, cifarSide},
		YName: "class", YNames: cifarNames, Source: paths,
		Mean: []float32{.5, .5, .5}, Std: []float32{.5, .5, .5},
	}
	for _, path := range paths {
		data, err := readFile(path)
		if err != nil {
			return nil, err
		}
		if err := set.appendRecords(path, data); err != nil {
			return nil, err
		}
	}
	return set.finish(), nil
}

// appendRecords decodes the records of one file.
func (s *Set) appendRecords(name string, data []byte) error {
	n := len(data) / cifarRecord
	if extra := len(data) % cifarRecord; extra != 0 {
		return malformed(name, "%d bytes are not whole records of %d (%d left over): truncated, or not CIFAR-10's binary version; get the file again", len(data), cifarRecord, extra)
	}
	if n == 0 {
		return malformed(name, "holds no pictures: get the file again")
	}
	s.Pixels = slices.Grow(s.Pixels, n*cifarPixels)
	for i := range n {
		record := data[i*cifarRecord:][:cifarRecord]
		if record[0] >= byte(len(cifarNames)) {
			return malformed(name, "label %d of picture %d is out of range 0..9: not CIFAR-10's binary version; get the file again", record[0], i)
		}
		s.Y = append(s.Y, int(record[0]))
		s.Pixels = append(s.Pixels, record[1:]...)
	}
	return nil
}
