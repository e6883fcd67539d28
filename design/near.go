package design

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"tattle/release"
)

// settleNear fills in the answer where no candidate both meets the target and keeps
// to MaxDrop: the best is then the line whose σ at MaxDrop is nearest to the σ that
// meets the target, and Near says how far it is from that, either way.
func (s *searcher) settleNear(ctx context.Context, all []*candidate, a *Answer) error {
	within, err := s.limited(ctx, all, a)
	if err != nil {
		return err
	}
	target := slices.MinFunc(all, func(c, d *candidate) int { return cheaper(c.point, d.point) })
	if len(within) == 0 {
		return s.settleTarget(ctx, target, a)
	}
	near := slices.MinFunc(within, func(c, d *candidate) int {
		return cmp.Or(cmp.Compare(c.needs/c.limit, d.needs/d.limit), cmp.Compare(c.point.Keep, d.point.Keep))
	})
	if err := s.ready(ctx, near); err != nil {
		return err
	}
	best := &candidate{line: near.line, place: near.place, needs: near.needs, limit: near.limit}
	if best.point, err = s.measure(ctx, best.line, best.limit); err != nil {
		return err
	}
	if best.confirmed, err = s.prove(ctx, best); err != nil {
		return err
	}
	best.confirmed.Estimate, best.confirmed.Raised = best.point.MedianStd, 1
	if err := s.fresh(ctx, best); err != nil {
		return err
	}
	a.Best, a.Confirmed = &best.point, best.confirmed
	a.Frontier = ordered(append(a.Frontier, best.point))
	a.Near = fmt.Sprintf("nothing keeps the drop within %s and meets the target: at that drop the nearest is %s at σ = %.4g, with %s; the target takes σ = %.4g there. The least drop at which the target (%s) is met, by estimate, is %s, by %s at σ = %.4g",
		percent(s.MaxDrop), best, best.point.Sigma, s.figures(best.point), best.needs,
		s.Target, dropWords(target.point.Drop), target, target.point.Sigma)
	return nil
}

// limited finds how far each candidate may go until MaxDrop, adding to the frontier what
// that measures, and returns those that may go anywhere.
func (s *searcher) limited(ctx context.Context, all []*candidate, a *Answer) (within []*candidate, err error) {
	frontier := a.Frontier
	places, err := s.stage(ctx, limitsDir, func(ctx context.Context, place int) (*found, error) {
		return s.limitsAt(ctx, place, all, frontier)
	})
	if err != nil {
		return nil, err
	}
	for _, c := range all {
		next := places[c.place].Lines[0]
		places[c.place].Lines = places[c.place].Lines[1:]
		c.limit = next.Limit
		a.Frontier = append(a.Frontier, pointsOf(next.Points, c.point.Family)...)
		if c.limit > 0 {
			within = append(within, c)
		}
	}
	return within, nil
}

// settleTarget answers with the least drop that meets the target where nothing keeps
// to MaxDrop.
func (s *searcher) settleTarget(ctx context.Context, c *candidate, a *Answer) error {
	if err := s.certify(ctx, c); err != nil {
		return err
	}
	if err := s.fresh(ctx, c); err != nil {
		return err
	}
	a.Best, a.Confirmed = &c.point, c.confirmed
	a.Frontier = ordered(append(a.Frontier, c.point))
	a.Near = s.nearWords(c)
	return nil
}

// nearWords says what a certified candidate falls short in.
func (s *searcher) nearWords(c *candidate) string {
	var short []string
	if c.left != "" {
		short = append(short, c.left)
	}
	if !c.point.Meets {
		std := c.point
		std.MedianStd, std.AttackMSE = c.confirmed.MedianStd, c.confirmed.AttackMSE
		short = append(short, fmt.Sprintf("it has %s (%s) where the target is %s", s.figures(std), c.confirmed.Status, s.Target))
	}
	if !c.point.Keeps {
		short = append(short, fmt.Sprintf("accuracy drops by %s where at most %s is allowed", dropWords(c.point.Drop), percent(s.MaxDrop)))
	}
	if !c.confirmed.Keeps {
		short = append(short, fmt.Sprintf("by fresh noise accuracy drops by %s, not by at most %s", dropWords(c.confirmed.Drop), percent(s.MaxDrop)))
	}
	return fmt.Sprintf("the nearest is %s at σ = %.4g: %s", c, c.point.Sigma, strings.Join(short, "; "))
}

// implausible says why a release that was measured is no answer; empty if it may be one. Noise that
// improves a model, and a model that is no better than a guess, are signs of inputs that are not
// as it needs them: the accuracy then says nothing about the cost.
func (s *searcher) implausible(p Point) string {
	switch {
	case p.Drop.Interval.High < 0:
		return fmt.Sprintf("at σ = %.4g the noise raises the accuracy, by %.2f points [%.2f, %.2f]: the inputs are probably not scaled as the model needs them", p.Sigma, -100*p.Drop.Mean, -100*p.Drop.Interval.High, -100*p.Drop.Interval.Low)
	case p.Accuracy.Interval.High <= s.base.commonest:
		return fmt.Sprintf("at σ = %.4g the accuracy is %s, no more than that of guessing the commonest class (%s)", p.Sigma, percent(p.Accuracy.Fraction), percent(s.base.commonest))
	}
	return ""
}

// hopeless says why no strength of noise on a line meets the target: it would take sigma.
func (s *searcher) hopeless(l *line, sigma float64) string {
	t := s.Target
	switch most := strongest * l.curve.RMS(); {
	case sigma > most && sigma <= release.MaxSigma:
		return fmt.Sprintf("the target takes noise of σ = %.4g, which is %.3g times the features' root mean square; at most %d times is tried", sigma, sigma/l.curve.RMS(), strongest)
	case t.empty():
		return fmt.Sprintf("no noise, however weak, keeps the drop within %s", percent(s.MaxDrop))
	case t.MedianStd > 0 && l.spectrum.median == 0:
		return "the features do not depend on most coordinates, so there is no bound to certify"
	case t.AttackMSE > 0 && l.attack.MeanSquareAt(release.MaxSigma) < t.AttackMSE:
		return fmt.Sprintf("no strength of noise meets the target: even where it drowns the features the linear attack's mean-square error is %.4g",
			l.attack.MeanSquareAt(release.MaxSigma))
	}
	return fmt.Sprintf("no σ from %g to %g meets the target", release.MinSigma, release.MaxSigma)
}

// nothing says why there is no candidate.
func (s *searcher) nothing(a *Answer) string {
	if len(a.Left) == 0 {
		return "nothing was tried"
	}
	return "nothing comes near: " + strings.Join(a.Left, "; ")
}

// figures says what a point gives away, in the target's terms.
func (s *searcher) figures(p Point) string {
	t := s.Target
	var parts []string
	if t.Within > 0 || t.empty() {
		parts = append(parts, fmt.Sprintf("%g directions within %.4g", p.Directions, s.within()))
	}
	if t.MedianStd > 0 || t.empty() {
		parts = append(parts, fmt.Sprintf("a median standard deviation of %.4g", p.MedianStd))
	}
	if t.AttackMSE > 0 && !math.IsNaN(p.AttackMSE) {
		parts = append(parts, fmt.Sprintf("a mean-square error of the linear attack of %.4g", p.AttackMSE))
	}
	return strings.Join(parts, " and ")
}

// raisedWords says by how much σ was raised, and why; "" if it was not.
func raisedWords(c *candidate, first Point) string {
	if c.confirmed.Raised == 1 {
		return ""
	}
	return fmt.Sprintf("σ was raised from %.4g to %.4g: at the former what could be certified or measured fell short of the estimate",
		first.Sigma, c.point.Sigma)
}

func percent(v float64) string { return fmt.Sprintf("%.3g %%", 100*v) }

// dropWords gives a drop with its interval.
func dropWords(d release.Drop) string {
	return fmt.Sprintf("%.2f points (95 %% interval %.2f to %.2f)", 100*d.Mean, 100*d.Interval.Low, 100*d.Interval.High)
}

// lineOf are the points of p's line, by σ.
func lineOf(points []Point, p Point) []Point {
	points = slices.DeleteFunc(slices.Clone(points), func(q Point) bool { return compareLines(p, q) != 0 })
	slices.SortFunc(points, func(p, q Point) int { return cmp.Compare(p.Sigma, q.Sigma) })
	return points
}

func compareLines(p, q Point) int {
	return cmp.Or(-cmp.Compare(p.Keep, q.Keep), cmp.Compare(p.Projection, q.Projection), cmp.Compare(p.Family, q.Family))
}

// ordered sorts points by line, and by σ along each; of those measured twice at one
// σ, the last stays.
func ordered(points []Point) []Point {
	slices.Reverse(points)
	same := func(p, q Point) int { return cmp.Or(compareLines(p, q), cmp.Compare(p.Sigma, q.Sigma)) }
	slices.SortStableFunc(points, same)
	return slices.CompactFunc(points, func(p, q Point) bool { return same(p, q) == 0 })
}
