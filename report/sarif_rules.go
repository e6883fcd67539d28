package report

import (
	"slices"

	"tattle/audit"
)

// The rules of an audit. Their numbers never change their meaning.
const (
	ruleCurious      = "TATTLE001"
	ruleLeaky        = "TATTLE002"
	ruleInconclusive = "TATTLE003"
	ruleThreshold    = "TATTLE004"
	ruleControl      = "TATTLE005"
	ruleBeyond       = "TATTLE006"
)

// rules describes them, in the order of their numbers.
func rules() []object {
	return []object{
		newRule(ruleCurious, "CuriousOutputs", "error", "8.0",
			"The outputs reveal more of a sensitive attribute than the task explains, and more than those of honest training by the same recipe.",
			"Attacks on the outputs guess the sensitive attribute of examples that they were not fitted on better than the task explains (TATTLE006). They are also better, by more than the margin, than attacks on classifiers that were trained honestly by the same recipe (Student's t over these classifiers).",
			"Release less (the report lists defences, the honesty that each keeps and the excess that it leaves), or train the model again. Ask the people who trained it for the training code and data."),
		newRule(ruleLeaky, "LeakyByCorrelation", "warning", "4.0",
			"The outputs depend on a sensitive attribute, but are not shown to reveal more of it than the true and the predicted target together, by more than the margins.",
			"Target and sensitive attribute depend on each other, or the excess is within the margin. An adversary who has the outputs learns something about the attribute.",
			"Consider whether the answers to the task may be released for these people: the label alone may reveal too much."),
		newRule(ruleInconclusive, "Inconclusive", "warning", "3.0",
			"The audit cannot decide whether the outputs reveal more of the attribute than the task explains.",
			"A control failed, the sample is too small to find an excess that matters, or the attribute cannot be audited with it.",
			"Follow the advice in the message, for example more examples of every class."),
		newRule(ruleThreshold, "ThresholdBroken", "error", "6.0",
			"A figure exceeds the threshold that was set.",
			"The one-sided confidence limit of a figure, or a verdict, is beyond what --fail-on allows.",
			"Release less, or change the threshold if it is too strict."),
		newRule(ruleControl, "ControlFailed", "warning", "3.0",
			"A control of the audit failed, so its verdict is inconclusive.",
			"The same audit found something in shuffled labels, or did not find a model that was trained to reveal an attribute.",
			"Follow the advice in the message. The audit shows nothing until the control passes."),
		newRule(ruleBeyond, "LeakyBeyondTheTarget", "error", "8.0",
			"The outputs reveal more of a sensitive attribute than the task explains.",
			"Attacks on the outputs guess the sensitive attribute of examples that they were not fitted on better than is possible from the target and the answered label: by more than the margin, and by a permutation test within the target's classes.",
			"Release less (the report lists defences, the honesty that each keeps and the excess that it leaves), or train the model again. This finding says nothing about intent: honest training may reveal as much (--reference measures how much)."),
	}
}

func newRule(id, name, level, severity, short, full, help string) object {
	return object{
		"id": id, "name": name, "shortDescription": text(short), "fullDescription": text(full), "helpUri": sarifInformation,
		"help":                 object{"text": help, "markdown": full + "\n\n" + help},
		"defaultConfiguration": object{"level": level},
		"properties":           object{"tags": []string{"privacy", "security"}, "security-severity": severity, "precision": "high"},
	}
}

// ruleOf is the rule that a verdict falls under, empty for none.
func ruleOf(v audit.Verdict) string {
	switch v {
	case audit.Curious:
		return ruleCurious
	case audit.LeakyBeyond:
		return ruleBeyond
	case audit.Leaky:
		return ruleLeaky
	case audit.NoEvidence:
		return ""
	}
	return ruleInconclusive
}

// ruleIndex is the place of a rule among rules.
func ruleIndex(id string) int {
	return slices.IndexFunc(rules(), func(r object) bool { return r["id"] == id })
}

// ruleLevel is the level of the rule's results.
func ruleLevel(id string) any {
	return rules()[ruleIndex(id)]["defaultConfiguration"].(object)["level"]
}
