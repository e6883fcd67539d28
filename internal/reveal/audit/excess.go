package audit

import (
	"math"
	"math/rand/v2"

	"tattle/internal/engine/classify"
	"tattle/internal/math/stat"
)

// The names of the baselines, which use no outputs but the label: the first three are
// those of package classify.
const (
	Majority   = classify.Majority
	FromTarget = classify.FromTarget
	FromLabel  = classify.FromLabel
	FromBoth   = "target and label" // from the true y and the answered label together
)

// Baseline is one prediction of s without curiosity, cross-fitted on the same
// folds, and the paired comparison of the chosen guess with it. A positive
// Mean is the attack's advantage; of a numeric attribute it is in units of
// s's variance. Low and High are one-sided limits, each at the audit's confidence.
type Baseline struct {
	Name              string // Majority, FromTarget, FromLabel or FromBoth
	Accuracy          *classify.Proportion
	R2                *float64
	AttackAlone       int     // examples that only the attack has right
	BaselineAlone     int     // examples that only the baseline has right
	stat.MeanEstimate         // of the difference
	Bet               float64 // where people have several examples: P by stat.BetTest

	people *stat.PeopleMean // of the difference, where people have several examples
}

// Excess is the chosen guess's advantage over the best baseline: the least of the
// differences, and of their limits. Low holds at the audit's confidence without a
// price for there being four baselines, for the true least is one of them; High is
// the least of limits that share 1 − confidence equally.
type Excess struct {
	// highOfAll is of a defence: the upper limit that holds for all defences together, which share what the confidence leaves.
	highOfAll float64
	Value     float64
	Low       float64
	High      float64
	P         float64 // of "at most the margin": the largest over the baselines
}

// excess says how good the chosen guess is, and compares it with the baselines.
func (f *Finding) excess(g *guesses, o Options) {
	chance := random(o.Seed, streamPeople, uint64(g.attribute))
	if f.Numeric {
		r, in := g.in.rSquared(g.at.Numbers, g.bestValue)
		f.R2, f.Interval = &r, &in
	} else {
		f.Curiosity, f.right = g.in.accuracy(g.best, g.at.Labels, chance)
	}
	var best string
	e := Excess{Value: math.Inf(1), Low: math.Inf(1)}
	for _, base := range g.baselines() {
		b := Baseline{Name: base.name}
		b.compare(g, base, f.Variance, o, chance)
		f.Baselines = append(f.Baselines, b)
		if b.Mean < e.Value {
			e.Value, best = b.Mean, b.Name
		}
		e.Low, e.P = min(e.Low, b.Low), max(e.P, b.P)
	}
	e.High = f.high(1 - o.Confidence)
	f.Excess, f.Best = e, best
}

// baselineGuess is what one baseline, learned on the other folds, guesses of every
// example: classes, or values of a numeric attribute.
type baselineGuess struct {
	name  string
	guess []int
	value []float64
}

// baselines returns those of Majority, FromTarget, FromLabel and FromBoth,
// cross-fitted on the folds: the most frequent class, of equally frequent ones that whose first example comes
// first, or the mean, among the examples of the other folds, all or those of the same y, answered label or both.
// Where these have no such example it is that of all. A numeric y is not cut into classes for that.
func (g *guesses) baselines() []baselineGuess {
	x, n, classes := g.in, g.in.Len(), len(g.in.Classes)
	known := []struct {
		name  string
		group []int
		count int
	}{{Majority, make([]int, n), 1}, {FromTarget, x.Y, classes}, {FromLabel, x.label, classes}, {FromBoth, x.cell, x.cells}}
	if x.Kind == Vector { // no label is answered, and there may be no target
		if known = known[:2]; !x.targeted() {
			known = known[:1]
		}
	}
	bases := make([]baselineGuess, len(known))
	for i, b := range known {
		if b.name == FromTarget && x.YNumbers != nil {
			bases[i] = g.fromNumber
			continue
		}
		bases[i] = baselineGuess{b.name, make([]int, n), make([]float64, n)}
		for _, sp := range x.splits {
			if g.at.Numeric() {
				groupMeans(bases[i].value, g.at.Numbers, b.group, b.count, &sp)
				continue
			}
			modes := classify.MostFrequent(pick(b.group, sp.train), pick(g.target.Labels, sp.train), b.count, len(g.back))
			for _, row := range sp.test {
				bases[i].guess[row] = g.back[modes[b.group[row]]]
			}
		}
	}
	return bases
}

// groupMeans sets dst at the examples of a fold to the means of the others of their group.
func groupMeans(dst, numbers []float64, group []int, count int, sp *split) {
	mean := newMeans(count+1, 1) // the last is of all
	for _, i := range sp.train {
		mean.add(group[i], numbers[i:])
		mean.add(count, numbers[i:])
	}
	for _, i := range sp.test {
		k := group[i]
		if mean.n[k] == 0 {
			k = count
		}
		dst[i] = mean.mean[k]
	}
}

// compare compares the guess with the baseline's. Predictions of a numeric attribute are compared by
// their paired squared errors, in units of variance: the mean of
//
//	((s − baseline)² − (s − prediction)²)/variance
//
// over the examples, with limits and test by Student's t.
func (b *Baseline) compare(g *guesses, base baselineGuess, variance float64, o Options, chance *rand.Rand) {
	truth, numbers := g.at.Labels, g.at.Numbers
	better := make([]float64, len(truth)+len(numbers)) // on each example, which has one of both
	if g.at.Numeric() {
		unit := math.Sqrt(variance)
		for i, v := range numbers {
			better[i] = square((v-base.value[i])/unit) - square((v-g.bestValue[i])/unit)
		}
		r, _ := g.in.rSquared(numbers, base.value)
		b.R2 = &r
	} else {
		for i, t := range truth {
			better[i] = one(g.best[i] == t) - one(base.guess[i] == t)
		}
		b.Accuracy, _ = g.in.accuracy(base.guess, truth, chance)
		c := classify.Compare(g.best, base.guess, truth)
		b.AttackAlone, b.BaselineAlone = c.First, c.Second
	}
	switch {
	case g.in.grouped():
		b.MeanEstimate, b.people, b.Bet = testPeople(g.in.byPerson(better), *o.Margin, o, chance)
	case g.at.Numeric():
		b.MeanEstimate = stat.MeanTest(better, *o.Margin, o.Confidence)
	default:
		c := classify.Comparison{First: b.AttackAlone, Second: b.BaselineAlone, Examples: len(truth)}
		limits, d, n := c.Interval(2*o.Confidence-1), c.Difference(), float64(c.Examples)
		se := math.Sqrt(max(0, float64(c.First+c.Second)/n-d*d) / n)
		b.MeanEstimate = stat.MeanEstimate{Mean: d, StandardError: se, Low: limits.Low, High: limits.High, P: c.P(*o.Margin)}
	}
}

// rSquared returns R² of predictions of a numeric attribute, and its interval at classify.Confidence. R² is 1 less the ratio of
// the mean squared error to the variance, both means over people. By the delta method, the standard error of a ratio A/B of
// means is that of the mean of (aᵢ − bᵢ·A/B)/B, and its limits are Student's. They are approximate: of 100 people with 1 to 30
// examples, 5 % of intervals were wrong for normal numbers, as they should be, and 7.6 % for exponential ones.
func (x *folded) rSquared(truth, value []float64) (r float64, interval [2]float64) {
	_, sd := stat.MeanStd(truth)
	mean, _ := stat.MeanStd(x.byPerson(truth))
	missed, spread := make([]float64, len(truth)), make([]float64, len(truth))
	for i, s := range truth {
		missed[i], spread[i] = square((s-value[i])/sd), square((s-mean)/sd)
	}
	missed, spread = x.byPerson(missed), x.byPerson(spread)
	a, _ := stat.MeanStd(missed)
	b, _ := stat.MeanStd(spread)
	n := float64(x.people)
	for i := range missed {
		missed[i] = (missed[i] - a/b*spread[i]) / b
	}
	_, deviation := stat.MeanStd(missed)
	half := deviation / math.Sqrt(n) * stat.StudentQuantile((1+classify.Confidence)/2, n-1)
	return 1 - a/b, [2]float64{1 - a/b - half, 1 - a/b + half}
}

// BestBaseline returns the baseline that leaves the least excess, nil if there is none.
func (f *Finding) BestBaseline() *Baseline {
	return find(f.Baselines, func(b *Baseline) bool { return b.Name == f.Best })
}

// figure returns the baseline's accuracy or R².
func (b *Baseline) figure() float64 {
	if b.R2 != nil {
		return *b.R2
	}
	return b.Accuracy.Value
}

// high returns the upper limit of the excess that is exceeded with probability alpha at
// most: the least of the baselines' limits, which share alpha.
func (f *Finding) high(alpha float64) float64 {
	return f.limits(1 - alpha/float64(len(f.Baselines))).High
}

// limits returns the least of the one-sided limits of the excess over the baselines, each at the confidence.
func (f *Finding) limits(confidence float64) stat.Interval {
	least := stat.Interval{Low: math.Inf(1), High: math.Inf(1)}
	for i := range f.Baselines {
		b := &f.Baselines[i]
		var in stat.Interval
		if b.people != nil {
			in = b.people.Limits(confidence)
		} else if f.Numeric {
			half := b.StandardError * stat.StudentQuantile(confidence, float64(f.Examples-1))
			in = stat.Interval{Low: b.Mean - half, High: b.Mean + half}
		} else {
			in = classify.Comparison{First: b.AttackAlone, Second: b.BaselineAlone, Examples: f.Examples}.Interval(2*confidence - 1)
		}
		least = stat.Interval{Low: min(least.Low, in.Low), High: min(least.High, in.High)}
	}
	return least
}
