package audit

import (
	"context"
	"fmt"
	"math/rand/v2"

	"tattle/dataset"
)

// studyTask is a task of two classes that classifiers are trained on, and the pool
// of examples, never trained on, that audits draw from and true figures are
// measured on.
type studyTask struct {
	name       string // of the data
	correlated bool   // y and s are dependent, in training and in the pool
	parts      *dataset.Parts
	pool       *dataset.Set
	hidden     int // units of the classifiers
	epochs     int
}

// Sizes of the tasks: a classifier trains in .3 s on glyphs and 1 s on QMNIST, and
// figures on the pool are known to half a point.
const (
	studyTraining      = 8000
	studyPool          = 30000
	studyValidation    = 1000
	studyEpochs        = 8
	studyHidden        = 64
	studyMNISTTraining = 20000
	studyMNISTEpochs   = 6
	studyMNISTHidden   = 128
)

// agreeing is how much likelier a correlated task keeps an example whose y and s
// agree: three of four do if y and s are balanced.
const agreeing = 3

// studyTasks returns the tasks, each followed by its correlated form.
func studyTasks(ctx context.Context, o StudyOptions) ([]*studyTask, error) {
	var tasks []*studyTask
	training, pool, epochs := studyTraining, studyPool, studyEpochs
	if o.Quick {
		training, pool, epochs = training/3, pool/10, epochs/2
	}
	for _, correlated := range []bool{false, true} {
		tasks = append(tasks, glyphTask(training, pool, epochs, correlated, o.Seed))
	}
	if o.MNIST == "" {
		return tasks, nil
	}
	labels := o.Labels
	if labels == "" {
		labels = o.MNIST
	}
	all, err := writers(ctx, o.MNIST, labels)
	if err != nil {
		return nil, err
	}
	training, epochs = studyMNISTTraining, studyMNISTEpochs
	if o.Quick {
		training, epochs = training/5, epochs/2
	}
	for _, correlated := range []bool{false, true} {
		tasks = append(tasks, writerTask(all, training, epochs, correlated, o.Seed))
	}
	return tasks, ctx.Err()
}

// glyphTask draws glyphs: y is whether the digit is below five, s the family of its
// typeface in two groups.
func glyphTask(training, pool, epochs int, correlated bool, seed uint64) *studyTask {
	want := training + studyValidation
	draw := func(n int, split dataset.Split) *dataset.Set {
		if correlated { // a third of half of them is left out
			return agree(drawnDigits(2*n, 2, seed+1, split), n, seed)
		}
		return drawnDigits(n, 2, seed, split)
	}
	all := draw(want, dataset.Train)
	return &studyTask{
		name: taskName("glyphs", correlated), correlated: correlated, hidden: studyHidden, epochs: epochs,
		parts: &dataset.Parts{Train: all.Subset(span(0, training)), Validation: all.Subset(span(training, want))},
		pool:  draw(pool, dataset.Test),
	}
}

func taskName(name string, correlated bool) string {
	if correlated {
		return name + ", correlated"
	}
	return name
}

// agree returns n examples of the set, those whose y and s agree being likelier to
// stay.
func agree(set *dataset.Set, n int, seed uint64) *dataset.Set {
	r := rand.New(rand.NewPCG(seed, 1))
	var keep []int
	for i, y := range set.Y {
		if y == set.Sensitive[0].Labels[i] || r.IntN(agreeing) == 0 {
			keep = append(keep, i)
		}
	}
	return set.Subset(keep[:min(n, len(keep))])
}

// writers reads all of QMNIST with two classes of digits, in one set: its own parts
// differ in their writers.
func writers(ctx context.Context, mnist, labels string) (*dataset.Set, error) {
	p, err := dataset.OpenParts(ctx, mnist, dataset.LabelledOptions{
		Kind: dataset.KindMNIST, Labels: labels, Target: "digit: 0,1,2,3,4; 5,6,7,8,9", Sensitive: []string{"writer"},
	})
	if err != nil {
		return nil, err
	}
	if len(p.Train.Sensitive) == 0 || len(p.Train.Sensitive[0].Values) != 2 {
		return nil, fmt.Errorf("%s: the study needs the writers' two populations: name the folder of QMNIST's labels", labels)
	}
	return dataset.Join(p.Train, p.Validation, p.Test), nil
}

// writerTask divides QMNIST at random: y is whether the digit is below five, s the
// writer's population.
func writerTask(all *dataset.Set, training, epochs int, correlated bool, seed uint64) *studyTask {
	set := all.Subset(rand.New(rand.NewPCG(seed, 2)).Perm(all.Len()))
	if correlated {
		set = agree(set, set.Len(), seed)
	}
	known := min(training, set.Len()/2) + studyValidation
	pool := min(known+studyPool, set.Len())
	return &studyTask{
		name: taskName("qmnist", correlated), correlated: correlated, hidden: studyMNISTHidden, epochs: epochs,
		parts: &dataset.Parts{Train: set.Subset(span(0, known-studyValidation)), Validation: set.Subset(span(known-studyValidation, known))},
		pool:  set.Subset(span(known, pool)),
	}
}
