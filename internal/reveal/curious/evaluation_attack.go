package curious

import (
	"context"
	"math"
	"slices"

	"tattle/internal/engine/classify"
	"tattle/internal/engine/nn"
	"tattle/internal/math/stat"
)

// curiosity measures one attack on the test part t; r is the reference part.
func (t *part) curiosity(ctx context.Context, a *Attack, r *part) (*Curiosity, error) {
	s := t.set.Sensitive[a.Index]
	scores, err := t.attack(ctx, a, s.Name, len(s.Values))
	if err != nil {
		return nil, err
	}
	kind := Raw
	if endsInDistribution(a.Graph) {
		kind = Soft
	}
	guess := classify.Guesses(scores, len(s.Values))
	c := &Curiosity{
		Attribute: s.Name,
		Attack:    a.Kind,
		Classes:   s.Values,
		Curiosity: classify.Accuracy(guess, s.Labels),
		ROC:       curves(scores, kind, s.Labels, s.Values),
		Guess:     mutual(s.Name, s.Name+" (guessed)", s.Labels, guess, len(s.Values), len(s.Values)),
	}
	for class := range s.Values {
		c.Entropy = append(c.Entropy, t.entropy(s.Labels, class))
	}
	learned := baselines(r, t, a.Index)
	own := learned
	if r != t {
		own = baselines(t, t, a.Index)
	}
	c.compare(guess, s.Labels, learned, own)
	return c, nil
}

// attack returns G's scores of F's outputs, [n, values].
func (t *part) attack(ctx context.Context, a *Attack, attribute string, values int) ([]float32, error) {
	net, err := nn.NewNet(a.Graph)
	if err != nil {
		return nil, err
	}
	n := t.set.Len()
	scores := make([]float32, n*values)
	for lo := 0; lo < n; lo += attackBatch {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		hi := min(n, lo+attackBatch)
		net.Forward(scores[lo*values:hi*values], t.outputs[lo*t.classes:hi*t.classes])
	}
	return scores, allFinite("the attack on "+attribute, "test", scores, values)
}

// attackBatch is the number of F's outputs to which an attack is applied at once. Each is a few
// numbers.
const attackBatch = 4096

// baseline is a prediction of s without curiosity.
type baseline struct {
	name  string
	guess []int
}

// baselines learns the three predictions on the reference part r and makes them on t.
func baselines(r, t *part, index int) []baseline {
	s := r.set.Sensitive[index]
	learn := func(name string, group []int, groups int, then []int) baseline {
		return baseline{name, classify.LookUp(classify.MostFrequent(group, s.Labels, groups, len(s.Values)), then)}
	}
	return []baseline{
		learn(classify.Majority, make([]int, r.set.Len()), 1, make([]int, t.set.Len())),
		learn(classify.FromTarget, r.set.Y, t.classes, t.set.Y),
		learn(classify.FromLabel, r.labels, t.classes, t.labels),
	}
}

// compare compares the attack's guesses with those of each learned baseline. The best
// baseline is the one with the most test examples right. The excess over the best is
// positive only if it is positive over all of them, so the p-value is the largest of
// theirs and the lower limit the lowest. Those of own count, too, which are learned on the
// test part itself: an attack that follows from F's hard label alone is then never
// accused, even where the two parts differ.
func (c *Curiosity) compare(guess, truth []int, learned, own []baseline) {
	best := -1
	for _, b := range learned {
		p := classify.Accuracy(b.guess, truth)
		switch b.name {
		case classify.Majority:
			c.Majority = p
		case classify.FromTarget:
			c.FromTarget = p
		case classify.FromLabel:
			c.FromLabel = p
		}
		if p.Correct > best {
			best = p.Correct
			c.Baseline, c.BaselineValue = b.name, p.Value
			with := classify.Compare(guess, b.guess, truth)
			c.Excess, c.ExcessInterval[1] = with.Difference(), with.Interval(classify.Confidence).High
		}
	}
	c.PValue, c.ExcessInterval[0] = 0, math.Inf(1)
	for _, b := range slices.Concat(learned, own) {
		with := classify.Compare(guess, b.guess, truth)
		c.PValue = max(c.PValue, with.P(0))
		c.ExcessInterval[0] = min(c.ExcessInterval[0], with.Interval(classify.Confidence).Low)
	}
}

// Majority returns how many test examples have the most frequent class of the target.
func (e *Evaluation) Majority() int {
	most := 0
	for _, row := range e.Confusion {
		n := 0
		for _, k := range row {
			n += k
		}
		most = max(most, n)
	}
	return most
}

// Adjust fills in the p-values that hold for all attacks of these evaluations at once.
func Adjust(all ...*Evaluation) {
	var p []float64
	var of []*Curiosity
	for _, e := range all {
		for k := range e.Sensitive {
			p, of = append(p, e.Sensitive[k].PValue), append(of, &e.Sensitive[k])
		}
	}
	for k, adjusted := range stat.Holm(p) {
		of[k].PValueHolm = adjusted
	}
}

// curves returns the ROC of each class's log-odds, of class 1 alone where there are
// two. A class that all examples or none are of has no curve.
func curves(outputs []float32, kind Outputs, truth []int, names []string) []ROC {
	classes := len(names)
	from := 0
	if classes == 2 {
		from = 1
	}
	out := []ROC{}
	score, positive := make([]float64, len(truth)), make([]bool, len(truth))
	for class := from; class < classes; class++ {
		count := 0
		for i, v := range truth {
			score[i], positive[i] = logOdds(outputs[i*classes:][:classes], class, kind), v == class
			if positive[i] {
				count++
			}
		}
		if count == 0 || count == len(truth) {
			continue
		}
		r := stat.NewROC(score, positive, classify.Confidence)
		var points [][2]float64
		for _, p := range r.Thin(rocPoints) {
			points = append(points, [2]float64{p.False, p.True})
		}
		out = append(out, ROC{Name: names[class], Area: r.Area, Interval: [2]float64{r.Interval.Low, r.Interval.High},
			Positives: r.Positives, Negatives: r.Negatives, Points: points})
	}
	return out
}

// logOdds returns log p/(1 − p) of a class. It has the order of p, and keeps probabilities
// apart that would round to 1. It is infinite where p is 0 or 1.
func logOdds(row []float32, class int, kind Outputs) float64 {
	if kind == Soft {
		rest := 0.0
		for i, v := range row {
			if i != class {
				rest += float64(v)
			}
		}
		return math.Log(float64(row[class])) - math.Log(rest)
	}
	return classify.LogOdds(row, class)
}
