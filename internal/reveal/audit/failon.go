package audit

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"tattle/internal/math/stat"
	"tattle/internal/report"
)

// FailOn holds the rules by which an audit fails a build: it fails if one of them is broken.
// The zero value has no rules.
type FailOn struct{ rules []rule }

// The figures that rules and acceptances bound.
const (
	figureExcess    = "excess"
	figureGain      = "gain"
	figureAUC       = "auc"
	figureCuriosity = "curiosity"
)

type rule struct {
	text       string
	attribute  string // that the rule is about; empty for all
	verdict    string // "curious", "beyond", "leaky" or "inconclusive"; "" for a figure
	figure     string
	threshold  float64
	confidence float64
}

// ruleVerdicts are the verdicts that break a rule of one word.
var ruleVerdicts = map[string][]Verdict{
	"curious":      {Curious},
	"beyond":       {Curious, LeakyBeyond},
	"leaky":        {Curious, LeakyBeyond, Leaky},
	"inconclusive": {Inconclusive},
}

// never is the word for no rule at all.
const never = "never"

// ParseFailOn reads rules separated by commas: "curious", "beyond" (LeakyBeyond or worse),
// "leaky" (Leaky or worse), "inconclusive", "never", or a figure whose one-sided lower confidence
// limit must not exceed a threshold, as in "excess>5%@95%" and "curiosity>60%@99%". No confidence
// is 95 %. Percentages of excess and curiosity are points of accuracy, or of a numeric attribute
// parts of its variance. "NAME: excess>5%" is about the attribute NAME alone; a name with
// a comma or a colon is quoted, as Go quotes strings.
func ParseFailOn(text string) (FailOn, error) {
	var f FailOn
	parts := betweenCommas.FindAllString(text, -1)
	for _, part := range parts {
		if part = strings.TrimSpace(part); part == never {
			continue
		}
		r, err := parseRule(part)
		if err != nil {
			return FailOn{}, fmt.Errorf("audit: rule %q to fail on: %w", part, err)
		}
		f.rules = append(f.rules, r)
	}
	if len(parts) > 1 && len(parts) != len(f.rules) {
		return FailOn{}, fmt.Errorf("audit: rules to fail on %q: %q must be the only rule", text, never)
	}
	return f, nil
}

// betweenCommas matches the text between two commas; those in double quotes count as text. A quote that is not closed reaches to the end.
var betweenCommas = regexp.MustCompile(`(?s)(?:[^,"]|"(?:[^"\\]|\\.)*(?:"|\\?$))*`)

// ruleText matches a rule: an attribute, and a verdict, or a figure with its threshold and a confidence.
var ruleText = regexp.MustCompile(`^(?s)(?:(.+):)?\s*(?:(curious|beyond|leaky|inconclusive)|([a-z]+)\s*>([^@]*)(?:@(.+))?)$`)

// parseRule reads a verdict or "FIGURE>THRESHOLD@CONFIDENCE", with or without an attribute.
func parseRule(text string) (r rule, err error) {
	m := ruleText.FindStringSubmatch(text)
	if m == nil {
		return r, fmt.Errorf(`it is none of curious, beyond, leaky, inconclusive, never, and no figure above a threshold, as "excess>5%%@95%%"`)
	}
	r = rule{text: text, attribute: strings.TrimSpace(m[1]), verdict: m[2], figure: m[3], confidence: DefaultConfidence}
	if strings.HasPrefix(r.attribute, `"`) {
		if r.attribute, err = strconv.Unquote(r.attribute); err != nil {
			return r, fmt.Errorf("the name %s is not quoted right", m[1])
		}
	}
	if m[1] != "" && r.attribute == "" {
		return r, errors.New("no attribute before the colon")
	}
	if r.verdict != "" {
		return r, nil
	}
	if r.threshold, _, err = stat.ParseShare(m[4]); err != nil {
		return r, fmt.Errorf("threshold: %w", err)
	}
	if m[5] != "" {
		if r.confidence, _, err = stat.ParseShare(m[5]); err != nil {
			return r, fmt.Errorf("confidence: %w", err)
		}
	}
	switch {
	case !(.5 < r.confidence && r.confidence <= .999999):
		return r, errors.New("a confidence must be above 50 % and at most 99.9999 %")
	case r.figure != figureExcess && r.figure != figureCuriosity:
		return r, fmt.Errorf("the figures are %s and %s", figureExcess, figureCuriosity)
	case !(0 <= r.threshold && r.threshold < 1):
		return r, fmt.Errorf("a threshold of %s must be at least 0 %% and below 100 %%", r.figure)
	}
	return r, nil
}

// String returns the rules as ParseFailOn reads them.
func (f FailOn) String() string {
	var texts []string
	for _, r := range f.rules {
		texts = append(texts, r.text)
	}
	if texts == nil {
		return never
	}
	return strings.Join(texts, ", ")
}

// MarshalText writes the rules as ParseFailOn reads them.
func (f FailOn) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// UnmarshalText reads the rules.
func (f *FailOn) UnmarshalText(text []byte) (err error) {
	*f, err = ParseFailOn(string(text))
	return err
}

// A Breach is a rule that an audit breaks.
type Breach struct {
	Attribute string  // empty if the whole audit breaks the rule
	Verdict   Verdict // that breaks it, empty for another reason
	Figure    string  // that breaks it, empty for another reason
	sentence  string
}

// String returns the breach as a sentence.
func (b Breach) String() string { return b.sentence }

// inUnits writes a value of a figure with its unit; numeric is that of the attribute.
func inUnits(figure string, numeric bool, x float64) string {
	unit := report.Share
	switch figure {
	case figureExcess:
		unit = excessUnit(numeric)
	case figureGain:
		unit = gainUnit(numeric)
	}
	return strings.TrimPrefix(report.Exactly(x, unit).String(), "+")
}

// Judge returns the breaches that a does not cover, and one for each acceptance that is expired
// or exceeded. Without rules nothing is a breach.
func (f FailOn) Judge(r *Result, a *Accepted) []Breach {
	if len(f.rules) == 0 {
		return nil
	}
	left := slices.DeleteFunc(f.Breaches(r), func(b Breach) bool { return a.Breach(r, b) != nil })
	return append(left, a.violations(r)...)
}

// Breaches returns a breach for each rule that the audit breaks, and each attribute that
// breaks it. A figure that the audit does not have breaks nothing; an attribute that was
// not audited breaks the rule that names it.
func (f FailOn) Breaches(r *Result) []Breach {
	var list []Breach
	for _, rule := range f.rules {
		add := func(b Breach, format string, a ...any) {
			b.sentence = rule.text + ": " + fmt.Sprintf(format, a...)
			list = append(list, b)
		}
		known := false
		for _, at := range r.Findings {
			if rule.attribute != "" && at.Attribute != rule.attribute {
				continue
			}
			known = true
			if slices.Contains(ruleVerdicts[rule.verdict], at.Verdict) {
				add(Breach{Attribute: at.Attribute, Verdict: at.Verdict}, "%s is %q.", at.Attribute, at.Verdict)
			} else if m, ok := at.measured(rule.figure, rule.confidence); ok && m.low > rule.threshold {
				add(Breach{Attribute: at.Attribute, Figure: rule.figure}, "%s of %s is at least %s at %g %% confidence.", rule.figure, at.Attribute, inUnits(rule.figure, at.Numeric, m.low), 100*rule.confidence)
			}
		}
		switch {
		case rule.attribute != "" && !known:
			add(Breach{Attribute: rule.attribute}, "no attribute %q was audited.", rule.attribute)
		case rule.verdict == "inconclusive" && rule.attribute == "" && r.Verdict == Inconclusive && len(r.Findings) == 0:
			add(Breach{Verdict: Inconclusive}, "the audit is %s.", Inconclusive)
		}
	}
	return list
}

// Unreachable warns of a rule that breaks on Curious but not on LeakyBeyond, if the audit has no
// references of the same recipe, without which it cannot give that verdict. It returns "" if
// there is no such rule.
func (f FailOn) Unreachable(r *Result) string {
	asked := slices.ContainsFunc(f.rules, func(r rule) bool { return r.verdict == "curious" })
	if !asked || r.Settings.References > 0 && r.Settings.Recipe != RecipeUnknown {
		return ""
	}
	return fmt.Sprintf("--fail-on curious: this audit cannot give the verdict %q, which requires references of the same recipe (--reference or --reference-scores, and --same-recipe). --fail-on beyond fails on %q or worse.", Curious, LeakyBeyond)
}

// RestsOn returns the figures on which the verdict rests, none if it cannot be accepted.
func (f *Finding) RestsOn(confidence float64) (all []string) {
	alpha := 1 - confidence
	switch {
	case f.Verdict == Leaky && f.Curiosity != nil:
		return []string{figureCuriosity}
	case f.Verdict == Leaky:
		return []string{figureExcess}
	case !f.Verdict.ExceedsTarget():
		return nil
	}
	if t := f.order(); t != nil && t.Adjusted <= alpha {
		all = append(all, figureAUC)
	}
	if f.ExcessAdjusted <= alpha {
		all = append(all, figureExcess)
	}
	if f.Given != nil && f.Given.Adjusted <= alpha {
		all = append(all, figureGain)
	}
	return all
}

// estimate is a figure with its one-sided lower limit and the upper limit that acceptances start
// from.
type estimate struct{ value, low, high float64 }

// measured returns a figure of f, with its lower limit at a confidence, and whether f has it.
func (f *Finding) measured(figure string, confidence float64) (estimate, bool) {
	switch {
	case f.Unusable != "":
	case figure == figureExcess:
		return estimate{f.Excess.Value, f.limits(confidence).Low, f.Excess.High}, true
	case figure == figureGain && f.Given != nil:
		return estimate{f.Given.Mean, f.Given.Low, f.Given.High}, true
	case figure == figureAUC && f.order() != nil:
		t := f.order()
		return estimate{t.Area, t.Area - 2*t.StandardError, min(1, t.Area+2*t.StandardError)}, true
	case figure == figureCuriosity && f.Curiosity != nil:
		low := stat.ClopperPearson(f.Curiosity.Correct, f.Examples, 2*confidence-1).Low
		if f.right != nil {
			low = f.right.Limits(confidence).Low
		}
		return estimate{f.Curiosity.Value, low, f.Curiosity.Interval[1]}, true
	}
	return estimate{}, false
}
