package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"tattle/attack"
	"tattle/bound"
	"tattle/nn"
	"tattle/release"
	"tattle/report"
)

// adversaries takes what training data tell an adversary, bounds what can be made of
// it and attacks the release, writing attacks.npz into dir. It returns nil where
// nothing of this was asked for.
func (m *measurement) adversaries(e *env, r *report.Report, s *sides, dir string) (*ceilings, error) {
	a := m.rungs
	if a == nil || !a.vanTrees && len(a.attacks) == 0 {
		return nil, nil
	}
	draws := a.attackDraws
	if m.family == noNoise {
		draws = 1 // all are the same
	}
	c := &ceilings{draws: draws}
	if a.training != nil {
		if err := m.priorAlone(e, r, s, c); err != nil {
			if err = a.spared(e.ctx, r, "guessing the mean, without the release", false, err); err != nil {
				return nil, err
			}
		}
		if err := m.prior(e, r, s, c); err != nil {
			if err = a.spared(e.ctx, r, "the prior", a.needsPrior, err); err != nil {
				return nil, err
			}
		}
	}
	if c.prior != nil && a.vanTrees {
		if err := m.vanTrees(e, r, s, c); err != nil {
			if err = a.spared(e.ctx, r, "the van Trees bound", a.needsPrior, err); err != nil {
				return nil, err
			}
		}
	}
	for _, name := range a.attacks {
		if err := m.attack(e, r, s, c, name); err != nil {
			if err = a.spared(e.ctx, r, "the "+name+" attack", a.needsAttacks, err); err != nil {
				return nil, err
			}
		}
	}
	c.record(r, m.experiment.Coordinates, m.experiment.Band)
	hash, err := c.write(filepath.Join(dir, attacksFile))
	r.Arrays = append(r.Arrays, report.Arrays{File: attacksFile, SHA256: hash})
	return c, err
}

// spared turns an error into a warning where nobody asked for what failed by name.
func (a *rungs) spared(ctx context.Context, r *report.Report, what string, needed bool, err error) error {
	if needed || ctx.Err() != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	r.Warnings = append(r.Warnings, fmt.Sprintf("Left out: %s: %v.", what, err))
	return nil
}

// prior estimates the mean and the covariance of inputs.
func (m *measurement) prior(e *env, r *report.Report, s *sides, c *ceilings) (err error) {
	bar := newMeter(e.stderr, "learning the prior", -1, false)
	defer bar.close()
	defer timed(r, "prior")()
	p, _ := s.front.Dims()
	c.prior, err = bound.NewPrior(e.ctx, m.rungs.training, p, 0, m.seed)
	return err
}

// priorAlone measures what is reached without the release, by guessing the mean of the
// training data, as attacks are measured: on the same inputs, within the same range.
func (m *measurement) priorAlone(e *env, r *report.Report, s *sides, c *ceilings) (err error) {
	defer timed(r, "prior alone")()
	p, _ := s.front.Dims()
	bar := newMeter(e.stderr, "taking the mean of the training data", -1, false)
	mean, err := bound.PriorMean(e.ctx, m.rungs.training, p, 0, m.seed)
	bar.close()
	if err != nil {
		return err
	}
	legal, err := bound.Legal(legalRange(m.data))
	if err != nil {
		return err
	}
	a, err := attack.NewMean(s.front, mean, legal)
	if err != nil {
		return err
	}
	c.alone, err = m.reach(e, s, c, a, nil)
	return err
}

// reach measures an attack on the examined inputs.
func (m *measurement) reach(e *env, s *sides, c *ceilings, a attack.Attack, whole nn.Model) (*attack.Result, error) {
	bar := newMeter(e.stderr, a.Name()+" attack", int64(len(m.indices)), false)
	defer bar.close()
	return attack.Measure(e.ctx, a, s.front, m.experiment.Noise, m.data, m.indices, attack.Options{
		Draws: c.draws, Queries: m.experiment.Queries, Post: m.afterwards(), Coordinates: m.experiment.Coordinates,
		Classifier: whole, Pictures: galleryPictures, Seed: m.seed, Progress: func(done, total int) { bar.set(int64(done), int64(total)) },
	})
}

// vanTrees bounds what any adversary can make of that prior and the release: however
// long it takes, where it was asked for.
func (m *measurement) vanTrees(e *env, r *report.Report, s *sides, c *ceilings) error {
	bar := newMeter(e.stderr, "van Trees", 0, false)
	defer bar.close()
	defer timed(r, "van Trees")()
	v, err := bound.NewVanTrees(e.ctx, s.front, c.prior, m.experiment.Noise, m.experiment.Queries, m.experiment.Coordinates, bound.VanTreesOptions{
		Seed: m.seed, Unlimited: m.rungs.needsPrior, Progress: func(done, total int) { bar.set(int64(done), int64(total)) },
	})
	if err != nil {
		return err
	}
	c.vanTreesStd, c.vanTreesMeanSquare = v.Errors, v.MeanSquare
	r.Bounds = append(r.Bounds, v.Summaries(m.experiment.Coordinates, m.experiment.Band)...)
	return nil
}

// attack makes one attack and measures what it reaches.
func (m *measurement) attack(e *env, r *report.Report, s *sides, c *ceilings, name string) error {
	defer timed(r, name+" attack")()
	making := newMeter(e.stderr, "making the "+name+" attack", -1, false)
	a, err := m.attacker(e.ctx, s.front, c, name, making)
	making.close()
	if err != nil {
		return err
	}
	c.attackers = append(c.attackers, a)
	whole, err := nn.NewNet(m.graph)
	if err != nil {
		return err
	}
	res, err := m.reach(e, s, c, a, whole)
	if err != nil {
		return err
	}
	res.About += fmt.Sprintf("; the model puts %.0f %% of its reconstructions in the original's class", 100*res.Recognised)
	c.attacks = append(c.attacks, res)
	return nil
}

// attacker makes an attack of that name, as informed as it can be: of model, noise,
// what is done to the release, the data's range and the training data.
func (m *measurement) attacker(ctx context.Context, front *nn.Net, c *ceilings, name string, bar *meter) (attack.Attack, error) {
	noise, queries, post := m.experiment.Noise, m.experiment.Queries, m.afterwards()
	legal, err := bound.Legal(legalRange(m.data))
	if err != nil {
		return nil, err
	}
	tell := func(done, total int) { bar.set(int64(done), int64(total)) }
	switch name {
	case "linear":
		return attack.NewLinear(ctx, front, noise, m.rungs.training, attack.LinearOptions{Queries: queries, Post: post, Domain: legal, Seed: m.seed, Progress: tell})
	case "decoder":
		if err := m.rungs.tooLong(front, m.rungs.training.Len()); err != nil {
			return nil, err
		}
		return attack.NewDecoder(ctx, front, noise, m.rungs.training, attack.DecoderOptions{
			Queries: queries, Post: post, Domain: legal, Seed: m.seed, Linear: c.linear(),
			Progress: func(done, total int, _ float64) { tell(done, total) },
		})
	case "inversion":
		if c.prior == nil {
			return nil, errors.New("there is no prior to go by")
		}
		return attack.NewInversion(front, noise, c.prior, attack.InversionOptions{Queries: queries, Shape: m.data.Shape, Starts: slices.Clone(c.attackers), Domain: legal})
	}
	return nil, errors.New("there is no such attack")
}

// tooLong errs where training a decoder that was not asked for by name takes too long.
func (a *rungs) tooLong(front nn.Model, examples int) error {
	p, n := front.Dims()
	if work := (attack.DecoderOptions{}).Operations(p, n, examples); !a.needsAttacks && work > mostDecoding {
		return fmt.Errorf("training it takes %.2g operations, more than the %.2g that are spent unasked; --attack %s runs it", work, float64(mostDecoding), strings.Join(attackNames, ","))
	}
	return nil
}

// afterwards is what is done to the dithered numbers, nil for nothing.
func (m *measurement) afterwards() attack.Post {
	if m.post == (release.Post{}) {
		return nil
	}
	return m.post
}
