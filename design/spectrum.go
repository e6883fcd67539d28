package design

import (
	"context"
	"math"
	"slices"

	"tattle/bound"
	"tattle/internal/simd"
	"tattle/nn"
	"tattle/run"
	"tattle/stat"
)

// beyond is how far σ goes past the point where a count of directions changes, so
// that rounding does not take it back.
const beyond = 1 + 1e-9

// sample draws k of n examples by the seed, ascending.
func sample(n, k int, seed uint64) []int {
	indices := run.Rand(seed^sampleStream, 0, 0).Perm(n)[:min(k, n)]
	slices.Sort(indices)
	return indices
}

// jacobianBatch is how many examples are linearised at once.
const jacobianBatch = 16

// factor decomposes the Jacobians of m at the examples of data.
func factor(ctx context.Context, m nn.Model, data nn.Source, indices []int) ([]*bound.Factors, error) {
	p, _ := m.Dims()
	factors, errs := make([]*bound.Factors, len(indices)), make([]error, len(indices))
	for batch := range slices.Chunk(indices, jacobianBatch) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		x := make([]float32, len(batch)*p)
		data.Examples(x, batch)
		x64 := make([]float64, len(x))
		for i, v := range x {
			x64[i] = float64(v)
		}
		first := slices.Index(indices, batch[0])
		jacobians := bound.Jacobians(m, x64)
		simd.Parallel(len(batch), 1, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				factors[first+i], errs[first+i] = jacobians[i].Factor()
			}
		})
	}
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return factors, nil
}

// project returns the decomposition of P·J from that of J = Σ s_i u_i v_iᵀ, P
// being the Jacobian of a projection: that of the small matrix P·U·diag(s), whose
// right vectors are given in the basis of J's.
func project(f *bound.Factors, projection bound.Jacobian) (*bound.Factors, error) {
	r, a, keep := f.Rank(), len(f.Active), len(projection.Active)
	if r == 0 || keep == 0 {
		return &bound.Factors{P: f.P}, nil
	}
	active := make([]float64, keep*a)
	for k := range keep {
		for j, feature := range f.Active {
			active[k*a+j] = projection.Rows[k*projection.P+feature]
		}
	}
	small := bound.Jacobian{Active: projection.Active, Rows: make([]float64, keep*r), P: r}
	simd.Gemm(false, true, keep, r, a, 1, active, a, f.U, a, 0, small.Rows, r)
	for k := range keep {
		for i, s := range f.S {
			small.Rows[k*r+i] *= s
		}
	}
	out, err := small.Factor()
	if err != nil {
		return nil, err
	}
	v := make([]float64, out.Rank()*f.P)
	simd.Gemm(false, false, out.Rank(), f.P, r, 1, out.V, r, f.V, f.P, 0, v, f.P)
	out.V, out.P = v, f.P
	return out, nil
}

// spectrum is what a front gives away of each sampled example at an effective
// standard deviation of 1; everything scales with that.
type spectrum struct {
	values [][]float64 // singular values of the Jacobian, descending
	median float64     // over examples and coordinates, of √(wᵀ(JᵀJ)⁺w)
}

func newSpectrum(factors []*bound.Factors, c bound.Coordinates) *spectrum {
	s := &spectrum{values: make([][]float64, len(factors))}
	full := make([]float64, len(factors)*c.Len())
	simd.Parallel(len(factors), 1, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			s.values[i] = factors[i].S
			copy(full[i*c.Len():], factors[i].CramerRao(c, 1).Full)
		}
	})
	s.median = stat.Quantile(full, .5)
	return s
}

// directions is the median over examples of those resolved to within t.
func (s *spectrum) directions(scale, t float64) float64 {
	counts := make([]float64, len(s.values))
	for i, values := range s.values {
		counts[i] = float64(bound.Resolvable(values, scale, []float64{t})[0])
	}
	return stat.Quantile(counts, .5)
}

// scaleFor returns the least effective standard deviation at which at most n
// directions of the median example are resolved to within t: just above t·s_{n+1}
// of the example in the middle, the upper one of two.
func (s *spectrum) scaleFor(n int, t float64) float64 {
	turns := make([]float64, len(s.values))
	for i, values := range s.values {
		if n < len(values) {
			turns[i] = t * values[n]
		}
	}
	slices.Sort(turns)
	return turns[len(turns)/2] * beyond
}

// scaleForStd returns the least effective standard deviation at which the median is
// std; +Inf if the features see nothing of most coordinates, so that the
// identifiable part has no bound.
func (s *spectrum) scaleForStd(std float64) float64 {
	if s.median == 0 {
		return math.Inf(1)
	}
	return std / s.median * beyond
}
