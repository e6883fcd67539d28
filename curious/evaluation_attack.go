package curious

import (
	"context"
	"math"
	"slices"

	"tattle/nn"
	"tattle/stat"
)

// curiosity measures one attack on the test part t; r is the reference part.
func (t *part) curiosity(ctx context.Context, a *Attack, index int, r *part) (*Curiosity, error) {
	s := t.set.Sensitive[index]
	scores, err := t.attack(ctx, a, s.Name, len(s.Values))
	if err != nil {
		return nil, err
	}
	guess := guesses(scores, len(s.Values))
	c := &Curiosity{
		Attribute: s.Name,
		Attack:    a.Kind,
		Classes:   s.Values,
		Curiosity: proportion(guess, s.Labels),
		Confusion: crossed(s.Labels, guess, len(s.Values), len(s.Values)),
		ROC:       curves(scores, scoresKind(a.Graph), s.Labels, s.Values),
		Label:     mutual(s.Name, t.set.YName+" (predicted)", s.Labels, t.labels, len(s.Values), t.classes),
		Guess:     mutual(s.Name, s.Name+" (guessed)", s.Labels, guess, len(s.Values), len(s.Values)),
	}
	for class := range s.Values {
		c.Entropy = append(c.Entropy, t.entropy(s.Labels, class))
	}
	learned := baselines(r, t, index)
	own := learned
	if r != t {
		own = baselines(t, t, index)
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

// attackBatch is how many outputs of F an attack sees at once: they are a few
// numbers each.
const attackBatch = 4096

func scoresKind(g *nn.Graph) Outputs {
	if endsInDistribution(g) {
		return Soft
	}
	return Raw
}

// baseline is a prediction of s without curiosity.
type baseline struct {
	name  string
	guess []int
}

// baselines learns the three predictions on the reference part r and makes them on t.
func baselines(r, t *part, index int) []baseline {
	s := r.set.Sensitive[index]
	values := len(s.Values)
	none := make([]int, max(r.set.Len(), t.set.Len()))
	majority := commonest(none[:r.set.Len()], s.Labels, 1, values)
	ofTarget := commonest(r.set.Y, s.Labels, t.classes, values)
	ofLabel := commonest(r.labels, s.Labels, t.classes, values)
	return []baseline{
		{BaselineMajority, looked(majority, none[:t.set.Len()])},
		{BaselineFromTarget, looked(ofTarget, t.set.Y)},
		{BaselineFromLabel, looked(ofLabel, t.labels)},
	}
}

// commonest returns the most frequent s, the first of equal ones, of each class; of
// all examples where the class has none.
func commonest(class, s []int, classes, values int) []int {
	counts, all := crossed(class, s, classes, values), make([]int, values)
	for _, row := range counts {
		for v, k := range row {
			all[v] += k
		}
	}
	most := make([]int, classes)
	for c, row := range counts {
		if most[c] = first(row); row[most[c]] == 0 {
			most[c] = first(all)
		}
	}
	return most
}

// first returns the first index of the largest count.
func first(counts []int) int {
	best := 0
	for i, k := range counts {
		if k > counts[best] {
			best = i
		}
	}
	return best
}

func looked(table, class []int) []int {
	out := make([]int, len(class))
	for i, c := range class {
		out[i] = table[c]
	}
	return out
}

// compare sets the attack's guesses beside each learned baseline's. The best baseline
// is the one with the most test examples right. That the excess over the best is
// positive means that it is over all, so that the p-value is the largest of theirs and
// the lower end the lowest: of own, too, which are learned on the test part itself, so
// that no attack which follows from F's hard label alone is accused, whatever tells the
// two parts apart.
func (c *Curiosity) compare(guess, truth []int, learned, own []baseline) {
	best := -1
	for _, b := range learned {
		p := proportion(b.guess, truth)
		switch b.name {
		case BaselineMajority:
			c.Majority = p
		case BaselineFromTarget:
			c.FromTarget = p
		case BaselineFromLabel:
			c.FromLabel = p
		}
		if p.Correct > best {
			best = p.Correct
			c.Baseline, c.BaselineValue = b.name, p.Value
			c.Excess = float64(c.Curiosity.Correct-p.Correct) / float64(p.Examples)
			c.ExcessInterval[1] = excessInterval(guess, b.guess, truth).High
		}
	}
	c.PValue, c.ExcessInterval[0] = 0, math.Inf(1)
	for _, b := range slices.Concat(learned, own) {
		c.PValue = max(c.PValue, stat.McNemar(discordant(guess, b.guess, truth)))
		c.ExcessInterval[0] = min(c.ExcessInterval[0], excessInterval(guess, b.guess, truth).Low)
	}
}

// excessInterval is that of how much more often a guess is right than another.
func excessInterval(guess, other, truth []int) stat.Interval {
	alone, otherAlone := discordant(guess, other, truth)
	return stat.PairedDifference(alone, otherAlone, len(truth), Confidence)
}

// adjust fills in the p-values that hold for all attacks at once.
func (e *Evaluation) adjust() {
	p := make([]float64, len(e.Sensitive))
	for k, c := range e.Sensitive {
		p[k] = c.PValue
	}
	for k, adjusted := range stat.Holm(p) {
		e.Sensitive[k].PValueHolm = adjusted
	}
}

// discordant counts the examples that one of two guesses alone has right.
func discordant(a, b, truth []int) (aAlone, bAlone int) {
	for i, v := range truth {
		switch {
		case a[i] == v && b[i] != v:
			aAlone++
		case a[i] != v && b[i] == v:
			bAlone++
		}
	}
	return aAlone, bAlone
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
		r := stat.NewROC(score, positive, Confidence)
		out = append(out, ROC{Class: class, Name: names[class], Area: r.Area, Interval: pair(r.Interval),
			Positives: r.Positives, Negatives: r.Negatives, Points: thinned(r)})
	}
	return out
}

func thinned(r stat.ROC) [][2]float64 {
	thin := r.Thin(ROCPoints)
	points := make([][2]float64, len(thin))
	for i, p := range thin {
		points[i] = [2]float64{p.False, p.True}
	}
	return points
}

// logOdds returns log p/(1 − p) of a class: in the order of p, but without the many
// probabilities that round to 1 being equal. It is infinite where p is 0 or 1.
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
	top := math.Inf(-1)
	for i, v := range row {
		if i != class {
			top = max(top, float64(v))
		}
	}
	rest := 0.0
	for i, v := range row {
		if i != class {
			rest += math.Exp(float64(v) - top)
		}
	}
	return float64(row[class]) - top - math.Log(rest)
}
