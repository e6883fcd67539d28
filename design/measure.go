package design

import (
	"context"
	"math"

	"tattle/nn"
	"tattle/release"
)

// grid are the strengths of every line's frontier, σ over the RMS of what is
// dithered: from noise that hardly matters to noise that leaves little.
var gridScales = []float64{.125, .25, .5, 1, 2, 4, 8}

const (
	useless  = .5  // part of the accuracy lost at which a frontier ends
	fineness = .02 // of σ, relative, when the greatest that keeps to MaxDrop is sought
	furthest = 20  // halvings below the grid

	strongest = 32 // times the RMS of what is released: stronger noise is never recommended
)

// grid measures a line at the strengths of gridScales, until accuracy is useless.
func (s *searcher) grid(ctx context.Context, l *line) ([]Point, error) {
	var points []Point
	for _, scale := range gridScales {
		sigma := scale * l.curve.RMS()
		if sigma < release.MinSigma || sigma > release.MaxSigma {
			continue
		}
		p, err := s.measure(ctx, l, sigma)
		if err != nil {
			return nil, err
		}
		points = append(points, p)
		if p.Drop.Mean > useless*(p.Accuracy.Fraction+p.Drop.Mean) {
			break
		}
	}
	return points, nil
}

// measure evaluates one release.
func (s *searcher) measure(ctx context.Context, l *line, sigma float64) (Point, error) {
	return s.measureWith(ctx, l, sigma, l.curve)
}

func (s *searcher) measureWith(ctx context.Context, l *line, sigma float64, curve *release.Curve) (Point, error) {
	noise, err := release.ParseNoise(l.family, sigma, l.keep)
	if err != nil {
		return Point{}, err
	}
	utility, drop, err := curve.At(ctx, noise, release.Post{})
	if err != nil {
		return Point{}, err
	}
	s.evaluations++
	scale := l.kappa * sigma
	p := Point{
		Spec: l.spec, Family: l.family, Projection: l.spec.Projection, Keep: l.keep, Sigma: sigma, Scale: sigma / curve.RMS(),
		Accuracy: utility.Released, Drop: drop,
		Directions: l.spectrum.directions(scale, s.within()),
		MedianStd:  scale * l.spectrum.median,
		AttackMSE:  math.NaN(),
	}
	if l.attack != nil {
		p.AttackMSE = l.attack.MeanSquareAt(sigma)
	}
	p.Meets = s.Target.metBy(p.Directions, p.MedianStd, p.AttackMSE) && (s.Target.MedianStd == 0 || l.proves)
	p.Keeps = s.MaxDrop == 0 || p.Drop.Interval.High <= s.MaxDrop
	return p, nil
}

// metBy reports whether these figures meet the target.
func (t Target) metBy(directions, std, mse float64) bool {
	return (t.Within == 0 || directions <= float64(t.Directions)) &&
		(t.MedianStd == 0 || std >= t.MedianStd) &&
		(t.AttackMSE == 0 || mse >= t.AttackMSE)
}

// least is the least σ of a line that meets the target by estimate; +Inf if none
// does.
func (s *searcher) least(l *line) float64 {
	sigma, t := release.MinSigma, s.Target
	if t.Within > 0 {
		sigma = max(sigma, l.spectrum.scaleFor(t.Directions, t.Within)/l.kappa)
	}
	if t.MedianStd > 0 {
		sigma = max(sigma, l.spectrum.scaleForStd(t.MedianStd)/l.kappa)
	}
	if t.AttackMSE > 0 {
		sigma = max(sigma, attackScale(l.attack, t.AttackMSE, l.curve.RMS()))
	}
	return sigma
}

// attackScale is the least σ at which the attack's error is at least mse, by
// bisection in log σ from start; +Inf if even noise that drowns everything leaves
// it less, as where mse is beyond the data's variance.
func attackScale(a attacker, mse, start float64) float64 {
	low, high := start, start
	for a.MeanSquareAt(high) < mse {
		if high *= 4; high > release.MaxSigma {
			return math.Inf(1)
		}
	}
	for a.MeanSquareAt(low) >= mse {
		if low /= 4; low < release.MinSigma {
			return release.MinSigma
		}
	}
	for high > low*(1+1e-6) {
		if mid := math.Sqrt(low * high); a.MeanSquareAt(mid) < mse {
			low = mid
		} else {
			high = mid
		}
	}
	return high
}

// greatest is the largest σ of a line that keeps to MaxDrop, to fineness, by
// bisection in log σ between the points that are there; those it measures are added
// to them. It is 0 if even the least noise does not keep to it, and the largest σ
// tried, at most strongest times the RMS, where all do.
func (s *searcher) greatest(ctx context.Context, l *line, points *[]Point) (float64, error) {
	low, high := bracket(*points)
	if low == 0 && high == 0 {
		return 0, nil
	}
	try := func(sigma float64) error {
		p, err := s.measure(ctx, l, sigma)
		if err != nil {
			return err
		}
		*points = append(*points, p)
		if p.Keeps {
			low = sigma
		} else {
			high = sigma
		}
		return nil
	}
	for k := 0; low == 0 || high == 0; k++ {
		sigma := high / 2
		if high == 0 {
			sigma = low * 2
		}
		if k == furthest || sigma < release.MinSigma || sigma > min(release.MaxSigma, strongest*l.curve.RMS()) {
			return low, nil
		}
		if err := try(sigma); err != nil {
			return 0, err
		}
	}
	for high > low*(1+fineness) {
		if err := try(math.Sqrt(low * high)); err != nil {
			return 0, err
		}
	}
	return low, nil
}

// bracket is the largest σ below the first point that does not keep to MaxDrop, and
// that point's; zero if there is none. Points ascend in σ.
func bracket(points []Point) (low, high float64) {
	for _, p := range points {
		if !p.Keeps {
			return low, p.Sigma
		}
		low = p.Sigma
	}
	return low, 0
}

// identity hands n values on.
func identity(n int) (*nn.Net, error) {
	return nn.NewNet(&nn.Graph{
		Input: "features", InputShape: []int{n}, Output: "released",
		Nodes: []*nn.Node{{Name: "identity", Op: &nn.Identity{}, Inputs: []string{"features"}, Output: "released"}},
	})
}
