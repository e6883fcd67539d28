package report

import (
	"fmt"
	"strings"

	"tattle/audit"
	"tattle/internal/file"
)

// auditLead is the verdict on audited outputs: the finding, its size and its uncertainty.
func (r *Report) auditLead() verdictBlock {
	a := r.Audit
	v := verdictBlock{Tone: auditTone(a), Badge: auditBadge(a)}
	said := []string{}
	worst := strongest(a)
	switch {
	case a.Verdict == audit.Inconclusive:
		said = append(said, "This audit shows neither that the outputs reveal an attribute beyond the task nor that they do not.")
		if len(a.Reasons) > 0 {
			said = append(said, a.Reasons[0])
		}
	case a.Verdict == audit.NoEvidence:
		said = append(said, noEvidenceSays(a))
	case worst != nil:
		said = append(said, findingSays(a, worst))
	}
	if grouped := regrouped(a); len(grouped) > 0 && !a.Verdict.ExceedsTarget() {
		v.Tone, v.Badge = Warn, "Depends on the grouping"
		said = append(said, grouped...)
	}
	if v.Says = strings.Join(readable(said), " "); v.Says == "" {
		v.Says = fmt.Sprintf("The %s reveal something about %s.", outputWords(string(a.Outputs)), attributesOf(a, a.Verdict))
	}
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
		return tile{"Ranked right, " + name, percent1(f.Given.Order.Area), "of pairs", strings.TrimSpace(strings.TrimPrefix(shown(a).Equal()+"; ", "; ") + "chance: 50 %")}
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
	return tile{"Excess, " + name, signed1(f.Excess.Value), unit, fmt.Sprintf("over the best guess without outputs; %s limits %s and %s; margin %s", confidenceWords(a), signed1(below1(f.Excess.Low)), signed1(above(f.Excess.High, .001)), points1(a.Settings.Margin))}
}

// auditTone is the colour of the verdict. Leaky by correlation asks for attention only where
// guesses are shown to be right more often than without the outputs.
func auditTone(a *audit.Result) Tone {
	switch a.Verdict {
	case audit.Curious, audit.LeakyBeyond:
		return Bad
	case audit.Leaky:
		for i := range a.Findings {
			if findingTone(&a.Findings[i]) == Warn {
				return Warn
			}
		}
		return Calm
	case audit.NoEvidence:
		return Good
	}
	return Calm
}

// findingTone is the colour of an attribute's verdict.
func findingTone(f *audit.Finding) Tone {
	switch f.Verdict {
	case audit.Curious, audit.LeakyBeyond:
		return Bad
	case audit.Leaky:
		if f.Excess.Low > 0 {
			return Warn
		}
	case audit.NoEvidence:
		return Good
	}
	return Calm
}

func auditBadge(a *audit.Result) string {
	switch a.Verdict {
	case audit.Curious, audit.LeakyBeyond:
		return "Reveals " + attributesOf(a, a.Verdict)
	case audit.Leaky:
		return "Correlated with " + attributesOf(a, a.Verdict)
	case audit.NoEvidence:
		return "Nothing found"
	}
	return "Inconclusive"
}

// findingAbout names the attributes of the other verdicts.
func findingAbout(a *audit.Result) string {
	if len(a.Findings) < 2 {
		return attributesOf(a, a.Verdict)
	}
	return fmt.Sprintf("%s; %s audited", attributesOf(a, a.Verdict), Count(len(a.Findings), "attribute"))
}

// findingSays is what was found about an attribute, its size and its uncertainty. It states the
// strongest evidence that is above its margin.
func findingSays(a *audit.Result, f *audit.Finding) string {
	name, outputs, kind := file.Name(f.Attribute), outputWords(string(a.Outputs)), evidenceOf(f)
	b := f.BestBaseline()
	if b == nil || !f.Numeric && (f.Curiosity == nil || b.Accuracy == nil) || f.Numeric && (f.R2 == nil || b.R2 == nil) {
		return ""
	}
	both := shown(a).Known()
	verb := "explains"
	if strings.Contains(both, " and ") || a.Target == "" {
		verb = "explain"
	}
	doNot := map[string]string{"explain": "do not explain", "explains": "does not explain"}[verb]
	s := ""
	switch g := f.Given; {
	case f.Verdict == audit.Leaky && f.Excess.Low > 0:
		s = fmt.Sprintf("%s is guessed right for %s from the %s and for %s without them; this is not shown to be more than %s %s, beyond the margins.", capital(name), figure1(f.Curiosity, f.R2), outputs, figure1(b.Accuracy, b.R2), both, verb)
	case f.Verdict == audit.Leaky:
		s = fmt.Sprintf("The %s depend on %s, but no guess is shown to be right more often with them than without (difference at most %s).", outputs, name, points1(above(f.Excess.High, .001)))
	case kind == byExcess && f.Numeric:
		s = fmt.Sprintf("The %s explain %s of the variance of %s; %s %s %s. The difference is %s (at least %s with %s confidence).", outputs, percent1(*f.R2), name, both, verb, percent1(*b.R2), points1(f.Excess.Value), points1(below1(f.Excess.Low)), confidenceWords(a))
	case kind == byExcess:
		s = fmt.Sprintf("From the %s alone, %s is guessed right for %s of examples; without them, for %s. The difference is %s (at least %s with %s confidence). %s %s it.", outputs, name, percent1(f.Curiosity.Value), percent1(b.Accuracy.Value), points1(f.Excess.Value), points1(below1(f.Excess.Low)), confidenceWords(a), capital(both), doNot)
	case kind == byGain:
		unit := "bits per example"
		if f.Numeric {
			unit = "of the remaining variance"
		}
		s = fmt.Sprintf("The %s reveal %.3g %s about %s (at least %.3g with %s confidence) that %s %s. The most likely guess is not shown to be right more often (difference %s).", outputs, g.Gain, unit, name, g.Low, confidenceWords(a), both, doNot, points1(f.Excess.Value))
	case kind == byOrder:
		t := g.Order
		s = fmt.Sprintf("Of two examples%s, the %s rank the one with %s higher in %s of cases (chance: 50 %%). The most likely guess is not shown to be right more often (difference %s).", shown(a).Equal(), outputs, valueOf(name, file.Name(t.Class)), percent1(t.Area), points1(f.Excess.Value))
	}
	if f.Verdict == audit.Curious && f.Reference != nil {
		s += fmt.Sprintf(" %s of the same recipe%s reveal less, by %s on average.", Count(len(f.Reference.Figures), "honestly trained network"), stated(a), points1(f.Reference.Difference))
	}
	return s
}

// noEvidenceSays is what was not found, and what would have been.
func noEvidenceSays(a *audit.Result) string {
	s := fmt.Sprintf("No attack is shown to guess %s from the %s better than %s explains.", attributesOf(a, a.Verdict), outputWords(string(a.Outputs)), shown(a).Explains())
	if x := couldHaveSeen(a); x != "" {
		s += fmt.Sprintf(" A leak of %s or more is found with probability %g if it is like those that this audit planted as a test. Other leaks can be larger and stay hidden.", x, audit.PowerProbability)
	}
	return s
}

// points1 prints a difference of shares: "3.4 points".
func points1(x float64) string { return minus(fmt.Sprintf("%.1f", nearZero(100*x))) + " points" }

// signed1 is points1 with a sign and without the word.
func signed1(x float64) string {
	if x = nearZero(100 * x); x == 0 {
		return "0.0"
	}
	return minus(fmt.Sprintf("%+.1f", x))
}

// nearZero is 0 for what would be printed as -0.0.
func nearZero(x float64) float64 {
	if x > -.05 && x < .05 {
		return 0
	}
	return x
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
