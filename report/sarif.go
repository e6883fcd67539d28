package report

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"strings"

	"tattle/audit"
	"tattle/internal/file"
)

// sarifSchema names the layout that WriteSARIF keeps to.
const sarifSchema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

// sarifInformation is the paper that says what the audit looks for and why.
const sarifInformation = "https://arxiv.org/abs/2105.12049"

// The parts of a SARIF log that are written.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool        sarifTool         `json:"tool"`
		Automation  sarifID           `json:"automationDetails"`
		Invocations []sarifInvocation `json:"invocations"`
		Artifacts   []sarifArtifact   `json:"artifacts,omitempty"`
		Results     []sarifResult     `json:"results"`
		Properties  map[string]any    `json:"properties"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name        string      `json:"name"`
		Version     string      `json:"version"`
		Semantic    string      `json:"semanticVersion"`
		Information string      `json:"informationUri"`
		Short       sarifText   `json:"shortDescription"`
		Rules       []sarifRule `json:"rules"`
	}
	sarifID struct {
		ID string `json:"id"`
	}
	sarifRule struct {
		ID      string         `json:"id"`
		Name    string         `json:"name"`
		Short   sarifText      `json:"shortDescription"`
		Full    sarifText      `json:"fullDescription"`
		HelpURI string         `json:"helpUri"`
		Help    sarifHelp      `json:"help"`
		Default sarifLevel     `json:"defaultConfiguration"`
		More    map[string]any `json:"properties"`
	}
	sarifHelp struct {
		Text     string `json:"text"`
		Markdown string `json:"markdown"`
	}
	sarifLevel struct {
		Level string `json:"level"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifInvocation struct {
		Successful    bool                `json:"executionSuccessful"`
		Notifications []sarifNotification `json:"toolExecutionNotifications,omitempty"`
	}
	sarifNotification struct {
		Level   string    `json:"level"`
		Message sarifText `json:"message"`
	}
	sarifArtifact struct {
		Location sarifURI          `json:"location"`
		Roles    []string          `json:"roles"`
		Hashes   map[string]string `json:"hashes,omitempty"`
	}
	sarifURI struct {
		URI string `json:"uri"`
	}
	sarifResult struct {
		Rule         string             `json:"ruleId"`
		Index        int                `json:"ruleIndex"`
		Level        string             `json:"level"`
		Message      sarifText          `json:"message"`
		Locations    []sarifLocation    `json:"locations"`
		Fingerprints map[string]string  `json:"partialFingerprints"`
		Suppressions []sarifSuppression `json:"suppressions,omitempty"`
		Properties   map[string]any     `json:"properties,omitempty"`
	}
	sarifSuppression struct {
		Kind          string `json:"kind"`
		Status        string `json:"status"`
		Justification string `json:"justification"`
	}
	sarifLocation struct {
		Physical sarifPhysical  `json:"physicalLocation"`
		Logical  []sarifLogical `json:"logicalLocations"`
	}
	sarifPhysical struct {
		Artifact sarifURI    `json:"artifactLocation"`
		Region   sarifRegion `json:"region"`
	}
	sarifRegion struct {
		Line int `json:"startLine"`
	}
	sarifLogical struct {
		Name string `json:"name"`
		Kind string `json:"kind"`
	}
)

// WriteSARIF writes an audit as a SARIF 2.1.0 log: a result for each attribute whose
// verdict is not NoEvidence, for each control that failed and for each broken
// threshold. Attributes without evidence are notifications, since many readers show
// every result as an alert. It returns an error if the report has no audit.
func (r *Report) WriteSARIF(w io.Writer) error {
	if r.Audit == nil {
		return errNoAudit
	}
	run := sarifRun{
		Tool: sarifTool{sarifDriver{
			Name: "tattle", Version: ProgramVersion(), Semantic: strings.TrimPrefix(ProgramVersion(), "v"), Information: sarifInformation,
			Short: sarifText{"Audits of what a classifier's outputs reveal of sensitive attributes."}, Rules: rules(),
		}},
		Automation:  sarifID{"tattle-audit/" + url.PathEscape(printable(r.Audit.Target)) + "/"},
		Invocations: []sarifInvocation{{Successful: true, Notifications: r.sarifNotes()}},
		Artifacts:   r.sarifArtifacts(), Results: []sarifResult{},
		Properties: map[string]any{"verdict": string(r.Audit.Verdict), "examples": r.Audit.Examples, "seed": r.Audit.Settings.Seed, "sampleSha256": r.Audit.SHA256},
	}
	for i := range r.Audit.Findings {
		if f := &r.Audit.Findings[i]; f.Verdict != audit.NoEvidence {
			run.Results = append(run.Results, r.sarifFinding(f))
		}
	}
	for _, c := range r.Audit.Controls {
		if !c.Passed {
			run.Results = append(run.Results, r.sarifResult(ruleControl, controlNote(c), c.Name, "control"))
		}
	}
	run.Results = append(run.Results, r.sarifThresholds()...)
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(sarifLog{Schema: sarifSchema, Version: "2.1.0", Runs: []sarifRun{run}})
}

// sarifThresholds returns a result for each broken threshold, and for each one that is accepted.
func (r *Report) sarifThresholds() []sarifResult {
	var list []sarifResult
	add := func(b audit.Breach, accepted []audit.Acceptance) {
		if b.Attribute == "" || b.Verdict == "" { // the verdict on an attribute is a result of its own
			x := r.sarifResult(ruleThreshold, b.String(), b.Name(), "threshold")
			x.Suppressions = suppressions(accepted)
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

func (r *Report) sarifFinding(f *audit.Finding) sarifResult {
	x := r.sarifResult(ruleOf(f.Verdict), findingWords(f), f.Attribute, "attribute")
	x.Properties = map[string]any{"attribute": printable(f.Attribute), "verdict": string(f.Verdict), "adjustedP": f.Adjusted}
	if f.BestBaseline() != nil {
		x.Properties["excess"], x.Properties["excessLow"], x.Properties["excessHigh"] = f.Excess.Value, f.Excess.Low, f.Excess.High
	}
	x.Suppressions = suppressions(r.Accepted.Verdict(f, r.Audit.Settings.Confidence))
	return x
}

// suppressions returns who accepts a finding, and why.
func suppressions(all []audit.Acceptance) []sarifSuppression {
	var list []sarifSuppression
	for _, x := range all {
		list = append(list, sarifSuppression{"external", "accepted", printable(acceptanceWords(x))})
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
func (r *Report) sarifResult(rule, words, name, kind string) sarifResult {
	sum := sha256.Sum256([]byte(rule + "\x00" + r.Audit.Target + "\x00" + kind + "\x00" + name))
	x := sarifResult{
		Rule: rule, Index: ruleIndex(rule), Level: ruleLevel(rule), Message: sarifWords(words),
		Fingerprints: map[string]string{"tattleFinding/v1": hex.EncodeToString(sum[:16]), "primaryLocationLineHash": hex.EncodeToString(sum[:8]) + ":1"},
	}
	x.Locations = []sarifLocation{{sarifPhysical{sarifURI{r.sarifSubject()}, sarifRegion{1}}, []sarifLogical{{Name: file.Name(name), Kind: kind}}}}
	return x
}

// sarifWords escapes what SARIF reads as links and placeholders in a message.
func sarifWords(s string) sarifText { return sarifText{sarifMarks.Replace(printable(s))} }

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

func (r *Report) sarifArtifacts() []sarifArtifact {
	var out []sarifArtifact
	add := func(path, sum string) {
		if path == "" {
			return
		}
		x := sarifArtifact{Location: sarifURI{relativeURI(path)}, Roles: []string{"analysisTarget"}}
		if sum != "" {
			x.Hashes = map[string]string{"sha-256": sum}
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
func (r *Report) sarifNotes() []sarifNotification {
	notes := []sarifNotification{{"note", sarifWords(strings.Join(append([]string{r.verdictWords()}, r.Audit.Reasons...), " "))}}
	for i := range r.Audit.Findings {
		f := &r.Audit.Findings[i]
		if f.Verdict == audit.NoEvidence {
			notes = append(notes, sarifNotification{"note", sarifWords(findingWords(f))})
		}
	}
	for _, s := range r.Warnings {
		notes = append(notes, sarifNotification{"warning", sarifWords(s)})
	}
	return notes
}
