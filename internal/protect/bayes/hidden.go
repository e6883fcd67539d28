package bayes

import (
	"context"
	"math"
	"math/rand/v2"

	"tattle/internal/math/simd"
	"tattle/internal/math/stat"
)

// hiddenEquals is the difference of log-likelihoods up to which RunHidden takes two inputs to be
// equally likely. Rounding errors must be smaller.
const hiddenEquals = 1e-6

// HiddenResult is the result of RunHidden: of each draw, who is hidden, and the share of right
// guesses. Of equally likely people one is guessed at random.
type HiddenResult struct {
	Truth []int // a number of the hidden person; where each input is another person, that of the input
	First []float64
}

// RunHidden draws true inputs from fresh, hides each among all candidates of the list, and
// compares the likelihoods of all. The adversary takes all people of the list to be equally
// likely, and does not know which of them the model was trained on: one who does may do better.
// So, unlike Result.Identified, the result limits no other adversary. people is whom each fresh input is of, those of one
// person one after another: a person is hidden with all inputs, one of which is released, and is to be named. Where it is nil
// each input is of another person, in the list, too. Prior and People of o are those of the list.
// Errors are those of Run.
func RunHidden(ctx context.Context, list, fresh Candidates, people []int, noise Density, o Options) (*HiddenResult, error) {
	o.Draws = max(o.Draws, 2)
	noise, o.Queries = averaged(noise, o.Queries)
	own := ofEach(people, fresh.Len())
	who := make([]int, o.Draws)
	draws, err := drawEach(ctx, fresh, noise, o, func(b int, r *rand.Rand) int {
		who[b] = r.IntN(len(own))
		if people == nil {
			return who[b]
		}
		return own[who[b]][r.IntN(len(own[who[b]]))]
	})
	if err != nil {
		return nil, err
	}
	draws.hidden = true
	l := newLikelihoods(&draws.releases, noise)
	if people != nil {
		_, others := stat.Numbered(o.People)
		if err := draws.hide(ctx, fresh, l, own, who, others); err != nil {
			return nil, err
		}
	}
	found, err := stream(ctx, list, l, draws, nil, o)
	if err != nil {
		return nil, err
	}
	if !(2*l.rounding() < hiddenEquals) {
		return nil, ErrRounding
	}
	r := &HiddenResult{Truth: who}
	for _, d := range found.draws {
		first := 0.
		switch {
		case people == nil && d.Likelier == 0:
			first = 1 / float64(1+d.AsLikely)
		case people != nil && d.Hit:
			first = 1
		}
		r.First = append(r.First, first)
	}
	return r, nil
}

// ofEach returns the candidates of each person, of whom people is as in Options.
func ofEach(people []int, count int) [][]int {
	of := make([][]int, 0, count)
	for j := range count {
		if people == nil || j == 0 || people[j] != people[j-1] {
			of = append(of, nil)
		}
		of[len(of)-1] = append(of[len(of)-1], j)
	}
	return of
}

// hide computes the likelihoods of all inputs of each hidden person, with the logarithm of their prior, which is that of so many others
// on the list.
func (d *drawn) hide(ctx context.Context, fresh Candidates, l likelihoods, own [][]int, who []int, others int) error {
	d.owns = make([][]float64, len(who))
	of := map[int][]int{} // the draws of each person
	for b, p := range who {
		of[p] = append(of[p], b)
	}
	for p, inputs := range own {
		if len(of[p]) == 0 {
			continue
		}
		x := make([]float64, len(inputs)*d.dim)
		if err := readFeatures(ctx, fresh, x, inputs); err != nil {
			return err
		}
		for _, b := range of[p] {
			for i := range inputs {
				d.owns[b] = append(d.owns[b], l.own(b, x[i*d.dim:(i+1)*d.dim])-math.Log(float64(others*len(inputs))))
			}
		}
	}
	return nil
}

// Identified returns how often one guess is right, on average over the people
// of fresh. Almost all shares of right guesses are 0 or 1, for which Chernoff's limit is close to
// the best: see stat.ChernoffLow.
func (r *HiddenResult) Identified(alpha float64) Limit {
	mean := min(simd.Sum(r.First)/float64(len(r.First)), 1)
	return aside(Limit{Mean: mean, Low: stat.ChernoffLow(mean, len(r.First), alpha), High: 1 - stat.ChernoffLow(1-mean, len(r.First), alpha)})
}

// Spread returns the standard deviation, from one hidden person to another, of the probability that
// one guess is right: from the products of two draws of the same person.
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
