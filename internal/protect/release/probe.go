package release

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"tattle/internal/engine/classify"
	"tattle/internal/engine/nn"
	"tattle/internal/math/stat"
)

// halves puts every person's rows of the database into one of two halves. People of one class alternate, by their first rows.
// Without people, each row counts as a person.
func (t *Neighbours) halves(n int) []int {
	person := nn.Indices(n)
	if t.of.People != nil {
		person, _ = stat.Numbered(t.of.People)
	}
	var first []int
	for i, p := range person {
		if p == len(first) {
			first = append(first, i)
		}
	}
	slices.SortStableFunc(first, func(i, j int) int { return cmp.Compare(t.of.Labels[i], t.of.Labels[j]) })
	of, half := make([]int, len(first)), make([]int, n)
	for k, i := range first {
		of[person[i]] = k % 2
	}
	for i, p := range person {
		half[i] = of[p]
	}
	return half
}

// fitProbes fits a linear classifier of the target to each half of the rows.
func (t *Neighbours) fitProbes(ctx context.Context) error {
	w := t.of.Width
	t.half = t.halves(len(t.rows) / w)
	for h := range t.probes {
		var x []float32
		target := classify.Target{Classes: slices.Max(t.of.Labels) + 1}
		for i, of := range t.half {
			if of == h {
				x, target.Labels = append(x, t.rows[i*w:(i+1)*w]...), append(target.Labels, t.of.Labels[i])
			}
		}
		if len(x) == 0 {
			return errors.New("probe: all vectors are of one person: give vectors of several")
		}
		var err error
		if t.probes[h], err = (classify.Logistic{}).Fit(ctx, classify.NewTable(x, w).All(), []classify.Target{target}, 0); err != nil {
			return fmt.Errorf("probe: %w", err)
		}
	}
	return nil
}

// guess adds 1 to the sum of each query whose target is named by the classifier that was fitted to the other half.
func (t *Neighbours) guess(first int, queries []float32, sums []float64) error {
	n, classes := len(queries)/t.of.Width, slices.Max(t.of.Labels)+1
	for h, probe := range t.probes {
		scores := make([]float32, n*classes)
		if err := probe.Predict(context.Background(), [][]float32{scores}, classify.NewTable(queries, t.of.Width).All()); err != nil {
			return err
		}
		for i := range n {
			q := t.queries[first+i]
			if t.half[q] != h && nn.Largest(scores[i*classes:(i+1)*classes]) == t.of.Labels[q] {
				sums[first+i]++
			}
		}
	}
	return nil
}
