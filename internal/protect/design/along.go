package design

import (
	"context"
	"math"

	"tattle/internal/protect/release"
)

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
	low, high := p, p // low has not enough noise, high has
	for k := 0; k < steps && low.Meets == high.Meets; k++ {
		sigma := high.Sigma * min(max(math.Pow(s.excess(high, true), 1/steepness), coarse), max(coarse, min(far, release.MaxSigma/high.Sigma)))
		if p.Meets {
			sigma = low.Sigma / coarse
		}
		if sigma < release.MinSigma || sigma > release.MaxSigma {
			break
		}
		q, err := try(sigma)
		if err != nil {
			return err
		}
		if !p.Meets {
			low, high = high, q
			continue
		}
		if q.Meets && mean(q.Accuracy) < mean(low.Accuracy)+gain {
			f.Points = f.Points[:len(f.Points)-1] // it only protects less
			high = low
			high.Free = true
			break
		}
		low, high = q, low
	}
	if !high.Meets {
		f.Nearest = &high
		return nil
	}
	for k := 1; !low.Meets && high.Sigma > low.Sigma*fine; k++ {
		sigma := math.Sqrt(low.Sigma * high.Sigma)
		if k%3 > 0 { // else where they fall in steps, it could take long
			sigma = s.crossing(low, high)
		}
		q, err := try(sigma)
		if err != nil {
			return err
		}
		if q.Meets {
			high = q
		} else {
			low = q
		}
	}
	f.Best = &high
	return s.forNew(ctx, c, l, f, try)
}

// crossing guesses, between two points, the least strength that meets the limits, where high meets them and low does not. It
// takes the excess for a power of σ. While high is far away, the guess is a little too large, then a little too small.
func (s *searcher) crossing(low, high Point) float64 {
	over, under := math.Log(s.excess(low, true)), math.Log(max(s.excess(high, true), slight))
	at, half := low.Sigma*math.Pow(high.Sigma/low.Sigma, over/(over-under)), math.Sqrt(fine)
	if at*fine < high.Sigma {
		return at * half
	}
	return max(at/half, math.Sqrt(low.Sigma*high.Sigma))
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
	draws = min(draws, max(2*searchDraws, mostHiddenProducts/(s.Candidates*l.values.P)))
	var measured *Point
	guess := 1 / float64(s.people.Count) // to which the probability falls
	for k := range steps {
		sigma := f.Best.Sigma
		r, err := s.hidden(ctx, s.clipped(l, sigma), fresh.within(l.center, s.radiusOf(l.radius, sigma)), sigma, draws, s.Seed)
		if err != nil {
			return err
		}
		first := r.Identified(alpha)
		over := first.Mean * identifyMargin / s.Identify
		measured = f.Best
		f.setNew(first.Mean, over <= 1)
		if over <= 1 {
			return nil
		}
		ratio := (first.Mean - guess) / (s.Identify/identifyMargin - guess)
		least := math.Pow(fine, float64(k+1)) // larger and larger, as it may fall slowly
		sigma *= min(max(math.Pow(ratio, 1/steepness), least), coarse)
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
