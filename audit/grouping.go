package audit

import (
	"cmp"
	"context"
	"regexp"
	"slices"
	"strconv"
)

// A Grouping is an attribute of three values or more in two groups. The verdict may depend on how
// values are grouped, so the natural groupings are tried.
type Grouping struct {
	Values   []string `json:"values"`     // of one group; the others are the rest
	Excess   Excess   `json:"excess"`     // of a guess of the group, by attacks fitted for it
	Adjusted float64  `json:"adjusted_p"` // by Holm's method over the groupings of the attribute: that the outputs reveal the group beyond the target
	Beyond   bool     `json:"beyond"`     // it is shown, with the audit's confidence
}

// Limits of groupings.
const (
	mostGroupings = 6
	groupingFit   = 5000 // examples that attacks are fitted on: groupings are a check, and not the verdict
)

// group tries the natural groupings of every attribute with three values or more, by the learners
// that were chosen for it.
func (r *Result) group(ctx context.Context, s *Sample, o Options) error {
	done := o.counter("groupings", len(r.Findings))
	for a := range r.Findings {
		f := &r.Findings[a]
		if groups := groupings(&s.Sensitive[a]); f.Unusable == "" && len(groups) > 0 {
			if err := f.group(ctx, s, a, groups, o); err != nil {
				return err
			}
		}
		done()
	}
	return nil
}

// group audits the groupings of attribute a, each a set of values that is one group.
func (f *Finding) group(ctx context.Context, s *Sample, a int, groups [][]int, o Options) error {
	at := &s.Sensitive[a]
	t := *s
	t.Sensitive = nil
	for i, g := range groups {
		two := Attribute{Name: strconv.Itoa(i), Values: []string{"others", "group"}, Labels: make([]int, s.Len())}
		for row, l := range at.Labels {
			if slices.Contains(g, l) {
				two.Labels[row] = 1
			}
		}
		t.Sensitive = append(t.Sensitive, two)
	}
	o.Attacks = nil
	for _, k := range f.Attacks {
		if k.Chosen > 0 && !slices.Contains(o.Attacks, k.Learner) {
			o.Attacks = append(o.Attacks, k.Learner)
		}
	}
	o.References, o.Recipe, o.Unpaired, o.brief, o.Progress = nil, RecipeUnknown, false, true, nil
	o.MaxFit = min(o.maxFit(), groupingFit)
	r, err := examine(ctx, &t, o)
	if err != nil {
		return err
	}
	for i, g := range groups {
		two := &r.Findings[i]
		if two.Unusable != "" {
			continue
		}
		x := Grouping{Excess: two.Excess, Adjusted: two.Adjusted, Beyond: two.Adjusted <= 1-r.Settings.Confidence}
		for _, v := range g {
			x.Values = append(x.Values, at.Values[v])
		}
		f.Groupings = append(f.Groupings, x)
	}
	return nil
}

// groupings returns the natural ways to make two groups of an attribute's values, each as one of
// the groups: of ordered values those up to each, of others each by itself, the most frequent
// first. Both groups have smallestSubgroup examples or more. There are none for two values.
func groupings(at *Attribute) [][]int {
	counts := make([]int, len(at.Values))
	for _, l := range at.Labels {
		counts[l]++
	}
	var present []int
	for v, n := range counts {
		if n > 0 {
			present = append(present, v)
		}
	}
	if at.Numeric() || len(present) < 3 {
		return nil
	}
	var groups [][]int
	if sorted, ok := ordered(at.Values, present); ok {
		for i := 1; i < len(sorted); i++ {
			groups = append(groups, sorted[:i:i])
		}
	} else {
		slices.SortStableFunc(present, func(a, b int) int { return cmp.Compare(counts[b], counts[a]) })
		for _, v := range present {
			groups = append(groups, []int{v})
		}
	}
	groups = slices.DeleteFunc(groups, func(g []int) bool {
		n := 0
		for _, v := range g {
			n += counts[v]
		}
		return n < smallestSubgroup || len(at.Labels)-n < smallestSubgroup
	})
	return groups[:min(len(groups), mostGroupings)]
}

var (
	firstNumber = regexp.MustCompile(`\d+(\.\d+)?`)
	bareNumber  = regexp.MustCompile(`^\d+$`)
)

// ordered sorts values such as "<=19", "20..26" and "more than 70" by their first numbers, if all
// have one and these differ. Bare numbers may be codes, and have no order.
func ordered(names []string, values []int) (sorted []int, ok bool) {
	at := map[int]float64{}
	seen := map[float64]bool{}
	bare := true
	for _, v := range values {
		x, err := strconv.ParseFloat(firstNumber.FindString(names[v]), 64)
		if err != nil || seen[x] {
			return nil, false
		}
		at[v], seen[x] = x, true
		bare = bare && bareNumber.MatchString(names[v])
	}
	sorted = slices.Clone(values)
	slices.SortFunc(sorted, func(a, b int) int { return cmp.Compare(at[a], at[b]) })
	return sorted, !bare
}
