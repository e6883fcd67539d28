package audit

import (
	"math"

	"tattle/internal/engine/classify"
	"tattle/internal/math/stat"
)

// Given is what attacks reveal of an attribute to somebody who knows the true y
// and the answered label ŷ, by a proper score: the mean over the examples of
//
//	log₂ p(s | outputs, y) − log₂ q(s | y, ŷ), in bits,
//
// where q is the table of the other folds and p a calibration of the attack's scores that
// was fitted on the other folds, too. Accuracy misses what is revealed about a rare
// class; this does not. Of a numeric attribute it is the mean of
//
//	((s − mean(y, ŷ))² − (s − prediction)²)/variance left by mean(y, ŷ),
//
// the R² given y and ŷ.
type Given struct {
	stat.MeanEstimate         // of the gain, with one-sided limits, each at the audit's confidence; P is by Student's t
	Baseline          float64 // what q leaves: bits an example, or a share of the variance
	Margin            float64 // in the units of the gain
	// Permutation is the test of "given y and ŷ, scores and s have nothing to do with each
	// other", by permuting s within the examples of one y, ŷ and fold. It is also valid
	// if s is independent of the outputs given y. Where people have several examples, it is the bet against their mean.
	Permutation Permutation
	Reference   *ReferenceTest // of the gain
	Order       *Order         // of a categorical attribute: the AUC given y and ŷ
	Adjusted    float64        // the larger of P and the permutation's, by Holm's method over all tests that can raise the verdict
}

// beyond returns the p-value for the verdict LeakyBeyond.
func (g *Given) beyond() float64 {
	return max(g.P, g.Permutation.P)
}

// marginBits returns the information in bits that a guess of an even binary attribute
// has at least if it is right with probability ½ + margin: 1 − h(½ + margin), what a
// binary symmetric channel has.
func marginBits(margin float64) float64 {
	p := .5 + min(margin, .5)
	bits := 1 + p*math.Log2(p)
	if p < 1 {
		bits += (1 - p) * math.Log2(1-p)
	}
	return max(0, bits)
}

// given measures an attribute given y and the answered label.
func given(g *guesses, o Options) *Given {
	gain, left := g.gains()
	x := &Given{Baseline: left, Margin: *o.Margin}
	if !g.at.Numeric() {
		x.Margin = marginBits(*o.Margin)
	}
	if g.in.grouped() {
		x.MeanEstimate, _, x.Permutation.P = testPeople(g.in.byPerson(gain), x.Margin, o, random(o.Seed, streamPeople, uint64(len(g.in.Sensitive)+g.attribute)))
	} else {
		x.MeanEstimate = stat.MeanTest(gain, x.Margin, o.Confidence)
	}
	return x
}

// gains returns the gain of every example, and what the baseline leaves.
func (g *guesses) gains() (gain []float64, baseline float64) {
	n := len(g.base)
	gain = make([]float64, n)
	if g.at.Numeric() {
		left := 0.0
		for i, s := range g.at.Numbers {
			b, p := s-g.base[i], s-g.given[i]
			gain[i] = b*b - p*p
			left += b * b / float64(n)
		}
		for i := range gain {
			if left > 0 {
				gain[i] /= left
			}
		}
		return gain, left / (g.spread * g.spread)
	}
	for i, s := range g.target.Labels {
		gain[i] = (g.given[i*len(g.back)+s] - g.base[i]) / math.Ln2
		baseline -= g.base[i] / math.Ln2 / float64(n)
	}
	return gain, baseline
}

// Order is the test of the area under the ROC curve (AUC) of pairs of examples that have
// the same true y and the same answered label, in the class of s for which it is shown
// best. It finds a weak order of many examples, from which a log-loss gains less than
// learning costs it.
//
// The margin is the area of a guess of an even binary attribute that is right with
// probability ½ + margin for either value: ½ + margin.
type Order struct {
	Class         string
	Compared      int // number of classes that were tested; the p-value of the best one is corrected by Bonferroni's method
	Area          float64
	StandardError float64
	Low           float64 // two-sided limits at orderConfidence, by Student's t
	High          float64
	Margin        float64
	P             float64 // of "the area is at most the margin" for this class, one-sided, by Student's t with as many degrees as people of the rarer side less one
	// Permutation is the test of "given y and ŷ, scores and this class of s have nothing to
	// do with each other", by permuting s within the examples of one y, ŷ and fold: see permuteArea.
	Permutation Permutation
	Adjusted    float64 // the larger of both for all classes, by Holm's method over all tests that can raise the verdict

	all []Order // the tests of all classes
}

// beyond returns the p-value for the verdict LeakyBeyond; without a test it is 1.
func (t *Order) beyond() float64 {
	if t == nil {
		return 1
	}
	return min(1, float64(t.Compared)*max(t.P, t.Permutation.P))
}

// dependent returns the p-value of s being independent of the scores given y and ŷ, 1
// where there is no test.
func (t *Order) dependent() float64 {
	if t == nil {
		return 1
	}
	return min(1, float64(t.Compared)*t.Permutation.P)
}

// order tests the area of every class of an attribute, or of the rarer of two, and returns
// the one with the least p-value, nil if no class has enough examples.
func order(g *guesses, o Options) *Order {
	from, to := g.areaClasses()
	most := fewDraws(testsOf(len(g.in.Sensitive))*(to-from), o)
	chance := random(o.Seed, streamOrder, uint64(g.attribute))
	var best *Order
	var all []Order
	for k := from; k < to; k++ {
		score, positive := g.scoresOf(k)
		x, ok := stat.NewStratifiedArea(score, positive, g.in.person, g.in.people, g.in.alike)
		if !ok || min(x.Positives, x.Negatives) < areaLeast {
			continue
		}
		t := &Order{Class: g.at.Values[g.back[k]], Area: x.Area, StandardError: x.StandardError, Margin: .5 + *o.Margin}
		degrees := float64(min(x.Positives, x.Negatives) - 1)
		half := t.StandardError * stat.StudentQuantile((1+orderConfidence)/2, degrees)
		t.Low, t.High = max(0, t.Area-half), min(1, t.Area+half)
		t.P = stat.StudentAbove(t.Area-t.Margin, t.StandardError, degrees)
		t.Permutation = g.in.permuteArea(score, positive, most, chance)
		all = append(all, *t)
		if best == nil || max(t.P, t.Permutation.P) < max(best.P, best.Permutation.P) {
			best = t
		}
	}
	if best != nil {
		best.Compared, best.all = len(all), all
	}
	return best
}

const (
	// areaLeast is the number of people with a class, and without, below which its area is left out: the p-value is normal in
	// the limit. Where nobody says otherwise, every example is another person.
	areaLeast = 10
	// orderConfidence is that of the limits of an area.
	orderConfidence = .95
)

// scoresOf returns what ranks the examples of a class, the k-th that attacks know, before
// the others by log-probabilities, and which these are.
func (g *guesses) scoresOf(k int) (score []float64, positive []bool) {
	width := len(g.back)
	score, positive = make([]float64, len(g.base)), make([]bool, len(g.base))
	for i, l := range g.target.Labels {
		score[i], positive[i] = classify.LogOdds(g.added[i*width:][:width], k), l == k
	}
	return score, positive
}

// areaClasses returns the places in back of the classes to look at, from one up to another.
func (g *guesses) areaClasses() (from, to int) {
	if len(g.back) != 2 {
		return 0, len(g.back)
	}
	ones := 0
	for _, l := range g.target.Labels {
		ones += l
	}
	if 2*ones > len(g.target.Labels) {
		return 0, 1
	}
	return 1, 2
}
