package measure

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/classify"
	"tattle/internal/engine/nn"
	"tattle/internal/math/stat"
	"tattle/internal/protect/bayes"
	"tattle/internal/protect/release"
	"tattle/internal/run"
)

const (
	// mostLearned is the largest number of candidates' releases that classifiers learn
	// from. mostAttacked is the largest number of releases of the sample on which attacks are
	// measured; the interval is then about four points wide.
	mostLearned  = 4000
	mostAttacked = 2000
	// mostColumns is the largest number of features for the classifiers.
	mostColumns = 1024
	// mostKept is the largest number of feature values that the posterior attack keeps in
	// memory: 0.5 GB.
	mostKept = 1 << 26
	// temperatureTrials is the number of candidates on which that attack chooses its temperature.
	temperatureTrials = 200
)

// Random streams of the attacks on attributes.
const (
	streamLearned = iota + 20
	streamAttacked
	streamTemperature
)

// An InferredAttack is the share of right guesses of an attribute by an attack that ran.
type InferredAttack struct {
	Name  string
	Right classify.Proportion
}

// attackAttributes measures attacks on the attributes. They learn from releases of candidates
// and are measured on releases of the sample. The figures are demonstrated.
func (l *lists) attackAttributes(ctx context.Context) error {
	if l.Candidates == nil || l.Sample == nil || len(l.out.Anybody) == 0 || l.labelAlone() {
		return nil
	}
	names := l.commonAttributes()
	if len(names) == 0 {
		return nil
	}
	known, attacked := l.choose(l.Candidates), l.chooseSample()
	known, attacked = known[:min(len(known), mostKept/l.columns)], attacked[:min(len(attacked), mostAttacked)]
	if attacked = l.unknown(attacked, known); len(known) < 2 || len(attacked) == 0 {
		return nil
	}
	truth, targets := l.attributes(l.Sample, Peopled{Indices: attacked}, names), l.attributes(l.Candidates, Peopled{Indices: known}, names)
	released, err := l.released(ctx, l.Sample, attacked, streamAttacked)
	if err != nil {
		return err
	}
	add := func(attack string, k int, guess []int) {
		last := l.out.EverySample().Inferred
		in := &last[slices.IndexFunc(last, func(in InferredLimit) bool { return in.Name == truth[k].Name })]
		in.Attacks = append(in.Attacks, InferredAttack{attack, l.right(guess, truth[k].Class, attacked)})
	}
	if l.columns > mostColumns {
		l.leaveOut("classifiers that guess attributes: there are more than %d features", mostColumns)
	} else if err := l.classify(ctx, known[:min(len(known), mostLearned)], targets, nn.Float32s(released), add); err != nil {
		return err
	}
	scores, err := l.likely(ctx, known, targets, released, len(attacked))
	for k := range scores {
		add("posterior", k, classify.Guesses(scores[k], targets[k].Classes))
	}
	return err
}

// right is the share of right guesses of inputs of the sample, or its mean over their people.
func (l *lists) right(guess, class, attacked []int) classify.Proportion {
	if l.Sample.Set.Group == nil {
		return classify.Accuracy(guess, class)
	}
	person, people := stat.Numbered(dataset.Pick(l.Sample.Set.People(), 1, attacked))
	p, _ := classify.AccuracyOfPeople(guess, class, person, people, run.Rand(l.Seed, 0, streamPeople))
	return p
}

// commonAttributes returns the attributes that both lists have with the same values: attacks
// learn from one list and guess on the other.
func (l *lists) commonAttributes() []string {
	var names []string
	for _, name := range l.Attributes {
		a, b := l.Candidates.Set.Attribute(name), l.Sample.Set.Attribute(name)
		if a == nil || b == nil {
			continue // which is noted
		}
		if !slices.Equal(a.Values, b.Values) {
			l.leaveOut("attacks on %s: its values in %s differ from those in %s", name, l.Candidates.Name, l.Sample.Name)
			continue
		}
		names = append(names, name)
	}
	return names
}

// unknown returns the inputs of the sample that equal no candidate: an attack that knows an input
// and its attributes would guess them better than an adversary without a list can.
func (l *lists) unknown(attacked, known []int) []int {
	left := unseen(l.Candidates.Set, l.Sample.Set, known, attacked)
	if n := len(attacked) - len(left); n > 0 {
		l.leaveOut("attacks on attributes of %d of %d inputs: these are candidates, so the attacks would know their attributes", n, len(attacked))
	}
	return left
}

// columnsOf returns the number of features.
func columnsOf(front nn.Model) int {
	_, n := front.Dims()
	return n
}

// released returns releases of inputs, [inputs, features]: for each input the mean of its
// releases. A label is a 1 among zeros.
func (l *lists) released(ctx context.Context, of *List, indices []int, stream int) ([]float64, error) {
	n := l.columns
	once, queries := l.each.Noise, max(l.each.Queries, 1)
	if !l.each.Label { // which is chosen of each release
		once, queries = release.MeanOf(once, queries)
	}
	y := make([]float64, len(indices)*n)
	in := l.inputs(of, indices)
	if err := in.Features(ctx, y, nn.Indices(len(indices))); err != nil {
		return nil, err
	}
	one := make([]float64, n)
	for i, j := range indices {
		r := run.Rand(l.Seed, j, stream)
		at := y[i*n : (i+1)*n]
		clean := slices.Clone(at)
		clear(at)
		for range queries {
			once.Sample(one, r)
			for k, v := range clean {
				one[k] += v
			}
			if l.each.Label {
				row := nn.Float32s(one)
				release.OneHot(row, n)
				copy(one, nn.Float64s(row))
			}
			for k, v := range one {
				at[k] += v / float64(queries)
			}
		}
	}
	return y, nil
}

// classify adds the guesses of each classifier of an audit, fitted to releases of candidates, of each attribute that suits it.
func (l *lists) classify(ctx context.Context, known []int, targets []bayes.Attribute, released []float32, add func(attack string, k int, guess []int)) error {
	from, err := l.released(ctx, l.Candidates, known, streamLearned)
	if err != nil {
		return err
	}
	rows, judged := classify.NewTable(nn.Float32s(from), l.columns).All(), classify.NewTable(released, l.columns).All()
	for _, learner := range classify.Learners() {
		for k, a := range targets {
			target := classify.Target{Labels: a.Class[:len(known)], Classes: a.Classes}
			if !learner.Suits(target) {
				continue
			}
			fitted, err := learner.Fit(ctx, rows, []classify.Target{target}, l.Seed)
			if err != nil {
				return fmt.Errorf("%s: %w", learner.Name(), err)
			}
			scores := make([]float32, len(released)/l.columns*a.Classes)
			if err := fitted.Predict(ctx, [][]float32{scores}, judged); err != nil {
				return err
			}
			add(learner.Name(), k, classify.Guesses(scores, a.Classes))
		}
	}
	return nil
}

// likely returns, for each attribute, the scores of the classes by the posterior over the
// candidates, with the temperature of bayes.ChooseTemperature.
func (l *lists) likely(ctx context.Context, known []int, targets []bayes.Attribute, released []float64, n int) ([][]float32, error) {
	noise := l.target.Noise.(bayes.Density) // see possible
	var width int
	for _, a := range targets {
		width += a.Classes
	}
	classes := func(x []float32, indices []int) {
		clear(x)
		for i, j := range indices {
			at := x[i*width:]
			for _, a := range targets {
				at[a.Class[j]] = 1
				at = at[a.Classes:]
			}
		}
	}
	list := l.inputs(l.Candidates, known).Kept()
	random := rand.New(rand.NewPCG(l.Seed, streamTemperature))
	temperature, err := bayes.ChooseTemperature(ctx, list, width, classes, noise, min(temperatureTrials, len(known)/2), random)
	if err != nil {
		return nil, err
	}
	found, err := bayes.Mean(ctx, list, width, classes, noise, released, []float64{temperature}, nil)
	if err != nil {
		return nil, err
	}
	scores := make([][]float32, len(targets))
	for i := range n {
		at := found[0][i*width : (i+1)*width]
		for k, a := range targets {
			scores[k] = append(scores[k], at[:a.Classes]...)
			at = at[a.Classes:]
		}
	}
	return scores, nil
}
