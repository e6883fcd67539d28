package classify

import (
	"context"
	"math"
	"slices"
	"sync"

	"tattle/internal/run"
)

const (
	// mostNeighbours bounds k: beyond, a guess says little of where it is made, and
	// the search costs more than all other attacks.
	mostNeighbours = 301
	// fewest is the smallest k that is tried, but where there are fewer rows.
	fewest = 5
	// trials rows are guessed by the others to choose k: the standard error of a share
	// is a hundredth.
	trials = 2000
)

// Neighbours guesses by the k nearest rows, k being chosen for each target out of
// n^⅔, n^⅔/3, n^⅔/9 … by how well rows are guessed by the others (the Brier score, or the
// squared error of numbers). Columns are replaced by their ranks, so that distances
// depend neither on their units nor on how a probability saturates.
//
// Rows that are equal, or equally far away, count alike, however many: of those at the
// distance of the k-th each has the same share of the weight that is left.
type Neighbours struct{}

// Name returns "neighbours".
func (Neighbours) Name() string { return "neighbours" }

// Suits returns true.
func (Neighbours) Suits(Target) bool { return true }

// knnModel is a fitted Neighbours.
type knnModel struct {
	d      int
	ranks  *ranks
	narrow *narrowing
	points *points
	votes  []*votes
	widths []int
}

// Fit stores the rows and chooses each target's k. The seed draws the rows on which it
// is chosen, and the order in which rows are compared.
func (l Neighbours) Fit(ctx context.Context, x []float32, d int, targets []Target, seed uint64) (Fitted, error) {
	n, err := check(l, x, d, targets)
	if err != nil {
		return nil, err
	}
	f := &knnModel{d: d, ranks: newRanks(x, d)}
	order := run.Rand(seed, 0, 0).Perm(n)
	rows, of := shuffledDistinct(x, d, order)
	ranked := f.ranks.rows(rows)
	if f.narrow, err = newNarrowing(ctx, ranked, d); err != nil {
		return nil, err
	}
	ranked = f.narrow.rows(ranked)
	f.points = newPoints(ranked, f.narrow.width, of)
	for _, t := range targets {
		f.votes = append(f.votes, newVotes(t, of, f.points))
		f.widths = append(f.widths, t.Width())
	}
	c := &contest{knnModel: f, ranked: ranked, of: of, targets: targets, ks: l.ladder(n)}
	c.rows = order[:min(n, trials)]
	if err := c.decide(ctx); err != nil {
		return nil, err
	}
	return f, nil
}

// ladder returns the k that are tried, odd and descending.
func (l Neighbours) ladder(n int) (ks []int) {
	k := int(math.Cbrt(float64(n) * float64(n)))
	for k = min(k, mostNeighbours); k >= fewest || len(ks) == 0; k /= 3 {
		ks = append(ks, max(k-1+k%2, 1))
	}
	return ks
}

// Predict gives shares of the classes, or numbers.
func (f *knnModel) Predict(ctx context.Context, dst [][]float32, x []float32) error {
	n := checkPredict(dst, x, f.d, f.widths)
	if n == 0 {
		return ctx.Err()
	}
	rows, of := distinct(x, f.d)
	b := f.newBallot(dst, len(rows)/f.d)
	if len(b.order) == 0 {
		return ctx.Err()
	}
	err := f.points.search(ctx, f.narrow.rows(f.ranks.rows(rows)), f.votes[b.order[0]].k, b.visit)
	for t, v := range f.votes {
		if dst[t] != nil {
			v.show(dst[t], b.guesses[t], of)
		}
	}
	return err
}

// ballot collects the guesses of a Predict.
type ballot struct {
	*knnModel
	order   []int       // targets that are asked for, by descending k
	guesses [][]float64 // of each target, [queries, scores]
	rooms   sync.Pool   // of *poll
}

func (f *knnModel) newBallot(dst [][]float32, queries int) *ballot {
	b := &ballot{knnModel: f, guesses: make([][]float64, len(f.votes))}
	for t, v := range f.votes {
		if dst[t] != nil {
			b.order = append(b.order, t)
			b.guesses[t] = make([]float64, queries*v.scores())
		}
	}
	slices.SortStableFunc(b.order, func(s, t int) int { return f.votes[t].k - f.votes[s].k })
	b.rooms.New = func() any { return new(poll) }
	return b
}

// visit guesses query q from the rows found; each k's nearest are among those of a
// larger one.
func (b *ballot) visit(q int, found []candidate) {
	room := b.rooms.Get().(*poll)
	defer b.rooms.Put(room)
	var near, k int
	var share, weight float64
	for _, t := range b.order {
		v := b.votes[t]
		if v.k != k {
			var end int
			k = v.k
			near, end, share = b.points.closest(found, k, -1)
			found = found[:end]
			weight = min(float64(k), float64(b.points.rows(found, -1)))
		}
		v.guess(b.guesses[t][q*v.scores():(q+1)*v.scores()], room, found[:near], found[near:], share, weight)
	}
}
