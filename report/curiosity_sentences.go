package report

import (
	"fmt"
	"math"
	"strings"

	"tattle/audit"
	"tattle/classify"
	"tattle/curious"
)

// notSafety is what a reader of any curiosity must know.
const notSafety = "An attack that fails does not show that the outputs are safe: another attack may reveal more."

// sentences say what a curious run showed, each figure with what it is compared
// with.
func (c *Curiosity) sentences() []string {
	said := []string{c.training(), c.honest()}
	for _, l := range c.results() {
		said = append(said, l.demonstrated(string(c.Outputs)), l.compared())
	}
	return append(said, notSafety, c.entropy())
}

// training says how the classifier came to be curious, or that it is not meant
// to be.
func (c *Curiosity) training() string {
	about := fmt.Sprintf("The classifier answers %s and releases its %s.", c.Target, outputWords(string(c.Outputs)))
	var s []string
	for _, l := range c.Sensitive {
		s = append(s, l.Attribute)
	}
	of := and(s)
	switch c.Attack {
	case "standard", "overlearning":
		return about + fmt.Sprintf(" It was trained for this task only. The attack that reads %s from the outputs was fitted afterwards.", of)
	case "mixture":
		return about + fmt.Sprintf(" These are mixed from two classifiers, one of %s and one of %s, %s.", c.Target, of, betaWords(c.Beta))
	case "regularized", "parameterized":
		return about + fmt.Sprintf(" It was trained to reveal %s as well, by the %s attack with %s.", of, c.Attack, betaWords(c.Beta))
	case "student":
		return about + " It is a student: it was trained on the outputs of its teacher only, and the attack here is the teacher's. The runs also list the teacher, and an attack fitted to the student."
	}
	return about
}

func outputWords(outputs string) string {
	switch outputs {
	case "raw":
		return "raw outputs (logits)"
	case "soft":
		return "soft outputs (probabilities)"
	}
	if outputs == "vector" {
		return "vectors"
	}
	return outputs + " outputs"
}

// and joins words with commas and an and.
func and(words []string) string {
	n := len(words)
	if n < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:n-1], ", ") + " and " + words[n-1]
}

func (c *Curiosity) honest() string {
	return fmt.Sprintf("Honesty: of %s, it answers %s correctly for %s%s.", Count(c.Examples, "test example"), c.Target, percent(c.Honesty.Value), intervalWords(Between(c.Honesty.Interval)))
}

// intervalWords put a share's interval in brackets.
func intervalWords(i Interval) string {
	if !i.known() {
		return ""
	}
	return fmt.Sprintf(" (95 %% interval %.2f to %.2f %%)", 100*i[0], 100*i[1])
}

// demonstrated says what the attack that ran has reached.
func (l attackResult) demonstrated(outputs string) string {
	return fmt.Sprintf("Demonstrated: %s guesses %s from the %s outputs alone and is right for %s%s. This is the curiosity.", l.guesser(), l.Attribute, outputs, percent(l.Curiosity.Curiosity.Value), intervalWords(Between(l.Curiosity.Curiosity.Interval)))
}

// guesser says what reads the outputs.
func (l attackResult) guesser() string {
	switch l.Attack {
	case curious.NetworkAttack:
		return "a small network"
	case curious.ThresholdAttack:
		if l.tau > 0 {
			return fmt.Sprintf("a threshold on their entropy (%s nats)", number(l.tau))
		}
		return "a threshold on their entropy"
	case curious.DecoderAttack:
		return "the mixture's decoder"
	}
	return "an attack"
}

// compared sets curiosity against the best that needs no attack on the outputs.
func (l attackResult) compared() string {
	s := fmt.Sprintf("Compared with: %s is right for %s, the best of three guesses that use no outputs but the label%s.", l.baselineWords(), percent(l.BaselineValue), l.otherBaselines())
	s += fmt.Sprintf(" The excess is %s", inPoints(Number(l.Excess)))
	if i := l.excessInterval(); i.known() {
		s += fmt.Sprintf(" (95 %% interval %s to %s)", signed(i[0]), signed(i[1]))
	}
	s += fmt.Sprintf(", %s (%s", pValue(l.PValueHolm), classify.ComparisonTest)
	if l.attacks > 1 {
		s += fmt.Sprintf(", Holm's correction for %d attributes", l.attacks)
	}
	return s + "). " + l.verdict()
}

func (l attackResult) excessInterval() Interval { return Between(l.ExcessInterval) }

// otherBaselines name the guesses that are not the best.
func (l attackResult) otherBaselines() string {
	var others []string
	for _, b := range l.baselines() {
		if b.Kind != l.Baseline && b.Value > 0 {
			others = append(others, b.Brief+" "+percent(b.Value))
		}
	}
	if len(others) == 0 {
		return ""
	}
	return " (" + strings.Join(others, ", ") + ")"
}

// A baselineRow is one of the baselines in words.
type baselineRow struct {
	Kind, Brief, Words string
	Value              float64
}

func (l attackResult) baselines() []baselineRow {
	return []baselineRow{
		{audit.Majority, "majority", "always guessing the most frequent class of " + l.Attribute, l.Majority.Value},
		{audit.FromTarget, "from the true target", "guessing the likeliest " + l.Attribute + " from the true target", l.FromTarget.Value},
		{audit.FromLabel, "from the answered label", "guessing the likeliest " + l.Attribute + " from the label answered", l.FromLabel.Value},
	}
}

func (l attackResult) baselineWords() string {
	for _, b := range l.baselines() {
		if b.Kind == l.Baseline {
			return b.Words
		}
	}
	return "the baseline"
}

// verdict says what the excess shows.
func (l attackResult) verdict() string {
	switch i := l.excessInterval(); {
	case i.known() && i[0] > 0 && !l.Shown():
		return fmt.Sprintf("The interval is above zero, but p is not below %g: this attack shows no excess on %s, which does not mean that there is none.", classify.Level, l.Attribute)
	case l.Shown():
		return fmt.Sprintf("The outputs reveal more of %s than the answer alone does.", l.Attribute)
	case i.known() && i[1] < 0:
		return fmt.Sprintf("This attack on %s is below the baseline: inconclusive.", l.Attribute)
	case i.known():
		return fmt.Sprintf("The interval contains zero: this attack shows no excess on %s, which does not mean that there is none.", l.Attribute)
	case l.Excess > 0:
		return "No confidence interval is known."
	}
	return fmt.Sprintf("This attack shows no excess on %s, which does not mean that there is none.", l.Attribute)
}

// entropy says how sure the outputs are, and how little that proves.
func (c *Curiosity) entropy() string {
	if len(c.Classes) < 2 {
		return symptom
	}
	return fmt.Sprintf("The outputs' entropy is %s of at most %s bits, the mean over %s. %s", number(c.Entropy.MeanBits), number(math.Log2(float64(len(c.Classes)))), Count(c.Examples, "test example"), symptom)
}

// inPoints prints a difference of shares: "41.20 points".
func inPoints(n Number) string {
	if math.IsNaN(float64(n)) {
		return "not known"
	}
	return signed(n) + " points"
}

// signed prints a difference of shares in points.
func signed(n Number) string {
	if math.IsNaN(float64(n)) {
		return "–"
	}
	return minus(fmt.Sprintf("%+.2f", 100*float64(n)))
}

// minus prints the sign that is as wide as a plus.
func minus(s string) string { return strings.Replace(s, "-", "−", 1) }

// pValue prints a p-value.
func pValue(p float64) string {
	if math.IsNaN(p) {
		return "p not known"
	}
	return "p " + equalP(p)
}

// aboutCuriosity reports whether the report is about honest-but-curious classifiers, and not
// about a release of features.
func (r *Report) aboutCuriosity() bool {
	return r.Audit != nil || r.Curiosity != nil || r.Plane != nil || len(r.Runs)+len(r.Tables)+len(r.ROC)+len(r.Entropy)+len(r.Pruning) > 0
}

// curious are the sentences on curiosity: of the headline run, or of the tables.
func (r *Report) curious() []string {
	var said []string
	if r.Curiosity != nil {
		said = r.Curiosity.sentences()
	}
	for _, t := range r.Tables {
		said = append(said, t.sentence())
	}
	if r.Curiosity == nil && len(r.Runs) > 0 {
		said = append(said, r.runsSentence(), notSafety)
	}
	if r.Curiosity != nil {
		said = append(said, r.overSeeds()...)
	}
	if x := r.Plane; x != nil && r.Curiosity == nil {
		if s := x.says(); s != "" {
			said = append(said, s)
		}
		for _, m := range x.Mixtures {
			said = append(said, m.says())
		}
	}
	return said
}
