package report

import (
	"fmt"
	"math"
	"slices"

	"tattle/bound"
)

// unbiased returns the rows that are not about pairs of inputs: all but van Trees' bound
// limit unbiased estimators only.
func (r *Report) unbiased() []bound.Summary {
	return slices.DeleteFunc(slices.Clone(r.Bounds), bound.Summary.Pair)
}

// pairNames name the witnesses of pair floors by their search; all others are near ones.
var pairNames = map[string]string{
	bound.SearchFar:   "far witnesses",
	bound.SearchTwins: "twins",
	bound.SearchPairs: "searched for these floors",
}

// pairName names the witnesses of a row.
func pairName(b bound.Summary) string {
	if name, ok := pairNames[b.Search]; ok {
		return name
	}
	name := "near witnesses"
	if b.Size > 0 {
		name += ", s = " + Fraction(b.Size)
	}
	return name
}

// pairFloors adds what no adversary can do better on pairs of inputs, biased or not.
func (d *document) pairFloors(r *Report) {
	if !slices.ContainsFunc(r.Bounds, bound.Summary.Pair) {
		return
	}
	d.folded("Floors for every adversary, on pairs of inputs")
	d.say(r.pairSentence())
	t := table{Says: "Lower bounds on the error of every adversary, biased or not, averaged over an input and another one; in " + r.unit() + ", as quantiles over coordinates and inputs. Attacks on the input alone may err by less there, and by more on the other input.",
		Heads: []string{"other input", "error", "5%", "50%", "95%"}}
	for _, status := range statuses {
		if rows := r.pairRows(status); len(rows) > 0 {
			t.add(status)
			t.Rows = append(t.Rows, rows...)
		}
	}
	d.table(t)
	d.say(r.plausibleSentence())
	d.say(r.madeSentence())
	d.soft("A pair floor is vacuous for an adversary who knows that one of the two inputs is implausible: such an adversary answers with the other one.")
}

// pairRows are the pair floors of one standing in words.
func (r *Report) pairRows(status string) (rows [][]string) {
	for _, b := range r.Bounds {
		if !b.Pair() || b.Status != status {
			continue
		}
		of := "coordinate"
		switch {
		case meanSquare(b.Method):
			of = "whole input"
		case b.Band != bound.AllBand:
			of = times(b.Band) + " coarsest"
		}
		cells := []string{pairName(b) + r.some(b.Examples), of}
		for _, level := range []float64{.05, .5, .95} {
			cells = append(cells, atLeastNumber(r.toUnit(b.Quantile(level))))
		}
		rows = append(rows, cells)
	}
	return rows
}

// toUnit converts an error to r.unit.
func (r *Report) toUnit(x float64) float64 {
	if g := float64(r.Data.GreyLevels); g > 0 {
		return x * g
	}
	return x
}

// bestPairs returns the row on whole inputs with the largest median, of those that are
// about all examples; nil if there is none above 0.
func (r *Report) bestPairs() *bound.Summary {
	var best *bound.Summary
	for i, b := range r.Bounds {
		if b.Method != bound.MethodPairMeanSquare || b.Examples != r.Data.Examples || !(b.Quantile(.5) > 0) {
			continue
		}
		if best == nil || b.Quantile(.5) > best.Quantile(.5) {
			best = &r.Bounds[i]
		}
	}
	return best
}

// pairSentence says what the strongest pairs prove of every adversary.
func (r *Report) pairSentence() string {
	b := r.bestPairs()
	if b == nil {
		return ""
	}
	half := "half of the " + Count(b.Examples, "input")
	if b.Examples == 1 {
		half = "the input"
	}
	s := sentenceOf(b.Status)
	s = s[:len(s)-1] + fmt.Sprintf(": for %s there is another input such that no adversary, biased or not, errs by less than %s %s, averaged over the two (root mean square over the input)", half, atLeastNumber(r.toUnit(b.Quantile(.5))), r.unit())
	if b.Examples > 1 && b.Quantile(.05) > 0 {
		s += fmt.Sprintf("; for 95 %% of them this floor is at least %s", atLeastNumber(r.toUnit(b.Quantile(.05))))
	}
	return s + "."
}

// floored returns below which error no adversary comes on average over the two inputs, h
// being that of release.PairShare, rounded down.
func (p *Pair) floored(h float64) {
	p.Floor = Number(math.Floor(1e6*float64(p.RMS)*math.Sqrt(h)) / 1e6)
}
