package release

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"tattle/internal/math/simd"
	"tattle/internal/math/stat"
)

// A Use says what vectors are used for: the vectors of a database that are nearest to a query are looked up.
type Use struct {
	Task   string `json:"task"`             // recall@K, target@K or verification@P%
	Metric string `json:"metric,omitempty"` // MetricCosine or MetricEuclidean; empty: cosine
	Noise  string `json:"noise,omitempty"`  // where it is added: NoiseQuery, NoiseDatabase or NoiseBoth; empty: the query
	Views  string `json:"views,omitempty"`  // of the same examples: a path, or ViewsMirror; empty: none
	SHA256 string `json:"sha256,omitempty"` // of the views
}

// Values of a Use.
const (
	MetricCosine    = "cosine"
	MetricEuclidean = "euclidean"
	NoiseQuery      = "query"
	NoiseDatabase   = "database"
	NoiseBoth       = "both"
	ViewsMirror     = "mirror" // pictures, left and right exchanged

	taskRecall       = "recall"
	taskTarget       = "target"
	taskVerification = "verification"

	// DefaultUse is the task of vectors if none is named.
	DefaultUse  = "recall@10"
	mostNearest = 1000
)

// Check returns an error for a task, a metric or a place of the noise that there is not.
func (u Use) Check() error {
	if _, _, _, err := u.parse(); err != nil {
		return err
	}
	for _, x := range []struct {
		value string
		known []string
	}{{u.Metric, []string{"", MetricCosine, MetricEuclidean}}, {u.Noise, []string{"", NoiseQuery, NoiseDatabase, NoiseBoth}}} {
		if !slices.Contains(x.known, x.value) {
			return fmt.Errorf("%q: give one of %s", x.value, strings.Join(x.known[1:], ", "))
		}
	}
	return nil
}

// parse reads the task: how many neighbours count, or the share of false accepts.
func (u Use) parse() (task string, k int, accepts float64, err error) {
	task, of, given := strings.Cut(u.Task, "@")
	switch task {
	case taskRecall, taskTarget:
		k = 10
		if given {
			k, err = strconv.Atoi(of)
		}
		if err != nil || k < 1 || k > mostNearest {
			return task, 0, 0, fmt.Errorf("%q: give a number of neighbours from 1 to %d, as in %s@10", u.Task, mostNearest, task)
		}
	case taskVerification:
		accepts = .001
		if given {
			accepts, _, err = stat.ParseShare(of)
		}
		if err != nil || !(accepts > 0 && accepts < 1) {
			return task, 0, 0, fmt.Errorf("%q: give a share of false accepts, as in verification@0.1%%", u.Task)
		}
	default:
		return task, 0, 0, fmt.Errorf("%q: give recall@10, target@10 or verification@0.1%%", u.Task)
	}
	return task, k, accepts, nil
}

// ByTarget reports whether the task needs labels.
func (u Use) ByTarget() bool { return strings.HasPrefix(u.Task, taskTarget) }

// Words say what the score is.
func (u Use) Words() string {
	task, k, accepts, _ := u.parse()
	switch task {
	case taskTarget:
		return fmt.Sprintf("target by %d neighbours", k)
	case taskVerification:
		return fmt.Sprintf("true accepts at %g %% false", 100*accepts)
	}
	return fmt.Sprintf("recall@%d", k)
}

// Noisy says how vectors are compared, and which of them have noise.
func (u Use) Noisy() string {
	what, metric := "the vectors nearest to a query", "cosine"
	if u.Views != "" {
		what = "another view of the same example"
	}
	if u.Metric == MetricEuclidean {
		metric = "Euclidean distance"
	}
	noise := "the query"
	switch u.Noise {
	case NoiseDatabase:
		noise = "the database"
	case NoiseBoth:
		noise = "both"
	}
	return what + ", by " + metric + ", with noise on " + noise
}

// A Database is vectors in which others are looked up.
type Database struct {
	Vectors []float32 // [rows, width]
	Width   int
	Labels  []int // of each row, for target@K; else nil
	People  []int // of each row; nil: nobody says
	Views   bool  // row i is another view of query i; else it is query i itself
}

// Neighbours is the Task of vectors: what is nearest to a query in a database. It is made by NewNeighbours.
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
func NewNeighbours(u Use, clean Database) (made *Neighbours, err error) {
	t := &Neighbours{use: u, of: clean}
	if t.task, t.k, t.accepts, err = u.parse(); err != nil {
		return nil, err
	}
	n := len(clean.Vectors) / clean.Width
	t.center()
	if t.rows, t.squares, err = t.prepare(clean.Vectors); err != nil {
		return nil, err
	}
	if t.task != taskVerification && t.k >= n {
		return nil, fmt.Errorf("%s: a database of %d vectors has not so many others: look up fewer", u.Task, n)
	}
	byPerson := map[int][]int32{}
	for i, p := range clean.People {
		byPerson[p] = append(byPerson[p], int32(i))
	}
	for i := range n {
		var wanted []int32
		switch {
		case clean.Views:
			wanted = []int32{int32(i)}
		case t.task == taskVerification && clean.People != nil:
			wanted = slices.DeleteFunc(slices.Clone(byPerson[clean.People[i]]), func(j int32) bool { return int(j) == i })
		}
		if t.task == taskVerification && len(wanted) == 0 {
			continue
		}
		t.queries, t.wanted = append(t.queries, i), append(t.wanted, wanted)
	}
	if len(t.queries) == 0 {
		return nil, errors.New("verification: no vector has another one of the same person: say who they are of (--group), or give other views (--views)")
	}
	defer func() {
		if err != nil || t.task != taskVerification {
			return
		}
		for _, q := range t.queries {
			of := 1
			if clean.People != nil {
				of = len(byPerson[clean.People[q]])
			}
			t.pairs += n - of
		}
		if t.accepts*float64(t.pairs) < leastAccepted {
			made, err = nil, fmt.Errorf("%s: a share of %g %% of %d pairs of different people is too few to set a threshold: allow more, or give more vectors", u.Task, 100*t.accepts, t.pairs)
		}
	}()
	if m := len(t.queries); m > mostQueries {
		for k := range mostQueries {
			t.queries[k], t.wanted[k] = t.queries[k*m/mostQueries], t.wanted[k*m/mostQueries]
		}
		t.queries, t.wanted = t.queries[:mostQueries], t.wanted[:mostQueries]
	}
	if t.task == taskRecall && !clean.Views {
		t.nearestOfAll()
	}
	return t, nil
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
func (t *Neighbours) With(vectors []float32) (*Neighbours, error) {
	c := *t
	var err error
	c.rows, c.squares, err = c.prepare(vectors)
	return &c, err
}

// prepare makes rows such that a product says how near they are.
func (t *Neighbours) prepare(vectors []float32) (rows, squares []float32, err error) {
	w := t.of.Width
	if t.use.Metric == MetricEuclidean {
		rows = slices.Clone(vectors)
		for i := 0; i < len(rows); i += w {
			t.centered(rows[i : i+w])
			squares = append(squares, simd.SumSquares(rows[i:i+w]))
		}
		return rows, squares, nil
	}
	rows = slices.Clone(vectors)
	for i := 0; i < len(rows); i += w {
		if !toUnit(rows[i : i+w]) {
			return nil, nil, &VectorError{i / w, errNoCosine}
		}
	}
	return rows, nil, nil
}

// center computes the mean of the vectors, if the metric is Euclidean.
func (t *Neighbours) center() {
	if t.use.Metric != MetricEuclidean {
		return
	}
	w, n := t.of.Width, float64(len(t.of.Vectors)/t.of.Width)
	t.mean = make([]float64, w)
	for i, v := range t.of.Vectors {
		t.mean[i%w] += float64(v) / n
	}
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

// Scorer implements Task.
func (t *Neighbours) Scorer(n, width int) Scorer {
	return &neighbourScorer{task: t, sums: make([]float64, n), draws: make([]int, n), width: width}
}

// neighbourScorer collects scores.
type neighbourScorer struct {
	task  *Neighbours
	width int
	sums  []float64
	draws []int

	mu        sync.Mutex
	genuine   []pairOf  // of verification
	impostors []float32 // of verification: how near other people are
}

// pairOf is how near a query is to another vector of the same person.
type pairOf struct {
	query int
	near  float32
}

// mostImpostors is the most pairs of different people that are kept of a draw; of more, some are, evenly.
const mostImpostors = 1 << 22

// Add implements Scorer.
func (s *neighbourScorer) Add(first int, outputs []float32) error {
	t, w := s.task, s.width
	if w != t.of.Width {
		return fmt.Errorf("outputs of %d numbers, and the database has vectors of %d", w, t.of.Width)
	}
	queries := slices.Clone(outputs)
	for i := 0; i < len(queries); i += w {
		row := queries[i : i+w]
		if slices.ContainsFunc(row, func(v float32) bool { return !finite(v) }) {
			return fmt.Errorf("example %d: its vector is not finite: look for bad values in the data and the model", first+i/w)
		}
		if t.centered(row); t.mean == nil && !toUnit(row) {
			return &VectorError{t.queries[first+i/w], errNoCosine}
		}
		s.draws[first+i/w]++
	}
	t.each(first, queries, func(i int, near []float32) { s.sums[i] += s.score(i, near) })
	return nil
}

// score returns the score of a query; verification only notes the pairs.
func (s *neighbourScorer) score(i int, near []float32) float64 {
	t := s.task
	switch t.task {
	case taskRecall:
		found := 0
		for _, j := range nearestRows(near, t.k) {
			if slices.Contains(t.wanted[i], j) {
				found++
			}
		}
		return float64(found) / float64(min(t.k, len(t.wanted[i])))
	case taskTarget:
		votes := map[int]int{}
		best, most := -1, 0
		for _, j := range nearestRows(near, t.k) { // of classes with as many votes, the one whose last is nearest
			if math.IsInf(float64(near[j]), -1) {
				break // of the same person
			}
			y := t.of.Labels[j]
			if votes[y]++; votes[y] > most {
				best, most = y, votes[y]
			}
		}
		if best == t.of.Labels[t.queries[i]] {
			return 1
		}
		return 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, j := range t.wanted[i] {
		s.genuine = append(s.genuine, pairOf{i, near[j]})
		near[j] = float32(math.Inf(-1))
	}
	step := (len(t.queries)*len(near)-1)/mostImpostors + 1
	for j := i % step; j < len(near); j += step {
		other := t.of.People == nil || t.of.People[j] != t.of.People[t.queries[i]]
		if other && j != t.queries[i] {
			s.impostors = append(s.impostors, near[j])
		}
	}
	return 0
}

// Scores implements Scorer. Verification accepts a pair that is nearer than the given share of pairs of different people: the
// threshold is that of the vectors that are compared.
func (s *neighbourScorer) Scores() []float64 {
	if s.task.task == taskVerification {
		slices.Sort(s.impostors)
		n := len(s.impostors)
		threshold := float32(math.Inf(-1))
		if n > 0 {
			threshold = s.impostors[n-1-min(int(s.task.accepts*float64(n)), n-1)]
		}
		clear(s.sums)
		for _, p := range s.genuine {
			if p.near > threshold {
				s.sums[p.query] += 1 / float64(len(s.task.wanted[p.query]))
			}
		}
	}
	scores := make([]float64, len(s.sums))
	for i, x := range s.sums {
		scores[i] = x / float64(s.draws[i])
	}
	return scores
}
