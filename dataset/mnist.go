package dataset

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"strings"
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

// openImages reads an idx file of images and the labels beside it.
func openImages(path string) (*Set, error) {
	set, sum, err := readIDXImages(path)
	if err != nil {
		return nil, err
	}
	labels := labelsFor(path)
	if labels == "" {
		return nil, malformed(path, "images without labels: put the idx1 labels file beside it, named as the images are with \"labels\" for \"images\"")
	}
	if set.Y, err = readLabels(labels, path, set.images()); err != nil {
		return nil, err
	}
	set.Source = append(set.Source, labels)
	set.recognise(path, sum)
	return set.finish(), nil
}

// images returns the number of pictures, before there are labels to count.
func (s *Set) images() int { return len(s.Pixels) / s.size() }

// readIDXImages reads the pixels of a set, and the SHA-256 of them alone.
func readIDXImages(path string) (*Set, string, error) {
	a, err := readIDX(path)
	if err != nil {
		return nil, "", err
	}
	pixels, ok := a.data.([]uint8)
	if !ok || len(a.shape) != 3 {
		return nil, "", malformed(path, "holds %s of %T, not pictures: wants an idx3 file of unsigned bytes [pictures, height, width]", times(a.shape), a.data)
	}
	if len(pixels) == 0 {
		return nil, "", malformed(path, "holds no pictures (%s): get the file again", times(a.shape))
	}
	sum := sha256.Sum256(pixels)
	set := &Set{Shape: []int{1, a.shape[1], a.shape[2]}, Pixels: pixels, Source: []string{path}}
	return set, hex.EncodeToString(sum[:]), nil
}

// readLabels reads the classes 0..9 of n pictures.
func readLabels(path, images string, n int) ([]int, error) {
	a, err := readIDX(path)
	if err != nil {
		return nil, err
	}
	bytes, ok := a.data.([]uint8)
	if !ok || len(a.shape) != 1 {
		return nil, malformed(path, "holds %s of %T, not labels: wants an idx1 file of unsigned bytes", times(a.shape), a.data)
	}
	if len(bytes) != n {
		return nil, malformed(path, "%d labels for the %d pictures of %s: the two files do not belong together; give the labels of these pictures", len(bytes), n, images)
	}
	y := make([]int, n)
	for i, label := range bytes {
		if label > 9 {
			return nil, malformed(path, "label %d of picture %d is out of range 0..9: wants a set of ten classes", label, i)
		}
		y[i] = int(label)
	}
	return y, nil
}

// fashionPixels are the SHA-256s of Fashion-MNIST's pixels, training and test.
var fashionPixels = []string{
	"2e487a6c89124f78f2d7521542223cafe96f7123c3ca13d447772ac6ecbb3012",
	"c867c93ff95360594e8ec3287995350b824dd110b11595c0e13d5423f621867a",
}

// recognise sets the name of a set and its constants for normalisation. Fashion-MNIST's files
// have the same names as MNIST's: it is recognised by its pixels or, for a part of it, by
// "fashion" in the folder's name. All other sets get MNIST's constants.
func (s *Set) recognise(path, sum string) {
	dir := filepath.Dir(path)
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	s.Name, s.YName, s.YNames = filepath.Base(dir), "digit", digitNames
	s.Mean, s.Std = []float32{mnistMean}, []float32{mnistStd}
	known := sum == fashionPixels[0] || sum == fashionPixels[1]
	if known || strings.Contains(strings.ToLower(s.Name), "fashion") {
		s.Name, s.YName, s.YNames = "fashion-mnist", "class", fashionNames
		s.Mean, s.Std = []float32{fashionMean}, []float32{fashionStd}
	}
}

// Columns and codes of QMNIST's label files.
const (
	qmnistColumns    = 8
	qmnistDigit      = 0 // column
	qmnistPopulation = 1 // column: the series of NIST's Special Database 19
	employeeCode     = 0 // hsf_0 to hsf_3: census employees
	studentCode      = 4 // hsf_4: high-school students
	mnistTest        = 10000
	qmnistTest       = 60000 // of which the first 10,000 are MNIST's test set
)

// openQMNIST reads MNIST's images with QMNIST's labels. Where MNIST's own labels
// are there as well, the digits must agree.
func openQMNIST(images, labels string) (*Set, error) {
	set, _, err := readIDXImages(images)
	if err != nil {
		return nil, err
	}
	n := set.images()
	var writers []int
	if set.Y, writers, err = readPopulations(labels, images, n); err != nil {
		return nil, err
	}
	set.Source = append(set.Source, labels)
	if own := labelsFor(images); own != "" {
		y, err := readLabels(own, images, n)
		if err != nil {
			return nil, err
		}
		for i := range y {
			if y[i] != set.Y[i] {
				return nil, malformed(labels, "says %d of picture %d and %s says %d: the files do not belong together", set.Y[i], i, own, y[i])
			}
		}
	}
	set.Name, set.YName, set.YNames = "qmnist", "digit", digitNames
	set.Sensitive = []Attribute{{Name: "writer", Values: populationNames, Labels: writers}}
	set.Mean, set.Std = []float32{mnistMean}, []float32{mnistStd}
	return set.finish(), nil
}

// readPopulations reads digit and writer's population of n pictures.
func readPopulations(path, images string, n int) (y, s []int, err error) {
	a, err := readIDX(path)
	if err != nil {
		return nil, nil, err
	}
	rows, ok := a.data.([]int32)
	if !ok || len(a.shape) != 2 || a.shape[1] != qmnistColumns {
		return nil, nil, malformed(path, "holds %s of %T, not QMNIST's labels: wants an idx2 file of ints with %d columns", times(a.shape), a.data, qmnistColumns)
	}
	if a.shape[0] != n && !(n == mnistTest && a.shape[0] == qmnistTest) {
		return nil, nil, malformed(path, "%d labels for the %d pictures of %s: the two files do not belong together; give the labels of these pictures", a.shape[0], n, images)
	}
	for i := range n {
		row := rows[i*qmnistColumns:][:qmnistColumns]
		digit, code := row[qmnistDigit], row[qmnistPopulation]
		if digit < 0 || digit > 9 {
			return nil, nil, malformed(path, "label %d of picture %d is out of range 0..9: wants a set of ten classes", digit, i)
		}
		if code != employeeCode && code != studentCode {
			return nil, nil, malformed(path, "population %d of picture %d is neither %d (employee) nor %d (student)", code, i, employeeCode, studentCode)
		}
		y, s = append(y, int(digit)), append(s, int(code/studentCode))
	}
	return y, s, nil
}
