package main

import (
	"context"
	"fmt"
	"math/rand/v2"

	"tattle/internal/data/dataset"
)

// task is a task of two classes that classifiers are trained on, and the pool
// of examples, never trained on, that audits draw from and true figures are
// measured on.
type task struct {
	name       string // of the data
	correlated bool   // y and s are dependent, in training and in the pool
	parts      *dataset.Parts
	pool       *dataset.Set
	hidden     int // units of the classifiers
	epochs     int
}

// Sizes: a classifier trains in .3 s on glyphs and 1 s on QMNIST, and figures on the pool are
// known to half a point.
const (
	poolSize   = 30000
	validation = 1000
	// agreeing is how much likelier a correlated task keeps an example whose y and s
	// agree: three of four do if y and s are balanced.
	agreeing = 3
)

// openTasks returns the tasks, each followed by its correlated form.
func openTasks(ctx context.Context, o options) ([]*task, error) {
	var tasks []*task
	training, pool, epochs := 8000, poolSize, 8
	if o.quick {
		training, pool, epochs = training/3, pool/10, epochs/2
	}
	for _, correlated := range []bool{false, true} {
		tasks = append(tasks, glyphTask(training, pool, epochs, correlated, o.seed))
	}
	if o.mnist == "" {
		return tasks, nil
	}
	all, err := writers(ctx, o)
	if err != nil {
		return nil, err
	}
	training, epochs = 20000, 6
	if o.quick {
		training, epochs = training/5, epochs/2
	}
	for _, correlated := range []bool{false, true} {
		tasks = append(tasks, writerTask(all, training, epochs, correlated, o.seed))
	}
	return tasks, nil
}

// glyphTask draws glyphs: y is whether the digit is below five, s the family of its
// typeface in two groups.
func glyphTask(training, pool, epochs int, correlated bool, seed uint64) *task {
	draw := func(n int, split dataset.Split) *dataset.Set {
		if correlated { // a third of half of them is left out
			return agree(drawDigits(2*n, seed+1, split), n, seed)
		}
		return drawDigits(n, seed, split)
	}
	t := newTask("glyphs", draw(training+validation, dataset.Train), training, correlated)
	t.pool, t.hidden, t.epochs = draw(pool, dataset.Test), 64, epochs
	return t
}

// newTask returns a task with the first examples of a set for training and the next for validation.
func newTask(name string, set *dataset.Set, training int, correlated bool) *task {
	if correlated {
		name += ", correlated"
	}
	return &task{name: name, correlated: correlated,
		parts: &dataset.Parts{Train: set.Subset(span(0, training)), Validation: set.Subset(span(training, training+validation))}}
}

// drawDigits draws glyphs whose target is whether the digit is below five, and whose sensitive
// attribute is the family of the typeface in two groups.
func drawDigits(n int, seed uint64, split dataset.Split) *dataset.Set {
	set := dataset.Glyphs(dataset.GlyphOptions{N: n, Seed: seed, Split: split})
	for i, digit := range set.Y {
		set.Y[i] = digit / 5
	}
	set.YNames = []string{"0 1 2 3 4", "5 6 7 8 9"}
	labels := make([]int, n)
	for i, family := range set.Sensitive[0].Labels {
		labels[i] = family / 3 // regular, bold and italic; mono and small caps
	}
	set.Sensitive = []dataset.Attribute{{Name: "family", Values: []string{"regular, bold, italic", "mono, small caps"}, Labels: labels}}
	return set
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
func writers(ctx context.Context, o options) (*dataset.Set, error) {
	labels := o.labels
	if labels == "" {
		labels = o.mnist
	}
	p, err := dataset.OpenParts(ctx, o.mnist, dataset.Options{
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
func writerTask(all *dataset.Set, training, epochs int, correlated bool, seed uint64) *task {
	set := all.Subset(rand.New(rand.NewPCG(seed, 2)).Perm(all.Len()))
	if correlated {
		set = agree(set, set.Len(), seed)
	}
	training = min(training, set.Len()/2)
	t := newTask("qmnist", set, training, correlated)
	t.pool, t.hidden, t.epochs = set.Subset(span(training+validation, min(training+validation+poolSize, set.Len()))), 128, epochs
	return t
}

// span returns lo … hi−1.
func span(lo, hi int) []int {
	rows := make([]int, hi-lo)
	for i := range rows {
		rows[i] = lo + i
	}
	return rows
}
