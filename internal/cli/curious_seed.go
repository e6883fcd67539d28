package cli

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"tattle/curious"
	"tattle/dataset"
	"tattle/internal/file"
	"tattle/nn/zoo"
)

// seedRun is one training with one seed. It becomes a folder with the models
// (curious.Save) and result.json, which is written last: run trains, measures and
// keeps, and finished returns what is there already.
type seedRun struct {
	options curious.Options // but for Net and Progress
	widths  [5]int          // of Table 12's layers; zero is the data's own net
	source  *dataSource     // what the parts were read from; nil where nobody distills the run
}

// settings are those that make another training when they change.
func (s seedRun) settings(p *dataset.Parts) map[string]string {
	o := s.options.WithDefaults()
	m := map[string]string{
		"attack": string(o.Attack), "outputs": string(o.Outputs), "beta": o.Beta.String(),
		"epochs": strconv.Itoa(o.Epochs), "batch": strconv.Itoa(o.Batch),
		"learning rate": strconv.FormatFloat(o.LearningRate, 'g', -1, 64),
		"seed":          strconv.FormatUint(o.Seed, 10),
		"target":        classes(p.Train.YName, p.Train.YNames),
	}
	for i, a := range p.Train.Sensitive {
		if o.Attack != curious.Standard && (o.Attributes == nil || slices.Contains(o.Attributes, i)) {
			m["sensitive "+strconv.Itoa(i+1)] = classes(a.Name, a.Values)
		}
	}
	if s.widths != [5]int{} {
		m["widths"] = widthsText(s.widths)
	}
	if o.PerExample {
		m["per example"] = "true"
	}
	if o.Normal {
		m["normal"] = "true"
	}
	return m
}

// trainOptions are what curious.Train is given.
func (s seedRun) trainOptions(p *dataset.Parts, progress func(done, total int)) curious.Options {
	o := s.options.WithDefaults()
	if s.widths != [5]int{} {
		o.Net = zoo.CuriousOf(p.Train.Shape, s.widths)
	}
	if progress != nil {
		o.Progress = func(done, total int, _ float64) { progress(done, total) }
	}
	return o
}

// check refuses what cannot be trained, before anything is.
func (s seedRun) check(p *dataset.Parts) error {
	if err := s.checkWidths(p); err != nil {
		return err
	}
	if err := s.trainOptions(p, nil).Check(p); err != nil {
		return usage(err, "")
	}
	return nil
}

// checkWidths refuses widths for inputs that Table 12's net does not take.
func (s seedRun) checkWidths(p *dataset.Parts) error {
	if shape := p.Train.Shape; s.widths != [5]int{} && (len(shape) != 3 || shape[1] != shape[2] || shape[1]%16 != 0) {
		return usage(fmt.Errorf("--widths: they are of Table 12's net, which takes square pictures whose side is a multiple of 16, not inputs of shape %v", shape), "leave --widths out")
	}
	return nil
}

// fits refuses trainings, so many with as many seeds, that cannot be done, or whose
// models dir has no room for.
func (s seedRun) fits(dir string, p *dataset.Parts, seeds int) error {
	if err := alike(p.Train); err != nil {
		return err
	}
	if err := s.check(p); err != nil {
		return err
	}
	o := s.trainOptions(p, nil)
	if o.Net == nil {
		o.Net = curious.DefaultNet(p.Train.Shape)
	}
	n := parameters(o.Net(len(p.Train.YNames), o.Seed))
	if o.Attack == curious.MixtureKind {
		n *= 2 // a classifier of y and one of s
	}
	return roomForModel(dir, n*seeds)
}

// run trains with the seed and measures on the test part; dir, which it makes, gets
// the models and result.json. Interrupted, it keeps the best epoch so far, marked as
// unfinished, unless more epochs are there from the last time, and returns what is
// there with ctx's error; nil where that is nothing, or where it is somebody else's
// training. A loss that is no longer finite is a result, too: that of a training that
// failed.
func (s seedRun) run(ctx context.Context, e *env, dir string, p *dataset.Parts, progress func(done, total int)) (*seedResult, error) {
	made := !exists(dir)
	if err := file.MkdirAll(dir); err != nil {
		return nil, hinted(err, "choose a folder that can be written with --out")
	}
	was := s.unfinished(dir, p)
	trained, err := curious.Train(ctx, p, s.trainOptions(p, progress))
	stopped := ctx.Err()
	switch {
	case err == nil:
		stopped = nil
	case stopped == nil:
		r := &seedResult{trained: s.want(p)}
		r.Failed = err.Error()
		return r, r.write(dir, nil)
	case trained == nil || e.serve || was != nil && len(was.Epochs) > len(trained.Epochs):
		if made {
			file.Remove(dir) // does nothing unless it is empty
		}
		return was, stopped
	}
	r := s.result(p, trained)
	r.Unfinished = stopped != nil
	if err := s.measured(ctx, dir, p, trained, r); err != nil {
		return nil, err
	}
	return r, stopped
}

// want is what a finished training says of itself.
func (s seedRun) want(p *dataset.Parts) trained {
	return trained{Schema: resultSchema, Settings: s.settings(p), Data: digestOf(p), Examples: p.Train.Len()}
}

// result is what is known of a training before it is measured.
func (s seedRun) result(p *dataset.Parts, t *curious.Result) *seedResult {
	r := &seedResult{trained: s.want(p), Source: s.source, Parameters: parameters(t.Classifier), Steps: t.Steps}
	r.Epochs, r.Best = t.Epochs, t.Best
	for _, a := range t.Attacks {
		r.Taus = append(r.Taus, a.Tau)
	}
	return r
}

// measured evaluates a training and writes it all down. It is not interrupted, lest
// hours of training be lost for the seconds that this takes.
func (s seedRun) measured(ctx context.Context, dir string, p *dataset.Parts, t *curious.Result, r *seedResult) (err error) {
	if err := curious.Save(dir, t); err != nil {
		return err
	}
	if r.Evaluation, err = curious.Evaluate(context.WithoutCancel(ctx), t.Classifier, t.Attacks, p.Train, p.Test); err != nil {
		return err
	}
	models, err := t.Files()
	if err != nil {
		return err
	}
	return r.write(dir, models)
}

// unfinished returns what an interruption of this training left in dir, nil for nothing.
func (s seedRun) unfinished(dir string, p *dataset.Parts) *seedResult {
	r, want := new(seedResult), s.want(p)
	if _, err := want.finished(dir, r); err != nil || !r.Unfinished || !r.whole(dir) {
		return nil
	}
	return r
}

// finished returns what a finished training with these settings and data left in
// dir: nil where there is none, or where it was interrupted or its models have
// changed since. It errs where the folder is another training's.
func (s seedRun) finished(dir string, p *dataset.Parts) (*seedResult, error) {
	r, want := new(seedResult), s.want(p)
	if ok, err := want.finished(dir, r); !ok || err != nil {
		return nil, err
	}
	return r, nil
}
