package design

import (
	"context"
	"math"

	"tattle/release"
)

// enough reports whether a point has as much noise as is looked for. The least noise that keeps the
// limits is the answer; where only the cost is limited, the strongest noise that does.
func (s *searcher) enough(p Point) bool { return p.Meets != s.CostOnly() }

// fine is the precision of σ. Figures that are no means over draws allow a better one.
func (s *searcher) fine() float64 {
	if s.Promise() {
		return 1.02
	}
	return 1.005
}

// along measures a line from its first strength to where the limits are kept, and beyond on
// both sides for the chart.
func (s *searcher) along(ctx context.Context, c *cut, l *line, f *found) error {
	try := func(sigma float64) (Point, error) {
		s.tell("searching: "+l.place.String(), len(f.Points), len(f.Points)+8)
		p, err := s.at(ctx, c, l, sigma)
		if err == nil {
			f.Points = append(f.Points, p)
		}
		return p, err
	}
	p, err := try(l.scale)
	if err != nil {
		return err
	}
	most := release.MaxSigma
	if l.curve != nil {
		most = min(most, strongest*l.scale)
	}
	low, high := p, p // low has not enough noise, high has
	for k := 0; k < steps && s.enough(low) == s.enough(high); k++ {
		sigma := high.Sigma * coarse
		if s.enough(p) {
			sigma = low.Sigma / coarse
		}
		if sigma < release.MinSigma || sigma > most {
			break
		}
		q, err := try(sigma)
		if err != nil {
			return err
		}
		if !s.enough(p) {
			low, high = high, q
			continue
		}
		if !s.CostOnly() && q.Meets && mean(q.Accuracy) < mean(low.Accuracy)+gain {
			f.Points = f.Points[:len(f.Points)-1] // it only protects less
			high = low
			high.Free = true
			break
		}
		low, high = q, low
	}
	if !high.Meets && !low.Meets {
		f.Nearest = &low
		if !s.CostOnly() {
			f.Nearest = &high
		}
		return nil
	}
	for !s.enough(low) && s.enough(high) && high.Sigma > low.Sigma*s.fine() {
		q, err := try(math.Sqrt(low.Sigma * high.Sigma))
		if err != nil {
			return err
		}
		if s.enough(q) {
			high = q
		} else {
			low = q
		}
	}
	f.Best = &high
	if !high.Meets { // only the cost is limited
		f.Best = &low
	}
	return s.forNew(ctx, c, l, f, try)
}

// forNew raises the best strength until new inputs are identified rarely enough, too. Points with which
// they are not do not meet the limits.
func (s *searcher) forNew(ctx context.Context, c *cut, l *line, f *found, try func(sigma float64) (Point, error)) error {
	if s.Fresh == nil || s.Identify == 0 {
		return nil
	}
	fresh, err := l.released(ctx, c, s.Fresh)
	if err != nil {
		return err
	}
	draws := min(max(int(50/s.Identify), 2*searchDraws), mostHiddenDraws)
	// Wide releases are slow to measure.
	draws = min(draws, max(2*searchDraws, mostHiddenProducts/(s.Candidates*l.values.n)))
	var measured *Point
	guess := 1 / float64(len(s.candidates)) // to which the probability falls
	for k := range steps {
		r, err := s.hidden(ctx, l.values, fresh, f.Best.Sigma, draws, s.Seed)
		if err != nil {
			return err
		}
		first, _ := r.Identified(alpha)
		over := first.Mean * identifyMargin / s.Identify
		measured = f.Best
		f.setNew(first.Mean, over <= 1)
		if over <= 1 {
			return nil
		}
		ratio := (first.Mean - guess) / (s.Identify/identifyMargin - guess)
		least := math.Pow(s.fine(), float64(k+1)) // larger and larger, as it may fall slowly
		sigma := f.Best.Sigma * min(max(math.Pow(ratio, 1/steepness), least), coarse)
		if sigma > release.MaxSigma {
			break
		}
		p, err := try(sigma)
		if err != nil {
			return err
		}
		f.Best = &p
	}
	f.setNew(f.Best.New, false) // new inputs were not tried with the last
	f.Best, f.Nearest = nil, measured
	return nil
}

// setNew sets how often new inputs are identified with the best point. If that is too often, no point
// with as little noise meets the limits.
func (f *found) setNew(share float64, meets bool) {
	for i := range f.Points {
		p := &f.Points[i]
		if p.Sigma == f.Best.Sigma {
			p.New = share
		}
		if !meets && p.Sigma <= f.Best.Sigma {
			p.Meets = false
		}
	}
	f.Best.New, f.Best.Meets = share, meets
}
