package audit

import (
	"fmt"
	"slices"

	"tattle/stat"
)

// An Acceptance states that somebody accepts a finding: the figure of an attribute, up to a
// limit and until a day.
type Acceptance struct {
	Attribute string  `toml:"attribute" json:"attribute"`
	Figure    string  `toml:"figure" json:"figure"` // "excess", "gain" …
	Limit     float64 `toml:"limit" json:"limit"`   // largest accepted value of the figure
	Reason    string  `toml:"reason" json:"reason"`
	Owner     string  `toml:"owner" json:"owner"`
	Expiry    string  `toml:"expiry" json:"expiry"` // last day on which it holds, as 2027-01-31
}

// The figures on which a verdict rests beside the excess.
const (
	figureGain = "gain"
	figureAUC  = "auc"
)

// acceptableFigures returns the names of the figures that an Acceptance can limit.
func acceptableFigures() []string {
	return []string{figureExcess, figureGain, figureAUC, figureCuriosity, figureLeakage, figureInformation}
}

// Accepted holds the acceptances that an audit was judged with, on a day.
type Accepted struct {
	Day     string       `json:"day"` // as 2027-01-31, UTC
	Entries []Acceptance `json:"entries"`
}

// expired reports whether x no longer holds.
func (a *Accepted) expired(x Acceptance) bool { return x.Expiry < a.Day }

// exceeds returns the value of the accepted figure of f, and whether it is above the limit.
func (x Acceptance) exceeds(f *Finding) (value float64, above bool) {
	m, known := f.measured(x.Figure, DefaultConfidence)
	return m.value, known && m.value > x.Limit
}

// holds returns the acceptance of a figure of f that is neither expired nor exceeded, nil if
// there is none.
func (a *Accepted) holds(f *Finding, figure string) *Acceptance {
	for i, x := range a.Entries {
		_, above := x.exceeds(f)
		if x.Attribute == f.Attribute && x.Figure == figure && !a.expired(x) && !above {
			return &a.Entries[i]
		}
	}
	return nil
}

// Verdict returns the acceptances that together cover the verdict on f: one for each figure on
// which it rests. It returns nil if one is missing, or if the verdict cannot be accepted.
func (a *Accepted) Verdict(f *Finding, confidence float64) []Acceptance {
	if a == nil {
		return nil
	}
	var all []Acceptance
	for _, figure := range f.RestsOn(confidence) {
		x := a.holds(f, figure)
		if x == nil {
			return nil
		}
		all = append(all, *x)
	}
	return all
}

// Breach returns the acceptances that cover a breach by r, nil if they do not.
func (a *Accepted) Breach(r *Result, b Breach) []Acceptance {
	f := r.finding(b.Attribute)
	switch {
	case a == nil || f == nil:
		return nil
	case b.Figure == "":
		return a.Verdict(f, r.Settings.Confidence)
	}
	if x := a.holds(f, b.Figure); x != nil {
		return []Acceptance{*x}
	}
	return nil
}

// Violations returns a breach for each entry that is expired or exceeded.
func (a *Accepted) Violations(r *Result) []Breach {
	if a == nil {
		return nil
	}
	var list []Breach
	for _, x := range a.Entries {
		b := Breach{Rule: "baseline", Attribute: x.Attribute, Accepted: &x, Expired: a.expired(x)}
		f := r.finding(x.Attribute)
		b.Missing = f == nil
		above := false
		if f != nil {
			b.Figure, b.Variance = x.Figure, f.Numeric
			b.Limit, above = x.exceeds(f)
		}
		if b.Expired || above {
			list = append(list, b)
		}
	}
	return list
}

// finding returns the finding on an attribute, nil if it was not audited.
func (r *Result) finding(attribute string) *Finding {
	for i := range r.Findings {
		if r.Findings[i].Attribute == attribute {
			return &r.Findings[i]
		}
	}
	return nil
}

// Unused returns a warning for each entry that names no audited attribute, or a figure that
// the attribute does not have.
func (a *Accepted) Unused(r *Result) []string {
	if a == nil {
		return nil
	}
	var said []string
	for _, x := range a.Entries {
		f := r.finding(x.Attribute)
		if f == nil {
			said = append(said, fmt.Sprintf("--baseline: no attribute %q was audited; the entry for its %s has no effect.", x.Attribute, x.Figure))
		} else if _, known := f.measured(x.Figure, DefaultConfidence); !known {
			said = append(said, fmt.Sprintf("--baseline: %s of %q was not measured; its entry has no effect.", x.Figure, x.Attribute))
		}
	}
	return said
}

// RestsOn returns the figures on which the verdict rests, none if it cannot be accepted.
func (f *Finding) RestsOn(confidence float64) []string {
	switch alpha := 1 - confidence; f.Verdict {
	case Curious, LeakyBeyond:
		var all []string
		for figure, p := range map[string]float64{figureExcess: f.ExcessAdjusted, figureGain: f.gainAdjusted(), figureAUC: f.aucAdjusted()} {
			if p <= alpha {
				all = append(all, figure)
			}
		}
		slices.Sort(all)
		return all
	case Leaky:
		if f.Curiosity != nil {
			return []string{figureCuriosity}
		}
		return []string{figureExcess}
	}
	return nil
}

func (f *Finding) gainAdjusted() float64 {
	if f.Given == nil {
		return 1
	}
	return f.Given.Adjusted
}

func (f *Finding) aucAdjusted() float64 {
	if t := f.order(); t != nil {
		return t.Adjusted
	}
	return 1
}

// estimate is a figure with its one-sided lower limit and the upper limit that acceptances start
// from.
type estimate struct{ value, low, high float64 }

// measured returns a figure of f, with its lower limit at a confidence, and whether f has it.
func (f *Finding) measured(figure string, confidence float64) (estimate, bool) {
	both := 2*confidence - 1 // of the two-sided interval with the same lower end
	switch {
	case f.Unusable != "":
	case figure == figureExcess:
		return estimate{f.Excess.Value, f.excessLimit(confidence), f.Excess.High}, true
	case figure == figureGain && f.Given != nil:
		return estimate{f.Given.Gain, f.Given.Low, f.Given.High}, true
	case figure == figureAUC && f.order() != nil:
		t := f.order()
		return estimate{t.Area, t.Area - 2*t.StandardError, min(1, t.Area+2*t.StandardError)}, true
	case figure == figureCuriosity && f.Curiosity != nil:
		return estimate{f.Curiosity.Value, stat.ClopperPearson(f.Curiosity.Correct, f.Examples, both).Low, f.Curiosity.Interval[1]}, true
	case figure == figureLeakage && f.Leakage != nil:
		return estimate{f.Leakage.Multiplicative, leakage(f, both).Interval[0], f.Leakage.Interval[1]}, true
	case figure == figureInformation && f.Information != nil:
		return estimate{f.Information.Bits, stat.MutualInformation(f.Confusion, both).Interval.Low, f.Information.Interval[1]}, true
	}
	return estimate{}, false
}
