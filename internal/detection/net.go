package main

import (
	"context"
	"fmt"
	"math"

	"tattle/internal/engine/classify"
	"tattle/internal/engine/nn/zoo"
	"tattle/internal/reveal/audit"
	"tattle/internal/reveal/curious"
)

// net is a classifier, what it releases of the whole pool, and its true figures.
type net struct {
	task *task
	kind kind
	seed uint64

	outputs []float32      // [pool, 2], raw unless kind.soft
	truth   map[bool]truth // of raw (false) and of soft outputs (true); a curious one has those that it releases
}

// truth has the figures on the rest of the pool of attacks that learned from half of it.
type truth struct{ honesty, accuracy, baseline float64 }

func (t truth) excess() float64 { return t.accuracy - t.baseline }

func (n *net) honest() bool { return n.kind.attack == curious.Standard }

// train trains the classifier and measures it.
func (n *net) train(ctx context.Context) error {
	outputs := curious.Raw
	if n.kind.soft {
		outputs = curious.Soft
	}
	r, err := curious.Train(ctx, n.task.parts, curious.Options{
		Attack: n.kind.attack, Outputs: outputs, Beta: n.kind.beta, Normal: n.kind.normal,
		Net: zoo.Perceptron(n.task.pool.Shape, n.task.hidden), Epochs: n.task.epochs, Seed: n.seed,
	})
	if err != nil {
		return err
	}
	if n.outputs, err = curious.Predict(ctx, r.Classifier, n.task.pool); err != nil {
		return err
	}
	n.truth = map[bool]truth{}
	for _, soft := range []bool{false, true} {
		if !n.honest() && soft != n.kind.soft {
			continue
		}
		if n.truth[soft], err = trueFigures(ctx, n.sample(soft), n.seed); err != nil {
			return err
		}
	}
	return nil
}

// sample returns the classifier's outputs on the whole pool, raw or by their softmax soft.
func (n *net) sample(soft bool) *audit.Sample {
	pool := n.task.pool
	s := &audit.Sample{
		Name: n.kind.name, Outputs: n.outputs, Kind: curious.Raw,
		Y: pool.Y, Target: pool.YName, Classes: pool.YNames, Sensitive: pool.Sensitive[:1],
	}
	if soft {
		s.Kind = curious.Soft
	}
	if soft && !n.kind.soft {
		s.Outputs = make([]float32, len(n.outputs))
		for i := 0; i < len(s.Outputs); i += 2 {
			second := 1 / (1 + math.Exp(float64(n.outputs[i])-float64(n.outputs[i+1])))
			s.Outputs[i], s.Outputs[i+1] = float32(1-second), float32(second)
		}
	}
	return s
}

// part is some examples of a pool, as attacks are given them.
type part struct {
	x      []float32 // [examples, 2], scores or logarithms of probabilities
	labels []int
}

// trueFigures fits attacks on half of the sample, chooses one on a fifth, and measures it
// and the baselines on the rest.
func trueFigures(ctx context.Context, s *audit.Sample, seed uint64) (t truth, err error) {
	learned, known := poolParts(s.Len())
	var parts [3]part
	for i, ends := range [3][2]int{{0, learned}, {learned, known}, {known, s.Len()}} {
		p := &parts[i]
		for row := ends[0]; row < ends[1]; row++ {
			p.labels = append(p.labels, s.Sensitive[0].Labels[row])
			for _, v := range s.Outputs[2*row:][:2] {
				if s.Kind == curious.Soft {
					v = float32(math.Log(max(float64(v), 1e-7)))
				}
				p.x = append(p.x, v)
			}
		}
	}
	best := -1.
	for _, l := range []classify.Learner{classify.Trees{}, classify.Network{}} {
		chosenBy, measured, err := accuracies(ctx, l, parts, seed)
		if err != nil {
			return t, fmt.Errorf("%s: %w", l.Name(), err)
		}
		if chosenBy > best {
			best, t.accuracy = chosenBy, measured
		}
	}
	hard := classify.Guesses(s.Outputs, 2)
	t.honesty = classify.Accuracy(hard[known:], s.Y[known:]).Value
	for _, told := range [][]int{make([]int, s.Len()), s.Y, hard} {
		table := classify.MostFrequent(told[:learned], parts[0].labels, 2, 2)
		t.baseline = max(t.baseline, classify.Accuracy(classify.LookUp(table, told[known:]), parts[2].labels).Value)
	}
	return t, nil
}

// accuracies fits l on the first of three parts, and returns how often it is right on the other two.
func accuracies(ctx context.Context, l classify.Learner, parts [3]part, seed uint64) (second, third float64, err error) {
	f, err := l.Fit(ctx, classify.NewTable(parts[0].x, 2).All(), []classify.Target{{Labels: parts[0].labels, Classes: 2}}, seed)
	if err != nil {
		return 0, 0, err
	}
	var right [3]float64
	for i := 1; i < 3; i++ {
		scores := [][]float32{make([]float32, 2*len(parts[i].labels))}
		if err := f.Predict(ctx, scores, classify.NewTable(parts[i].x, 2).All()); err != nil {
			return 0, 0, err
		}
		right[i] = classify.Accuracy(classify.Guesses(scores[0], 2), parts[i].labels).Value
	}
	return right[1], right[2], nil
}
