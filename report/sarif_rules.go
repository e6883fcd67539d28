package report

import "tattle/audit"

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
func rules() []sarifRule {
	return []sarifRule{
		newRule(ruleCurious, "CuriousOutputs", "error", "8.0",
			"The outputs tell a sensitive attribute beyond what the task explains, and more than honest training by the same recipe.",
			"Attacks that never saw an example tell its sensitive attribute from the outputs better than the task explains (TATTLE006), and by more than the margin better than from the outputs of classifiers that were trained honestly by the same recipe (Student's t over these classifiers).",
			"Release less (the audit's defences say what each keeps and leaves), or train the model again, and ask whoever trained it for its training code and data."),
		newRule(ruleLeaky, "LeakyByCorrelation", "warning", "4.0",
			"The outputs tell a sensitive attribute, and are not shown to tell more than the true and the predicted target together by more than the margins.",
			"Target and sensitive attribute depend on each other, or the excess is within the margin: whoever sees the outputs learns something of the attribute.",
			"Consider whether the task itself may be released for these people; a label alone may already tell too much."),
		newRule(ruleInconclusive, "Inconclusive", "warning", "3.0",
			"The audit can say neither that the outputs tell the attribute beyond the task nor that they do not.",
			"A control failed, the sample is too small to see an excess that matters, or the attribute cannot be audited in it.",
			"Follow the advice in the message: more examples, of every class, with the same outputs."),
		newRule(ruleThreshold, "ThresholdBroken", "error", "6.0",
			"A figure exceeds the threshold that was set.",
			"The one-sided confidence limit of a figure, or a verdict, is beyond what --fail-on allows.",
			"Lower what the outputs tell, or decide that the threshold is not the right one."),
		newRule(ruleControl, "ControlFailed", "warning", "3.0",
			"A control of the audit failed, so its verdict is inconclusive.",
			"The same audit found something in shuffled labels, or did not find a model that was trained to tell an attribute.",
			"Follow the advice in the message; until the control passes, nothing follows from this audit."),
		newRule(ruleBeyond, "LeakyBeyondTheTarget", "error", "8.0",
			"The outputs tell a sensitive attribute beyond what the task explains.",
			"Attacks that never saw an example tell its sensitive attribute from the outputs better than the target and the answered label do, by more than the margin and by permutation within the target's classes.",
			"Release less (the audit's defences say what each keeps and leaves), or train the model again. This finding says nothing about intent: honest training may tell as much (--reference measures how much)."),
	}
}

func newRule(id, name, level, severity, short, full, help string) sarifRule {
	return sarifRule{
		ID: id, Name: name, Short: sarifText{short}, Full: sarifText{full}, Help: sarifHelp{help, full + "\n\n" + help}, Default: sarifLevel{level},
		More: map[string]any{"tags": []string{"privacy", "security"}, "security-severity": severity, "precision": "high"},
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

func ruleIndex(id string) int {
	for i, r := range rules() {
		if r.ID == id {
			return i
		}
	}
	return -1
}

func ruleLevel(id string) string { return rules()[ruleIndex(id)].Default.Level }
