package audit

import (
	"tattle/classify"
	"tattle/stat"
)

// Order is the test of the area under the ROC curve (AUC) of pairs of examples that have
// the same true y and the same answered label, in the class of s for which it is shown
// best. It finds a weak order of many examples, from which a log-loss gains less than
// learning costs it.
//
// The margin is the area of a guess of an even binary attribute that is right with
// probability ½ + margin for either value: ½ + margin.
type Order struct {
	Class         string  `json:"class"`
	Compared      int     `json:"compared"` // number of classes that were tested; the p-value of the best one is corrected by Bonferroni's method
	Area          float64 `json:"area"`
	StandardError float64 `json:"standard_error"`
	Margin        float64 `json:"margin"`
	P             float64 `json:"p"` // of "the area is at most the margin" for this class, one-sided, by Student's t with as many degrees as examples of the rarer side less one
	// Permutation is the test of "given y and ŷ, scores and this class of s have nothing to
	// do with each other", by permuting s within the examples of one y, ŷ and fold.
	Permutation Permutation `json:"permutation"`
	Adjusted    float64     `json:"adjusted_p"` // the larger of both for all classes, by Holm's method over all tests that can raise the verdict

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

// order tests the area of every class of attribute a, or of the rarer of two, and returns
// the one with the least p-value, nil if no class has enough examples.
func order(s *Sample, a int, g *guesses, o Options) *Order {
	at := &s.Sensitive[a]
	within := strata(jointly(s.Y, g.label, len(s.Classes)), g.fold, g.folds)
	if s.YNumbers != nil {
		within = adjacent(s.YNumbers, g.fold, g.folds)
	}
	classes := areaClasses(at, g.back)
	most := draws(min(o.Permutations, numericDraws), testsOf(len(s.Sensitive))*len(classes), o)
	chance := random(o.Seed, streamOrder, uint64(a))
	var best *Order
	var all []Order
	for _, k := range classes {
		score, positive := g.scoresOf(at, g.added, k)
		x, ok := stat.NewStratifiedArea(score, positive, within, crossFitStretch, o.Confidence)
		if !ok || min(x.Positives, x.Negatives) < areaLeast {
			continue
		}
		t := &Order{Class: at.Values[g.back[k]], Area: x.Area, StandardError: x.StandardError, Margin: .5 + *o.Margin}
		t.P = beyond(t.Area-t.Margin, t.StandardError, float64(min(x.Positives, x.Negatives)-1))
		t.Permutation = Permutation(stat.PermuteArea(score, positive, within, crossFitStretch, most, chance))
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

// areaLeast is the number of examples of a class, and of the others, below which its area
// is left out: the p-value is normal in the limit.
const areaLeast = 10

// scoresOf returns what ranks the examples of a class, the k-th that attacks know, before
// the others by log-probabilities, and which these are.
func (g *guesses) scoresOf(at *Attribute, log []float64, k int) (score []float64, positive []bool) {
	width := len(g.back)
	score, positive = make([]float64, len(at.Labels)), make([]bool, len(at.Labels))
	for i, l := range at.Labels {
		score[i], positive[i] = classify.LogOdds(log[i*width:][:width], k), l == g.back[k]
	}
	return score, positive
}

// areaClasses returns the places in back of the classes to look at.
func areaClasses(at *Attribute, back []int) []int {
	if len(back) != 2 {
		return span(0, len(back))
	}
	ones := 0
	for _, l := range at.Labels {
		if l == back[1] {
			ones++
		}
	}
	if 2*ones > len(at.Labels) {
		return []int{0}
	}
	return []int{1}
}
