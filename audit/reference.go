package audit

import (
	"cmp"
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
	// DefaultReferences is the number of honest classifiers that are trained. With four
	// degrees of freedom Student's t requires 2.1 standard deviations at 5 %, and more
	// classifiers reduce that slowly.
	DefaultReferences = 5
	// DefaultReferenceEpochs is the number of epochs of each. The best epoch on the
	// validation part is kept, and few tasks have it much later.
	DefaultReferenceEpochs = 20
)

// referenceOptions says how Reference trains; the zero value is the default.
type referenceOptions struct {
	Seed    uint64          // of all references; each has a seed of its own by it
	Epochs  int             // 0 is DefaultReferenceEpochs
	Work    float64         // that each may take, in multiply-adds forward; 0 is DefaultReferenceWork
	Outputs curious.Outputs // what the audited model releases; "" is Raw
	// Net makes the classifiers, as in curious.Options: the audited model's kind of
	// net if it is known. Nil chooses by the inputs' shape.
	Net      func(classes int, seed uint64) *nn.Graph
	Progress func(done, total int) // of the training's steps
}

// Check returns an error if references cannot be trained on p, or cannot be applied to the
// audited examples, which are those of Reference.
func (o referenceOptions) Check(p *dataset.Parts, audited *dataset.Set) error {
	if audited == nil {
		audited = p.Test
	}
	if err := sameTask(p.Train, audited); err != nil {
		return err
	}
	if err := checkNames(namesOf(audited)); err != nil {
		return err
	}
	o = o.withDefaults()
	return curious.Options{Attack: curious.Standard, Outputs: o.Outputs, Net: o.Net, Epochs: o.Epochs}.Check(p)
}

func (o referenceOptions) withDefaults() referenceOptions {
	o.Epochs = cmp.Or(o.Epochs, DefaultReferenceEpochs)
	o.Work = cmp.Or(o.Work, DefaultReferenceWork)
	return o
}

// Reference trains honest classifier i, from 0 on, on the training part of p and without
// sensitive attributes. It returns the classifier's outputs on the audited examples or, if
// audited is nil, on p's test part (which requires Options.Unpaired). If there are more
// examples and epochs than Work allows, it uses fewer, and a note says so. It returns the
// errors of curious.Train, and an error if the audited examples are of another task or if ctx
// ends.
func Reference(ctx context.Context, p *dataset.Parts, audited *dataset.Set, i int, o referenceOptions) (*Sample, error) {
	if audited == nil {
		audited = p.Test
	}
	if err := sameTask(p.Train, audited); err != nil {
		return nil, err
	}
	o = o.withDefaults()
	draws := run.Rand(o.Seed, trainReference, i)
	seed := draws.Uint64()
	p, epochs, note := affordable(p, o.Net, o.Epochs, o.Work, draws)
	r, err := curious.Train(ctx, trainable(p), curious.Options{
		Attack: curious.Standard, Outputs: o.Outputs, Net: o.Net, Epochs: epochs, Seed: seed,
		Progress: func(done, total int, _ float64) {
			if o.Progress != nil {
				o.Progress(done, total)
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

// sameTask returns an error if two sets differ in the shape of the inputs or in the
// classes of y.
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

// released returns the outputs of f on the examples, with all their labels.
func released(ctx context.Context, name string, f *nn.Graph, set *dataset.Set) (*Sample, error) {
	out, err := curious.Predict(ctx, f, set)
	if err != nil {
		return nil, err
	}
	s := unasked(set, curious.OutputsOf(f), len(set.YNames))
	s.Name, s.Outputs = name, out
	return s, nil
}
