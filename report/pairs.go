package report

import (
	"fmt"
	"math"
	"slices"

	"tattle/bound"
)

// Pair is two inputs with nearly the same features: they differ by at most ‖z‖ + Allowance, so
// that the noise hides which of the two was released.
type Pair struct {
	Index     int    `json:"index"`
	Label     int    `json:"label"`
	Name      string `json:"name,omitempty"`
	Search    string `json:"search"` // how the other input was found: bound.SearchTwins, bound.SearchPairs or searchPlausible
	Kind      string `json:"kind"`   // "farthest", or "nearest to an image of another class"
	RMS       Number `json:"rms_grey_levels"`
	Domain    string `json:"domain,omitempty"` // of the other input, as bound.Summary says it
	ZNorm     Number `json:"z_norm"`
	Allowance Number `json:"allowance"`         // for rounding, and what the features' runtime errs by
	Guessed   Number `json:"guessed"`           // the largest probability with which an adversary who has the release, and knows that it is one of the two, both as likely, names the right one; null where it is not known
	Floor     Number `json:"floor_grey_levels"` // no adversary, biased or not, errs by less on average over the two: root mean square error over the input

	FirstSHA256  string `json:"first_sha256,omitempty"` // of the pictures
	SecondSHA256 string `json:"second_sha256,omitempty"`

	first, second []byte // PNG
}

// addPair adds a pair to the report: the original and another input, both as inputs of the
// model. It fills in the distance, and the floor that follows from share,
// the h of release.PairShare. It panics if other has another length than theta.
func (r *Report) addPair(o original, other []float64, share float64, p Pair) error {
	if len(other) != len(o.theta) {
		panic("report: a pair of different lengths")
	}
	theta := o.pixels()
	p.Index, p.Label, p.Name = o.index, o.label, o.name
	p.RMS = Number(o.distance(theta, other))
	p.floored(share)
	var err error
	if p.first, p.FirstSHA256, err = o.png(theta); err != nil {
		return err
	}
	if p.second, p.SecondSHA256, err = o.png(other); err != nil {
		return err
	}
	r.Pairs = append(r.Pairs, p)
	return nil
}

// twinsTogether sums the pairs up.
func (r *Report) twinsTogether() string {
	least, most, apart, guessed, domain := math.Inf(1), 0., 0., 0., ""
	twins := slices.DeleteFunc(slices.Clone(r.Pairs), func(p Pair) bool { return p.Search != bound.SearchTwins })
	if len(twins) == 0 {
		return ""
	}
	for _, p := range twins {
		least, most = min(least, float64(p.RMS)), max(most, float64(p.RMS))
		apart, guessed = max(apart, p.apart()), max(guessed, float64(p.Guessed)) // NaN stays
		domain = p.Domain
	}
	n := len(twins)
	distance := number(least)
	if n > 1 {
		distance += " to " + number(most)
	}
	s := fmt.Sprintf("%s of inputs%s, %s grey levels apart, with features at most %s apart.", Count(n, "pair"), r.among(domain), distance, atMostNumber(apart))
	if guessed > .9999 {
		s += " No useful limit follows for an adversary who knows that the input is one of the two."
	} else if !math.IsNaN(guessed) && guessed > 0 {
		s += fmt.Sprintf(" An adversary who knows that the input is one of the two, both equally likely, guesses from the release which one with a probability of at most %s.", percent(math.Ceil(1e4*guessed-1e-9)/1e4))
	}
	return s
}

// apart is the most that the features of a pair differ by.
func (p Pair) apart() float64 { return float64(p.ZNorm) + float64(p.Allowance) }

// mostPairs is how many pairs the page shows: five of each of six inputs.
const mostPairs = 30

// says how far apart a pair is, and how plausible both are where that is known.
func (r *Report) says(p Pair) string {
	said := fmt.Sprintf("%s grey levels apart", number(float64(p.RMS)))
	if p.Domain == bound.DomainStored {
		said += ", both stored inputs"
	}
	if x := r.plausible(p.Index); p.Search == searchPlausible && x != nil {
		said += fmt.Sprintf("; nearest other candidate: %s grey levels away (the original's: %s); score: %s (the original's: %s)",
			number(r.toUnit(x.Nearest[1])), number(r.toUnit(x.Nearest[0])), number(x.Score[1]), number(x.Score[0]))
	} else {
		said += fmt.Sprintf(", features at most %s apart", atMostNumber(p.apart()))
	}
	if p.Floor > 0 {
		said += fmt.Sprintf("; no adversary errs by less than %s grey levels on average over the two", atLeastNumber(float64(p.Floor)))
	}
	return said
}

// unbiased returns the rows that are not about pairs of inputs: they limit unbiased estimators only.
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
	return largestMedian(r.Bounds, func(b bound.Summary) bool {
		return b.Method == bound.MethodPairMeanSquare && b.Examples == r.Data.Examples && b.Quantile(.5) > 0
	})
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
	s := capital(b.Status) + fmt.Sprintf(": for %s there is another input such that no adversary, biased or not, errs by less than %s %s, averaged over the two (root mean square over the input)", half, atLeastNumber(r.toUnit(b.Quantile(.5))), r.unit())
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
