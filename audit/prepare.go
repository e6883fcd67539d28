package audit

import (
	"cmp"
	"context"
	"fmt"

	"tattle/curious"
	"tattle/dataset"
	"tattle/nn"
	"tattle/run"
)

// prepareOptions say what is trained for an audit; the zero value plants one model on
// glyphs.
type prepareOptions struct {
	Model    *nn.Graph      // the audited classifier; nil if only its outputs are at hand
	Examples *dataset.Set   // the audited examples; nil if they are not at hand
	Training *dataset.Parts // of the audited task, for references; nil for none

	Seed       uint64
	References int // 0 is DefaultReferences
	Epochs     int // of each training; 0: of references those that the model's file records, else DefaultReferenceEpochs; of others their default
	MaxEpochs  int // upper limit on the epochs that the model's file asks for; 0 is no limit

	PlantedGlyphs int // as in Request

	// Settled are the settings of the audit of another process, for which a worker trains;
	// nil for an audit of one's own.
	Settled *TrainingSettings

	// Net makes classifiers on the training data, as in curious.Options.
	Net func(classes int, seed uint64) *nn.Graph
	// Recipe says how it is known that references have the audited model's recipe, with a
	// note for the reader. shortened reports that they learned from less than all examples
	// and epochs. Nil is RecipeUnknown.
	Recipe func(shortened bool) (recipe Recipe, note string, err error)
}

// epochs returns the number of epochs of a reference, 0 if nobody knows that of the
// audited model.
func (o prepareOptions) epochs() int {
	switch {
	case o.Epochs > 0 || o.Settled == nil && o.Model == nil:
		return o.Epochs
	case o.Settled != nil:
		return o.Settled.Epochs
	}
	n := curious.EpochsOf(o.Model)
	if o.MaxEpochs > 0 {
		n = min(n, o.MaxEpochs)
	}
	return n
}

// ReferenceEpochs returns the number of epochs that each reference is trained for.
func (o prepareOptions) ReferenceEpochs() int {
	return cmp.Or(o.epochs(), DefaultReferenceEpochs)
}

// parts returns the training data, nil if there are none. The test part has the examples that
// classifiers are applied to: the audited ones, unless r is unpaired or they are not at hand.
func (o prepareOptions) parts(r *Record) *dataset.Parts {
	if o.Training == nil {
		return nil
	}
	parts := *o.Training
	if !r.Unpaired && o.Examples != nil {
		parts.Test = o.Examples
	}
	return &parts
}

// A preparation trains what the figures of an audit are compared with and checked by:
// references, planted curious models and, where the model is at hand and defences are to be
// tried, a student.
type preparation struct {
	record *Record
	o      prepareOptions
	jobs   []trainingJob
}

// trainingJob is a training, and what is done with what comes of it.
type trainingJob struct {
	Training
	take func(t *Trained) error
}

// prepare lists the trainings for an audit. It errs, with an OptionError where an option
// is the cause, if the training data do not fit the audited outputs.
func prepare(r *Record, o prepareOptions) (*preparation, error) {
	o.References = cmp.Or(o.References, DefaultReferences)
	p := &preparation{record: r, o: o}
	if !r.Sample.varied() {
		return p, nil
	}
	if r.Sample.Kind == Vector {
		r.Planted = plantDirection(r.Sample, o.Seed)
		return p, nil
	}
	if err := p.references(); err != nil {
		return nil, err
	}
	p.plant()
	p.plantTask()
	p.student()
	return p, nil
}

// Trainings returns the names of the trainings.
func (p *preparation) Trainings() []string {
	var names []string
	for _, j := range p.jobs {
		names = append(names, j.Name)
	}
	return names
}

// Train does the trainings, as the function Train does, and adds what comes of them to the
// record. The folder is nil if there are none.
func (p *preparation) Train(ctx context.Context, dir string, o TrainOptions) (*run.Folder, error) {
	var all []Training
	for _, j := range p.jobs {
		all = append(all, j.Training)
	}
	if len(all) == 0 {
		return nil, nil
	}
	trained, folder, err := Train(ctx, dir, all, o)
	if err != nil {
		return nil, err
	}
	for i, j := range p.jobs {
		if err := j.take(trained[i]); err != nil {
			return nil, err
		}
	}
	if err := p.record.check(); err != nil {
		return nil, err
	}
	return folder, p.prune(ctx)
}

// add adds a training; take is called with what comes of it.
func (p *preparation) add(t Training, take func(t *Trained) error) {
	p.jobs = append(p.jobs, trainingJob{t, take})
}

// note adds a note to the record.
func (p *preparation) note(format string, a ...any) {
	p.record.Notes = append(p.record.Notes, fmt.Sprintf(format, a...))
}

// references adds the trainings of honest classifiers.
func (p *preparation) references() error {
	r, data := p.record, p.o.Training
	if data == nil {
		return nil
	}
	if err := r.fits(data.Train); err != nil {
		return err
	}
	parts, outputs := p.o.parts(r), r.Sample.Kind
	o := fitOptions{Seed: p.o.Seed, Epochs: p.o.ReferenceEpochs(), Net: p.o.Net}
	if err := checkReference(parts, outputs, o); err != nil {
		return wrongReference(err, "")
	}
	if p.o.epochs() == 0 {
		p.note("It is not known for how many epochs the audited model was trained. The references are trained for %d (--reference-epochs).", o.Epochs)
	}
	var trained []*Sample
	for i := range p.o.References {
		train := func(ctx context.Context, progress func(done, total int)) (*Trained, error) {
			o := o
			o.Progress = progress
			s, err := reference(ctx, parts, i, outputs, o)
			return &Trained{Sample: s}, err
		}
		p.add(Training{fmt.Sprintf("reference %d", i+1), train}, func(t *Trained) error {
			if trained = append(trained, t.Sample); len(trained) < p.o.References {
				return nil
			}
			return p.takeReferences(trained)
		})
	}
	return nil
}

// takeReferences compares with what honest classifiers release.
func (p *preparation) takeReferences(trained []*Sample) (err error) {
	r, notes := p.record, trained[0].Notes // all were trained for as long
	r.Notes = append(r.Notes, notes...)
	if p.o.Recipe != nil {
		note := ""
		if r.Recipe, note, err = p.o.Recipe(len(notes) > 0); err != nil {
			return err
		}
		if note != "" {
			p.note("%s", note)
		}
	}
	if r.References = trained; r.Unpaired {
		r.References, err = r.renamed(trained)
	}
	return err
}

// plant adds the training of the model of the positive control.
func (p *preparation) plant() {
	r, like := p.record, p.record.Sample
	o := fitOptions{Seed: p.o.Seed, Epochs: p.o.Epochs}
	parts := p.o.parts(r)
	if parts != nil {
		o.Net, like = p.o.Net, unasked(parts.Test, r.Sample.Kind, 0) // by the training data's own names
	}
	p.add(plantTraining("planted", parts, like, r.Sample.Len(), p.o.PlantedGlyphs, o), func(t *Trained) error {
		r.Planted = t.Planted
		return nil
	})
}

// plantTask adds the training of a model that hides an attribute in the audited task, if
// that has no training data of its own.
func (p *preparation) plantTask() {
	if p.o.Examples == nil || p.o.Training != nil {
		return
	}
	t, note := trainingOfTask(p.record.Sample, p.o.Examples, p.o.Seed)
	if note != "" {
		p.note("%s", note)
	}
	if t == nil {
		return
	}
	p.add(*t, func(t *Trained) error {
		if t.Planted.Rows == nil { // it was planted on glyphs instead
			p.note("%s", t.Planted.Note)
			return nil
		}
		p.record.Task = t.Planted
		p.record.Task.Rows = nil // only references would be selected by them
		return nil
	})
}

// student adds the training of a student, if a defence needs one.
func (p *preparation) student() {
	if !p.defends() || p.oneOutput() || p.o.Training == nil || p.record.Unpaired {
		return
	}
	train := func(ctx context.Context, progress func(done, total int)) (*Trained, error) {
		s, err := student(ctx, p.o.Model, p.o.parts(p.record), fitOptions{Seed: p.o.Seed, Epochs: p.o.Epochs, Progress: progress})
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			return &Trained{Skipped: fmt.Sprintf("A student was not tried: %v.", err)}, nil
		}
		return &Trained{Sample: s}, nil
	}
	p.add(Training{"student", train}, func(t *Trained) error {
		if t.Sample == nil {
			p.note("%s", t.Skipped)
			return nil
		}
		r := p.record
		r.Released = append(r.Released, Released{Name: t.Sample.Name, Sample: t.Sample})
		r.Notes = append(r.Notes, t.Sample.Notes...)
		return nil
	})
}

// defends reports whether versions of the model are tried as defences.
func (p *preparation) defends() bool { return p.record.Defences && p.o.Model != nil }

// oneOutput reports whether the model has a single output for a task of two classes; the
// sample has two scores for each example.
func (p *preparation) oneOutput() bool {
	shapes, err := p.o.Model.Shapes()
	return err != nil || nn.Size(shapes[p.o.Model.Output]) != len(p.record.Sample.Classes)
}

// prune adds the pruned versions of the model in front of the student.
func (p *preparation) prune(ctx context.Context) error {
	r := p.record
	switch {
	case !p.defends():
		return nil
	case p.oneOutput():
		p.note("Pruning and a student were not tried: the model has a single output.")
		return nil
	}
	pruned, err := pruneNets(ctx, p.o.Model, p.o.Examples)
	if err != nil {
		return err
	}
	all := append(pruned, r.Released...)
	r.Released = nil
	for _, x := range all {
		x.Sample.Classes, x.Sample.Kind = r.Sample.Classes, r.Sample.Kind
		if x.Sample.Check() != nil { // with weights gone, probabilities need not add up to one
			x.Sample.Kind = curious.Raw
		}
		if err := x.Sample.Check(); err != nil {
			p.note("The defence %s was not tried: %v.", x.Name, err)
			continue
		}
		r.Released = append(r.Released, x)
	}
	return nil
}
