package report

import (
	"fmt"
	"io"

	"tattle/audit"
)

// A Requirement is one of a catalogue that an audit gives evidence for, and what of
// it the audit does not touch.
type Requirement struct {
	ID     string   `json:"id"`
	Source string   `json:"source"` // where it stands
	Asks   string   `json:"asks"`   // in our words
	Gives  []string `json:"gives"`
	Lacks  []string `json:"lacks"`
}

// Requirements are those that an audit of outputs bears on, with what this one gives
// for each. No audit meets a requirement by itself.
func Requirements(a *audit.Result) []Requirement {
	return []Requirement{attributesNotReturned(a), outputsNotExposed(a), privacyExamined(a), confidentialityAttacks(a)}
}

func attributesNotReturned(a *audit.Result) Requirement {
	return Requirement{
		ID: "OWASP AISVS 11.2.1", Source: "OWASP Artificial Intelligence Security Verification Standard 1.0, C11.2, level 1",
		Asks: "Sensitive attributes that a model infers are not directly returned in its outputs.",
		Gives: []string{
			verdictWords(a),
			"A test of the outputs themselves for " + attributeNames(a) + ": attacks fitted and judged on different examples, limits of the excess, and how large an excess would have been seen.",
			controlsWords(a),
		},
		Lacks: []string{
			"Attributes that the sample does not label.",
			"Channels beside these outputs: explanations, embeddings, logs, error messages, timing.",
			"Reconstruction of inputs or of training data.",
		},
	}
}

func outputsNotExposed(a *audit.Result) Requirement {
	gives := []string{fmt.Sprintf("What the %s tell beyond the task, measured on %s.", outputWords(string(a.Outputs)), Count(a.Examples, "example"))}
	n := 0
	for _, d := range a.Defences {
		if d.Name != audit.NoDefence {
			n++
		}
	}
	if n > 0 {
		gives = append(gives, fmt.Sprintf("%s of releasing less, tried on the spot: the honesty each keeps and what attacks fitted to it still tell.", Count(n, "way")))
	}
	if a.Recommendation != "" && a.Verdict != audit.NoEvidence {
		gives = append(gives, a.Recommendation)
	}
	return Requirement{
		ID: "OWASP AISVS 11.3.2", Source: "OWASP Artificial Intelligence Security Verification Standard 1.0, C11.3, level 2",
		Asks:  "Raw model outputs are not exposed beyond the application's backend, and what is visible outside is calibrated to the risk of extraction.",
		Gives: gives,
		Lacks: []string{
			"Whether the application exposes these outputs at all: that is a matter of its interfaces, which were not looked at.",
			"The risk that the model is cloned from its answers; only what they tell of the attributes was measured.",
		},
	}
}

func privacyExamined(a *audit.Result) Requirement {
	return Requirement{
		ID: "NIST AI RMF MEASURE 2.10", Source: "NIST AI 100-1, Artificial Intelligence Risk Management Framework 1.0, Table 3",
		Asks: "The privacy risk of the AI system, as identified in the MAP function, is examined and documented.",
		Gives: []string{
			"A documented examination of one privacy risk, the inference of " + attributeNames(a) + " from released outputs, that can be repeated: settings, seed and hashes are recorded.",
			"Verdict: " + string(a.Verdict) + ", with its power and its controls.",
		},
		Lacks: []string{
			"The MAP function: which privacy risks matter, for whom, and what is tolerable.",
			"Other privacy risks, as membership in the training data, memorised records, and what happens to inputs.",
		},
	}
}

func confidentialityAttacks(a *audit.Result) Requirement {
	return Requirement{
		ID: "EU AI Act Article 15(5)", Source: "Regulation (EU) 2024/1689, Article 15, paragraph 5 (high-risk AI systems)",
		Asks: "High-risk AI systems are resilient against attempts by third parties to exploit their vulnerabilities; where appropriate there are measures against data and model poisoning, adversarial examples, confidentiality attacks and model flaws.",
		Gives: []string{
			fmt.Sprintf("A simulated confidentiality attack on what is released, by %s, with the verdict %q.", attackNames(a), string(a.Verdict)),
			"A model flaw looked for that accuracy does not show: outputs that tell more than the task needs.",
		},
		Lacks: []string{
			"Poisoning, adversarial examples, and unauthorised access.",
			"Whether a system is high-risk, whether measures are appropriate, and any conformity assessment: those are for people to judge.",
		},
	}
}

// attributeNames names all that was looked for.
func attributeNames(a *audit.Result) string {
	b := *a
	b.Findings = nil
	for _, f := range a.Findings {
		f.Verdict = a.Verdict
		b.Findings = append(b.Findings, f)
	}
	return attributesOf(&b, a.Verdict)
}

func attackNames(a *audit.Result) string {
	if len(a.Settings.Attacks) == 0 {
		return "several families of attacks"
	}
	return and(append([]string(nil), a.Settings.Attacks...))
}

// WriteMapping writes what an audit gives as evidence for the requirements that it
// bears on, and what it does not give. It errs where the report has no audit.
func (r *Report) WriteMapping(w io.Writer) error {
	if r.Audit == nil {
		return errNoAudit
	}
	var d document
	d.add(heading{1, "What this audit is evidence for"})
	d.say("No audit meets a requirement by itself. The requirements are in our words: read them where they stand.")
	for _, q := range Requirements(r.Audit) {
		d.section(q.ID)
		d.say(q.Source + ".")
		d.say("It asks: " + q.Asks)
		d.say("This audit gives:")
		d.list(readable(q.Gives))
		d.say("It does not give:")
		d.list(readable(q.Lacks))
	}
	return d.writeMarkdown(w)
}
