package dataset

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"tattle/internal/engine/nn"
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
