package report

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"tattle/curious"
)

// notSafety is what a reader of any curiosity must know.
const notSafety = "An attack that fails does not show that the outputs are safe: another attack may reveal more."

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

// kindsOfOutputs are the kinds of outputs in words.
var kindsOfOutputs = map[string]string{"raw": "raw outputs (logits)", "soft": "soft outputs (probabilities)", "vector": "vectors"}

func outputWords(outputs string) string {
	return cmp.Or(kindsOfOutputs[outputs], outputs+" outputs")
}

// and joins words with commas and an and.
func and(words []string) string {
	n := len(words)
	if n < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:n-1], ", ") + " and " + words[n-1]
}

// intervalWords put a share's interval in brackets.
func intervalWords(i Interval) string {
	return when(i.known(), fmt.Sprintf(" (95 %% interval %.2f to %.2f %%)", 100*i[0], 100*i[1]))
}

// guessers are what reads the outputs, by the kind of attack.
var guessers = map[string]string{curious.NetworkAttack: "a small network", curious.ThresholdAttack: "a threshold on their entropy", curious.DecoderAttack: "the mixture's decoder"}

// guesser says what reads the outputs.
func (l attackResult) guesser() string {
	if l.Attack == curious.ThresholdAttack && l.tau > 0 {
		return fmt.Sprintf("a threshold on their entropy (%s nats)", number(l.tau))
	}
	return cmp.Or(guessers[l.Attack], "an attack")
}

func (l attackResult) excessInterval() Interval { return Between(l.ExcessInterval) }

// A baselineRow is one of the baselines in words.
type baselineRow struct {
	Words string
	Value float64
}

func (l attackResult) baselines() []baselineRow {
	return []baselineRow{{"majority", l.Majority.Value}, {"from the true target", l.FromTarget.Value}, {"from the answered label", l.FromLabel.Value}}
}

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
		return append([]string{r.Curiosity.training()}, r.overSeeds()...)
	}
	if len(r.Runs) > 0 {
		said = append(said, r.runsSentence(), notSafety)
	}
	if x := r.Plane; x != nil {
		said = append(said, x.says())
		for _, m := range x.Mixtures {
			said = append(said, m.says())
		}
	}
	return readable(said)
}
