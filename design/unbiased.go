package design

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"tattle/attack"
	"tattle/bound"
	"tattle/internal/simd"
	"tattle/nn"
	"tattle/release"
	"tattle/stat"
)

const (
	jacobianBatch = 16    // examples that are linearised at once
	linearFitted  = 10000 // training examples that the linear attack learns from in the search
	witnesses     = 64    // combined for a certificate: more than the rank of most nets' Jacobians
)

// unbiased is what unbiased estimators and the linear attack reach, as a function of the noise on
// what a front gives. Directions and deviations follow from the singular values of the Jacobian:
// small changes of what is released depend on the Fisher information of the noise alone, as under
// Gaussian noise of standard deviation 1/√Fisher. Everything scales with that.
type unbiased struct {
	values [][]float64    // of each example: singular values, descending
	median float64        // over examples and coordinates, of √(wᵀ(JᵀJ)⁺w)
	linear *attack.Linear // nil unless a target is about it
}

// newUnbiased takes the Jacobians of a front at the examples of Indices, and fits the attack.
func (s *searcher) newUnbiased(ctx context.Context, front *nn.Graph) (*unbiased, error) {
	if err := bound.Smooth(front); err != nil {
		return nil, err
	}
	net, err := nn.NewNet(front)
	if err != nil {
		return nil, err
	}
	u := &unbiased{values: make([][]float64, len(s.Indices))}
	m, errs := s.Coordinates.Len(), make([]error, len(s.Indices))
	full := make([]float64, len(s.Indices)*m)
	for first := 0; first < len(s.Indices); first += jacobianBatch {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		s.tell("computing Jacobians", first, len(s.Indices))
		batch := s.Indices[first:min(first+jacobianBatch, len(s.Indices))]
		x := make([]float32, len(batch)*s.inputs)
		s.test.Examples(x, batch)
		x64 := make([]float64, len(x))
		for i, v := range x {
			x64[i] = float64(v)
		}
		jacobians := bound.Jacobians(net, x64)
		simd.Parallel(len(batch), 1, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				factors, err := jacobians[i].Factor()
				if errs[first+i] = err; err == nil {
					u.values[first+i] = factors.S
					copy(full[(first+i)*m:], factors.CramerRao(s.Coordinates, 1).Full)
				}
			}
		})
	}
	if i := slices.IndexFunc(errs, func(err error) bool { return err != nil }); i >= 0 {
		return nil, errs[i]
	}
	u.median = stat.Quantile(full, .5)
	if s.LinearMSE > 0 {
		noise, err := release.NewGaussian(1) // MeanSquareAt does not depend on it
		if err != nil {
			return nil, err
		}
		u.linear, err = attack.NewLinear(ctx, net, noise, s.train, attack.LinearOptions{Examples: linearFitted, Seed: s.Seed})
		return u, err
	}
	return u, nil
}

// directions is the median over examples of those resolved to within t, at an effective standard
// deviation of the noise.
func (u *unbiased) directions(scale, t float64) float64 {
	counts := make([]float64, len(u.values))
	for i, values := range u.values {
		counts[i] = float64(bound.Resolvable(values, scale, []float64{t})[0])
	}
	return stat.Quantile(counts, .5)
}

// figures sets what unbiased estimators and the linear attack reach at a point, by estimate.
func (s *searcher) figures(u *unbiased, p *Point) error {
	noise, err := s.noise(p.Family, p.Sigma, p.Keep)
	if err != nil {
		return err
	}
	root := math.Sqrt(float64(max(s.Queries, 1)))
	scale := 1 / math.Sqrt(noise.Fisher()) / root
	p.Directions, p.MedianStd = u.directions(scale, s.Level()), scale*u.median
	if u.linear != nil {
		p.LinearMSE = u.linear.MeanSquareAt(p.Sigma / root)
	}
	return nil
}

// overTargets returns by what factor a point misses the target that it meets worst: at most 1 if it
// meets all.
func (l Limits) overTargets(p Point) float64 {
	worst := 0.
	if l.Within > 0 {
		worst = (p.Directions + 1) / float64(l.Directions+1)
	}
	for _, x := range [][2]float64{{l.MedianStd, p.MedianStd}, {l.LinearMSE, p.LinearMSE}} {
		if x[0] > 0 {
			worst = max(worst, min(x[0]/x[1], 1e6))
		}
	}
	return worst
}

// targetTrial certifies the median and runs the linear attack on the examples of the final measurement.
func (s *searcher) targetTrial(front *nn.Net, u *unbiased) trial {
	return func(ctx context.Context, p Point, round int) (float64, error) {
		noise, err := s.noise(p.Family, p.Sigma, p.Keep)
		if err != nil {
			return 0, err
		}
		if err := s.figures(u, &p); err != nil {
			return 0, err
		}
		if s.MedianStd > 0 {
			e := bound.Experiment{Noise: noise, Queries: s.Queries, Coordinates: s.Coordinates,
				Settings: bound.Settings{Search: bound.SearchOptions{Seed: s.Seed}, Barankin: bound.BarankinOptions{Witnesses: witnesses}}}
			r, err := bound.Run(ctx, front, s.test, s.Indices, e, bound.RunOptions{
				Dir: filepath.Join(s.Dir, fmt.Sprintf("certify-%d", round+1)), Resume: s.Resume, Hashes: s.Hashes, Pool: s.Pool,
				Progress: func(done, total int) { s.tell("certifying", done, total) }})
			if err != nil {
				return 0, fmt.Errorf("certifying %s: %w", p.place, err)
			}
			p.MedianStd = CertifiedMedian(r.Summaries)
		}
		if s.LinearMSE > 0 {
			rms, err := s.attacked(ctx, front, noise, []string{"linear"}, s.train, s.test, s.Indices)
			if err != nil {
				return 0, err
			}
			p.LinearMSE = rms * rms
		}
		return s.Limits.overTargets(p), nil
	}
}

// CertifiedMedian is the largest certified median over all coordinates for estimators that are unbiased
// among all real inputs: not of far witnesses and twins. It is 0 if none is certified.
func CertifiedMedian(rows []bound.Summary) (largest float64) {
	for _, r := range rows {
		far := r.Search == bound.SearchFar || r.Search == bound.SearchTwins
		if r.Status == bound.StatusCertified && r.Band == bound.AllBand && (r.Method == bound.MethodHCR || r.Method == bound.MethodBarankin) && !far {
			largest = max(largest, r.Quantile(.5))
		}
	}
	return largest
}
