package audit

import (
	"cmp"
	"context"
	"fmt"

	"tattle/internal/data/dataset"
	"tattle/internal/reveal/curious"
	"tattle/internal/run"
)

// Prepare trains what the figures of the audit are compared with and checked by, references and a planted curious model, and
// adds it to the record. Trainings of an interrupted audit in the folder are not repeated with
// Resume. It returns an OptionError if the
// training data do not fit the audited outputs.
func (q *Request) Prepare(ctx context.Context, dir string, s *Subject) error {
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
	net, err := q.net(s)
	if err != nil {
		return err
	}
	all, err := q.references(s, net)
	if err != nil {
		return err
	}
	all = append(all, q.plant(s, net))
	trained, err := q.train(ctx, dir, all, q.decides(s, all))
	if err != nil {
		return err
	}
	n := len(all) - 1
	if s.Planted = trained[n]; n == 0 {
		return nil
	}
	return q.takeReferences(s, trained[:n])
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

// references returns the trainings of honest classifiers.
func (q *Request) references(s *Subject, net netMaker) (all []trainingJob, err error) {
	if s.Training == nil {
		return nil, nil
	}
	if err := s.fits(s.Training.Train); err != nil {
		return nil, err
	}
	parts, outputs := s.parts(), s.Sample.Kind
	o := curious.Options{Seed: q.Seed, Epochs: s.Epochs, Net: net}
	if err := checkReference(parts, outputs, o); err != nil {
		return nil, wrong("Reference", "", "%w", err)
	}
	if q.epochs(s) == 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("It is not known for how many epochs the audited model was trained. The references are trained for %d (--reference-epochs).", o.Epochs))
	}
	for i := range cmp.Or(q.References, DefaultReferences) {
		all = append(all, trainingJob{fmt.Sprintf("reference %d", i+1), func(ctx context.Context, progress func(done, total int, loss float64)) (*Trained, error) {
			o := o
			o.Progress = progress
			return reference(ctx, parts, i, outputs, o)
		}})
	}
	return all, nil
}

// takeReferences compares with what honest classifiers release.
func (q *Request) takeReferences(s *Subject, trained []*Trained) (err error) {
	notes, note := trained[0].Sample.Notes, "" // all were trained for as long
	s.Notes = append(s.Notes, notes...)
	if s.Recipe, note, err = q.recipe(s, len(notes) > 0); err != nil {
		return err
	}
	if note != "" {
		s.Notes = append(s.Notes, note)
	}
	for _, t := range trained {
		for i := range t.Sample.Sensitive { // of other examples they may be called otherwise
			t.Sample.Sensitive[i].Name = s.Sample.Sensitive[i].Name
		}
		s.References = append(s.References, t.Sample)
	}
	return nil
}

// plant returns the training of the model of the positive control.
func (q *Request) plant(s *Subject, net netMaker) trainingJob {
	like, parts := s.Sample, s.parts()
	o := curious.Options{Seed: q.Seed, Epochs: q.Epochs}
	if parts != nil {
		o.Net, like = net, unasked(parts.Test, s.Sample.Kind, 0) // by the training data's own names
	}
	return trainingJob{"planted", func(ctx context.Context, progress func(done, total int, loss float64)) (*Trained, error) {
		o := o
		o.Progress = progress
		return plantIn(ctx, parts, like, s.Sample.Len(), q.PlantedGlyphs, o)
	}}
}

// trainingsLayout changes with the files that keep a training, or how it is done.
const trainingsLayout = 2

// decides returns the settings that decide the trainings of an audit, and the SHA-256 by role of the data and the model.
func (q *Request) decides(s *Subject, all []trainingJob) run.Manifest {
	var names []string
	for _, t := range all {
		names = append(names, t.name)
	}
	settings := map[string]any{
		"layout": trainingsLayout, "trainings": names, "seed": q.Seed, "epochs": s.Epochs, "examples": s.Sample.Len(),
		"outputs": s.Sample.Kind, "classes": len(s.Sample.Classes), "inputs": s.inputs, "widths": q.widths(),
	}
	hashes := map[string]string{}
	if s.Examples != nil {
		hashes["examples"] = s.Examples.Set.Sum()
	} else {
		hashes["outputs"] = s.Sample.Sum()
	}
	if t := s.Training; t != nil {
		hashes["training"], hashes["validation"], hashes["asked"] = t.Train.Sum(), t.Validation.Sum(), s.parts().Test.Sum()
	}
	if s.Model != nil {
		hashes["model"] = s.Model.SHA256
	}
	return run.Manifest{Settings: settings, Hashes: hashes}
}

// fits returns an error if the training data are of another task than the audited outputs.
func (r *Record) fits(train *dataset.Set) error {
	s := r.Sample
	switch {
	case len(train.YNames) != len(s.Classes):
		return wrong("Reference", "--reference-target says which column, or a rule that makes the same classes", "its target has %d classes %q, the outputs %d: %q", len(train.YNames), train.YNames, len(s.Classes), s.Classes)
	case len(train.Sensitive) != len(s.Sensitive):
		return wrong("Reference", "--reference-sensitive names them in the same order", "it has %d sensitive attributes, the outputs %d", len(train.Sensitive), len(s.Sensitive))
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

// sameAttribute returns an error if an attribute of the training data cannot be compared
// with an audited one.
func sameAttribute(a, audited *Attribute) error {
	if audited.Numeric() {
		return wrong("Reference", fmt.Sprintf("--sensitive %q takes it as classes", audited.Name+":class"), "%s is numeric in the outputs, and training data have classes", audited.Name)
	}
	if len(a.Values) != len(audited.Values) {
		return wrong("Reference", "--reference-sensitive takes a rule that makes the same classes", "%s has %d classes %q there, and %s %d in the outputs: %q", a.Name, len(a.Values), a.Values, audited.Name, len(audited.Values), audited.Values)
	}
	return nil
}
