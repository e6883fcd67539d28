package measure

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"iter"
	"maps"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/nn"
	"tattle/internal/protect/bayes"
	"tattle/internal/protect/release"
)

// labels makes candidates of which only the label is released: features are 1 for the label
// and 0 for the others.
type labels struct{ bayes.Candidates }

// Features overwrites dst with the labels of those candidates.
func (l labels) Features(ctx context.Context, dst []float64, indices []int) error {
	if err := l.Candidates.Features(ctx, dst, indices); err != nil {
		return err
	}
	x := nn.Float32s(dst)
	release.OneHot(x, l.Dim())
	copy(dst, nn.Float64s(x))
	return nil
}

// DistinctInputs returns the indices of the inputs that do not equal an earlier one.
func DistinctInputs(set *dataset.Set, indices []int) (distinct []int) {
	seen := make(map[inputKey]bool, len(indices))
	for key, i := range keys(set, nn.Size(set.Shape), indices) {
		if !seen[key] {
			seen[key], distinct = true, append(distinct, i)
		}
	}
	return distinct
}

// commonest returns how often the most frequent input stands among the chosen ones.
func commonest(set *dataset.Set, indices []int) (most int) {
	count := map[inputKey]int{}
	for key := range keys(set, nn.Size(set.Shape), indices) {
		count[key]++
		most = max(most, count[key])
	}
	return most
}

// differ reports whether a set has two different inputs.
func differ(set *dataset.Set) bool {
	var first inputKey
	for key, i := range keys(set, nn.Size(set.Shape), nn.Indices(set.Len())) {
		if i == 0 {
			first = key
		} else if key != first {
			return true
		}
	}
	return false
}

// same reports whether two lists are of the same data, however they were opened.
func (l *List) same(m *List) bool {
	return l.Set == m.Set || l.Set.SHA256 != "" && l.Set.SHA256 == m.Set.SHA256
}

// unseen returns the inputs of a sample that are not among the candidates.
func unseen(candidates *dataset.Set, sample nn.Source, of, among []int) (left []int) {
	p := nn.Size(candidates.Shape)
	known := maps.Collect(keys(candidates, p, of))
	for key, i := range keys(sample, p, among) {
		if _, seen := known[key]; !seen {
			left = append(left, i)
		}
	}
	return left
}

// An inputKey is the SHA-256 of an input: equal inputs have equal keys.
type inputKey [sha256.Size]byte

// keys are those of inputs of p values, with their indices.
func keys(set nn.Source, p int, indices []int) iter.Seq2[inputKey, int] {
	return func(yield func(inputKey, int) bool) {
		x, row := make([]float32, p), make([]byte, 4*p)
		for _, i := range indices {
			set.Examples(x, []int{i})
			binary.Encode(row, binary.LittleEndian, x)
			if !yield(sha256.Sum256(row), i) {
				return
			}
		}
	}
}
