package measure

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"math"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/nn"
	"tattle/internal/protect/bayes"
	"tattle/internal/protect/release"
)

// labels makes candidates of which only the label is released: features are 1 for the label
// and 0 for the others.
type labels struct {
	bayes.Candidates
	post release.Post
}

// Features overwrites dst with the labels of those candidates.
func (l labels) Features(ctx context.Context, dst []float64, indices []int) error {
	if err := l.Candidates.Features(ctx, dst, indices); err != nil {
		return err
	}
	x := nn.Float32s(dst)
	l.post.Apply(x, l.Dim())
	copy(dst, nn.Float64s(x))
	return nil
}

// DistinctInputs returns the indices of the inputs that do not equal an earlier one.
func DistinctInputs(set *dataset.Set, indices []int) []int {
	seen := make(map[inputKey]bool, len(indices))
	var distinct []int
	eachKey(set, nn.Size(set.Shape), indices, func(i int, key inputKey) {
		if !seen[key] {
			seen[key] = true
			distinct = append(distinct, i)
		}
	})
	return distinct
}

// commonest returns how often the most frequent input stands among the chosen ones.
func commonest(set *dataset.Set, indices []int) (most int) {
	count := map[inputKey]int{}
	eachKey(set, nn.Size(set.Shape), indices, func(_ int, key inputKey) {
		count[key]++
		most = max(most, count[key])
	})
	return most
}

// same reports whether two lists are of the same data, however they were opened.
func (l *List) same(m *List) bool {
	return l.Set == m.Set || l.Set.SHA256 != "" && l.Set.SHA256 == m.Set.SHA256
}

// sharedInputs counts the inputs of a sample that are among the candidates.
func sharedInputs(candidates *dataset.Set, sample nn.Source, of, among []int) (n int) {
	p := nn.Size(candidates.Shape)
	seen := keysOf(candidates, of)
	eachKey(sample, p, among, func(_ int, key inputKey) {
		if seen[key] {
			n++
		}
	})
	return n
}

// keysOf returns the keys of inputs of a set.
func keysOf(set *dataset.Set, indices []int) map[inputKey]bool {
	seen := make(map[inputKey]bool, len(indices))
	eachKey(set, nn.Size(set.Shape), indices, func(_ int, key inputKey) { seen[key] = true })
	return seen
}

// An inputKey is the SHA-256 of an input: equal inputs have equal keys.
type inputKey [sha256.Size]byte

// eachKey calls do with the key of each input, of p values.
func eachKey(set nn.Source, p int, indices []int, do func(i int, key inputKey)) {
	x, row := make([]float32, p), make([]byte, 4*p)
	for _, i := range indices {
		set.Examples(x, []int{i})
		for k, v := range x {
			binary.LittleEndian.PutUint32(row[4*k:], math.Float32bits(v))
		}
		do(i, sha256.Sum256(row))
	}
}
