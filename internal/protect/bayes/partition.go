package bayes

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"

	"tattle/internal/math/simd"
)

// Groups are the candidates of a list with the same release.
type Groups struct {
	Of      []int   // group of each candidate
	Members [][]int // candidates of each group, ascending
}

// Partition returns what the best adversary with the list achieves if the release has no noise
// and equals the features. Given the release, the true input is uniform on the candidates with
// the same features. Each candidate is the truth of one draw of the result, so means over the
// draws are exact. Other is the truth itself: the floor on the mean-square error is the variance
// of the inputs within the groups (Result.Groups), and not computed from the draws. Features are
// the same if their SHA-256 are; 0 and −0 are the same. Partition returns an error if ctx ends, or
// if the candidates cannot be read or have features that are not finite.
func Partition(ctx context.Context, list Candidates, attributes []Attribute) (*Result, error) {
	if err := checkAttributes(attributes, list.Len()); err != nil {
		return nil, err
	}
	g, err := groups(ctx, list)
	if err != nil {
		return nil, err
	}
	r := &Result{Candidates: list.Len(), Groups: g, Draws: make([]Draw, list.Len()), Attributes: make([][]Inference, len(attributes))}
	for j := range r.Draws {
		n := float64(len(g.Members[g.Of[j]]))
		r.Draws[j] = Draw{Truth: j, Other: j, Top: 1 / n, Ten: min(most/n, 1), Rank: (n + 1) / 2, Entropy: math.Log2(n)}
	}
	for k, a := range attributes {
		r.Attributes[k] = g.inferences(a)
	}
	return r, nil
}

// groups reads the candidates once, and groups them in the order of the first of each group.
func groups(ctx context.Context, list Candidates) (*Groups, error) {
	count, dim := list.Len(), list.Dim()
	if count < 1 || dim < 1 {
		return nil, fmt.Errorf("a list of %d candidates with %d features: at least 1 is needed of both", count, dim)
	}
	block := blockOf(dim)
	digests := make([][sha256.Size]byte, block)
	g, seen := &Groups{Of: make([]int, count)}, map[[sha256.Size]byte]int{}
	err := eachBlock(ctx, list, block, func(indices []int, features []float64) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		simd.Parallel(len(indices), 16, func(first, last int) {
			b := make([]byte, 0, 8*dim)
			for j := first; j < last; j++ {
				b = b[:0]
				for _, v := range features[j*dim : (j+1)*dim] {
					b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v+0)) // −0 + 0 is 0
				}
				digests[j] = sha256.Sum256(b)
			}
		})
		for j, candidate := range indices {
			i, ok := seen[digests[j]]
			if !ok {
				i = len(g.Members)
				seen[digests[j]] = i
				g.Members = append(g.Members, nil)
			}
			g.Of[candidate] = i
			g.Members[i] = append(g.Members[i], candidate)
		}
		return nil
	})
	return g, err
}

// inferences returns the posterior of an attribute for each candidate as the truth.
func (g *Groups) inferences(a Attribute) []Inference {
	out := make([]Inference, len(a.Class))
	for _, members := range g.Members {
		classes, given := make([]float64, a.Classes), map[int][]float64{}
		for _, j := range members {
			classes[a.Class[j]]++
			if a.Target == nil {
				continue
			}
			if given[a.Target[j]] == nil {
				given[a.Target[j]] = make([]float64, a.Classes)
			}
			given[a.Target[j]][a.Class[j]]++
		}
		var in Inference
		in.Best, in.Entropy = summarise(classes)
		in.Score = make([]float64, a.Classes)
		simd.Axpy(1/float64(len(members)), classes, in.Score)
		for _, j := range members {
			out[j] = in
			if a.Target != nil {
				out[j].GivenBest, out[j].GivenEntropy = summarise(given[a.Target[j]])
			}
		}
	}
	return out
}
