package audit

import (
	"cmp"
	"slices"

	"tattle/classify"
)

// smallestSubgroup is how many examples a subgroup needs to say anything of.
const smallestSubgroup = 20

// subgroups compares guess and base within the classes of y, of s and of the other
// categorical attributes.
func subgroups(s *Sample, a int, guess, base []int, o Options) Subgroups {
	truth := s.Sensitive[a].Labels
	var g Subgroups
	var of [][]int // the examples of each subgroup in the list
	for _, by := range append([]Attribute{{Name: s.Target, Values: s.Classes, Labels: s.Y}}, s.Sensitive...) {
		if len(by.Values) < 2 && s.Kind == Vector {
			continue // a missing target has no groups
		}
		rows := make([][]int, len(by.Values))
		for i, l := range by.Labels {
			rows[l] = append(rows[l], i)
		}
		for v, r := range rows {
			if len(r) >= smallestSubgroup {
				g.List, of = append(g.List, Subgroup{Attribute: by.Name, Value: by.Values[v]}), append(of, r)
			} else if len(r) > 0 {
				g.LeftOut++
			}
		}
	}
	confidence := 1 - (1-o.Confidence)/float64(max(1, len(of)))
	for i, rows := range of {
		t, attack, baseline := pick(truth, rows), pick(guess, rows), pick(base, rows)
		x, c := &g.List[i], classify.Compare(attack, baseline, t)
		x.Curiosity, x.Baseline = classify.Accuracy(attack, t), classify.Accuracy(baseline, t)
		x.Balanced, x.BaselineBalanced = classify.Balanced(attack, t), classify.Balanced(baseline, t)
		x.Excess, x.Low = c.Difference(), c.Interval(2*confidence-1).Low
	}
	slices.SortStableFunc(g.List, func(x, y Subgroup) int { return cmp.Compare(y.Excess, x.Excess) })
	return g
}
