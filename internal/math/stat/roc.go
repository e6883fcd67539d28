package stat

import (
	"fmt"
	"slices"
)

// ROC is a receiver operating characteristic: how well a score separates two kinds of examples,
// at every threshold.
type ROC struct {
	Points               []Point // from (0, 0) to (1, 1); those on a line between others are left out
	Area                 float64 // of a pair of a positive and a negative example, the fraction in order, ties counting half
	Interval             Interval
	Positives, Negatives int
}

// Point is a point of an ROC curve.
type Point struct{ False, True float64 } // rates of false and of true positives

// NewROC compares the scores of the examples that are positive with those of the
// others. Examples of equal score are one step of the curve. The area's interval is
// the longer, at either end, of E. R. DeLong's et al., Biometrics 44, 1988, on the
// logit scale, which follows what was seen, and a score interval, whose variance
// follows the area (see scoreEnd): with few examples of a kind, none of which happens
// to lie far off, DeLong's is too sure. Where either kind has one example it is all of
// [0, 1]. Where the score separates the kinds or is constant, DeLong's variance is 0,
// and what min(positives, negatives) disjoint pairs allow takes its place. It panics
// where there is no positive or no negative example, and on NaN.
func NewROC(score []float64, positive []bool, confidence float64) ROC {
	if len(score) != len(positive) || !(0 < confidence && confidence < 1) {
		panic(fmt.Sprintf("stat: ROC of %d scores and %d labels with confidence %v", len(score), len(positive), confidence))
	}
	all := make([]int, len(score))
	for i := range all {
		all[i] = i
	}
	steps := tieSteps(score, positive, all)
	var r ROC
	r.Positives, r.Negatives = countSteps(steps)
	if r.Positives == 0 || r.Negatives == 0 {
		panic(fmt.Sprintf("stat: ROC of %d positive and %d negative examples", r.Positives, r.Negatives))
	}
	r.Points = curve(steps, r.Positives, r.Negatives)
	a, _ := NewStratifiedArea(score, positive, all, len(all), [][]int{all})
	r.Area, r.Interval = a.Area, areaInterval(a.Area, a.StandardError, r.Positives, r.Negatives, confidence)
	return r
}

// step holds the numbers of examples of one score.
type step struct{ positives, negatives int }

// tieSteps returns the examples by descending score.
func tieSteps(score []float64, positive []bool, all []int) (steps []step) {
	for tied := range tiedSteps(score, all) {
		var s step
		for _, i := range tied {
			if positive[i] {
				s.positives++
			} else {
				s.negatives++
			}
		}
		steps = append(steps, s)
	}
	return steps
}

// curve adds the steps up; neighbours of one slope become one.
func curve(steps []step, positives, negatives int) []Point {
	points := []Point{{0, 0}}
	var last, at step
	for i, s := range steps {
		if i > 0 && last.positives*s.negatives == last.negatives*s.positives {
			points = points[:len(points)-1]
		}
		last = s
		at.positives, at.negatives = at.positives+s.positives, at.negatives+s.negatives
		points = append(points, Point{float64(at.negatives) / float64(negatives), float64(at.positives) / float64(positives)})
	}
	return points
}

// Thin returns at most n points that draw nearly the same curve: both ends and points between them,
// equally many steps apart. It panics unless n ≥ 2.
func (r ROC) Thin(n int) []Point {
	if n < 2 {
		panic(fmt.Sprintf("stat: curve of %d points", n))
	}
	if len(r.Points) <= n {
		return slices.Clone(r.Points)
	}
	thin := make([]Point, n)
	for i := range thin {
		thin[i] = r.Points[i*(len(r.Points)-1)/(n-1)]
	}
	return thin
}
