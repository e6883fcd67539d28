package release

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"tattle/internal/engine/classify"
	"tattle/internal/math/simd"
)

// A Database is vectors in which others are looked up.
type Database struct {
	Vectors []float32 // [rows, width]
	Width   int
	Labels  []int // of each row, for target@K and probe; else nil
	People  []int // of each row; nil: nobody says
	Views   bool  // row i is another view of query i; else it is query i itself
}

// Neighbours is the Task of vectors: what is nearest to a query in a database, or what a classifier says that is fitted to it. It
// is made by NewNeighbours.
type Neighbours struct {
	use     Use
	task    string
	k       int
	accepts float64
	of      Database
	rows    []float32 // of the database, of length 1 if the metric is cosine
	squares []float32 // of the lengths of rows, if it is Euclidean
	mean    []float64 // of the rows, subtracted if the metric is Euclidean: float32 loses distances far from 0
	queries []int     // rows that are asked for, by the number of the example
	wanted  [][]int32 // of each query: the rows that should be found
	pairs   int       // of queries and rows of other people
	half    []int     // of each row, for probes
	probes  [2]classify.Fitted
}

// A VectorError is about one vector.
type VectorError struct {
	Vector int // its place, from 0
	Err    error
}

// Error implements error.
func (e *VectorError) Error() string { return fmt.Sprintf("vector %d (from 0) %v", e.Vector, e.Err) }

// Unwrap returns Err.
func (e *VectorError) Unwrap() error { return e.Err }

var errNoCosine = errors.New("is zero or too long, and no cosine is defined: compare with --metric euclidean")

// leastAccepted is the least number of pairs of different people that a threshold accepts.
const leastAccepted = 10

// mostTies is the most rows beyond the nearest that count, too, because they are as near as the last of these.
const mostTies = 1000

// mostQueries is the most vectors that are looked up in a database.
const mostQueries = 5000

// NewNeighbours returns the task for queries that are the rows of a database, or other views of them. For verification they are
// those that have another vector of the same person, or another view. Of many, some are taken, evenly. It returns an
// error if a vector is zero and the metric is cosine, or if there are no such pairs.
func NewNeighbours(ctx context.Context, u Use, clean Database) (*Neighbours, error) {
	t, n := &Neighbours{use: u, of: clean}, len(clean.Vectors)/clean.Width
	var err error
	if t.task, t.k, t.accepts, err = u.parse(); err != nil {
		return nil, err
	}
	if t.rows, t.squares, err = t.prepare(clean.Vectors); err != nil {
		return nil, err
	}
	if t.task != taskVerification && t.k >= n {
		return nil, fmt.Errorf("%s: a database of %d vectors has not so many others: look up fewer", u.Task, n)
	}
	own := t.choose(n)
	switch {
	case len(t.queries) == 0:
		return nil, errors.New("verification: no vector has another one of the same person: say who they are of (--group), or give other views (--views)")
	case t.task == taskProbe:
		return t, t.fitProbes(ctx)
	case t.task == taskRecall && !clean.Views:
		t.nearestOfAll()
	case t.task == taskVerification:
		for _, q := range t.queries {
			t.pairs += n - own(q)
		}
		if t.accepts*float64(t.pairs) < leastAccepted {
			return nil, fmt.Errorf("%s: a share of %g %% of %d pairs of different people is too few to set a threshold: allow more, or give more vectors", u.Task, 100*t.accepts, t.pairs)
		}
	}
	return t, nil
}

// choose takes the queries of n rows, and what should be found of each that is known already. It returns how many rows the person of a row has.
func (t *Neighbours) choose(n int) (own func(row int) int) {
	byPerson := map[int][]int32{}
	for i, p := range t.of.People {
		byPerson[p] = append(byPerson[p], int32(i))
	}
	for i := range n {
		var wanted []int32
		switch {
		case t.of.Views:
			wanted = []int32{int32(i)}
		case t.task == taskVerification && t.of.People != nil:
			wanted = slices.DeleteFunc(slices.Clone(byPerson[t.of.People[i]]), func(j int32) bool { return int(j) == i })
		}
		if t.task != taskVerification || len(wanted) > 0 {
			t.queries, t.wanted = append(t.queries, i), append(t.wanted, wanted)
		}
	}
	if m := len(t.queries); m > mostQueries {
		for k := range mostQueries {
			t.queries[k], t.wanted[k] = t.queries[k*m/mostQueries], t.wanted[k*m/mostQueries]
		}
		t.queries, t.wanted = t.queries[:mostQueries], t.wanted[:mostQueries]
	}
	return func(row int) int {
		if t.of.People == nil {
			return 1
		}
		return len(byPerson[t.of.People[row]])
	}
}

// nearestOfAll finds what queries without noise find.
func (t *Neighbours) nearestOfAll() {
	w := t.of.Width
	for first := 0; first < len(t.queries); first += batchSize {
		some := t.queries[first:min(first+batchSize, len(t.queries))]
		x := make([]float32, len(some)*w)
		for i, q := range some {
			copy(x[i*w:(i+1)*w], t.rows[q*w:(q+1)*w])
		}
		t.each(first, x, func(i int, near []float32) {
			t.wanted[i] = nearestRows(near, t.k)
			for j, v := range near { // any of those that are as near as the last are right
				if v == near[t.wanted[i][t.k-1]] && len(t.wanted[i]) < t.k+mostTies && !slices.Contains(t.wanted[i], int32(j)) {
					t.wanted[i] = append(t.wanted[i], int32(j))
				}
			}
		})
	}
}

// Queries are the examples that are looked up.
func (t *Neighbours) Queries() []int { return t.queries }

// With returns the task with another database for the same queries, such as one with noise.
func (t *Neighbours) With(ctx context.Context, vectors []float32) (*Neighbours, error) {
	c := *t
	var err error
	if c.rows, c.squares, err = c.prepare(vectors); err == nil && c.task == taskProbe {
		err = c.fitProbes(ctx)
	}
	return &c, err
}

// prepare makes rows such that a product says how near they are. The first that are given say what is subtracted from all, if the
// metric is Euclidean.
func (t *Neighbours) prepare(vectors []float32) (rows, squares []float32, err error) {
	w := t.of.Width
	if t.use.Metric == MetricEuclidean && t.mean == nil {
		t.mean = make([]float64, w)
		for i, v := range vectors {
			t.mean[i%w] += float64(v) / float64(len(vectors)/w)
		}
	}
	rows = slices.Clone(vectors)
	for i := 0; i < len(rows); i += w {
		row := rows[i : i+w]
		if t.mean != nil {
			t.centered(row)
			squares = append(squares, simd.SumSquares(row))
		} else if !toUnit(row) {
			return nil, nil, &VectorError{i / w, errNoCosine}
		}
	}
	return rows, squares, nil
}

// centered subtracts the mean from a vector.
func (t *Neighbours) centered(x []float32) {
	for k, m := range t.mean {
		x[k] = float32(float64(x[k]) - m)
	}
}

// Pairs is the number of pairs of different people by which verification sets its threshold; else 0.
func (t *Neighbours) Pairs() int { return t.pairs }

// toUnit divides a vector by its length, and reports whether that can be done.
func toUnit(x []float32) bool {
	length := math.Sqrt(float64(simd.SumSquares(x)))
	if !(length > 0) || math.IsInf(length, 0) {
		return false
	}
	for i, v := range x {
		x[i] = float32(float64(v) / length)
	}
	return true
}

// each calls f with how near each row is to queries from the given one on, −∞ for the query itself.
func (t *Neighbours) each(first int, queries []float32, f func(i int, near []float32)) {
	w, m := t.of.Width, len(t.rows)/t.of.Width
	b := len(queries) / w
	near := make([]float32, b*m)
	simd.Gemm(false, true, b, m, w, 1, queries, w, t.rows, w, 0, near, m)
	simd.Parallel(b, 1, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			row := near[i*m : (i+1)*m]
			if t.squares != nil {
				own := simd.SumSquares(queries[i*w : (i+1)*w])
				for j, s := range t.squares {
					row[j] = 2*row[j] - s - own
				}
			}
			if own := t.queries[first+i]; !t.of.Views {
				row[own] = float32(math.Inf(-1))
				if t.task == taskTarget && t.of.People != nil { // who is known is not what is asked for
					for j, p := range t.of.People {
						if p == t.of.People[own] {
							row[j] = float32(math.Inf(-1))
						}
					}
				}
			}
			f(first+i, row)
		}
	})
}

// nearestRows returns the k largest entries of a row; of equal ones the first.
func nearestRows(near []float32, k int) []int32 {
	before := func(a, b int32) int {
		return cmp.Or(-cmp.Compare(near[a], near[b]), cmp.Compare(a, b))
	}
	best := make([]int32, 0, 2*k)
	for j, v := range near {
		if len(best) >= k && v <= near[best[k-1]] {
			continue
		}
		if best = append(best, int32(j)); len(best) == k || len(best) == 2*k {
			slices.SortFunc(best, before)
			best = best[:k]
		}
	}
	slices.SortFunc(best, before)
	return best[:min(k, len(best))]
}
