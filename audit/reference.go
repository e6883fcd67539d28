package audit

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"tattle/curious"
	"tattle/dataset"
	"tattle/nn"
	"tattle/run"
)

const (
	// DefaultReferences is how many honest classifiers are trained: with four
	// degrees of freedom Student's t asks 2.1 standard deviations at 5 %, and more
	// classifiers bring that down slowly.
	DefaultReferences = 5
	// DefaultReferenceEpochs is for how long each is trained. The best epoch on the
	// validation part is kept, and few tasks have it much later.
	DefaultReferenceEpochs = 20
)

// ReferenceOptions says how Reference trains; the zero value is the default.
type ReferenceOptions struct {
	Count   int             // 0 is DefaultReferences
	Seed    uint64          // of the trainings; each has a seed of its own by it
	Epochs  int             // 0 is DefaultReferenceEpochs
	Work    float64         // that each may take, in multiply-adds forward; 0 is DefaultReferenceWork
	Outputs curious.Outputs // what the audited model releases; "" is Raw
	// Net makes the classifiers, as in curious.Options: the audited model's kind of
	// net where it is known. Nil chooses by the inputs' shape.
	Net      func(classes int, seed uint64) *nn.Graph
	Progress func(done, total int) // of all trainings' steps
}

// Reference trains honest classifiers of the target attribute, which never see a
// sensitive one, on the training part of p, and returns what they release of the
// audited examples or, where audited is nil, of p's test part (for which
// Options.Unpaired is to be set). Where there is more to learn from than Work pays for
// they learn from less, which the notes of each say. It errs as curious.Train does,
// where the audited examples are of another task, and when ctx ends.
func Reference(ctx context.Context, p *dataset.Parts, audited *dataset.Set, o ReferenceOptions) ([]*Sample, error) {
	if audited == nil {
		audited = p.Test
	}
	if err := sameTask(p.Train, audited); err != nil {
		return nil, fmt.Errorf("references: %w", err)
	}
	if o.Count == 0 {
		o.Count = DefaultReferences
	}
	if o.Epochs == 0 {
		o.Epochs = DefaultReferenceEpochs
	}
	if o.Work == 0 {
		o.Work = DefaultReferenceWork
	}
	var all []*Sample
	for i := range o.Count {
		s, err := o.train(ctx, p, audited, i)
		if err != nil {
			return nil, fmt.Errorf("reference %d of %d: %w", i+1, o.Count, err)
		}
		all = append(all, s)
	}
	return all, nil
}

// train trains reference i and asks it.
func (o ReferenceOptions) train(ctx context.Context, p *dataset.Parts, audited *dataset.Set, i int) (*Sample, error) {
	draws := run.Rand(o.Seed, trainReference, i)
	seed := draws.Uint64()
	p, epochs, note := affordable(p, o.Net, o.Epochs, o.Work, draws)
	r, err := curious.Train(ctx, p, curious.Options{
		Attack: curious.Standard, Outputs: o.Outputs, Net: o.Net, Epochs: epochs, Seed: seed,
		Progress: func(done, total int, _ float64) {
			if o.Progress != nil {
				o.Progress(i*total+done, o.Count*total)
			}
		},
	})
	if err != nil {
		return nil, err
	}
	s, err := released(ctx, fmt.Sprintf("reference %d", i+1), r.Classifier, audited)
	if err == nil && note != "" {
		s.Notes = append(s.Notes, "To bound the time the honest classifiers were trained "+note+": one that was trained for longer may leak more or less.")
	}
	return s, err
}

// What is trained from a seed, each from streams of its own.
const (
	trainReference = 200 + iota
	trainPlanted
	trainStudent
)

// sameTask errs where two sets differ in what goes in or what is answered.
func sameTask(train, other *dataset.Set) error {
	switch {
	case other == nil || other.Len() == 0:
		return errors.New("there are no examples to ask them of: the data have no test part")
	case !slices.Equal(train.Shape, other.Shape):
		return fmt.Errorf("they would be trained on inputs of shape %v, and the audited examples have %v: give the training data of the audited task", train.Shape, other.Shape)
	case !slices.Equal(train.YNames, other.YNames):
		return fmt.Errorf("they would be trained to tell %q, and the audited examples are labelled %q: give the training data of the audited task, with the same target", train.YNames, other.YNames)
	}
	return nil
}

// outputsKey is where package curious says what a net releases whose last operator
// does not, as that of a mixture.
const outputsKey = "tattle.outputs"

// releasedKind returns what f releases.
func releasedKind(f *nn.Graph) curious.Outputs {
	if f.Metadata[outputsKey] == string(curious.Soft) {
		return curious.Soft
	}
	return curious.Released(f)
}

// released returns what f gives away of the examples, with all their labels.
func released(ctx context.Context, name string, f *nn.Graph, set *dataset.Set) (*Sample, error) {
	out, err := curious.Predict(ctx, f, set)
	if err != nil {
		return nil, err
	}
	s := &Sample{
		Name: name, Outputs: out, Kind: releasedKind(f),
		Y: slices.Clone(set.Y), Target: set.YName, Classes: slices.Clone(set.YNames),
	}
	for _, a := range set.Sensitive {
		s.Sensitive = append(s.Sensitive, Attribute{Name: a.Name, Values: slices.Clone(a.Values), Labels: slices.Clone(a.Labels)})
	}
	return s, nil
}
