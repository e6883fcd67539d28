package classify

import (
	"context"
	"math"

	"tattle/run"
)

const (
	// DefaultNeighbours bounds k: beyond, a guess says little of where it is made, and
	// the search costs more than all other attacks.
	DefaultNeighbours = 301
	// fewest is the smallest k that is tried, but where there are fewer rows.
	fewest = 5
	// trials rows are guessed by the others to choose k: the standard error of a share
	// is a hundredth.
	trials = 2000
)

// Neighbours guesses by the k nearest rows, k being chosen for each target out of
// n^⅔, n^⅔/3, n^⅔/9 … by how well rows are guessed by the others (the Brier score, or the
// squared error of numbers). Columns are replaced by their ranks, so that distances
// heed neither their units nor how a probability saturates.
//
// Rows that are equal, or equally far away, count alike, however many: of those at the
// distance of the k-th each has the same share of the weight that is left.
type Neighbours struct {
	Most int // of k; 0 is DefaultNeighbours
}

// Name returns "neighbours".
func (Neighbours) Name() string { return "neighbours" }

// Suits returns true.
func (Neighbours) Suits(Target) bool { return true }

// crowd is a fitted Neighbours.
type crowd struct {
	d      int
	ranks  *ranks
	narrow *narrowing
	points *points
	votes  []*votes
	widths []int
}

// votes are what the points say of one target.
type votes struct {
	classes  classes
	standard standard  // of numbers
	width    int       // classes that are present, or 1
	sums     []float64 // [points, width]: rows of each class, or the sum of the numbers
	prior    []float64 // shares of all rows, or 0
	k        int
}

// Fit stores the rows and chooses each target's k. The seed draws the rows on which it
// is chosen, and the order in which rows are compared.
func (l Neighbours) Fit(ctx context.Context, x []float32, d int, targets []Target, seed uint64) (Fitted, error) {
	n, err := check(l, x, d, targets)
	if err != nil {
		return nil, err
	}
	if l.Most == 0 {
		l.Most = DefaultNeighbours
	}
	f := &crowd{d: d, ranks: newRanks(x, d)}
	order := run.Rand(seed, 0, 0).Perm(n)
	rows, of := shuffledDistinct(x, d, order)
	ranked := f.ranks.rows(rows)
	f.narrow = newNarrowing(ranked, d)
	ranked = f.narrow.rows(ranked)
	f.points = newPoints(ranked, f.narrow.width, of)
	for _, t := range targets {
		f.votes = append(f.votes, newVotes(t, of, f.points.n))
		f.widths = append(f.widths, t.Width())
	}
	c := &contest{crowd: f, ranked: ranked, of: of, targets: targets, ks: l.ladder(n)}
	c.rows = order[:min(n, trials)]
	if err := c.decide(ctx); err != nil {
		return nil, err
	}
	return f, nil
}

// ladder returns the k that are tried, odd and descending.
func (l Neighbours) ladder(n int) (ks []int) {
	k := int(math.Cbrt(float64(n) * float64(n)))
	for k = min(k, l.Most); k >= fewest || len(ks) == 0; k /= 3 {
		ks = append(ks, max(k-1+k%2, 1))
	}
	return ks
}

// newVotes counts the rows of each point.
func newVotes(t Target, of []int32, points int) *votes {
	if t.Labels == nil {
		return newSums(t, of, points)
	}
	c, labels := compact(t)
	v := &votes{classes: c, width: len(c.present), prior: c.shares(labels)}
	v.sums = make([]float64, points*v.width)
	for i, l := range labels {
		v.sums[int(of[i])*v.width+int(l)]++
	}
	return v
}

func newSums(t Target, of []int32, points int) *votes {
	v := &votes{standard: standardOf(t.Values), width: 1, prior: []float64{0}}
	v.sums = make([]float64, points)
	for i, z := range v.standard.scores(t.Values) {
		v.sums[of[i]] += z
	}
	return v
}

// guess overwrites dst, [width], with the shares of the classes, or the mean, of rows of
// which those at edge count by a share. All rows together count as one more.
func (v *votes) guess(dst []float64, weights []float64, near, edge []candidate, share float64) (weight float64) {
	clear(dst)
	for _, c := range edge {
		v.count(dst, c.at)
		weight += weights[c.at]
	}
	for i := range dst {
		dst[i] *= share
	}
	weight *= share
	for _, c := range near {
		v.count(dst, c.at)
		weight += weights[c.at]
	}
	v.divide(dst, weight)
	return weight
}

func (v *votes) count(dst []float64, at int32) {
	for i, s := range v.sums[int(at)*v.width:][:v.width] {
		dst[i] += s
	}
}

func (v *votes) divide(dst []float64, weight float64) {
	for i, p := range v.prior {
		dst[i] = (dst[i] + p) / (weight + 1)
	}
}

// Predict gives shares of the classes, or numbers.
func (f *crowd) Predict(ctx context.Context, dst [][]float32, x []float32) error {
	n := checkPredict(dst, x, f.d, f.widths)
	if n == 0 {
		return ctx.Err()
	}
	rows, of := distinct(x, f.d)
	queries := len(rows) / f.d
	most := 0
	guesses := make([][]float64, len(f.votes))
	for t, v := range f.votes {
		if dst[t] != nil {
			guesses[t], most = make([]float64, queries*v.width), max(most, v.k)
		}
	}
	err := f.points.search(ctx, f.narrow.rows(f.ranks.rows(rows)), most, func(q int, c *nearest) {
		for t, v := range f.votes {
			if dst[t] != nil {
				near, edge, share := f.points.closest(c.found, v.k, -1)
				v.guess(guesses[t][q*v.width:(q+1)*v.width], f.points.weights, near, edge, share)
			}
		}
	})
	for t, v := range f.votes {
		if dst[t] != nil {
			v.deliver(dst[t], guesses[t], of)
		}
	}
	return err
}

// deliver overwrites dst with each row's guess.
func (v *votes) deliver(dst []float32, guesses []float64, of []int32) {
	rows := make([]float32, len(of)*v.width)
	for i, at := range of {
		for c, g := range guesses[int(at)*v.width:][:v.width] {
			rows[i*v.width+c] = float32(g)
		}
	}
	if v.classes.present != nil {
		v.classes.spread(dst, rows)
		return
	}
	for i, z := range rows {
		dst[i] = v.standard.back(float64(z))
	}
}
