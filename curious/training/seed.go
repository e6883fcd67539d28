package training

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tattle/curious"
	"tattle/dataset"
	"tattle/internal/file"
	"tattle/measure"
	"tattle/nn/zoo"
)

// Seed is one training with one seed. It is kept as a folder with the models
// (curious.Save) and result.json, which is written last.
type Seed struct {
	Options curious.Options // but for Net and Progress
	Widths  [5]int          // of the layers of paper B's Table 12; zero is the data's default net
	Source  *Source         // of the data; nil if nobody distills or prunes the training
}

// Settings returns the settings that make another training when they change.
func (s Seed) Settings(p *dataset.Parts) map[string]string {
	o := s.Options.WithDefaults()
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
	if s.Widths != [5]int{} {
		m["widths"] = widthsText(s.Widths)
	}
	if o.PerExample {
		m["per example"] = "true"
	}
	if o.Normal {
		m["normal"] = "true"
	}
	return m
}

// classes writes an attribute as "age: <=30 | >30".
func classes(name string, values []string) string {
	return name + ": " + strings.Join(values, " | ")
}

// widthsText writes widths as A-B-C-D-E.
func widthsText(w [5]int) string {
	words := make([]string, len(w))
	for i, v := range w {
		words[i] = strconv.Itoa(v)
	}
	return strings.Join(words, "-")
}

// trainOptions returns the options of curious.Train.
func (s Seed) trainOptions(p *dataset.Parts, progress func(done, total int)) curious.Options {
	o := s.Options.WithDefaults()
	if s.Widths != [5]int{} {
		o.Net = zoo.CuriousOf(p.Train.Shape, s.Widths)
	}
	if progress != nil {
		o.Progress = func(done, total int, _ float64) { progress(done, total) }
	}
	return o
}

// Check returns a *measure.OptionError if the training cannot be done on the data.
func (s Seed) Check(p *dataset.Parts) error {
	if err := alike(p.Train); err != nil {
		return &measure.OptionError{Option: "Sensitive", Err: err, Hint: "choose an attribute that the target does not determine, and each one once"}
	}
	if err := CheckWidths(s.Widths, p.Train.Shape); err != nil {
		return err
	}
	if err := s.trainOptions(p, nil).Check(p); err != nil {
		return &measure.OptionError{Err: err}
	}
	return nil
}

// CheckWidths returns a *measure.OptionError if there are widths, and the net of Table 12 does
// not take inputs of that shape.
func CheckWidths(widths [5]int, shape []int) error {
	if widths == [5]int{} || len(shape) == 3 && shape[1] == shape[2] && shape[1]%16 == 0 {
		return nil
	}
	return &measure.OptionError{Option: "Widths", Err: fmt.Errorf("they are of Table 12's net, which takes square pictures whose side is a multiple of 16, not inputs of shape %v", shape), Hint: "leave them out"}
}

// Parameters counts the parameters of the classifiers that the training makes.
func (s Seed) Parameters(p *dataset.Parts) int {
	o := s.trainOptions(p, nil)
	if o.Net == nil {
		o.Net = curious.DefaultNet(p.Train.Shape)
	}
	n := o.Net(len(p.Train.YNames), o.Seed).ParamCount()
	if o.Attack == curious.MixtureKind {
		n *= 2 // a classifier of y and one of s
	}
	return n
}

// run trains with the seed and measures on the test part; dir, which it makes, gets the
// models and result.json. Interrupted, it keeps the best epoch so far, marked as
// unfinished, unless dir has more epochs from an earlier interruption. It
// returns what is in dir, if anything, with ctx's error. A training whose loss is no
// longer finite is a result that failed.
func (s Seed) run(ctx context.Context, dir string, p *dataset.Parts, progress func(done, total int)) (*Result, error) {
	made := !file.Exists(dir)
	if err := file.MkdirAll(dir); err != nil {
		return nil, err
	}
	was := s.unfinished(dir, p)
	trained, err := curious.Train(ctx, p, s.trainOptions(p, progress))
	stopped := ctx.Err()
	switch {
	case err == nil:
		stopped = nil
	case stopped == nil:
		r := &Result{Record: s.want(p)}
		r.Failed = err.Error()
		return r, r.write(dir, nil)
	case trained == nil || was != nil && len(was.Epochs) > len(trained.Epochs):
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

// want returns the record of the training before it is done.
func (s Seed) want(p *dataset.Parts) Record {
	return Record{Schema: resultSchema, Settings: s.Settings(p), Data: p.Sum(), Examples: p.Train.Len()}
}

// result returns the result of a training before it is measured.
func (s Seed) result(p *dataset.Parts, t *curious.Result) *Result {
	r := &Result{Record: s.want(p), Source: s.Source, Parameters: t.Classifier.ParamCount(), Steps: t.Steps}
	r.Epochs, r.Best = t.Epochs, t.Best
	for _, a := range t.Attacks {
		r.Taus = append(r.Taus, a.Tau)
	}
	return r
}

// measured evaluates a training and writes it into dir. It is not interrupted, so that
// hours of training are not lost for these seconds.
func (s Seed) measured(ctx context.Context, dir string, p *dataset.Parts, t *curious.Result, r *Result) (err error) {
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
func (s Seed) unfinished(dir string, p *dataset.Parts) *Result {
	r, want := new(Result), s.want(p)
	if _, err := want.Finished(dir, r); err != nil || !r.Unfinished || !r.Whole(dir) {
		return nil
	}
	return r
}

// finished returns the training in dir if it is complete, nil if it is not. It returns
// an error if dir holds another training.
func (s Seed) finished(dir string, p *dataset.Parts) (*Result, error) {
	r, want := new(Result), s.want(p)
	if ok, err := want.Finished(dir, r); !ok || err != nil {
		return nil, err
	}
	return r, nil
}
