package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"tattle/bayes"
	"tattle/measure"
)

// holder adds what the best adversary with a list achieves.
func (d *document) holder(x *measure.ListFigures) {
	h := x.Holder
	if h == nil {
		return
	}
	d.part("Adversaries with a list of candidates")
	t := table{Says: fmt.Sprintf("Each limit holds with 99.9 %% confidence (%s).", Count(h.Draws, "draw")),
		Heads: []string{"figure", "value", "limits", "without the release"}}
	n := float64(h.List.Inputs)
	t.add("input identified with one guess", percentOf(estimate(x, h.First)), percentLimits(h.First), percentOrLess(1/n))
	t.add("input identified with ten guesses", percentOf(estimate(x, h.Ten)), percentLimits(h.Ten), percentOrLess(min(1, 10/n)))
	t.add("mean rank of the input", number(estimate(x, h.Rank)), "at least "+atLeastNumber(h.Rank.Low), number((n+1)/2))
	bits := atLeastNumber(h.Bits.Low) + " – " + atMostNumber(h.Bits.High)
	t.add(fmt.Sprintf("bits revealed, of %s", number(math.Log2(n))), number(estimate(x, h.Bits)), bits, "0")
	d.table(t)
	if h.BitsMost != nil && *h.Fano < vacuousFano {
		d.soft(fmt.Sprintf("Proved without sampling, from the covariance of the features: the release reveals at most %s bits about which candidate is the input. So no adversary with this list identifies it in more than %s of releases (Fano's inequality).", atMostNumber(*h.BitsMost), percentUp(*h.Fano)))
	}
}

// estimate returns what the best adversary achieves, or NaN if only limits are known.
func estimate(x *measure.ListFigures, l bayes.Limit) float64 {
	if x.Processed {
		return math.NaN()
	}
	return l.Mean
}

// population adds how the floor for adversaries without a list grows with the sample.
func (d *document) population(r *Report, all []measure.Population) {
	if len(all) < 2 {
		return
	}
	d.part("Adversaries without a list, who know the distribution of inputs")
	t := table{Says: "Floors in " + r.unit() + ", from samples of " + all[0].List.Name + ". Each floor holds with 99.9 % confidence. A larger sample proves a larger floor; nothing is extrapolated.",
		Heads: []string{"inputs in the sample", "floor without a list", "without the release"}}
	for _, p := range all {
		f := p.Floors[0]
		anybody := errorBeside{r.inUnit(f.Anybody), r.inUnit(f.Prior)}
		t.add(fmt.Sprint(p.List.Inputs), anybody.floor(), number(anybody.prior))
	}
	d.table(t)
}

// inferred adds the upper limits on guessing attributes.
func (d *document) inferred(x *measure.ListFigures) {
	t := table{Says: "How often an adversary guesses an attribute of the input right. Majority: always the most frequent class, without the release. Attack: " + inferredAttacks(x) + ". Best: the best adversary, estimated. Limit, bits and AUC: upper limits for every adversary, with 99.9 % confidence each.",
		Heads: []string{"attribute", "knows", "majority", "attack", "best", "limit", "bits", "AUC"}, Words: []int{1}}
	add := func(knows string, of []measure.InferredLimit, list bool) {
		row := func(name, knows, attack string, g measure.GuessLimit, area *float64) {
			best, limit, bits := percent1(estimate(x, g.Right)), percentUp(g.Right.High), atMostNumber(g.Bits.High)
			switch {
			case !list && g.Anybody == 0:
				best, limit, bits, area = "–", "–", "–", nil
			case !list:
				best, limit, bits = "–", percentUp(g.Anybody), atMostNumber(g.AnybodyBits)
			}
			cells := []string{name, knows, percent1(g.Majority), attack, best, limit, bits, "–"}
			if area != nil {
				cells[7] = atMostNumber(*area)
			}
			t.add(cells...)
		}
		for _, l := range of {
			area := l.AnybodyAUC
			if list && l.AUC != nil {
				area = &l.AUC.High
			}
			row(l.Name, knows, bestInferred(l.Attacks), l.GuessLimit, area)
			if g := l.Given; g != nil {
				row(l.Name, knows+" and "+g.Target, "–", g.GuessLimit, nil)
			}
		}
	}
	if x.Holder != nil {
		add("the list", x.Holder.Inferred, true)
	}
	if p := x.EverySample(); p != nil {
		add("the distribution", p.Inferred, false)
	}
	if last := len(t.Heads) - 1; !slices.ContainsFunc(t.Rows, func(row []string) bool { return row[last] != "–" }) {
		t.Heads = t.Heads[:last]
		for i := range t.Rows {
			t.Rows[i] = t.Rows[i][:last]
		}
		t.Says = strings.Replace(t.Says, "Limit, bits and AUC", "Limit and bits", 1)
	}
	if len(t.Rows) > 0 {
		d.part("Limits on guessing sensitive attributes")
		d.table(t)
	}
}

// inferredAttacks lists the attacks on attributes that ran.
func inferredAttacks(x *measure.ListFigures) string {
	var names []string
	fewest, of := math.MaxInt, 0
	if p := x.EverySample(); p != nil {
		of = p.List.Inputs
		for _, in := range p.Inferred {
			for _, a := range in.Attacks {
				names = append(names, a.Name)
				fewest = min(fewest, a.Right.Examples)
			}
		}
	}
	if len(names) == 0 {
		return "none ran"
	}
	said := "the best of those that ran (" + strings.Join(unique(names), ", ") + ")"
	if fewest < of {
		said += fmt.Sprintf(", measured on %s that are no candidates, among which the most frequent class may be another", Count(fewest, "input"))
	}
	return said
}

// bestInferred is the share of right guesses of the best attack.
func bestInferred(attacks []measure.InferredAttack) string {
	if len(attacks) == 0 {
		return "–"
	}
	best := attacks[0]
	for _, a := range attacks {
		if a.Right.Value > best.Right.Value {
			best = a
		}
	}
	return percent1(best.Right.Value)
}

// vacuousFano is the probability of identifying the input above which Fano's limit is not printed.
const vacuousFano = .99

// percentUp prints an upper limit as percent1 does, rounded up.
func percentUp(x float64) string { return percent1(min(1, above(x, .001))) }

// percentDown prints a lower limit as percent1 does, rounded down.
func percentDown(x float64) string { return percent1(below(x, .001)) }

// percentOf prints a share as percent1 does, and one below 1 % with as many digits as it needs, so
// that it can be compared with guessing.
func percentOf(x float64) string {
	if x < .01 {
		return percentOrLess(x)
	}
	return percent1(x)
}

// percentOrLess prints small fractions with as many digits as they need.
func percentOrLess(x float64) string { return number(100*x) + " %" }

func percentLimits(l bayes.Limit) string { return percentDown(l.Low) + " – " + percentUp(l.High) }

// listWords describes a list.
func listWords(l measure.ListUsed) string {
	s := l.Name
	if l.Inputs+l.Merged < l.Of {
		s = fmt.Sprintf("drawn from the %s of %s", Count(l.Of, "input"), l.Name)
	}
	if l.Merged > 0 {
		s += fmt.Sprintf("; %s left out that equal another", Count(l.Merged, "input"))
	}
	if share := l.Uneven(); share > 0 {
		s += fmt.Sprintf("; the commonest input is %s of all", percent1(share))
	}
	return s
}
