package dataset

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"

	"tattle/internal/engine/nn"
	"tattle/internal/file"
	"tattle/internal/npy"
)

// A Limit says how many examples are read, and which. Pictures that are not read are not decoded. The zero value is all.
type Limit struct {
	Most    int    // the most examples of each part, drawn by the seed; 0 is all
	Indices string // .npy file with the indices of the examples of the part that is measured, in the place of Most; "" is none
}

// allExamples is Limit.Most where somebody asks for all.
const allExamples = math.MaxInt

// UnmarshalText reads N, FILE, both as "N,FILE", or all.
func (l *Limit) UnmarshalText(text []byte) error {
	*l = Limit{}
	number, path, both := strings.Cut(string(text), ",")
	n, err := strconv.Atoi(number)
	switch {
	case len(text) == 0 || both && err == nil && path == "":
		return wrongChoice("%q: must be N, FILE, both as N,FILE, or all", text)
	case string(text) == "all":
		l.Most = allExamples
	case errors.Is(err, strconv.ErrRange):
		return wrongChoice("%s: the number is too large", number)
	case err != nil:
		l.Indices = string(text)
	case n < 1:
		return wrongChoice("%d: must be at least 1", n)
	default:
		l.Most, l.Indices = n, path
	}
	return nil
}

// MarshalText writes what UnmarshalText reads.
func (l Limit) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// String is the text of the limit.
func (l Limit) String() string {
	switch most := strconv.Itoa(l.Most); {
	case l.Indices != "" && l.Most == 0:
		return l.Indices
	case l.Indices != "":
		return most + "," + l.Indices
	case l.Most != 0 && l.Most != allExamples:
		return most
	}
	return "all"
}

// Others is the limit of the parts that are not measured.
func (l Limit) Others() Limit { return Limit{Most: l.Most} }

// of returns the indices of the examples that are read, of the n of the part that is measured.
func (l Limit) of(n int, seed uint64) ([]int, error) {
	switch {
	case l.Indices != "":
		return indicesIn(l.Indices, n)
	case l.Most == 0 || l.Most >= n:
		return nn.Indices(n), nil
	}
	indices := rand.New(rand.NewPCG(seed, 1)).Perm(n)[:l.Most]
	slices.Sort(indices)
	return indices, nil
}

// A ChoiceError reports a specification that chooses no examples, or whose file cannot be read.
type ChoiceError struct{ error }

// Unwrap returns the error of the specification or the file.
func (e *ChoiceError) Unwrap() error { return e.error }

func wrongChoice(format string, a ...any) error { return &ChoiceError{fmt.Errorf(format, a...)} }

// Choose returns the indices, of n examples, that a specification names: "all"; a number of
// examples, drawn by the seed without replacement and sorted; or an .npy file of indices,
// in its order. Errors are *ChoiceError.
func Choose(spec string, n int, seed uint64) ([]int, error) {
	if spec == "" || strings.Contains(spec, ",") { // a limit has both, here it is a file
		return indicesIn(spec, n)
	}
	var l Limit
	if err := l.UnmarshalText([]byte(spec)); err != nil {
		return nil, err
	}
	return l.of(n, seed)
}

// indicesIn reads a list of indices below n.
func indicesIn(path string, n int) ([]int, error) {
	if _, err := os.Stat(path); err != nil {
		if strings.HasSuffix(path, ".npy") {
			return nil, &ChoiceError{&file.NotFoundError{Path: path, Give: "give a number, all, or an .npy file of indices"}}
		}
		return nil, wrongChoice("%q: must be a whole number, all, or an .npy file of indices", path)
	}
	a, err := npy.ReadFile(path)
	if err != nil {
		return nil, &ChoiceError{err}
	}
	if _, mask := a.Data.([]bool); mask || len(a.Shape) != 1 {
		return nil, wrongChoice("%s: an array of shape %v and type %T, expected one list of indices (numpy.flatnonzero makes them of a mask)", path, a.Shape, a.Data)
	}
	indices, err := a.Ints()
	if err == nil && len(indices) == 0 {
		err = errors.New("no indices")
	}
	if err != nil {
		return nil, wrongChoice("%s: %v", path, err)
	}
	seen := make([]bool, n)
	for _, i := range indices {
		if i < 0 || i >= n {
			return nil, wrongChoice("%s: index %d, but the data set has %d examples", path, i, n)
		}
		if seen[i] {
			return nil, wrongChoice("%s: index %d stands in it twice: limits count every example once", path, i)
		}
		seen[i] = true
	}
	return indices, nil
}
