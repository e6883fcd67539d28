package audit

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/nn"
	"tattle/internal/protect/measure"
	"tattle/internal/reveal/curious"
	"tattle/internal/run"
)

// A preparation trains what the figures of an audit are compared with and checked by:
// references and a planted curious model.
type preparation struct {
	q   *Request
	s   *Subject
	net func(classes int, seed uint64) *nn.Graph // makes references; nil chooses by the inputs' shape
	all []Training
}

// Prepare trains what the figures of the audit are compared with and checked by, and adds it to
// the record. Trainings of an interrupted audit in the folder are not repeated with
// Resume. It returns an OptionError if the
// training data do not fit the audited outputs.
func (q *Request) Prepare(ctx context.Context, dir string, s *Subject, pool run.Pool) error {
	if !s.Sample.varied() {
		return nil
	}
	if err := q.openTraining(ctx, s); err != nil {
		return err
	}
	s.Epochs = cmp.Or(q.epochs(s), DefaultReferenceEpochs)
	if s.Sample.Kind == Vector {
		s.Planted = plantDirection(s.Sample, q.Seed)
		return nil
	}
	p := &preparation{q: q, s: s}
	var err error
	if p.net, err = q.net(s); err != nil {
		return err
	}
	if err := p.references(); err != nil {
		return err
	}
	p.plant()
	return p.train(ctx, dir, pool)
}

// train does the trainings, and adds what comes of them to the record.
func (p *preparation) train(ctx context.Context, dir string, pool run.Pool) error {
	what := "training a classifier, percent done"
	if n := len(p.all); n != 1 {
		what = fmt.Sprintf("training %d classifiers, percent done", n)
	}
	progress := p.q.progress(what)
	settings, hashes := p.settings()
	trained, _, err := Train(ctx, dir, p.all, TrainOptions{
		Settings: settings, Hashes: hashes, Pool: pool, Resume: p.q.Resume,
		Progress: func(done, total int) { progress(100*done/max(total, 1), 100) },
	})
	if err != nil {
		return err
	}
	for i, t := range p.all {
		if err := t.take(trained[i]); err != nil {
			return err
		}
	}
	return nil
}

// epochs returns the number of epochs of a reference, 0 if nobody knows that of the
// audited model.
func (q *Request) epochs(s *Subject) int {
	switch {
	case q.Epochs > 0:
		return q.Epochs
	case s.Model == nil:
		return 0
	}
	n := curious.EpochsOf(s.Model.Graph)
	if q.MaxEpochs > 0 {
		n = min(n, q.MaxEpochs)
	}
	return n
}

// parts returns the training data, nil if there are none. The test part has the examples that
// classifiers are applied to: the audited ones, unless references are unpaired or they are not at
// hand.
func (s *Subject) parts() *dataset.Parts {
	if s.Training == nil {
		return nil
	}
	parts := *s.Training
	if !s.Unpaired && s.Examples != nil {
		parts.Test = s.Examples.Set
	}
	return &parts
}

// add adds a training; take is called with what comes of it.
func (p *preparation) add(t Training, take func(t *Trained) error) {
	t.take = take
	p.all = append(p.all, t)
}

// note adds a note to the record.
func (p *preparation) note(format string, a ...any) {
	p.s.Notes = append(p.s.Notes, fmt.Sprintf(format, a...))
}

// references adds the trainings of honest classifiers.
func (p *preparation) references() error {
	s := p.s
	if s.Training == nil {
		return nil
	}
	if err := s.fits(s.Training.Train); err != nil {
		return err
	}
	parts, outputs := s.parts(), s.Sample.Kind
	o := fitOptions{Seed: p.q.Seed, Epochs: s.Epochs, Net: p.net}
	if err := checkReference(parts, outputs, o); err != nil {
		return wrongReference(err, "")
	}
	if p.q.epochs(s) == 0 {
		p.note("It is not known for how many epochs the audited model was trained. The references are trained for %d (--reference-epochs).", o.Epochs)
	}
	var trained []*Sample
	references := cmp.Or(p.q.References, DefaultReferences)
	for i := range references {
		train := func(ctx context.Context, progress func(done, total int)) (*Trained, error) {
			o := o
			o.Progress = progress
			s, err := reference(ctx, parts, i, outputs, o)
			return &Trained{Sample: s}, err
		}
		p.add(Training{Name: fmt.Sprintf("reference %d", i+1), Train: train}, func(t *Trained) error {
			if trained = append(trained, t.Sample); len(trained) < references {
				return nil
			}
			return p.takeReferences(trained)
		})
	}
	return nil
}

// takeReferences compares with what honest classifiers release.
func (p *preparation) takeReferences(trained []*Sample) (err error) {
	r, notes := &p.s.Record, trained[0].Notes // all were trained for as long
	r.Notes = append(r.Notes, notes...)
	note := ""
	if r.Recipe, note, err = p.q.recipe(p.s, len(notes) > 0); err != nil {
		return err
	}
	if note != "" {
		p.note("%s", note)
	}
	if r.References = trained; r.Unpaired {
		r.References, err = r.renamed(trained)
	}
	return err
}

// plant adds the training of the model of the positive control.
func (p *preparation) plant() {
	s, like := p.s, p.s.Sample
	o := fitOptions{Seed: p.q.Seed, Epochs: p.q.Epochs}
	parts := s.parts()
	if parts != nil {
		o.Net, like = p.net, unasked(parts.Test, s.Sample.Kind, 0) // by the training data's own names
	}
	train := func(ctx context.Context, progress func(done, total int)) (*Trained, error) {
		o := o
		o.Progress = progress
		planted, err := plantIn(ctx, parts, like, s.Sample.Len(), p.q.PlantedGlyphs, o)
		if err != nil {
			return nil, err
		}
		return &Trained{Sample: planted.Sample, Planted: planted}, nil
	}
	p.add(Training{Name: "planted", Train: train}, func(t *Trained) error {
		s.Planted = t.Planted
		return nil
	})
}

// trainingSettings hold everything that decides the trainings of an audit apart from the data and
// the model.
type trainingSettings struct {
	Layout    int      `json:"layout"` // of the files that keep trainings
	Trainings []string `json:"trainings"`
	Seed      uint64   `json:"seed"`
	Epochs    int      `json:"epochs"` // of each reference
	Examples  int      `json:"examples"`

	Outputs curious.Outputs `json:"outputs"`
	Classes int             `json:"classes"`
	Inputs  []int           `json:"inputs,omitempty"` // shape of the pictures that an endpoint takes
	Widths  [5]int          `json:"widths,omitzero"`  // of the references' layers
}

// trainingsLayout changes with the files that keep a training, or how it is done.
const trainingsLayout = 1

// settings returns the settings of the trainings, and the SHA-256 by role of what they depend on.
func (p *preparation) settings() (*trainingSettings, map[string]string) {
	r := p.s
	s := &trainingSettings{
		Layout: trainingsLayout, Seed: p.q.Seed, Epochs: r.Epochs,
		Examples: r.Sample.Len(), Outputs: r.Sample.Kind, Classes: len(r.Sample.Classes), Inputs: r.inputs, Widths: p.q.widths(),
	}
	for _, t := range p.all {
		s.Trainings = append(s.Trainings, t.Name)
	}
	hashes := map[string]string{}
	if r.Examples != nil {
		hashes["examples"] = r.Examples.Set.Sum()
	} else {
		hashes["outputs"] = r.Sample.Sum()
	}
	if t := r.Training; t != nil {
		hashes["training"], hashes["validation"], hashes["asked"] = t.Train.Sum(), t.Validation.Sum(), r.parts().Test.Sum()
	}
	if r.Model != nil {
		hashes["model"] = r.Model.SHA256
	}
	return s, hashes
}

// wrongReference returns the error of training data that cannot be used.
func wrongReference(err error, hint string) error {
	return &measure.OptionError{Option: "Reference", Err: err, Hint: hint}
}

// fits returns an error if the training data are of another task than the audited outputs.
func (r *Record) fits(train *dataset.Set) error {
	s := r.Sample
	switch {
	case len(train.YNames) != len(s.Classes):
		return wrongReference(fmt.Errorf("its target has %d classes %q, the outputs %d: %q", len(train.YNames), train.YNames, len(s.Classes), s.Classes), "--reference-target says which column, or a rule that makes the same classes")
	case len(train.Sensitive) != len(s.Sensitive):
		return wrongReference(fmt.Errorf("it has %d sensitive attributes, the outputs %d", len(train.Sensitive), len(s.Sensitive)), "--reference-sensitive names them in the same order")
	case !r.Unpaired:
		return nil
	}
	for i := range train.Sensitive {
		if err := sameAttribute(&train.Sensitive[i], &s.Sensitive[i]); err != nil {
			return err
		}
	}
	return nil
}

// renamed returns outputs of other examples with the names of the audited attributes.
// Attributes are matched by their order, because figures do not depend on names.
func (r *Record) renamed(trained []*Sample) (all []*Sample, err error) {
	for _, t := range trained {
		s := *t
		s.Sensitive = slices.Clone(t.Sensitive)
		for i := range s.Sensitive {
			as := &r.Sample.Sensitive[i]
			if err := sameAttribute(&s.Sensitive[i], as); err != nil {
				return nil, err
			}
			s.Sensitive[i].Name = as.Name
		}
		all = append(all, &s)
	}
	return all, nil
}

// sameAttribute returns an error if an attribute of the training data cannot be compared
// with an audited one.
func sameAttribute(a, audited *Attribute) error {
	if audited.Numeric() {
		return wrongReference(fmt.Errorf("%s is numeric in the outputs, and training data have classes", audited.Name), fmt.Sprintf("--sensitive %q takes it as classes", audited.Name+":class"))
	}
	if len(a.Values) != len(audited.Values) {
		return wrongReference(fmt.Errorf("%s has %d classes %q there, and %s %d in the outputs: %q", a.Name, len(a.Values), a.Values, audited.Name, len(audited.Values), audited.Values), "--reference-sensitive takes a rule that makes the same classes")
	}
	return nil
}
