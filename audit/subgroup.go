package audit

import (
	"cmp"
	"slices"

	"tattle/stat"
)

// smallestSubgroup is how many examples a subgroup needs to say anything of.
const smallestSubgroup = 20

// subgroups compares guess and base within the classes of y, of s and of the other
// categorical attributes.
func subgroups(s *Sample, a int, guess, base []int, o Options) Subgroups {
	truth := s.Sensitive[a].Labels
	names, values := []string{s.Target}, [][]string{s.Classes}
	groups := [][]agreement{subgroupCounts(s.Y, len(s.Classes), truth, guess, base)}
	for i := range s.Sensitive {
		if at := &s.Sensitive[i]; !at.Numeric() {
			names, values = append(names, at.Name), append(values, at.Values)
			groups = append(groups, subgroupCounts(at.Labels, len(at.Values), truth, guess, base))
		}
	}
	var g Subgroups
	large := 0
	for _, of := range groups {
		for _, c := range of {
			if c.examples() >= smallestSubgroup {
				large++
			} else if c.examples() > 0 {
				g.LeftOut++
			}
		}
	}
	confidence := 1 - (1-o.Confidence)/float64(max(1, large))
	for i, of := range groups {
		for v, c := range of {
			if c.examples() >= smallestSubgroup {
				g.List = append(g.List, c.subgroup(names[i], values[i][v], confidence))
			}
		}
	}
	slices.SortStableFunc(g.List, func(x, y Subgroup) int { return cmp.Compare(y.Excess, x.Excess) })
	return g
}

// agreement counts examples by who is right: both guess and baseline, one alone, or
// neither.
type agreement struct{ both, attack, baseline, neither int }

func (c agreement) examples() int { return c.both + c.attack + c.baseline + c.neither }

func (c agreement) subgroup(attribute, value string, confidence float64) Subgroup {
	n := c.examples()
	return Subgroup{
		Attribute: attribute, Value: value,
		Curiosity: proportion(c.both+c.attack, n), Baseline: proportion(c.both+c.baseline, n),
		Excess: float64(c.attack-c.baseline) / float64(n),
		Low:    stat.PairedDifference(c.attack, c.baseline, n, 2*confidence-1).Low,
	}
}

// subgroupCounts compares guess and base within each class of labels.
func subgroupCounts(labels []int, classes int, truth, guess, base []int) []agreement {
	of := make([]agreement, classes)
	for i, l := range labels {
		switch g, b := guess[i] == truth[i], base[i] == truth[i]; {
		case g && b:
			of[l].both++
		case g:
			of[l].attack++
		case b:
			of[l].baseline++
		default:
			of[l].neither++
		}
	}
	return of
}
