package bayes

import (
	"context"
	"math"

	"tattle/internal/math/simd"
	"tattle/internal/math/stat"
)

// hiddenEquals is the difference of log-likelihoods up to which RunHidden takes two inputs to be
// equally likely. Rounding errors must be smaller.
const hiddenEquals = 1e-6

// HiddenResult is the result of RunHidden: of each draw, which of the hidden inputs it is of, and
// the share of right guesses with one guess and with ten. Of equally likely inputs one is guessed
// at random.
type HiddenResult struct {
	Truth      []int
	First, Ten []float64
}

// RunHidden draws true inputs from fresh, hides each among all candidates of the list, and
// compares the likelihoods of all. The adversary takes all inputs of the list to be equally
// likely, and does not know which of them the model was trained on: one who does may do better.
// So, unlike Result.Identified, the result limits no other adversary.
// Errors are those of Run.
func RunHidden(ctx context.Context, list, fresh Candidates, noise Density, o Options) (*HiddenResult, error) {
	o.Draws, o.Queries = max(o.Draws, 2), max(o.Queries, 1)
	draws, err := newDraws(ctx, fresh, noise, o)
	if err != nil {
		return nil, err
	}
	draws.hidden = true
	l := newLikelihoods(&draws.releases, noise)
	found, err := stream(ctx, list, l, draws, nil, Options{Progress: o.Progress})
	if err != nil {
		return nil, err
	}
	if !(2*l.rounding() < hiddenEquals) {
		return nil, ErrRounding
	}
	r := &HiddenResult{Truth: draws.truth}
	for _, d := range found.draws {
		guessed := func(n int) float64 { return min(max(float64(n-d.Likelier), 0)/float64(1+d.AsLikely), 1) }
		r.First, r.Ten = append(r.First, guessed(1)), append(r.Ten, guessed(most))
	}
	return r, nil
}

// Identified returns how often one guess and ten guesses are right, on average over the inputs
// of fresh. Almost all shares of right guesses are 0 or 1, for which Chernoff's limit is close to
// the best: see stat.ChernoffLow.
func (r *HiddenResult) Identified(alpha float64) (first, ten Limit) {
	of := func(x []float64) Limit {
		mean := min(simd.Sum(x)/float64(len(x)), 1)
		return Limit{Mean: mean, Low: stat.ChernoffLow(mean, len(x), alpha), High: 1 - stat.ChernoffLow(1-mean, len(x), alpha)}
	}
	return of(r.First), of(r.Ten)
}

// Spread returns the standard deviation, from one hidden input to another, of the probability that
// one guess is right: from the products of two draws of the same input.
func (r *HiddenResult) Spread() float64 {
	type sums struct{ n, sum, squares float64 }
	of := map[int]*sums{}
	mean := 0.
	for b, x := range r.First {
		s := of[r.Truth[b]]
		if s == nil {
			s = new(sums)
			of[r.Truth[b]] = s
		}
		s.n, s.sum, s.squares = s.n+1, s.sum+x, s.squares+x*x
		mean += x / float64(len(r.First))
	}
	square, pairs := 0., 0.
	for _, s := range of {
		square += s.sum*s.sum - s.squares
		pairs += s.n * (s.n - 1)
	}
	if pairs == 0 { // the spread is at most that of a certain success or failure
		return math.Sqrt(mean * (1 - mean))
	}
	return math.Sqrt(max(0, square/pairs-mean*mean))
}
