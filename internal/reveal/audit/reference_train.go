package audit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/nn"
	"tattle/internal/reveal/curious"
	"tattle/internal/run"
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

// netMaker makes a classifier before it is trained.
type netMaker = func(classes int, seed uint64) *nn.Graph

// checkReference returns an error if references with outputs of a kind cannot be trained on p, or
// cannot be applied to its test part because that is of another task.
func checkReference(p *dataset.Parts, outputs curious.Outputs, o curious.Options) error {
	switch train, other := p.Train, p.Test; {
	case other == nil || other.Len() == 0:
		return errors.New("the references cannot be applied to new examples: the data have no test part")
	case !slices.Equal(train.Shape, other.Shape):
		return fmt.Errorf("they would be trained on inputs of shape %v, and the audited examples have %v: give the training data of the audited task", train.Shape, other.Shape)
	case !slices.Equal(train.YNames, other.YNames):
		return fmt.Errorf("they would be trained to tell %q, and the audited examples are labelled %q: give the training data of the audited task, with the same target", train.YNames, other.YNames)
	}
	if err := checkNames(p.Test.YNames, p.Test.Sensitive); err != nil {
		return err
	}
	return curious.Options{Attack: curious.Standard, Outputs: outputs, Net: o.Net, Epochs: cmp.Or(o.Epochs, DefaultReferenceEpochs)}.Check(p)
}

// reference trains honest classifier i, from 0 on, on the training part of p and without
// sensitive attributes, and returns its outputs, of the given kind, on the test part of p. If
// there are more examples and epochs than referenceWork allows, it uses fewer, and a note says so. Of the
// options, the seed, from which each has its own, the epochs, the net and progress count. It
// returns the errors of curious.Train, and an error if ctx ends.
func reference(ctx context.Context, p *dataset.Parts, i int, outputs curious.Outputs, o curious.Options) (*Trained, error) {
	draws := run.Rand(o.Seed, trainReference, i)
	seed := draws.Uint64()
	part, epochs, note := affordable(p, o.Net, cmp.Or(o.Epochs, DefaultReferenceEpochs), referenceWork, draws)
	r, err := curious.Train(ctx, trainable(part), curious.Options{
		Attack: curious.Standard, Outputs: outputs, Net: o.Net, Epochs: epochs, Seed: seed, Progress: o.Progress,
	})
	if err != nil {
		return nil, err
	}
	s, err := released(ctx, fmt.Sprintf("reference %d", i+1), r.Classifier, p.Test)
	if err != nil {
		return nil, err
	}
	if note != "" {
		s.Notes = append(s.Notes, "To bound the time the honest classifiers were trained "+note+": one that was trained for longer may leak more or less.")
	}
	return &Trained{Sample: s, Name: s.Name}, nil
}

// What is trained from a seed, each from streams of its own.
const (
	trainReference = 200 + iota
	trainPlanted
)

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

// How much a training may take, in multiply-adds of its net forward: two cores do some
// 1.7e10 of them a second while training. Tests make it less.
var (
	// referenceWork is about ten minutes, 480,000 pictures of 64×64 in paper
	// B's net: honest classifiers are to be trained as the audited one was.
	referenceWork = 1e13
	// plantedWork is about four minutes. It is what a curious classifier of
	// faces took, 14,400 pictures of 64×64 for 13 epochs, and more than a control or
	// a student needs.
	plantedWork = 4e12
)

const (
	// exampleWork is the work of an example in addition to its multiply-adds, which
	// matters for small nets.
	exampleWork = 5e5
	// leastEpochs are not given up for more examples.
	leastEpochs = 5
	// leastValidation examples choose the epoch, however few are learned from.
	leastValidation = 1000
)

// affordable returns as much of the training and validation parts, drawn at random,
// and as many of the epochs as work pays for: all of the examples for fewer epochs, or, if
// that would be fewer than leastEpochs, leastEpochs on fewer examples. note says what was
// left out, "" if nothing was. A nil net is the one that
// package curious chooses by the inputs' shape.
func affordable(p *dataset.Parts, net netMaker, epochs int, work float64, r *rand.Rand) (part *dataset.Parts, most int, note string) {
	n := p.Train.Len()
	passes := int(work / trainingWork(p, net))
	if n == 0 || epochs <= passes/n {
		return p, epochs, ""
	}
	most = max(passes/n, min(leastEpochs, epochs))
	rows := min(n, max(1, passes/most))
	part = &dataset.Parts{Train: some(p.Train, rows, r), Validation: p.Validation, Test: p.Test, Notes: p.Notes}
	if v := p.Validation; v != nil {
		part.Validation = some(v, min(v.Len(), max(rows/4, leastValidation)), r)
	}
	return part, most, fmt.Sprintf("on %d of %d examples for %d of %d epochs", rows, n, most, epochs)
}

// trainingWork returns the work of one example.
func trainingWork(p *dataset.Parts, net netMaker) float64 {
	if net == nil {
		net = curious.DefaultNet(p.Train.Shape)
	}
	sum, err := net(max(len(p.Train.YNames), 1), 0).MultiplyAdds()
	if err != nil { // which training says, too
		return exampleWork
	}
	return exampleWork + float64(sum)
}

// some returns n examples of the set in their order, all of them without a copy.
func some(set *dataset.Set, n int, r *rand.Rand) *dataset.Set {
	if n >= set.Len() {
		return set
	}
	return set.Subset(drawRows(set.Len(), n, r))
}

// unasked returns a sample with the labels of a set's examples but without outputs: the
// classifier, which has the given number of classes or as many as the data, has not been applied
// to them.
func unasked(set *dataset.Set, kind curious.Outputs, classes int) *Sample {
	s := &Sample{
		Name: set.Name, Kind: kind, Y: slices.Clone(set.Y), Target: cmp.Or(set.YName, "y"), Classes: slices.Clone(set.YNames),
		Sensitive: slices.Clone(set.Sensitive), Group: set.Group,
	}
	for i := len(s.Classes); i < classes; i++ {
		s.Classes = append(s.Classes, fmt.Sprintf("output %d", i))
	}
	return s
}
