package report

import (
	"fmt"
	"slices"
	"strings"

	"tattle/audit"
	"tattle/internal/file"
)

// auditLead is the verdict on audited outputs: the finding, its size and its uncertainty.
func (r *Report) auditLead() verdictBlock {
	a := r.Audit
	v := verdictBlock{Tone: auditTone(a), Badge: auditBadge(a)}
	worst := strongest(a)
	v.Says = auditSays(a, worst)
	v.Tiles = append(v.Tiles, tile{"Finding", string(a.Verdict), "", findingAbout(a)})
	if worst == nil && len(a.Findings) > 0 {
		if f := worstFirst(a)[0]; f.BestBaseline() != nil {
			worst = f
		}
	}
	if f := worst; f != nil {
		v.Tiles = append(v.Tiles, evidenceTile(a, f), tile{"p-value", briefP(f.Adjusted), "", "adjusted for all tests"})
	}
	about := fmt.Sprintf("the predicted %s is right for %s", file.Name(a.Target), percent1(a.Honesty.Value))
	if a.Outputs == audit.Vector {
		about = "vectors, without answers"
	}
	v.Tiles = append(v.Tiles, tile{"Examples", grouped(a.Examples), "", about})
	return v
}

// auditSays is the finding in a sentence; worst is the attribute that it names.
func auditSays(a *audit.Result, worst *audit.Finding) string {
	said := ""
	switch {
	case a.Verdict == audit.Inconclusive:
		said = "This audit shows neither that the outputs reveal an attribute beyond the task nor that they do not."
	case a.Verdict == audit.NoEvidence:
		said = noEvidenceSays(a)
	case worst != nil:
		said = findingSays(a, worst)
	}
	if said == "" {
		said = fmt.Sprintf("The %s reveal something about %s.", auditedOutputs(a), attributesOf(a, a.Verdict))
	}
	return printable(said)
}

// The kinds of evidence on an attribute.
type evidence int

const (
	byExcess evidence = iota // guesses are right more often
	byOrder                  // pairs of examples are ranked right
	byGain                   // scores predict the attribute better
)

// evidenceOf returns the evidence with the least p-value, which is that of the finding; of equal ones
// the plainest.
func evidenceOf(f *audit.Finding) evidence {
	switch g := f.Given; {
	case g == nil || f.ExcessAdjusted <= f.Adjusted:
		return byExcess
	case g.Order != nil && g.Order.Adjusted <= f.Adjusted:
		return byOrder
	}
	return byGain
}

// evidenceNames name the figures that a finding can rest on, as tables do.
var evidenceNames = map[evidence]string{byExcess: "excess", byOrder: "AUC", byGain: "gain"}

// shownBy names the figure that a finding beyond the target rests on; other findings have none.
func shownBy(f *audit.Finding) string {
	if !f.Verdict.ExceedsTarget() || f.BestBaseline() == nil {
		return "–"
	}
	return evidenceNames[evidenceOf(f)]
}

// evidenceWords are the figure that a finding rests on, with its limit or p-value.
func evidenceWords(f *audit.Finding) string {
	switch kind := evidenceOf(f); {
	case kind == byOrder:
		t := f.Given.Order
		return fmt.Sprintf("AUC %s for %s (%s; chance: 50 %%; p %s)", percent1(t.Area), valueOf(file.Name(f.Attribute), file.Name(t.Class)), strengthOf(t.Area), equalP(t.Adjusted))
	case kind == byGain && f.Numeric:
		return fmt.Sprintf("gain %.3f of the variance left (at least %.3f)", f.Given.Gain, below(f.Given.Low, .001))
	case kind == byGain:
		return fmt.Sprintf("gain %.4f bits (at least %.4f)", f.Given.Gain, below(f.Given.Low, .0001))
	}
	return fmt.Sprintf("excess %s points (at least %s)", change(f.Excess.Value, 2), change(below(f.Excess.Low, .0001), 2))
}

// strengthOf says in words how much an AUC is.
func strengthOf(area float64) string {
	switch {
	case area < .6:
		return "weak"
	case area < .7:
		return "moderate"
	case area < .9:
		return "strong"
	}
	return "nearly complete"
}

// strongest returns the attribute that the verdict names: of those with the audit's verdict,
// one whose guesses are shown to be right more often, with the largest excess; else the one whose
// pairs are ranked best. It is nil if none has figures.
func strongest(a *audit.Result) *audit.Finding {
	var best *audit.Finding
	rank := func(f *audit.Finding) (evidence, float64) {
		kind := evidenceOf(f)
		if kind == byOrder {
			return kind, f.Given.Order.Area
		}
		return kind, f.Excess.Value
	}
	for i := range a.Findings {
		f := &a.Findings[i]
		if f.Verdict != a.Verdict || f.BestBaseline() == nil {
			continue
		}
		if best != nil {
			kind, size := rank(f)
			if k, s := rank(best); kind > k || kind == k && size <= s {
				continue
			}
		}
		best = f
	}
	return best
}

// valueOf names a value of an attribute, such as "sex = Male" or "age >=40".
func valueOf(name, value string) string {
	if strings.HasPrefix(value, "<") || strings.HasPrefix(value, ">") {
		return name + " " + value
	}
	return name + " = " + value
}

// evidenceTile is the figure that the finding on an attribute rests on.
func evidenceTile(a *audit.Result, f *audit.Finding) tile {
	name, both := file.Name(f.Attribute), shown(a).Known()
	switch evidenceOf(f) {
	case byOrder:
		return tile{"AUC, " + name, percent1(f.Given.Order.Area), "of pairs", strings.TrimSpace(strings.TrimPrefix(shown(a).Equal()+"; ", "; ") + strengthOf(f.Given.Order.Area) + "; chance: 50 %")}
	case byGain:
		unit := "bits"
		if f.Numeric {
			unit = "of variance"
		}
		return tile{"Revealed, " + name, fmt.Sprintf("%.3g", f.Given.Gain), unit, fmt.Sprintf("beyond %s; at least %.3g", both, f.Given.Low)}
	}
	unit := "points"
	if f.Numeric {
		unit = "% of variance"
	}
	return tile{"Excess, " + name, change(f.Excess.Value, 1), unit, fmt.Sprintf("over the best guess without outputs; %s limits %s and %s; margin %.1f %s", confidenceWords(a), change(below(f.Excess.Low, .001), 1), change(above(f.Excess.High, .001), 1), 100*a.Settings.Margin, unit)}
}

// A verdictLook is how a verdict on an audit is shown: its colour, its badge, before the names of the attributes
// where it names them, and its colour in charts.
type verdictLook struct {
	tone   Tone
	badge  string
	named  bool
	colour string
}

var verdictLooks = map[audit.Verdict]verdictLook{
	audit.Curious:      {Bad, "Reveals ", true, "bad"},
	audit.LeakyBeyond:  {Bad, "Reveals ", true, "bad"},
	audit.Leaky:        {Warn, "Correlated with ", true, "leaky"},
	audit.NoEvidence:   {Good, "Nothing found", false, "clean"},
	audit.Inconclusive: {Calm, "Inconclusive", false, "unsure"},
}

// lookOfFinding is that of an attribute's verdict. Leaky by correlation asks for attention only where
// guesses are shown to be right more often than without the outputs.
func lookOfFinding(f *audit.Finding) verdictLook {
	look, known := verdictLooks[f.Verdict]
	if !known || f.Verdict == audit.Leaky && f.Excess.Low <= 0 {
		return verdictLooks[audit.Inconclusive]
	}
	return look
}

// auditTone is the colour of the verdict.
func auditTone(a *audit.Result) Tone {
	leaky := func(f audit.Finding) bool { return lookOfFinding(&f).tone == Warn }
	if a.Verdict == audit.Leaky && !slices.ContainsFunc(a.Findings, leaky) {
		return Calm
	}
	return verdictLooks[a.Verdict].tone
}

func auditBadge(a *audit.Result) string {
	look := verdictLooks[a.Verdict]
	if look.named {
		return look.badge + attributesOf(a, a.Verdict)
	}
	return look.badge
}

// findingAbout names the attributes of the other verdicts.
func findingAbout(a *audit.Result) string {
	if len(a.Findings) < 2 {
		return attributesOf(a, a.Verdict)
	}
	return fmt.Sprintf("%s; %s audited", attributesOf(a, a.Verdict), Count(len(a.Findings), "attribute"))
}

// findingSays is what was found about an attribute and how certain it is, by the strongest evidence
// that is above its margin. The tiles have its size.
func findingSays(a *audit.Result, f *audit.Finding) string {
	name, outputs, kind := file.Name(f.Attribute), auditedOutputs(a), evidenceOf(f)
	b := f.BestBaseline()
	if b == nil || !f.Numeric && (f.Curiosity == nil || b.Accuracy == nil) || f.Numeric && (f.R2 == nil || b.R2 == nil) {
		return ""
	}
	both, verb := shown(a).Known(), "explains"
	if strings.Contains(both, " and ") || a.Target == "" {
		verb = "explain"
	}
	beyond := fmt.Sprintf("neither chance (%s confidence) nor %s %s", confidenceWords(a), both, verb)
	best := f.BestGuess(file.Name(a.OfTarget()))
	although := "although the most likely guess is not shown to be right more often than " + best
	switch {
	case f.Verdict == audit.Leaky && f.Numeric:
		return leakyNumberSays(a, f, both+" "+verb)
	case f.Verdict == audit.Leaky && f.Excess.Low > 0:
		return fmt.Sprintf("%s is guessed right for %s from the %s and for %s by %s; beyond the margins, this is not shown to be more than %s %s.", capital(name), figure1(f.Curiosity, f.R2), outputs, figure1(b.Accuracy, b.R2), best, both, verb)
	case f.Verdict == audit.Leaky:
		return fmt.Sprintf("The %s depend on %s, but no guess from them is shown to be right more often than %s%s.", outputs, name, best, atMost(f.Excess.High, "points"))
	case kind == byExcess && f.Numeric:
		return fmt.Sprintf("The %s explain %s of the variance of %s, and %s %s %s, which chance does not explain (%s confidence).", outputs, percent1(*f.R2), name, both, verb, percent1(*b.R2), confidenceWords(a))
	case kind == byExcess:
		return fmt.Sprintf("From the %s alone, %s is guessed right for %s of examples, and by %s for %s; %s the difference.", outputs, name, percent1(f.Curiosity.Value), best, percent1(b.Accuracy.Value), beyond)
	case kind == byGain:
		return fmt.Sprintf("The %s reveal something about %s that %s, %s.", outputs, name, beyond, although)
	}
	t := f.Given.Order
	return fmt.Sprintf("Of two examples%s, one of them with %s, an attack on the %s picks out that one in %s of pairs (%s; chance: 50 %%). %s this, %s.",
		shown(a).Equal(), valueOf(name, file.Name(t.Class)), outputs, percent1(t.Area), strengthOf(t.Area), capital(beyond), although)
}

// leakyNumberSays is findingSays for numbers that outputs depend on; explained says what explains them.
func leakyNumberSays(a *audit.Result, f *audit.Finding, explained string) string {
	name, outputs, best := file.Name(f.Attribute), outputWords(string(a.Outputs)), f.BestGuess(file.Name(a.OfTarget()))
	if f.Excess.Low > 0 {
		return fmt.Sprintf("The %s explain %s of the variance of %s, and %s explains %s; beyond the margins, this is not shown to be more than %s.", outputs, percent1(*f.R2), name, best, percent1(*f.BestBaseline().R2), explained)
	}
	return fmt.Sprintf("The %s depend on %s, but are not shown to explain more of its variance than %s%s.", outputs, name, best, atMost(f.Excess.High, "% of the variance"))
}

// atMost is an upper limit in brackets; empty for one that is not above zero, with which guesses from
// outputs are worse than those without.
func atMost(high float64, unit string) string {
	if high = above(high, .001); high <= 0 {
		return ""
	}
	return fmt.Sprintf(" (difference at most %.1f %s)", 100*high, unit)
}

// noEvidenceSays is what was not found, and what would have been.
func noEvidenceSays(a *audit.Result) string {
	s := fmt.Sprintf("No attack is shown to guess %s from the %s better than %s explains", attributesOf(a, a.Verdict), auditedOutputs(a), shown(a).Explains())
	if x := couldHaveSeen(a); x != "" {
		s += fmt.Sprintf("; a leak of %s or more is found with probability %g if it is like those that this audit planted as a test", x, audit.PowerProbability)
	}
	return s + "."
}

// equalP prints a p-value behind "p ".
func equalP(p float64) string {
	if p < .0001 {
		return briefP(p)
	}
	return "= " + briefP(p)
}

// briefP prints a p-value for a sentence.
func briefP(p float64) string {
	switch {
	case p != p:
		return "–"
	case p < .0001:
		return "< 0.0001"
	case p < .01:
		return fmt.Sprintf("%.4f", p)
	}
	return fmt.Sprintf("%.3f", p)
}
