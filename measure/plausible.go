package measure

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/mat"

	"tattle/bound"
	"tattle/internal/simd"
)

// A PlausiblePair is an example and a candidate, both real inputs, that the noise hides from
// one another: on average over the two, every adversary, biased or not, has a mean square error
// of at least MeanSquare. The candidate is at most as unusual as the example, so that knowing
// what inputs look like does not reveal which of the two is true.
type PlausiblePair struct {
	Index      int     `json:"index"`             // of the example
	Candidate  int     `json:"candidate"`         // index in the data of the candidates; −1: none was found
	MeanSquare float64 `json:"floor_mean_square"` // floor on the mean-square error per input, in normalised units squared
	Share      float64 `json:"share"`             // h of release.PairShare
	Status     string  `json:"status"`
	// Nearest is the root mean square distance to the nearest other candidate, in normalised
	// units, and Score the distance from the candidates' mean under their covariance
	// (Mahalanobis), over the root of the number of inputs: first of the example, then of the
	// candidate.
	Nearest [2]float64 `json:"nearest"`
	Score   [2]float64 `json:"score"`

	Input []float32 `json:"-"` // the candidate

	theta []float32 // the example
}

const (
	// mostPartners is the number of candidates that are tried as partners of an example, and
	// mostPlausible that of the examples for which one is sought.
	mostPartners, mostPlausible = 10000, 100
	// mostPartnerFloats limits the memory for these candidates and their features.
	mostPartnerFloats = 1 << 25
	// mostScored is the largest number of inputs whose covariance is computed.
	mostScored = 4096
	// nearestPartners is the number of candidates whose nearest neighbours are looked for, for
	// one example: those with the largest floors whose scores are at most the example's.
	nearestPartners = 16
	// scoreRows is the number of inputs whose scores are computed together.
	scoreRows = 512
)

// plausible is a search for plausible pairs.
type plausible struct {
	net        bound.Net
	target     Target
	p, n       int
	set        []int     // the candidates, as indices in their data
	x, a       []float32 // [candidates, p], [candidates, n]: inputs and features
	mean       []float64
	precision  []float64       // [p, p], the inverse of the covariance
	scores     []float64       // of the candidates; nil if they are not searched
	neighbours map[int]float64 // of candidates, by their index in the data: the distance from the nearest
	scale      float64
}

// plausiblePairs looks for plausible pairs, among candidates of t's release.
func (l *lists) plausiblePairs(ctx context.Context, t Target) error {
	net, ok := t.Front.(bound.Net)
	p, n := t.Front.Dims()
	pairs := slices.Clone(l.Pairs)
	if l.Pairs == nil {
		for _, index := range t.Indices[:min(len(t.Indices), mostPlausible)] {
			pairs = append(pairs, PlausiblePair{Index: index, Candidate: -1})
		}
	}
	if !ok || t.Rounding == "" || len(pairs) == 0 || p > mostScored || l.labelAlone() {
		return nil
	}
	s := &plausible{net: net, target: t, p: p, n: n, neighbours: map[int]float64{}}
	s.set = l.choose(l.Candidates)
	s.set = s.set[:min(len(s.set), mostPartners, mostPartnerFloats/max(p, n))]
	experiment := bound.Experiment{Noise: t.Noise, Queries: t.Queries}
	s.scale = experiment.Scale()
	s.x, s.a = make([]float32, len(s.set)*p), make([]float32, len(s.set)*n)
	l.Candidates.Set.Examples(s.x, s.set)
	const batch = 256
	for lo := 0; lo < len(s.set); lo += batch {
		if err := ctx.Err(); err != nil {
			return err
		}
		hi := min(len(s.set), lo+batch)
		t.Front.Forward(s.a[lo*n:hi*n], s.x[lo*p:hi*p])
	}
	if err := usualPrior(p); err != nil {
		l.leaveOut("plausible pairs of inputs: %v", err)
		return nil
	}
	prior, err := bound.NewPrior(ctx, l.Candidates.Set, p, mostPartners, l.Seed)
	if err != nil {
		l.leaveOut("plausible pairs of inputs: %v", err)
		return nil
	}
	if s.mean, s.precision = prior.Mean, inverse(prior.Covariance, p); s.precision == nil {
		l.leaveOut("plausible pairs of inputs: the covariance of the candidates is singular")
		return nil
	}
	if l.Pairs == nil {
		s.scores = s.score(s.x)
	}
	for k, pair := range pairs {
		if n := t.Data.Len(); pair.Index < 0 || pair.Index >= n {
			return fmt.Errorf("example %d of %d in a pair of inputs", pair.Index, n)
		}
		if l.Progress != nil {
			l.Progress("plausible pairs", k, len(pairs))
		}
		candidates := []int{pair.Candidate}
		if l.Pairs == nil {
			candidates = s.partners(pair.Index)
		} else if pair.Candidate < 0 || pair.Candidate >= l.Candidates.Set.Len() {
			candidates = nil
		}
		l.out.Plausible = append(l.out.Plausible, s.pair(ctx, pair.Index, candidates, l.Candidates.Set))
	}
	return ctx.Err()
}

// partners returns the candidates with the largest floors beside an example, roughly, of
// those whose scores are at most the example's: as indices in their data, the best first.
func (s *plausible) partners(index int) []int {
	theta, feature := make([]float32, s.p), make([]float32, s.n)
	s.target.Data.Examples(theta, []int{index})
	s.target.Front.Forward(feature, theta)
	away, moved := s.distances(theta, s.x, s.p), s.distances(feature, s.a, s.n)
	own, value := s.score(theta)[0], make([]float64, len(away))
	var order []int
	for j := range value {
		if s.scores[j] <= own && away[j] > 0 {
			order = append(order, j)
		}
		value[j] = s.value(away[j], moved[j])
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(value[b], value[a]) })
	order = order[:min(len(order), nearestPartners)]
	for k, j := range order {
		order[k] = s.set[j]
	}
	return order
}

// pair returns the pair of an example and one of the candidates of set, the one with the
// largest floor among the first of them that are plausible.
func (s *plausible) pair(ctx context.Context, index int, candidates []int, set bound.Source) PlausiblePair {
	theta := make([]float32, s.p)
	s.target.Data.Examples(theta, []int{index})
	best := PlausiblePair{Index: index, Candidate: -1, Status: s.status(), Nearest: [2]float64{s.nearest(theta)[0]}, Score: [2]float64{s.score(theta)[0]}, theta: theta}
	x := make([]float32, len(candidates)*s.p)
	set.Examples(x, candidates)
	s.know(candidates, x)
	var all []PlausiblePair
	for k, score := range s.score(x) {
		found := best
		found.Candidate, found.Input, found.Score[1], found.Nearest[1] = candidates[k], rowOf(x, k, s.p), score, s.neighbours[candidates[k]]
		if !slices.Equal(found.Input, found.theta) && score <= found.Score[0] && found.Nearest[1] <= found.Nearest[0] {
			all = append(all, found)
		}
	}
	s.certify(ctx, all)
	for _, found := range all {
		if found.MeanSquare > best.MeanSquare {
			best = found
		}
	}
	best.Input = slices.Clone(best.Input) // not all of x
	for _, x := range []*float64{&best.Nearest[0], &best.Nearest[1], &best.Score[0], &best.Score[1]} {
		*x = digits(*x, math.Round)
	}
	return best
}

// certify fills in the floors of pairs of one example with their inputs.
func (s *plausible) certify(ctx context.Context, pairs []PlausiblePair) {
	if len(pairs) == 0 {
		return
	}
	var eps []float64
	for _, pair := range pairs {
		for i, v := range pair.Input {
			eps = append(eps, float64(v)-float64(pair.theta[i]))
		}
	}
	c := bound.Certifier{Net: s.net, Noise: s.target.Noise, Queries: s.target.Queries, Rounding: s.target.Rounding, Runtime: s.target.RuntimeError, Counted: true, Domain: bound.Free}
	for k, d := range c.DivergencesFloat64(ctx, pairs[0].theta, eps) {
		floor := d.PairMeanSquare(eps[k*s.p : (k+1)*s.p])
		pairs[k].Share, pairs[k].MeanSquare = digits(d.Share, math.Floor), digits(floor, math.Floor)
	}
}

// status is the standing of the floors.
func (s *plausible) status() string {
	proved := s.target.Rounding == bound.RoundingProved || s.target.Rounding == bound.RoundingPairs
	if proved && s.target.Noise.Certain() {
		return bound.StatusCertified
	}
	return bound.StatusEstimated
}

// distances returns the squared distances of x from rows, [·, width].
func (s *plausible) distances(x, rows []float32, width int) []float64 {
	out := make([]float64, len(rows)/width)
	simd.Parallel(len(out), 64, func(lo, hi int) {
		apart := make([]float32, width)
		for j := lo; j < hi; j++ {
			simd.Combine(apart, rowOf(rows, j, width), x, 1, -1, 0)
			out[j] = float64(simd.SumSquares(apart))
		}
	})
	return out
}

// value is the logarithm of the floor's square but for a constant, roughly: h is between
// half of Φ(−d/2) and all of it.
func (s *plausible) value(away, moved float64) float64 {
	d := math.Sqrt(moved) / s.scale
	if d > 30 {
		return math.Log(away) - d*d/8
	}
	return math.Log(away) + math.Log(math.Erfc(d/2/math.Sqrt2))
}

// know fills in the distances of candidates, whose inputs are x, from their nearest neighbours.
func (s *plausible) know(candidates []int, x []float32) {
	var fresh []int
	var inputs []float32
	for k, j := range candidates {
		if _, known := s.neighbours[j]; !known {
			fresh, inputs = append(fresh, j), append(inputs, rowOf(x, k, s.p)...)
		}
	}
	for k, near := range s.nearest(inputs) {
		s.neighbours[fresh[k]] = near
	}
}

// nearest returns the root mean square distances of inputs, [·, p], from the nearest candidate
// that is another input, 0 if there is none. It reads the candidates once, for all inputs.
func (s *plausible) nearest(x []float32) []float64 {
	least := slices.Repeat([]float64{math.Inf(1)}, len(x)/s.p)
	var merging sync.Mutex
	simd.Parallel(len(s.set), 64, func(lo, hi int) {
		own, apart := slices.Repeat([]float64{math.Inf(1)}, len(least)), make([]float32, s.p)
		for j := lo; j < hi; j++ {
			for i := range own {
				simd.Combine(apart, rowOf(s.x, j, s.p), rowOf(x, i, s.p), 1, -1, 0)
				if v := float64(simd.SumSquares(apart)); v > 0 {
					own[i] = min(own[i], v)
				}
			}
		}
		merging.Lock()
		defer merging.Unlock()
		for i, v := range own {
			least[i] = min(least[i], v)
		}
	})
	for i, v := range least {
		least[i] = s.apart(v)
	}
	return least
}

// apart is the root mean square of a squared distance, 0 of an infinite one.
func (s *plausible) apart(square float64) float64 {
	if math.IsInf(square, 1) {
		return 0
	}
	return math.Sqrt(square / float64(s.p))
}

// score returns how far inputs, [·, p], lie from the mean of the candidates, in standard
// deviations, root mean square over directions.
func (s *plausible) score(x []float32) []float64 {
	p := s.p
	scores := make([]float64, len(x)/p)
	away, solved := make([]float64, min(len(scores), scoreRows)*p), make([]float64, min(len(scores), scoreRows)*p)
	for lo := 0; lo < len(scores); lo += scoreRows {
		rows := min(len(scores)-lo, scoreRows)
		for i := range rows * p {
			away[i] = float64(x[lo*p+i]) - s.mean[i%p]
		}
		simd.Gemm(false, false, rows, p, p, 1, away, p, s.precision, p, 0, solved, p)
		for i := range rows {
			scores[lo+i] = math.Sqrt(max(0, simd.Dot(away[i*p:(i+1)*p], solved[i*p:(i+1)*p])) / float64(p))
		}
	}
	return scores
}

// inverse returns the inverse of a symmetric matrix, [p, p], nil if it is singular.
func inverse(matrix []float64, p int) []float64 {
	var c mat.Cholesky
	var inv mat.SymDense
	if !c.Factorize(mat.NewSymDense(p, matrix)) {
		return nil
	}
	c.InverseTo(&inv) // its error says that the condition number is large
	return mat.DenseCopyOf(&inv).RawMatrix().Data
}

// rowOf returns row i of x, rows of width w.
func rowOf(x []float32, i, w int) []float32 { return x[i*w : (i+1)*w] }
