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

	"tattle/internal/engine/nn"
	"tattle/internal/file"
)

// utkfaceAges are the ages that are believed; UTKFace says 0 to 116.
var utkfaceAges = classNumbers(131)

// utkfaceRow is what a picture's name says: [age]_[gender]_[race]_[date].jpg.
type utkfaceRow struct{ age, gender, race string }

// parseUTKFace reads a picture's name; false if it does not say all three. A
// name without the race has the date in its place, which is no race.
func parseUTKFace(name string) (row utkfaceRow, ok bool) {
	stem, _, _ := strings.Cut(path.Base(name), ".")
	parts := strings.Split(stem, "_")
	if len(parts) < 3 {
		return row, false
	}
	listed := presetsOf[KindUTKFace].Listed
	for i, names := range [][]string{utkfaceAges, listed["gender"], listed["race"]} {
		n, err := strconv.ParseUint(parts[i], 10, 16)
		if err != nil || int(n) >= len(names) {
			return row, false
		}
		*[]*string{&row.age, &row.gender, &row.race}[i] = names[n]
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
	var age, gender, race, left []string
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
		age, gender, race = append(age, row.age), append(gender, row.gender), append(race, row.race)
	}
	if len(l.files) == 0 {
		return nil, malformed(source, "no picture is named as UTKFace's are (age_gender_race_date.jpg): %s is not; give UTKFace's folder, or say which kind of data it is", left[0])
	}
	if len(left) > 0 {
		l.notes = append(l.notes, fmt.Sprintf("%s left out: the name does not give age, gender and race (%s)", plural(len(left), "picture"), file.ShownNames(left)))
	}
	l.columns = []column{{name: "age", values: age}, {name: "gender", values: gender}, {name: "race", values: race}}
	l.split = utkfaceSplit(len(l.files))
	note := "the split is that of the paper's experiments, whatever the seed"
	if n := len(l.files); n != presetsOf[KindUTKFace].Pictures {
		note = fmt.Sprintf("the split is drawn as for the paper's experiments, whatever the seed, but of %d pictures and not of %d", n, presetsOf[KindUTKFace].Pictures)
	}
	l.notes = append(l.notes, note)
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
func plural(n int, thing string) string { return pluralOf(n, thing, thing+"s") }

// pluralOf is plural of a word whose plural is given.
func pluralOf(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, more)
}

// mersenneSize is the number of words in the state of MT19937.
const mersenneSize = 624

// mersenne is the generator MT19937 (Matsumoto and Nishimura, "Mersenne
// Twister", ACM TOMACS 8, 1998), as NumPy's RandomState holds it.
type mersenne struct {
	state [mersenneSize]uint32
	next  int // of the words of state
}

// newMersenne seeds the state as init_genrand(seed) of the authors' program of
// 2002 does.
func newMersenne(seed uint32) *mersenne {
	m := &mersenne{next: mersenneSize}
	for i := range m.state {
		m.state[i] = seed
		seed = 1812433253*(seed^seed>>30) + uint32(i) + 1
	}
	return m
}

// twist makes the next 624 words: x[k+624] = x[k+397] ⊕ (upper bit of x[k] |
// lower 31 bits of x[k+1])·A.
func (m *mersenne) twist() {
	const n, shift = mersenneSize, 397
	for k := range m.state {
		y := m.state[k]&0x80000000 | m.state[(k+1)%n]&0x7fffffff
		m.state[k] = m.state[(k+shift)%n] ^ y>>1 ^ -(y&1)&0x9908b0df
	}
	m.next = 0
}

// uint32 draws 32 bits: the next word, tempered.
func (m *mersenne) uint32() uint32 {
	if m.next == mersenneSize {
		m.twist()
	}
	y := m.state[m.next]
	m.next++
	y ^= y >> 11
	y ^= y << 7 & 0x9d2c5680
	y ^= y << 15 & 0xefc60000
	return y ^ y>>18
}

// upTo draws evenly from 0 … limit. It draws as many bits as limit has, again and again
// until the number is at most limit.
func (m *mersenne) upTo(limit uint32) uint32 {
	mask := uint32(1)<<bits.Len32(limit) - 1
	for {
		if v := m.uint32() & mask; v <= limit {
			return v
		}
	}
}

// numpyPermutation returns what numpy.random.RandomState(seed).permutation(n)
// does: 0 … n−1, shuffled from the end (Fisher and Yates; Knuth's Algorithm P).
// It panics for n of more than 32 bits.
func numpyPermutation(seed uint32, n int) []int {
	if n < 0 || uint64(n) > 1<<32-1 {
		panic("dataset: permutation of a number that has more than 32 bits")
	}
	p := nn.Indices(n)
	m := newMersenne(seed)
	for i := n - 1; i > 0; i-- {
		j := m.upTo(uint32(i))
		p[i], p[j] = p[j], p[i]
	}
	return p
}
