// Command detection counts how often the verdicts of audits are right. It trains honest and curious
// classifiers, measures what each truly reveals, audits their outputs, and prints the tables of
// docs/detection.md as Markdown. Progress goes to standard error.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"sync"

	"tattle/internal/math/simd"
	"tattle/internal/progress"
	"tattle/internal/reveal/audit"
)

// options are the flags.
type options struct {
	seed          uint64
	quick         bool
	mnist, labels string
}

func main() {
	var o options
	flag.Uint64Var(&o.seed, "seed", 1, "`seed` of everything random")
	flag.BoolVar(&o.quick, "quick", false, "do a few small audits: their rates say little")
	flag.StringVar(&o.mnist, "data", "", "`folder` of MNIST's pictures (default: glyphs only)")
	flag.StringVar(&o.labels, "labels", "", "`folder` of QMNIST's labels (default: -data)")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	s, err := measure(ctx, o)
	if err == nil {
		err = s.write(os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "detection:", err)
		os.Exit(1)
	}
}

// study is a plan and what came of it.
type study struct {
	options
	tasks    []*task
	nets     []*net
	controls []*check
	audits   []*check
}

// measure trains all classifiers and does all audits, the controls first.
func measure(ctx context.Context, o options) (*study, error) {
	tasks, err := openTasks(ctx, o)
	if err != nil {
		return nil, err
	}
	s := newStudy(tasks, o)
	if err := each(ctx, "trainings", s.nets, func(ctx context.Context, n *net) error { return n.train(ctx) }); err != nil {
		return nil, err
	}
	if err := each(ctx, "controls", s.controls, s.plantedControl); err != nil {
		return nil, err
	}
	return s, each(ctx, "audits", s.audits, s.audit)
}

// each does what is to be done with all elements of a list, one on each core, and shows its
// progress. It returns the first error.
func each[T any](ctx context.Context, what string, list []T, do func(ctx context.Context, x T) error) error {
	bars := &progress.Phases{W: os.Stderr}
	defer bars.Close()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var mu sync.Mutex
	done := 0
	simd.Parallel(len(list), 1, func(lo, hi int) {
		for i := lo; i < hi && ctx.Err() == nil; i++ {
			if err := do(ctx, list[i]); err != nil {
				stop(fmt.Errorf("%s %d: %w", what, i+1, err))
				return
			}
			mu.Lock()
			done++
			bars.Set(what, done, len(list))
			mu.Unlock()
		}
	})
	return context.Cause(ctx)
}

// A check is one audit of the study: of a classifier's outputs on examples that its seed draws.
type check struct {
	net        *net
	references []*net
	soft       bool // the outputs are probabilities
	examples   int
	seed       uint64

	control       audit.Control // of a control, its result
	with, without verdict       // of an audit: with references and without
	failed        bool          // a control failed, so that nothing could be said
	overHonest    float64       // true accuracy less the mean of the task's other honest classifiers
}

// verdict is what an audit said.
type verdict struct {
	audit.Verdict
	evidence string   // the kinds that were each enough for the verdict
	smallest *float64 // the smallest detectable excess that is stated of scores, where classifiers of the study leak
}

// samples returns what an audit is given.
func (c *check) samples() (s *audit.Sample, references []*audit.Sample) {
	rows := c.draw(c.net.task.pool.Len())
	for _, r := range c.references {
		references = append(references, r.sample(c.soft).Subset(rows))
	}
	return c.net.sample(c.soft).Subset(rows), references
}

// plantedControl audits a curious classifier as the positive control of audits of its task, kind of
// outputs and number of examples.
func (s *study) plantedControl(ctx context.Context, c *check) (err error) {
	sample, _ := c.samples()
	p := &audit.Trained{Sample: sample, TrueExcess: c.net.truth[c.soft].excess(), Where: c.net.task.name}
	c.control, err = p.Control(ctx, s.auditOptions(c))
	return err
}

// auditOptions are the defaults but, in a quick study, for attacks that are quickly fitted.
func (s *study) auditOptions(c *check) audit.Options {
	o := audit.Options{Seed: c.seed}
	if s.quick {
		o.Attacks = []string{"logistic", "trees"}
	}
	return o
}

// audit does one audit, with everything that a whole one has but the defences.
func (s *study) audit(ctx context.Context, c *check) error {
	sample, references := c.samples()
	rec := &audit.Record{Sample: sample, References: references, Recipe: audit.RecipeCompared} // the same net, data and settings
	r, err := rec.Audit(ctx, s.auditOptions(c))
	if err != nil {
		return err
	}
	for _, p := range s.controls {
		if p.net.task == c.net.task && p.soft == c.soft && p.examples == c.examples {
			r.Controls = append(r.Controls, p.control)
		}
	}
	r.Conclude()
	c.with = said(r)
	for _, k := range r.Controls {
		c.failed = c.failed || !k.Passed
	}
	c.overHonest = c.net.truth[c.soft].accuracy - s.honestMean(c)
	r.Findings[0].Reference, r.Findings[0].Given.Reference, r.Settings.References = nil, nil, 0
	r.Conclude()
	c.without = said(r)
	return nil
}

// honestMean returns the mean true accuracy of attacks on the task's other honest classifiers.
func (s *study) honestMean(c *check) float64 {
	sum, count := 0., 0
	for _, n := range s.nets {
		if n.task == c.net.task && n.honest() && n != c.net {
			sum += n.truth[c.soft].accuracy
			count++
		}
	}
	return sum / float64(count)
}
