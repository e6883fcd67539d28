package audit

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"tattle/internal/report"
	"tattle/stat"
)

// FailOn holds the rules by which an audit fails a build: it fails if one of them is broken.
// The zero value has no rules.
type FailOn struct{ rules []rule }

// The figures that a rule may bound.
const (
	figureExcess      = "excess"
	figureCuriosity   = "curiosity"
	figureLeakage     = "leakage"
	figureInformation = "information"
)

type rule struct {
	text       string
	attribute  string // of a named rule
	named      bool
	verdict    string // "curious", "beyond", "leaky" or "inconclusive"; "" for a figure
	figure     string
	threshold  float64
	confidence float64
}

// never is the word for no rule at all.
const never = "never"

// ParseFailOn reads rules separated by commas: "curious", "beyond" (LeakyBeyond or worse),
// "leaky" (Leaky or worse), "inconclusive", "never", or a figure whose one-sided lower confidence
// limit must not exceed a threshold, as in "excess>5%@95%", "curiosity>60%@99%",
// "leakage>1.5", "information>0.2@90%". No confidence is 95 %. Percentages of
// excess and curiosity are points of accuracy, or of a numeric attribute parts of
// its variance. "NAME: excess>5%" is about the attribute NAME alone; a name with
// a comma or a colon is quoted, as Go quotes strings.
func ParseFailOn(text string) (FailOn, error) {
	var f FailOn
	words := 0
	for _, part := range splitRules(text) {
		part = strings.TrimSpace(part)
		words++
		if part == never {
			continue
		}
		r, err := parseRule(part)
		if err != nil {
			return FailOn{}, fmt.Errorf("audit: rule %q to fail on: %w", part, err)
		}
		f.rules = append(f.rules, r)
	}
	if words > 1 && words != len(f.rules) {
		return FailOn{}, fmt.Errorf("audit: rules to fail on %q: %q must be the only rule", text, never)
	}
	return f, nil
}

// splitRules splits at the commas outside double quotes.
func splitRules(text string) []string {
	var parts []string
	quoted, from := false, 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && quoted:
			i++
		case c == '"':
			quoted = !quoted
		case c == ',' && !quoted:
			parts = append(parts, text[from:i])
			from = i + 1
		}
	}
	return append(parts, text[from:])
}

func parseRule(text string) (rule, error) {
	r := rule{text: text, confidence: DefaultConfidence}
	what := text
	if i := strings.LastIndexByte(text, ':'); i >= 0 {
		name := strings.TrimSpace(text[:i])
		r.named, what = true, strings.TrimSpace(text[i+1:])
		if strings.HasPrefix(name, `"`) {
			unquoted, err := strconv.Unquote(name)
			if err != nil {
				return r, fmt.Errorf("the name %s is not quoted right", name)
			}
			name = unquoted
		}
		if r.attribute = name; name == "" {
			return r, fmt.Errorf("no attribute before the colon")
		}
	}
	if ruleVerdicts[what] != nil {
		r.verdict = what
		return r, nil
	}
	return r, r.parseFigure(what)
}

// parseFigure reads "FIGURE>THRESHOLD@CONFIDENCE".
func (r *rule) parseFigure(text string) error {
	figure, rest, ok := strings.Cut(text, ">")
	if r.figure = strings.TrimSpace(figure); !ok {
		return fmt.Errorf(`it is none of curious, beyond, leaky, inconclusive, never, and no figure above a threshold, as "excess>5%%@95%%"`)
	}
	threshold, confidence, given := strings.Cut(rest, "@")
	var err error
	if r.threshold, _, err = stat.ParseShare(threshold); err != nil {
		return fmt.Errorf("threshold: %w", err)
	}
	if given {
		if r.confidence, _, err = stat.ParseShare(confidence); err != nil {
			return fmt.Errorf("confidence: %w", err)
		}
	}
	if !(.5 < r.confidence && r.confidence <= .999999) {
		return fmt.Errorf("a confidence must be above 50 %% and at most 99.9999 %%")
	}
	percent := strings.HasSuffix(strings.TrimSpace(threshold), "%")
	switch r.figure {
	case figureExcess, figureCuriosity:
		if !(0 <= r.threshold && r.threshold < 1) {
			return fmt.Errorf("a threshold of %s must be at least 0 %% and below 100 %%", r.figure)
		}
		return nil
	case figureLeakage, figureInformation:
		if percent || !(0 <= r.threshold && r.threshold <= math.MaxFloat32) {
			return fmt.Errorf("a threshold of %s must be a number of at least 0, without %%", r.figure)
		}
		return nil
	}
	return fmt.Errorf("the figures are %s, %s, %s and %s", figureExcess, figureCuriosity, figureLeakage, figureInformation)
}

// String returns the rules as ParseFailOn reads them.
func (f FailOn) String() string {
	if len(f.rules) == 0 {
		return never
	}
	texts := make([]string, len(f.rules))
	for i, r := range f.rules {
		texts[i] = r.text
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

// A Breach is a rule that an audit breaks, with the attribute and the verdict or the
// figure that breaks it.
type Breach struct {
	Rule      string `json:"rule"`                // as it was given
	Attribute string `json:"attribute,omitempty"` // empty if the whole audit breaks the rule

	Missing bool    `json:"missing,omitempty"` // the attribute was not audited
	Verdict Verdict `json:"verdict,omitempty"` // of the attribute or of the audit

	Figure     string  `json:"figure,omitempty"` // excess, curiosity, leakage or information
	Limit      float64 `json:"limit,omitempty"`  // one-sided lower confidence limit of the figure
	Confidence float64 `json:"confidence,omitempty"`
	Variance   bool    `json:"variance,omitempty"` // the figure is a share of a variance

	Accepted *Acceptance `json:"accepted,omitempty"` // expired, or exceeded by the figure, whose value is Limit
	Expired  bool        `json:"expired,omitempty"`
}

// Name returns what is broken, without the figure that breaks it: the same name in
// every audit.
func (b Breach) Name() string {
	if x := b.Accepted; x != nil {
		return fmt.Sprintf("accepted %s of %s", x.Figure, x.Attribute)
	}
	if b.Figure == "" {
		return b.String()
	}
	return fmt.Sprintf("%s: %s of %s", b.Rule, b.Figure, b.Attribute)
}

// String returns the breach as a sentence.
func (b Breach) String() string {
	switch {
	case b.Expired:
		return fmt.Sprintf("%s: the acceptance by %s expired on %s.", b.Name(), b.Accepted.Owner, b.Accepted.Expiry)
	case b.Accepted != nil:
		limit := b
		limit.Limit = b.Accepted.Limit
		return fmt.Sprintf("%s: it is %s, and at most %s is accepted.", b.Name(), b.limit(), limit.limit())
	case b.Missing:
		return fmt.Sprintf("%s: no attribute %q was audited.", b.Rule, b.Attribute)
	case b.Figure != "":
		return fmt.Sprintf("%s is at least %s at %s confidence.", b.Name(), b.limit(), share(b.Confidence))
	case b.Attribute == "":
		return fmt.Sprintf("%s: the audit is %s.", b.Rule, b.Verdict)
	}
	return fmt.Sprintf("%s: %s is %q.", b.Rule, b.Attribute, b.Verdict)
}

// limit writes the limit with its unit.
func (b Breach) limit() string {
	u := report.Bits
	switch {
	case b.Figure == figureExcess && !b.Variance:
		u = report.Points
	case b.Figure == figureExcess || b.Figure == figureCuriosity || b.Figure == figureAUC || b.Figure == figureGain && b.Variance:
		u = report.Share
	case b.Figure == figureLeakage:
		u = "times"
	}
	return strings.TrimPrefix(report.AtLeast(b.Limit, u).LowFigure(), "+")
}

// Judge returns the breaches that a does not cover, and one for each acceptance that is expired
// or exceeded. Without rules nothing is a breach.
func (f FailOn) Judge(r *Result, a *Accepted) []Breach {
	if len(f.rules) == 0 {
		return nil
	}
	left := slices.DeleteFunc(f.Breaches(r), func(b Breach) bool { return a.Breach(r, b) != nil })
	return append(left, a.Violations(r)...)
}

// Breaches returns a breach for each rule that the audit breaks, and each attribute that
// breaks it. A figure that the audit does not have breaks nothing; an attribute that was
// not audited breaks the rule that names it.
func (f FailOn) Breaches(r *Result) []Breach {
	var list []Breach
	for _, rule := range f.rules {
		known := false
		for i := range r.Findings {
			if at := &r.Findings[i]; !rule.named || at.Attribute == rule.attribute {
				known = true
				if b, broken := rule.breach(at); broken {
					list = append(list, b)
				}
			}
		}
		switch {
		case rule.named && !known:
			list = append(list, Breach{Rule: rule.text, Attribute: rule.attribute, Missing: true})
		case rule.verdict == "inconclusive" && !rule.named && r.Verdict == Inconclusive && len(r.Findings) == 0:
			list = append(list, Breach{Rule: rule.text, Verdict: Inconclusive})
		}
	}
	return list
}

// ruleVerdicts are the verdicts that break a rule of one word.
var ruleVerdicts = map[string][]Verdict{
	"curious":      {Curious},
	"beyond":       {Curious, LeakyBeyond},
	"leaky":        {Curious, LeakyBeyond, Leaky},
	"inconclusive": {Inconclusive},
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

// breach returns how f breaks the rule, and whether it does.
func (r rule) breach(f *Finding) (Breach, bool) {
	if r.verdict != "" {
		return Breach{Rule: r.text, Attribute: f.Attribute, Verdict: f.Verdict}, slices.Contains(ruleVerdicts[r.verdict], f.Verdict)
	}
	m, ok := f.measured(r.figure, r.confidence)
	return Breach{Rule: r.text, Attribute: f.Attribute, Figure: r.figure, Limit: m.low, Confidence: r.confidence, Variance: f.Numeric}, ok && m.low > r.threshold
}

// excessLimit returns the least lower limit over the baselines.
func (f *Finding) excessLimit(confidence float64) float64 {
	low := math.Inf(1)
	for _, b := range f.Baselines {
		if f.Numeric {
			low = min(low, b.Difference-b.StandardError*stat.StudentQuantile(confidence, float64(f.Examples-1)))
		} else {
			low = min(low, b.comparison(f.Examples).Interval(2*confidence-1).Low)
		}
	}
	return low
}

// share writes a share in percent.
func share(x float64) string { return report.Exactly(x, report.Share).String() }
