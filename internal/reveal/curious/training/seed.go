package training

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/nn/zoo"
	"tattle/internal/file"
	"tattle/internal/protect/measure"
	"tattle/internal/reveal/curious"
	"tattle/internal/run"
)

// Seed is one training with one seed. It is kept as a folder with the models
// (curious.Save) and result.json, which is written last.
type Seed struct {
	Folder  string            // below the run's, with slashes: it ends in SeedFolder, or is ".", the run's own
	Options curious.Options   // but for Net and Progress
	Widths  [5]int            // of the layers of paper B's Table 12; zero is the data's default net
	Source  *Source           // of the data
	Further []curious.Outputs // of an overlearning classifier, attacked besides Options.Outputs
	Student bool              // a student is distilled from the classifier (B section 5.8); Source.HoldOut leaves its data
	Prune   []float64         // fractions of the weights without which it is measured, too (B section 5.7)
}

// StudentMeasure is the name of the measure of a student.
const StudentMeasure = "student"

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
		m["widths"] = WidthsText(s.Widths)
	}
	if s.Source != nil && s.Source.Side > 0 {
		m["side"] = strconv.Itoa(s.Source.Side)
	}
	for name, is := range map[string]bool{"per example": o.PerExample, "normal": o.Normal, "student": s.Student} {
		if is {
			m[name] = "true"
		}
	}
	for name, list := range map[string]string{"further outputs": fmt.Sprint(s.Further), "pruned": fmt.Sprint(s.Prune)} {
		if list != "[]" {
			m[name] = list
		}
	}
	return m
}

// classes writes an attribute as "age: <=30 | >30".
func classes(name string, values []string) string {
	return name + ": " + strings.Join(values, " | ")
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
	o := s.trainOptions(p, nil)
	if err := o.Check(p); err != nil {
		return &measure.OptionError{Err: err}
	}
	if n := int(float64(p.Train.Len()) * curious.StudentShare / (1 - curious.StudentShare)); s.Student && n < o.Batch {
		return measure.WrongOption("Data", "the student's share of the training examples is %d, less than a batch of %d: use more data", n, o.Batch)
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

// steps counts the steps of the classifier's training, which take nearly all the time. Fewer
// examples than a batch are one batch.
func (s Seed) steps(p *dataset.Parts) int {
	o, n := s.Options.WithDefaults(), p.Train.Len()
	return o.Epochs * (n / min(n, o.Batch))
}

// run trains with the seed and measures on the test part; dir, which it makes, gets the
// models and result.json. It continues after the last epoch of a run that was interrupted. Interrupted
// itself, it keeps the best epoch so far, marked as unfinished, and returns it with ctx's error. A
// training whose loss is no longer finite is a result that failed.
func (s Seed) run(ctx context.Context, files *file.Dir, dir string, p, whole *dataset.Parts, progress func(done, total int)) (*Result, error) {
	made := !file.Exists(dir)
	if err := files.MkdirAll(dir); err != nil {
		return nil, err
	}
	kept := newUnfinished(files, dir, s.Settings(p), p.Sum())
	o := s.trainOptions(p, progress)
	o.Unfinished = kept
	trained, err := curious.Train(ctx, p, o)
	stopped := ctx.Err()
	switch {
	case err == nil:
		stopped = nil
	case stopped == nil:
		return s.failed(kept, dir, p, err)
	case trained == nil:
		if made {
			files.Remove(dir) // does nothing unless it is empty
		}
		return nil, stopped
	}
	r := s.want(p)
	r.Parameters, r.Steps, r.Epochs, r.Best = trained.Classifier.ParamCount(), trained.Steps, trained.Epochs, trained.Best
	r.Unfinished = stopped != nil
	keep := context.WithoutCancel(ctx) // hours of training are not lost for these seconds
	if err := r.save(keep, files, dir, ".", trained, p, s.Prune); err != nil {
		return nil, err
	}
	if !r.Unfinished {
		if err := s.further(ctx, files, dir, p, whole, trained, r); err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			return s.failed(kept, dir, p, err)
		}
	}
	if err := r.write(files, dir); err != nil || r.Unfinished {
		return r, errors.Join(err, stopped)
	}
	return r, kept.remove()
}

// further attacks the further outputs of a classifier, and distills a student from it.
func (s Seed) further(ctx context.Context, files *file.Dir, dir string, p, whole *dataset.Parts, trained *curious.Result, r *Result) error {
	o := s.trainOptions(p, nil)
	for _, outputs := range s.Further {
		released := *trained
		released.Classifier = curious.Release(trained.Classifier, outputs)
		var err error
		if released.Attacks, err = curious.FitAttacks(ctx, released.Classifier, p, attacked(trained), o); err != nil {
			return err
		}
		if err := r.save(ctx, files, dir, string(outputs), &released, p, s.Prune); err != nil {
			return err
		}
	}
	if !s.Student {
		return nil
	}
	t := &Teacher{Dir: dir, Result: r, Model: trained, Parts: p, Whole: whole, Options: s.Options}
	student, err := t.Distill(ctx, filepath.Join(dir, StudentMeasure), DistillOptions{Files: files, Options: curious.Options{Epochs: o.Epochs, Batch: o.Batch, Seed: o.Seed}})
	if err != nil {
		return err
	}
	r.Further[StudentMeasure] = &student.Measure
	for _, name := range student.names() {
		r.Files = append(r.Files, File{Name: path.Join(StudentMeasure, name)})
	}
	return nil
}

// failed keeps why the training came to nothing, unless it may come to something the next time.
func (s Seed) failed(kept *unfinished, dir string, p *dataset.Parts, why error) (*Result, error) {
	if again, ok := errors.AsType[*curious.UnfinishedError](why); ok {
		return nil, again
	}
	r := s.want(p)
	r.Failed = why.Error()
	return r, errors.Join(r.write(kept.files, dir), kept.remove())
}

// want returns the result of the training before it is done.
func (s Seed) want(p *dataset.Parts) *Result {
	return &Result{Schema: resultSchema, Settings: s.Settings(p), Data: p.Sum(), Learned: p.Learned(), Examples: p.Train.Len(), Source: s.Source, Further: map[string]*Measure{}}
}

// finished returns the training in dir, nil if there is none, if it was interrupted or if its models have changed. It
// returns a *run.MismatchError if the settings or the data are others.
func (s Seed) finished(dir string, p *dataset.Parts) (*Result, error) {
	r, err := readResult(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	d := run.Differences(r.Settings, s.Settings(p))
	if sum := p.Sum(); r.Data != sum {
		d = append(d, run.Difference{Field: "data", Have: r.Data, Want: sum})
	}
	switch {
	case len(d) > 0:
		return nil, &run.MismatchError{Folder: dir, Fields: d}
	case r.Unfinished || !r.Whole(dir):
		return nil, nil
	}
	return r, nil
}

// mostWidth is the largest width of a layer.
const mostWidth = 4096

// ParseWidths reads the widths of the layers of paper B's classifier, as A-B-C-D-E; an empty text
// gives zeros, which are the default. Its errors begin after the name of what was read.
func ParseWidths(s string) (w [5]int, err error) {
	if s == "" {
		return w, nil
	}
	words := strings.Split(s, "-")
	if len(words) != len(w) {
		return w, fmt.Errorf(" %q: must be five numbers", s)
	}
	for i, word := range words {
		if w[i], err = strconv.Atoi(word); err != nil || w[i] < 1 || w[i] > mostWidth {
			return w, fmt.Errorf(": %q must be a number from 1 to %d", word, mostWidth)
		}
	}
	return w, nil
}

// WidthsText writes widths as A-B-C-D-E.
func WidthsText(w [5]int) string {
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(w), "[]"), " ", "-")
}

// alike returns an error if a sensitive attribute is the target, or another sensitive
// one, under another name.
func alike(train *dataset.Set) error {
	for i, s := range train.Sensitive {
		if SameClasses(s.Labels, train.Y) {
			return fmt.Errorf("%s is the same attribute as the target, %s: an honest answer reveals it", s.Name, train.YName)
		}
		for _, t := range train.Sensitive[:i] {
			if SameClasses(s.Labels, t.Labels) {
				return fmt.Errorf("%s and %s are the same attribute", t.Name, s.Name)
			}
		}
	}
	return nil
}

// attributeWarnings returns warnings about the attributes of a training: sensitive ones
// that the target determines or that no attack was fitted to, and those that are not independent in the test
// examples: an attack may guess one of them through the other.
func attributeWarnings(train *dataset.Set, attack curious.Kind, v *curious.Evaluation) (all []string) {
	for _, s := range train.Sensitive {
		if Determines(train.Y, s.Labels) {
			all = append(all, fmt.Sprintf("%s is determined by %s: the true target alone tells it, so no attack can exceed that baseline.", s.Name, train.YName))
		}
		if attack == curious.Standard {
			all = append(all, fmt.Sprintf("No attack on %s ran: --curious overlearning measures what the outputs of a standard classifier reveal about it.", s.Name))
		}
	}
	for _, m := range v.Correlations {
		if m.Interval[0] > 0 {
			all = append(all, fmt.Sprintf("%s and %s share %.3g bits in the test examples (95 %% interval %.3g to %.3g): each helps to guess the other.", m.Between[0], m.Between[1], m.Bits, m.Interval[0], m.Interval[1]))
		}
	}
	return all
}

// SameClasses reports whether two labels of the same examples are equal up to the names
// of their classes.
func SameClasses(a, b []int) bool {
	return Determines(a, b) && Determines(b, a)
}

// Determines reports whether the class of a determines the class of b.
func Determines(a, b []int) bool {
	with := map[int]int{}
	for i, class := range a {
		if other, seen := with[class]; seen && other != b[i] {
			return false
		}
		with[class] = b[i]
	}
	return true
}
