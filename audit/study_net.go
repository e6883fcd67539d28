package audit

import (
	"context"
	"fmt"

	"tattle/classify"
	"tattle/curious"
)

// netCell is what is kept of a classifier: what it releases of the whole pool, raw
// for honest ones, and its true figures.
type netCell struct {
	Outputs []float32 // [pool, 2]
	Truth   [2]truth  // of raw and of soft outputs; a curious one has the one that it releases
}

// truth has the figures on the rest of the pool of attacks that learned from half of it.
type truth struct{ Honesty, Accuracy, Baseline float64 }

func (t truth) excess() float64 { return t.Accuracy - t.Baseline }

// place of outputs in netCell.Truth.
func place(o curious.Outputs) int {
	if o == curious.Soft {
		return 1
	}
	return 0
}

// trainings trains all classifiers.
func (b *bench) trainings(ctx context.Context) (err error) {
	b.nets, err = kept(ctx, b, "training", len(b.plan.nets), func(ctx context.Context, i int) (*netCell, error) {
		return b.train(ctx, b.plan.nets[i])
	})
	return err
}

// train makes one classifier and measures it.
func (b *bench) train(ctx context.Context, n planNet) (*netCell, error) {
	t := b.tasks[n.task]
	r, err := curious.Train(ctx, t.parts, curious.Options{
		Attack: n.kind.attack, Outputs: n.kind.outputs, Beta: n.kind.beta, Normal: n.kind.normal,
		Net: smallNet(t.pool.Shape, t.hidden), Epochs: t.epochs, Seed: n.seed,
	})
	if err != nil {
		return nil, err
	}
	s, err := released(ctx, n.kind.name, r.Classifier, t.pool)
	if err != nil {
		return nil, err
	}
	c := &netCell{Outputs: s.Outputs}
	kinds := []curious.Outputs{n.kind.outputs}
	if n.kind.attack == curious.Standard {
		kinds = []curious.Outputs{curious.Raw, curious.Soft}
	}
	for _, k := range kinds {
		if c.Truth[place(k)], err = trueFigures(ctx, as(s, k), n.seed); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// as returns the sample with raw outputs or, by their softmax, soft ones.
func as(s *Sample, k curious.Outputs) *Sample {
	if s.Kind == k {
		return s
	}
	t := *s
	t.Kind, t.Outputs = k, make([]float32, len(s.Outputs))
	fillForm(t.Outputs, s, formSoft, span(0, s.Len()))
	return &t
}

// learnedTruth is how many examples neighbours learn a true figure from: their time
// grows with it, and with two numbers a row they lose nothing to speak of.
const learnedTruth = 5000

// poolParts divides a pool of n examples for the true figures: attacks learn from those before
// learned, are chosen on those before known, and are measured on the rest, which no audit
// uses.
func poolParts(n int) (learned, known int) { return n / 2, n * 7 / 10 }

// trueFigures fits attacks on half of the sample, chooses one on a fifth, and measures it
// and the baselines on the rest.
func trueFigures(ctx context.Context, s *Sample, seed uint64) (truth, error) {
	n, w := s.Len(), len(s.Classes)
	learned, known := poolParts(n)
	parts := [3][]int{span(0, learned), span(learned, known), span(known, n)}
	var x [3][]float32
	var labels [3][]int
	for i, rows := range parts {
		x[i] = make([]float32, len(rows)*w)
		fillForm(x[i], s, formRaw, rows)
		labels[i] = pick(s.Sensitive[0].Labels, rows)
	}
	classes := len(s.Sensitive[0].Values)
	best, t := -1., truth{}
	for _, l := range []classify.Learner{classify.Trees{}, classify.Network{}, classify.Neighbours{}} {
		chosenBy, measured, err := learnTruth(ctx, l, x, labels, w, classes, seed)
		if err != nil {
			return truth{}, err
		}
		if chosenBy > best {
			best, t.Accuracy = chosenBy, measured
		}
	}
	hard := s.hard()
	t.Honesty = classify.Accuracy(pick(hard, parts[2]), pick(s.Y, parts[2])).Value
	for _, told := range [][]int{make([]int, n), s.Y, hard} {
		table := classify.MostFrequent(pick(told, parts[0]), labels[0], w, classes)
		t.Baseline = max(t.Baseline, classify.Accuracy(classify.LookUp(table, pick(told, parts[2])), labels[2]).Value)
	}
	return t, nil
}

// learnTruth fits l on the first of three parts of rows of w numbers, and returns how
// often it is right on the other two.
func learnTruth(ctx context.Context, l classify.Learner, x [3][]float32, labels [3][]int, w, classes int, seed uint64) (second, third float64, err error) {
	fit := len(labels[0])
	if _, slow := l.(classify.Neighbours); slow {
		fit = min(fit, learnedTruth)
	}
	f, err := l.Fit(ctx, x[0][:fit*w], w, []classify.Target{{Labels: labels[0][:fit], Classes: classes}}, seed)
	if err != nil {
		return 0, 0, fmt.Errorf("%s: %w", l.Name(), err)
	}
	var right [3]float64
	for i := 1; i < 3; i++ {
		scores := [][]float32{make([]float32, len(labels[i])*classes)}
		if err := f.Predict(ctx, scores, x[i]); err != nil {
			return 0, 0, fmt.Errorf("%s: %w", l.Name(), err)
		}
		right[i] = classify.Accuracy(classify.Guesses(scores[0], classes), labels[i]).Value
	}
	return right[1], right[2], nil
}
