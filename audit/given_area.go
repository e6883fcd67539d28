package audit

import (
	"tattle/classify"
	"tattle/stat"
)

// Area is how well the scores put pairs of examples in order of which one has the class
// of s and the other has not, both having the same true y or the same answered label: the
// area under the ROC curve (AUC). ½ is chance, 1 is all pairs.
type Area struct {
	Class     string     `json:"class"`
	Given     string     `json:"given"` // GivenTarget or GivenLabel
	Area      float64    `json:"area"`
	Interval  [2]float64 `json:"interval"` // at the audit's confidence
	P         float64    `json:"p"`        // of ½ or less, one-sided
	Adjusted  float64    `json:"adjusted_p"`
	Positives int        `json:"positives"` // examples of the class that have a pair
}

// What the two examples of a pair have in common.
const (
	GivenTarget = "target" // the true y, which the scores may use
	GivenLabel  = "label"  // the answered label; the scores do not use y
)

// areaLeast is the number of examples of a class, and of the others, below which its area
// is left out: the p-value is normal in the limit.
const areaLeast = 10

// areas returns those of every class of attribute a, or of the rarer of two, whose p-values
// share the level by Holm's method.
func areas(s *Sample, a int, g *guesses, o Options) []Area {
	at := &s.Sensitive[a]
	var found []Area
	var p []float64
	for _, by := range []struct {
		name  string
		group []int
		log   []float64
	}{{GivenTarget, s.Y, g.added}, {GivenLabel, g.label, g.own}} {
		if s.Kind == Vector && by.name == GivenLabel {
			continue
		}
		within := strata(by.group, g.fold, g.folds)
		if s.YNumbers != nil {
			within = adjacent(s.YNumbers, g.fold, g.folds)
		}
		for _, k := range areaClasses(at, g.back) {
			score, positive := g.scoresOf(at, by.log, k)
			x, ok := stat.NewStratifiedArea(score, positive, within, crossFitStretch, o.Confidence)
			if ok && min(x.Positives, x.Negatives) >= areaLeast {
				found = append(found, Area{Class: at.Values[g.back[k]], Given: by.name, Area: x.Area,
					Interval: [2]float64{x.Interval.Low, x.Interval.High}, P: x.P, Positives: x.Positives})
				p = append(p, x.P)
			}
		}
	}
	for i, q := range stat.Holm(p) {
		found[i].Adjusted = q
	}
	return found
}

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

// jointly numbers the pairs of y and label.
func jointly(y, label []int, classes int) []int {
	both := make([]int, len(y))
	for i, c := range y {
		both[i] = c*classes + label[i]
	}
	return both
}
