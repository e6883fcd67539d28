package audit

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"tattle/internal/must"
	"tattle/internal/reveal/curious"
)

// degenerate are ways in which outputs lose columns or rows: each fills a row of scores.
var degenerate = []struct {
	name string
	row  func(r *rand.Rand, row []float32)
}{
	{"constant", func(_ *rand.Rand, row []float32) { row[0] = 1 }},
	{"nearly constant", func(r *rand.Rand, row []float32) { row[0] = 1 + float32(r.IntN(2))*0x1p-23 }},
	{"one-hot", func(r *rand.Rand, row []float32) { row[r.IntN(len(row))] = 1 }},
	{"of rank 1", func(r *rand.Rand, row []float32) {
		v := float32(r.NormFloat64())
		for j := range row {
			row[j] = v * float32(j)
		}
	}},
	{"two distinct rows", func(r *rand.Rand, row []float32) { row[r.IntN(2)] = 1 }},
	{"equal columns", func(r *rand.Rand, row []float32) {
		v := float32(r.NormFloat64())
		for j := range row {
			row[j] = v
		}
	}},
	{"fewer rows than columns", func(r *rand.Rand, row []float32) {
		for j := range row {
			row[j] = float32(r.NormFloat64())
		}
	}},
}

// Outputs in which attacks find little or no variance are audited without a panic, by every
// attack, with every defence, and nothing is found: they have nothing to do with s. Networks, which
// decompose nothing and take most of the time, see only those that are constant.
func TestDegenerateOutputs(t *testing.T) {
	o := Options{Seed: 5, Folds: 2, Permutations: 19}
	for i, c := range degenerate {
		for _, kind := range []curious.Outputs{curious.Raw, curious.Soft, Vector} {
			for _, w := range []int{35, 130} { // in the larger decomposition with what is made of them, and alone
				if testing.Short() && (i > 0 || kind != Vector || w == 35) {
					continue
				}
				s := degenerateSample(40, w, kind, c.row)
				if o.Attacks = nil; i > 0 || w > 35 {
					o.Attacks = []string{"threshold", "logistic", "trees", "lookup"}
				}
				t.Run(fmt.Sprintf("%s, %s, %d", c.name, kind, w), func(t *testing.T) {
					if r := examined(t, s, o); r.Verdict.ExceedsTarget() {
						t.Errorf("verdict %s", r.Verdict)
					}
					if kind != curious.Soft || w > 35 && i > 0 {
						return
					}
					_, err := defend(context.Background(), s, o)
					must.Do(t, err)
				})
			}
		}
	}
}

// degenerateSample draws y, and an attribute of two values and a number that are independent of
// the outputs.
func degenerateSample(n, w int, kind curious.Outputs, row func(*rand.Rand, []float32)) *Sample {
	r, classes := rand.New(rand.NewPCG(31, uint64(w))), w
	if kind == Vector {
		classes = 3
	}
	s := randomSample(r, n, classes, 2, 0)
	if s.Kind, s.Outputs = kind, make([]float32, n*w); kind == Vector {
		s.Width = w
	}
	for at := range slices.Chunk(s.Outputs, w) {
		if row(r, at); kind == curious.Soft {
			softRow(at, at, curious.Raw)
		}
	}
	return s
}
