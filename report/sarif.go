package report

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"tattle/audit"
	"tattle/internal/file"
)

// sarifSchema names the layout that WriteSARIF keeps to.
const sarifSchema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

// sarifInformation is the paper that says what the audit looks for and why.
const sarifInformation = "https://arxiv.org/abs/2105.12049"

// An object is an object of a SARIF log, whose fields the standard names.
type object map[string]any

// text is a message of a SARIF log.
func text(s string) object { return object{"text": s} }

// WriteSARIF writes an audit as a SARIF 2.1.0 log: a result for each attribute whose
// verdict is not NoEvidence, for each control that failed and for each broken
// threshold. Attributes without evidence are notifications, since many readers show
// every result as an alert. It returns an error if the report has no audit.
func (r *Report) WriteSARIF(w io.Writer) error {
	if r.Audit == nil {
		return errNoAudit
	}
	results := []object{}
	for i := range r.Audit.Findings {
		if f := &r.Audit.Findings[i]; f.Verdict != audit.NoEvidence {
			results = append(results, r.sarifFinding(f))
		}
	}
	for _, c := range r.Audit.Controls {
		if !c.Passed {
			results = append(results, r.sarifResult(ruleControl, controlNote(c), c.Name, "control"))
		}
	}
	results = append(results, r.sarifThresholds()...)
	run := object{
		"tool": object{"driver": object{
			"name": "tattle", "version": ProgramVersion(), "semanticVersion": strings.TrimPrefix(ProgramVersion(), "v"), "informationUri": sarifInformation,
			"shortDescription": text("Audits of what a classifier's outputs reveal of sensitive attributes."), "rules": rules(),
		}},
		"automationDetails": object{"id": "tattle-audit/" + url.PathEscape(printable(r.Audit.Target)) + "/"},
		"invocations":       []object{{"executionSuccessful": true, "toolExecutionNotifications": r.sarifNotes()}},
		"artifacts":         r.sarifArtifacts(),
		"results":           results,
		"properties":        object{"verdict": r.Audit.Verdict, "examples": r.Audit.Examples, "seed": r.Audit.Settings.Seed, "sampleSha256": r.Audit.SHA256},
	}
	return writeIndented(w, object{"$schema": sarifSchema, "version": "2.1.0", "runs": []object{run}})
}

// sarifThresholds returns a result for each broken threshold, and for each one that is accepted.
func (r *Report) sarifThresholds() []object {
	var list []object
	add := func(b audit.Breach, accepted []audit.Acceptance) {
		if b.Attribute == "" || b.Verdict == "" { // the verdict on an attribute is a result of its own
			x := r.sarifResult(ruleThreshold, b.String(), b.Name(), "threshold")
			x["suppressions"] = suppressions(accepted)
			list = append(list, x)
		}
	}
	for _, b := range r.Breaches {
		add(b, nil)
	}
	if r.FailOn == nil {
		return list
	}
	for _, b := range r.FailOn.Breaches(r.Audit) {
		if accepted := r.Accepted.Breach(r.Audit, b); accepted != nil {
			add(b, accepted)
		}
	}
	return list
}

func (r *Report) sarifFinding(f *audit.Finding) object {
	x := r.sarifResult(ruleOf(f.Verdict), findingWords(r.Audit, f), f.Attribute, "attribute")
	properties := object{"attribute": printable(f.Attribute), "verdict": f.Verdict, "adjustedP": f.Adjusted}
	if shownBy(f) != "–" {
		properties["evidence"] = evidenceWords(f)
	}
	if f.BestBaseline() != nil {
		properties["excess"], properties["excessLow"], properties["excessHigh"] = f.Excess.Value, f.Excess.Low, f.Excess.High
	}
	x["properties"] = properties
	x["suppressions"] = suppressions(r.Accepted.Verdict(f, r.Audit.Settings.Confidence))
	return x
}

// suppressions returns who accepts a finding, and why.
func suppressions(all []audit.Acceptance) []object {
	list := []object{}
	for _, x := range all {
		list = append(list, object{"kind": "external", "status": "accepted", "justification": printable(acceptanceWords(x))})
	}
	return list
}

// acceptanceWords says what is accepted, by whom, until when and why.
func acceptanceWords(x audit.Acceptance) string {
	return fmt.Sprintf("%s accepts %s up to %g until %s: %s", x.Owner, x.Figure, x.Limit, x.Expiry, x.Reason)
}

// sarifResult is a finding about something that has a name; its fingerprints stay
// the same as long as rule, target and name do. All results stand at the first line
// of one file, so readers that reckon fingerprints from lines must be given them.
func (r *Report) sarifResult(rule, words, name, kind string) object {
	index := slices.IndexFunc(sarifRules, func(r sarifRule) bool { return r.id == rule })
	sum := sha256.Sum256([]byte(rule + "\x00" + r.Audit.Target + "\x00" + kind + "\x00" + name))
	return object{
		"ruleId": rule, "ruleIndex": index, "level": sarifRules[index].level, "message": sarifWords(words),
		"partialFingerprints": object{"tattleFinding/v1": hex.EncodeToString(sum[:16]), "primaryLocationLineHash": hex.EncodeToString(sum[:8]) + ":1"},
		"locations": []object{{
			"physicalLocation": object{"artifactLocation": object{"uri": r.sarifSubject()}, "region": object{"startLine": 1}},
			"logicalLocations": []object{{"name": file.Name(name), "kind": kind}},
		}},
		"suppressions": []object{}, // the standard wants them of every result or of none
	}
}

// sarifWords escapes what SARIF reads as links and placeholders in a message.
func sarifWords(s string) object { return text(sarifMarks.Replace(printable(s))) }

var sarifMarks = strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`, "{", "{{", "}", "}}")

// sarifSubject is the file that results are about: the model, or else the data.
// Pages that show alerts refuse a result without a file.
func (r *Report) sarifSubject() string {
	for _, path := range []string{r.Model.Path, r.Data.Path, r.Audit.Sample} {
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
	add := func(path, sum string) {
		if path == "" {
			return
		}
		x := object{"location": object{"uri": relativeURI(path)}, "roles": []string{"analysisTarget"}}
		if sum != "" {
			x["hashes"] = object{"sha-256": sum}
		}
		out = append(out, x)
	}
	add(r.Model.Path, r.Model.SHA256)
	if r.Data.Path != r.Model.Path {
		add(r.Data.Path, r.Data.SHA256)
	}
	return out
}

// sarifNotes say the verdict, and of each attribute without evidence what could have
// been seen.
func (r *Report) sarifNotes() []object {
	var notes []object
	add := func(level, words string) {
		notes = append(notes, object{"level": level, "message": sarifWords(words)})
	}
	add("note", r.verdictWords())
	for i := range r.Audit.Findings {
		f := &r.Audit.Findings[i]
		if f.Verdict == audit.NoEvidence {
			add("note", findingWords(r.Audit, f))
		}
	}
	for _, s := range r.Warnings {
		add("warning", s)
	}
	return notes
}

// The rules of an audit. Their numbers never change their meaning.
const (
	ruleCurious      = "TATTLE001"
	ruleLeaky        = "TATTLE002"
	ruleInconclusive = "TATTLE003"
	ruleThreshold    = "TATTLE004"
	ruleControl      = "TATTLE005"
	ruleBeyond       = "TATTLE006"
)

// A sarifRule describes a rule.
type sarifRule struct{ id, name, level, severity, short, full, help string }

// sarifRules describes them, in the order of their numbers.
var sarifRules = []sarifRule{
	{ruleCurious, "CuriousOutputs", "error", "8.0",
		"The outputs reveal more of a sensitive attribute than the task explains, and more than those of honest training by the same recipe.",
		"Attacks on the outputs guess the sensitive attribute of examples that they were not fitted on better than the task explains (TATTLE006). They are also better, by more than the margin, than attacks on classifiers that were trained honestly by the same recipe (Student's t over these classifiers).",
		"Release less (the report lists defences, the honesty that each keeps and the excess that it leaves), or train the model again. Ask the people who trained it for the training code and data."},
	{ruleLeaky, "LeakyByCorrelation", "warning", "4.0",
		"The outputs depend on a sensitive attribute, but are not shown to reveal more of it than the true and the predicted target together, by more than the margins.",
		"Target and sensitive attribute depend on each other, or the excess is within the margin. An adversary who has the outputs learns something about the attribute.",
		"Consider whether the answers to the task may be released for these people: the label alone may reveal too much."},
	{ruleInconclusive, "Inconclusive", "warning", "3.0",
		"The audit cannot decide whether the outputs reveal more of the attribute than the task explains.",
		"A control failed, the sample is too small to find an excess that matters, or the attribute cannot be audited with it.",
		"Follow the advice in the message, for example more examples of every class."},
	{ruleThreshold, "ThresholdBroken", "error", "6.0",
		"A figure exceeds the threshold that was set.",
		"The one-sided confidence limit of a figure, or a verdict, is beyond what --fail-on allows.",
		"Release less, or change the threshold if it is too strict."},
	{ruleControl, "ControlFailed", "warning", "3.0",
		"A control of the audit failed, so its verdict is inconclusive.",
		"The same audit found something in shuffled labels, or did not find a model that was trained to reveal an attribute.",
		"Follow the advice in the message. The audit shows nothing until the control passes."},
	{ruleBeyond, "LeakyBeyondTheTarget", "error", "8.0",
		"The outputs reveal more of a sensitive attribute than the task explains.",
		"Attacks on the outputs guess the sensitive attribute of examples that they were not fitted on better than is possible from the target and the answered label: by more than the margin, and by a permutation test within the target's classes.",
		"Release less (the report lists defences, the honesty that each keeps and the excess that it leaves), or train the model again. This finding says nothing about intent: honest training may reveal as much (--reference or --reference-scores measures how much)."},
}

// rules are the rules as SARIF has them.
func rules() (all []object) {
	for _, r := range sarifRules {
		all = append(all, object{
			"id": r.id, "name": r.name, "shortDescription": text(r.short), "fullDescription": text(r.full), "helpUri": sarifInformation,
			"help":                 object{"text": r.help, "markdown": r.full + "\n\n" + r.help},
			"defaultConfiguration": object{"level": r.level},
			"properties":           object{"tags": []string{"privacy", "security"}, "security-severity": r.severity, "precision": "high"},
		})
	}
	return all
}

// verdictRules are the rules that verdicts fall under.
var verdictRules = map[audit.Verdict]string{audit.Curious: ruleCurious, audit.LeakyBeyond: ruleBeyond, audit.Leaky: ruleLeaky, audit.NoEvidence: ""}

// ruleOf is the rule that a verdict falls under, empty for none.
func ruleOf(v audit.Verdict) string {
	if rule, known := verdictRules[v]; known {
		return rule
	}
	return ruleInconclusive
}
