package dataset

import (
	"cmp"
	"fmt"
	"io/fs"
	"math/bits"
	"path"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mathext/prng"

	"tattle/internal/engine/nn"
	"tattle/internal/file"
)

// utkfaceAges are the ages that are believed; UTKFace says 0 to 116.
var utkfaceAges = ClassNumbers(131)

// utkfaceColumns are what a picture's name says: [age]_[gender]_[race]_[date].jpg.
var utkfaceColumns = []string{"age", "gender", "race"}

// parseUTKFace reads a picture's name; false if it does not say all three. A
// name without the race has the date in its place, which is no race.
func parseUTKFace(name string) (row [3]string, ok bool) {
	stem, _, _ := strings.Cut(path.Base(name), ".")
	parts := strings.Split(stem, "_")
	if len(parts) < len(row) {
		return row, false
	}
	for i, column := range utkfaceColumns {
		names := utkfaceAges
		if i > 0 {
			names = presetsOf()[KindUTKFace].Listed[column]
		}
		n, err := strconv.ParseUint(parts[i], 10, 16)
		if err != nil || int(n) >= len(names) {
			return row, false
		}
		row[i] = names[n]
	}
	return row, true
}

// readUTKFace reads the names of UTKFace's pictures: columns age, gender and
// race. The rows are in the order of the names; the parts are those of B, which
// its authors' program draws by NumPy's RandomState(0).
func readUTKFace(fsys fs.FS, source string) (*labels, error) {
	pictures, _, err := listPictures(fsys, source)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(pictures, func(a, b string) int { return cmp.Compare(path.Base(a), path.Base(b)) })
	l := &labels{source: source}
	for _, name := range utkfaceColumns {
		l.columns = append(l.columns, column{name: name})
	}
	var left []string
	for i, name := range pictures {
		if i > 0 && path.Base(pictures[i-1]) == path.Base(name) {
			return nil, malformed(source, "holds both %s and %s: give the folder that has each picture once", pictures[i-1], name)
		}
		row, ok := parseUTKFace(name)
		if !ok {
			left = append(left, name)
			continue
		}
		l.files = append(l.files, name)
		for k, v := range row {
			l.columns[k].values = append(l.columns[k].values, v)
		}
	}
	if len(l.files) == 0 {
		return nil, malformed(source, "no picture is named as UTKFace's are (age_gender_race_date.jpg): %s is not; give UTKFace's folder, or say which kind of data it is", left[0])
	}
	if len(left) > 0 {
		l.note("%s left out: the name does not give age, gender and race (%s)", plural(len(left), "picture"), file.ShownNames(left))
	}
	l.split = utkfaceSplit(len(l.files))
	if n, all := len(l.files), presetsOf()[KindUTKFace].Pictures; n == all {
		l.note("the split is that of the paper's experiments, whatever the seed")
	} else {
		l.note("the split is drawn as for the paper's experiments, whatever the seed, but of %d pictures and not of %d", n, all)
	}
	return l, nil
}

// utkfaceSplit returns the parts of n rows: by RandomState(0)'s permutation the
// first 80 % are for training, of which the first 10 % for validation, and the
// rest is for testing; both rounded down.
func utkfaceSplit(n int) []Split {
	training := n * 8 / 10
	validation := training / 10
	split := make([]Split, n)
	for k, i := range numpyPermutation(0, n) {
		switch {
		case k < validation:
			split[i] = Validation
		case k < training:
			split[i] = Train
		default:
			split[i] = Test
		}
	}
	return split
}

// plural writes a number of things: "1 picture", "3 pictures".
func plural(n int, thing string) string {
	if n != 1 {
		thing = strings.Replace(thing+"s", "sss", "sses", 1)
	}
	return fmt.Sprintf("%d %s", n, thing)
}

// numpyPermutation returns what numpy.random.RandomState(seed).permutation(n)
// does: 0 … n−1, shuffled from the end (Fisher and Yates; Knuth's Algorithm P). A number from 0 to i is drawn as
// many bits as i has, again and again until it is at most i. n must fit 32 bits.
func numpyPermutation(seed uint32, n int) []int {
	p, m := nn.Indices(n), prng.NewMT19937()
	m.Seed(uint64(seed))
	for i := n - 1; i > 0; i-- {
		mask := uint32(1)<<bits.Len(uint(i)) - 1
		j := m.Uint32() & mask
		for j > uint32(i) {
			j = m.Uint32() & mask
		}
		p[i], p[j] = p[j], p[i]
	}
	return p
}
