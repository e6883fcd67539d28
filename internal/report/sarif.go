package report

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"tattle/internal/file"
)

const (
	// sarifSchema names the layout that WriteSARIF keeps to.
	sarifSchema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
	// sarifInformation is the paper that says what an audit looks for and why.
	sarifInformation = "https://arxiv.org/abs/2105.12049"
)

// An object is an object of a SARIF log, whose fields the standard names.
type object map[string]any

// message is a message of a SARIF log, in which nothing is read as a link or a placeholder.
func message(s string) object { return object{"text": sarifMarks.Replace(printable(s))} }

var sarifMarks = strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`, "{", "{{", "}", "}}")

// WriteSARIF writes the findings that break a rule as a SARIF 2.1.0 log. The others are notifications, since many
// readers show every result as an alert.
func (r *Report) WriteSARIF(w io.Writer) error {
	results, notes, rules := []object{}, []object{}, []object{}
	for _, f := range r.Findings {
		switch wording := WordingOf(f.Code); {
		case wording.Rule != "":
			results = append(results, r.sarifResult(f, wording.Rule))
		case wording.Part == Limit:
			notes = append(notes, object{"level": "warning", "message": message(r.Say(f))})
		case wording.Part != Advice:
			notes = append(notes, object{"level": "note", "message": message(r.Say(f))})
		}
	}
	for _, x := range sarifRules {
		rules = append(rules, object{
			"id": x.id, "name": x.name, "shortDescription": object{"text": x.short}, "fullDescription": object{"text": x.full}, "helpUri": sarifInformation,
			"help":                 object{"text": x.help, "markdown": x.full + "\n\n" + x.help},
			"defaultConfiguration": object{"level": x.level},
			"properties":           object{"tags": []string{"privacy", "security"}, "security-severity": x.severity, "precision": "high"},
		})
	}
	run := object{
		"tool": object{"driver": object{
			"name": "tattle", "version": r.Version, "semanticVersion": strings.TrimPrefix(r.Version, "v"), "informationUri": sarifInformation,
			"shortDescription": object{"text": "Audits of what a classifier's outputs reveal of sensitive attributes."}, "rules": rules,
		}},
		"automationDetails": object{"id": "tattle-audit/" + url.PathEscape(printable(r.Target)) + "/"},
		"invocations":       []object{{"executionSuccessful": true, "toolExecutionNotifications": notes}},
		"artifacts":         r.sarifArtifacts(),
		"results":           results,
		"properties":        object{"verdict": r.Verdict(), "examples": r.Data.Examples, "seed": r.Seed},
	}
	return WriteIndented(w, object{"$schema": sarifSchema, "version": "2.1.0", "runs": []object{run}})
}

// sarifResult is a finding about something that has a name. Its fingerprints stay the same as long as rule, target
// and name do. All results stand at the first line of one file, so readers that reckon fingerprints from lines must
// be given them.
func (r *Report) sarifResult(f Finding, rule string) object {
	index := slices.IndexFunc(sarifRules, func(x sarifRule) bool { return x.id == rule })
	kind := sarifRules[index].kind
	name := f.Subject
	if name == "" && len(f.Args) > 0 {
		name = f.Args[0]
	}
	sum := sha256.Sum256([]byte(rule + "\x00" + r.Target + "\x00" + kind + "\x00" + name))
	suppressions := []object{} // the standard wants them of every result or of none
	for _, a := range r.Findings {
		if a.Code == Accepted && a.Subject == f.Subject {
			suppressions = append(suppressions, object{"kind": "external", "status": "accepted", "justification": printable(strings.Join(a.Args, " "))})
		}
	}
	properties := object{}
	for _, c := range r.Claims {
		if c.Subject == f.Subject && f.Subject != "" && c.Group == "" {
			properties[c.ID] = c.Value
		}
	}
	return object{
		"ruleId": rule, "ruleIndex": index, "level": sarifRules[index].level, "message": message(r.Say(f)),
		"partialFingerprints": object{"tattleFinding/v1": hex.EncodeToString(sum[:16]), "primaryLocationLineHash": hex.EncodeToString(sum[:8]) + ":1"},
		"locations": []object{{
			"physicalLocation": object{"artifactLocation": object{"uri": r.sarifSubject()}, "region": object{"startLine": 1}},
			"logicalLocations": []object{{"name": file.Name(name), "kind": kind}},
		}},
		"suppressions": suppressions,
		"properties":   properties,
	}
}

// sarifSubject is the file that results are about: the model, or else the data. Pages that show alerts refuse a
// result without a file.
func (r *Report) sarifSubject() string {
	for _, path := range []string{r.Model.Path, r.Data.Path, r.Data.Name} {
		if path != "" {
			return relativeURI(path)
		}
	}
	return "outputs"
}

// relativeURI is a path as a reference; of an absolute one its last part alone.
func relativeURI(path string) string {
	if filepath.IsAbs(path) || strings.Contains(path, "://") {
		path = filepath.Base(path)
	}
	return (&url.URL{Path: strings.ToValidUTF8(filepath.ToSlash(path), "\uFFFD")}).String()
}

func (r *Report) sarifArtifacts() []object {
	out := []object{}
	for _, x := range []Model{r.Model, {r.Data.Path, r.Data.SHA256}} {
		if x.Path == "" || len(out) > 0 && x.Path == r.Model.Path {
			continue
		}
		a := object{"location": object{"uri": relativeURI(x.Path)}, "roles": []string{"analysisTarget"}}
		if x.SHA256 != "" {
			a["hashes"] = object{"sha-256": x.SHA256}
		}
		out = append(out, a)
	}
	return out
}

// The rules of an audit. Their numbers never change their meaning.
const (
	RuleCurious      = "TATTLE001"
	RuleLeaky        = "TATTLE002"
	RuleInconclusive = "TATTLE003"
	RuleThreshold    = "TATTLE004"
	RuleControl      = "TATTLE005"
	RuleBeyond       = "TATTLE006"
)

// A sarifRule describes a rule; kind is what its findings are about.
type sarifRule struct{ id, kind, name, level, severity, short, full, help string }

// sarifRules describes them, in the order of their numbers.
var sarifRules = []sarifRule{
	{RuleCurious, "attribute", "CuriousOutputs", "error", "8.0",
		"The outputs reveal more of a sensitive attribute than the task explains, and more than those of honest training by the same recipe.",
		"Attacks on the outputs guess the sensitive attribute of examples that they were not fitted on better than the task explains (TATTLE006). They are also better, by more than the margin, than attacks on classifiers that were trained honestly by the same recipe (Student's t over these classifiers).",
		"Release less (the report lists defences, the honesty that each keeps and the excess that it leaves), or train the model again. Ask the people who trained it for the training code and data."},
	{RuleLeaky, "attribute", "LeakyByCorrelation", "warning", "4.0",
		"The outputs depend on a sensitive attribute, but are not shown to reveal more of it than the true and the predicted target together, by more than the margins.",
		"Target and sensitive attribute depend on each other, or the excess is within the margin. An adversary who has the outputs learns something about the attribute.",
		"Consider whether the answers to the task may be released for these people: the label alone may reveal too much."},
	{RuleInconclusive, "attribute", "Inconclusive", "warning", "3.0",
		"The audit cannot decide whether the outputs reveal more of the attribute than the task explains.",
		"A control failed, the sample is too small to find an excess that matters, or the attribute cannot be audited with it.",
		"Follow the advice in the message, for example more examples of every class."},
	{RuleThreshold, "threshold", "ThresholdBroken", "error", "6.0",
		"A figure exceeds the threshold that was set.",
		"The one-sided confidence limit of a figure, or a verdict, is beyond what --fail-on allows.",
		"Release less, or change the threshold if it is too strict."},
	{RuleControl, "control", "ControlFailed", "warning", "3.0",
		"A control of the audit failed, so its verdict is inconclusive.",
		"The same audit found something in shuffled labels, or did not find a model that was trained to reveal an attribute.",
		"Follow the advice in the message. The audit shows nothing until the control passes."},
	{RuleBeyond, "attribute", "LeakyBeyondTheTarget", "error", "8.0",
		"The outputs reveal more of a sensitive attribute than the task explains.",
		"Attacks on the outputs guess the sensitive attribute of examples that they were not fitted on better than is possible from the target and the answered label: by more than the margin, and by a permutation test within the target's classes.",
		"Release less (the report lists defences, the honesty that each keeps and the excess that it leaves), or train the model again. This finding says nothing about intent: honest training may reveal as much (--reference or --reference-scores measures how much)."},
}
