package dataset

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"

	"tattle/internal/file"
	"tattle/internal/npy"
)

// A ChoiceError reports a specification that chooses no examples.
type ChoiceError struct{ Err error }

// Error implements error.
func (e *ChoiceError) Error() string { return e.Err.Error() }

// Unwrap returns Err.
func (e *ChoiceError) Unwrap() error { return e.Err }

func wrongChoice(format string, a ...any) error { return &ChoiceError{fmt.Errorf(format, a...)} }

// Choose returns the indices, of n examples, that a specification names: "all"; a number of
// examples, drawn by the seed without replacement and sorted; or an .npy file of indices,
// in its order. A specification that chooses none is a *ChoiceError.
func Choose(spec string, n int, seed uint64) ([]int, error) {
	if spec == "all" {
		return First(n), nil
	}
	k, err := strconv.Atoi(spec)
	switch {
	case err != nil:
		return indicesIn(spec, n)
	case k < 1:
		return nil, wrongChoice("%d: must be at least 1", k)
	case k >= n:
		return First(n), nil
	}
	indices := rand.New(rand.NewPCG(seed, 1)).Perm(n)[:k]
	slices.Sort(indices)
	return indices, nil
}

// First returns the indices 0 to n−1.
func First(n int) []int {
	indices := make([]int, n)
	for i := range indices {
		indices[i] = i
	}
	return indices
}

// indicesIn reads a list of indices below n.
func indicesIn(path string, n int) ([]int, error) {
	if _, err := os.Stat(path); err != nil {
		if strings.HasSuffix(path, ".npy") {
			return nil, &file.NotFoundError{Path: path, Give: "give a number, all, or an .npy file of indices"}
		}
		return nil, wrongChoice("%q: must be a whole number, all, or an .npy file of indices", path)
	}
	a, err := npy.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if _, mask := a.Data.([]bool); mask || len(a.Shape) != 1 {
		return nil, wrongChoice("%s: an array of shape %v and type %T, expected one list of indices (numpy.flatnonzero makes them of a mask)", path, a.Shape, a.Data)
	}
	indices, err := a.Ints()
	if err == nil && len(indices) == 0 {
		err = errors.New("no indices")
	}
	if err != nil {
		return nil, wrongChoice("%s: %w", path, err)
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
