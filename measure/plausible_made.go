package measure

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"tattle/bound"
	"tattle/internal/simd"
	"tattle/npy"
)

const (
	// mostMade is the number of examples for which a partner is constructed, and madeStarts
	// the number of candidates that the search starts from.
	mostMade, madeStarts = 20, 3
	// madeSteps is the number of steps from each start. The length of the first is madeStep
	// times the largest distance that the partner may have from its start; it falls to 0.
	madeSteps, madeStep = 80, .3
	// madeRoom is the part of the limits that the search uses. Rounding to stored values
	// needs the rest.
	madeRoom = .99
)

// maker constructs plausible partners: it moves candidates to where the noise hides them
// from an example. A partner stays in a ball around its start, whose radius is the example's
// distance from its nearest candidate, and in the ellipsoid of the inputs whose score is at
// most the example's. So it is at most as surprising as the example by both measures.
type maker struct {
	*plausible
	domain     bound.Domain
	covariance []float64 // [p, p]

	theta, center []float32 // [rows, p]: the example of each row, and its start
	radius, limit []float64 // [rows]: of the ball, and of the score
	at, best      []float32 // [rows, p]: where the search is, and the best so far
	worth         []float64 // [rows], the value of the best; −∞ if it is the example itself
}

// made returns a partner of the example of each pair that proves a larger floor than the
// pair. Candidate is −1 if none was found.
func (s *plausible) made(ctx context.Context, pairs []PlausiblePair, domain bound.Domain, covariance []float64) ([]PlausiblePair, error) {
	m := &maker{plausible: s, domain: domain, covariance: covariance}
	for _, pair := range pairs {
		m.add(pair.Index)
	}
	if err := m.climb(ctx); err != nil {
		return nil, err
	}
	out := make([]PlausiblePair, len(pairs))
	for i, pair := range pairs {
		out[i] = s.remade(ctx, pair, nil, domain)
		for row := i * madeStarts; row < (i+1)*madeStarts; row++ {
			if found := s.remade(ctx, pair, m.rounded(row), domain); found.MeanSquare > out[i].MeanSquare {
				out[i] = found
			}
		}
	}
	return out, ctx.Err()
}

// remade returns what the input x of the domain proves as a partner of the example of a
// pair, if it is plausible and its floor is larger than the pair's. Candidate is the
// candidate nearest to x, and −1 if x is nil or is no such partner.
func (s *plausible) remade(ctx context.Context, pair PlausiblePair, x []float32, domain bound.Domain) PlausiblePair {
	none := s.alone(pair.Index)
	found := none
	none.round()
	if x == nil || slices.Equal(x, found.theta) {
		return none
	}
	if found.Nearest[1], found.Score[1] = s.nearest(x)[0], s.score(x)[0]; found.Nearest[1] > found.Nearest[0] || found.Score[1] > found.Score[0] {
		return none
	}
	found.Input = slices.Clone(x)
	one := []PlausiblePair{found}
	s.certify(ctx, one, domain)
	if found = one[0]; !(found.MeanSquare > pair.MeanSquare) {
		return none
	}
	away := s.distances(x, s.x, s.p)
	found.Candidate = s.set[slices.Index(away, slices.Min(away))]
	found.round()
	return found
}

// add appends the rows of an example. They start from the candidates within its score that
// would prove the largest floors under this noise, and under 3 and 10 times as much: farther
// away, so that there is more to gain.
func (m *maker) add(index int) {
	own := m.alone(index)
	feature := make([]float32, m.n)
	m.target.Front.Forward(feature, own.theta)
	away, moved := m.distances(own.theta, m.x, m.p), m.distances(feature, m.a, m.n)
	var starts []int
	for k := range madeStarts {
		start, most := -1, math.Inf(-1)
		for j, far := range away {
			v := m.value(far, moved[j]*math.Pow(10, -float64(k)))
			if m.scores[j] <= own.Score[0]*madeRoom && far > 0 && v > most && !slices.Contains(starts, j) {
				start, most = j, v
			}
		}
		from := own.theta // without a start, the row stays there
		if start >= 0 {
			from = rowOf(m.x, start, m.p)
		}
		starts = append(starts, start)
		m.theta, m.center = append(m.theta, own.theta...), append(m.center, from...)
		m.radius, m.limit = append(m.radius, own.Nearest[0]*math.Sqrt(float64(m.p))*madeRoom), append(m.limit, own.Score[0]*madeRoom)
		m.worth = append(m.worth, math.Inf(-1))
	}
}

// climb moves the rows to where the floor is larger, along the gradient times the
// covariance: in directions in which inputs vary, which cost the least of the score.
func (m *maker) climb(ctx context.Context) error {
	rows, p, n := len(m.worth), m.p, m.n
	m.at, m.best = slices.Clone(m.center), slices.Clone(m.center)
	a0, g := make([]float32, rows*n), make([]float32, rows*p)
	gradient, step := make([]float64, rows*p), make([]float64, rows*p)
	m.target.Front.Forward(a0, m.theta)
	for k := range madeSteps + 1 {
		if err := ctx.Err(); err != nil {
			return err
		}
		lin := m.target.Front.Linearize(m.at)
		z := slices.Clone(lin.Features())
		simd.Combine(z, z, a0, 1, -1, 0)
		away := slices.Clone(m.at)
		simd.Combine(away, away, m.theta, 1, -1, 0)
		for i := range rows {
			by := rowOf(z, i, n)
			norm, square := math.Sqrt(float64(simd.SumSquares(by))), float64(simd.SumSquares(rowOf(away, i, p)))
			log, slope := bound.LogPairShare(norm / m.scale)
			if v := math.Log(square) + log; v > m.worth[i] {
				m.worth[i] = v
				copy(rowOf(m.best, i, p), rowOf(m.at, i, p))
			}
			simd.Scale(float32(slope/m.scale/max(norm, math.SmallestNonzeroFloat32)), by)
			simd.Scale(float32(2/max(square, math.SmallestNonzeroFloat32)), rowOf(away, i, p))
		}
		lin.VJP(g, z)
		for j := range gradient {
			gradient[j] = float64(away[j]) - float64(g[j])
		}
		simd.Gemm(false, false, rows, p, p, 1, gradient, p, m.covariance, p, 0, step, p)
		for i := range rows {
			d := step[i*p : (i+1)*p]
			length := madeStep * m.radius[i] * (1 - float64(k)/madeSteps) / max(math.Sqrt(simd.SumSquares(d)), math.SmallestNonzeroFloat32)
			for j, v := range d {
				m.at[i*p+j] = float32(min(max(float64(m.at[i*p+j])+length*v, m.domain.Low[j]), m.domain.High[j]))
			}
		}
		m.confine()
	}
	return nil
}

// confine moves the rows, which are in the box of the domain, into the ellipsoid and then
// into the ball. Both moves stay in the box, and the second in the ellipsoid, as the mean is
// in the box and each start in all three.
func (m *maker) confine() {
	for i, score := range m.score(m.at) {
		x, c := rowOf(m.at, i, m.p), rowOf(m.center, i, m.p)
		if part := m.limit[i] / score; part < 1 {
			for j, mean := range m.mean {
				x[j] = float32(mean + part*(float64(x[j])-mean))
			}
		}
		if part := m.radius[i] / math.Sqrt(m.distances(x, c, m.p)[0]); part < 1 {
			for j, v := range c {
				x[j] = v + float32(part)*(x[j]-v)
			}
		}
	}
}

// rounded returns the best input of a row, rounded to the nearest one of the domain.
func (m *maker) rounded(row int) []float32 {
	x, theta := slices.Clone(rowOf(m.best, row, m.p)), rowOf(m.theta, row, m.p)
	if m.domain.Grid == nil {
		return x
	}
	eps, near := make([]float64, m.p), make([]float64, m.p)
	for j, v := range x {
		near[j] = float64(v) - float64(theta[j])
	}
	m.domain.Round(eps, theta, near)
	for j, v := range eps {
		x[j] = float32(float64(theta[j]) + v)
	}
	return x
}

// MadeName prefixes the arrays of constructed partners in AttacksFile.
const MadeName = "plausible"

// These arrays: index and input of each example, and as witness the change to its partner,
// zero if there is none, with its h and its floor on the mean square.
const (
	madeIndexName = MadeName + "_index"
	madeThetaName = "theta"
	madeEpsName   = MadeName + "_eps"
	madeShareName = MadeName + "_pair_share"
	madeFloorName = MadeName + "_pair_mean_square"
)

// encodeMade adds these arrays.
func encodeMade(made []PlausiblePair, add func(name string, rows int, x []float64)) {
	var index, theta, eps, share, floor []float64
	for _, pair := range made {
		index, share, floor = append(index, float64(pair.Index)), append(share, pair.Share), append(floor, pair.MeanSquare)
		for j, v := range pair.theta {
			theta = append(theta, float64(v))
			if pair.Input == nil {
				eps = append(eps, 0)
			} else {
				eps = append(eps, float64(pair.Input[j])-float64(v))
			}
		}
	}
	rows := len(made)
	add(madeIndexName, rows, index)
	add(madeThetaName, rows, theta)
	add(madeEpsName, rows, eps)
	add(madeShareName, rows, share)
	add(madeFloorName, rows, floor)
}

// ReadMade reads the constructed partners in the AttacksFile of a run: index and input of
// each, without the figures. It returns nil if there are none.
func ReadMade(path string) ([]PlausiblePair, error) {
	f, err := npy.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if !slices.Contains(f.Names(), madeIndexName) {
		return nil, nil
	}
	index, _, err := f.Float64s(madeIndexName)
	theta, _, err1 := f.Float64s(madeThetaName)
	eps, _, err2 := f.Float64s(madeEpsName)
	if err := cmp.Or(err, err1, err2); err != nil {
		return nil, err
	}
	if len(index) == 0 || len(theta)%len(index) != 0 || len(theta) != len(eps) {
		return nil, fmt.Errorf("%s: %d constructed inputs, %d and %d values", path, len(index), len(theta), len(eps))
	}
	p := len(theta) / len(index)
	made := make([]PlausiblePair, len(index))
	for i, v := range index {
		made[i].Index = int(v)
		if simd.MaxAbs(eps[i*p:(i+1)*p]) == 0 {
			continue
		}
		for j := range p {
			made[i].Input = append(made[i].Input, float32(theta[i*p+j]+eps[i*p+j]))
		}
	}
	return made, nil
}
