package design

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"tattle/attack"
	"tattle/bound"
	"tattle/measure"
	"tattle/nn"
	"tattle/release"
)

const (
	freshDraws      = 8     // at least: the search takes the best of many by few draws, which look better than they are
	attackExamples  = 10000 // that the linear attack is fitted to while searching; all are when confirming
	attackMeasured  = 1000  // test examples that it is measured on
	witnesses       = 64    // combined for a certificate: more than the rank of most nets' Jacobians
	mostRaises      = 6     // of σ, each by what the certificate falls short
	indistinct      = .001  // drops this near are equal: other noise changes one by as much on 10,000 examples
	mostConfirmed   = 8     // candidates, where raising one makes another the cheapest
	raiseMargin     = 1.001 // beyond the shortfall, for what a bound is not quite linear in σ
	leastCertifying = 1e-3  // of the estimate: a certificate below it is not worth raising σ for
)

// newAttack fits the linear attack to a part of the training data. Its noise does not
// matter to MeanSquareAt.
func (s *searcher) newAttack(ctx context.Context, f *front) (attacker, error) {
	noise, err := release.NewGaussian(1)
	if err != nil {
		return nil, err
	}
	return attack.NewLinear(ctx, f.net, noise, s.train, attack.LinearOptions{Examples: attackExamples, Seed: s.Seed})
}

// settle chooses among the candidates, confirms the choice and fills in the answer.
func (s *searcher) settle(ctx context.Context, all []*candidate, a *Answer) error {
	if len(all) == 0 {
		a.Near = s.nothing(a)
		return nil
	}
	if !s.Target.empty() && s.MaxDrop > 0 && !slices.ContainsFunc(all, (*candidate).good) {
		return s.settleNear(ctx, all, a)
	}
	best, err := s.cheapest(ctx, all)
	if err != nil {
		return err
	}
	if err := s.fresh(ctx, best); err != nil {
		return err
	}
	a.Best, a.Confirmed = &best.point, best.confirmed
	a.Frontier = ordered(append(a.Frontier, best.point))
	best.left = s.implausible(best.point)
	a.Met = best.good() && best.confirmed.Keeps && best.left == ""
	if !a.Met {
		a.Near = s.nearWords(best)
	}
	return nil
}

// good reports whether the point meets the target, as certified once that is known, and
// keeps to MaxDrop.
func (c *candidate) good() bool { return c.point.Meets && c.point.Keeps }

// cheapest certifies the best candidate, which may raise its σ, until the best one
// is certified.
func (s *searcher) cheapest(ctx context.Context, all []*candidate) (*candidate, error) {
	for range mostConfirmed {
		best := s.pick(all)
		if best.confirmed != nil {
			return best, nil
		}
		if err := s.certify(ctx, best); err != nil {
			return nil, err
		}
	}
	return s.pick(slices.DeleteFunc(slices.Clone(all), func(c *candidate) bool { return c.confirmed == nil })), nil
}

// pick returns the best candidate: without a target the most confidential, else the
// cheapest, where drops less than indistinct apart count as equal.
func (s *searcher) pick(all []*candidate) *candidate {
	if s.Target.empty() {
		return slices.MinFunc(all, func(c, d *candidate) int { return quieter(c.point, d.point) })
	}
	least := slices.MinFunc(all, func(c, d *candidate) int { return cheaper(c.point, d.point) })
	best := least
	for _, c := range all {
		if c.good() == least.good() && c.point.Drop.Mean <= least.point.Drop.Mean+indistinct && smaller(c.point, best.point) < 0 {
			best = c
		}
	}
	return best
}

// certify proves the candidate's bounds and, where a target asks for it, measures
// the attack, raising σ until both are as the target asks.
func (s *searcher) certify(ctx context.Context, c *candidate) error {
	if err := s.ready(ctx, c); err != nil {
		return err
	}
	first, t := c.point, s.Target
	for raise := 0; ; raise++ {
		r, err := s.prove(ctx, c)
		if err != nil {
			return err
		}
		r.Estimate, r.Raised = first.MedianStd, c.point.Sigma/first.Sigma
		c.confirmed = r
		if t.AttackMSE > 0 {
			if err := s.attack(ctx, c); err != nil {
				return err
			}
		}
		sigma := c.point.Sigma
		if t.MedianStd > 0 && r.Status != bound.StatusCertified {
			break
		}
		if t.MedianStd > r.MedianStd {
			if r.MedianStd < leastCertifying*c.point.MedianStd {
				break
			}
			sigma *= t.MedianStd / r.MedianStd * raiseMargin
		}
		if t.AttackMSE > 0 && r.AttackMSE < t.AttackMSE {
			// What the training data promise is asked to be larger by what it was off.
			ask := c.point.AttackMSE * t.AttackMSE / r.AttackMSE * raiseMargin
			sigma = max(sigma, attackScale(c.attack, ask, c.point.Sigma))
		}
		if sigma == c.point.Sigma || raise == mostRaises || !(sigma <= min(release.MaxSigma, strongest*c.curve.RMS())) {
			break
		}
		if c.point, err = s.measure(ctx, c.line, sigma); err != nil {
			return err
		}
	}
	std, mse := c.confirmed.MedianStd, c.confirmed.AttackMSE
	proved := t.MedianStd == 0 || c.confirmed.Status == bound.StatusCertified
	c.point.Meets = proved && t.metBy(c.point.Directions, std, mse)
	c.confirmed.Note = raisedWords(c, first)
	return nil
}

// prove certifies the median on the sample, by the best method there is.
func (s *searcher) prove(ctx context.Context, c *candidate) (*Confirmation, error) {
	noise, err := release.ParseNoise(c.family, c.point.Sigma, c.keep)
	if err != nil {
		return nil, err
	}
	s.certified++
	dir := filepath.Join(s.Dir, fmt.Sprintf(certifyDir, s.certified))
	e := bound.Experiment{Noise: noise, Coordinates: s.Coordinates,
		Settings: bound.Settings{Band: s.Band, Search: bound.SearchOptions{Seed: s.Seed}, Barankin: bound.BarankinOptions{Witnesses: witnesses}},
	}
	progress := func(done, total int) { s.tell(Certifying, done, total) }
	r, err := bound.Run(ctx, c.net, s.test, s.base.indices, e, bound.RunOptions{Dir: dir, Resume: s.Resume, Hashes: s.Hashes, Pool: s.Pool, Progress: progress})
	if err != nil {
		return nil, fmt.Errorf("certifying %s: %w", c, err)
	}
	out := &Confirmation{Examples: len(r.Indices), Bounds: r.Summaries, AttackMSE: math.NaN(), Status: bound.StatusEstimated}
	for _, row := range r.Summaries {
		standard := row.Method == bound.MethodHCR || row.Method == bound.MethodBarankin
		if median := row.Quantile(.5); standard && row.Band == "all" && (out.Method == "" || median > out.MedianStd) {
			out.MedianStd, out.Method, out.Status = median, row.Method, row.Status
		}
	}
	return out, nil
}

// attack runs the linear attack, and guessing the mean, on what the candidate releases of
// test examples.
func (s *searcher) attack(ctx context.Context, c *candidate) error {
	noise, err := release.ParseNoise(c.family, c.point.Sigma, c.keep)
	if err != nil {
		return err
	}
	whole, err := nn.NewNet(s.graph)
	if err != nil {
		return err
	}
	adversary := measure.Adversaries{Attacks: []string{"linear"}, Training: s.train, Seed: s.Seed, NeedsAttacks: true}
	found, err := adversary.Run(ctx, measure.Target{
		Front: c.net, Model: whole, Noise: noise, Data: s.test, Indices: sample(s.test.Len(), attackMeasured, s.Seed^freshStream),
		Coordinates: s.Coordinates, Legal: s.Legal, Seed: s.Seed ^ freshStream,
	})
	if err != nil {
		return fmt.Errorf("%s: %w", c, err)
	}
	if found.PriorAlone == nil {
		return fmt.Errorf("%s: %s", c, strings.Join(found.LeftOut, "; "))
	}
	c.confirmed.Attacks = found.Attacks
	c.confirmed.AttackMSE = found.Results[0].BandMeanSquare(nil)
	return nil
}

// fresh measures accuracy again by noise that the search has not seen, and what the
// linear attack reaches where there is something to learn it from.
func (s *searcher) fresh(ctx context.Context, c *candidate) error {
	r := c.confirmed
	r.Seed = s.Seed ^ freshStream
	curve, err := s.newCurve(ctx, c.front, max(s.Draws, freshDraws), r.Seed)
	if err != nil {
		return err
	}
	p, err := s.measureWith(ctx, c.line, c.point.Sigma, curve)
	if err != nil {
		return err
	}
	r.Accuracy, r.Drop = p.Accuracy, p.Drop
	noise, err := release.ParseNoise(c.family, c.point.Sigma, c.keep)
	if err != nil {
		return err
	}
	if r.Identified, err = attack.Identify(ctx, c.net, noise, s.test, r.Seed); err != nil {
		return err
	}
	r.Keeps = s.MaxDrop == 0 || r.Drop.Mean <= s.MaxDrop
	if r.Attacks != nil || s.train == nil {
		return nil
	}
	return s.attack(ctx, c)
}
