// Package report is what a command found, in one form for every command, and how it is shown.
//
// A Report holds claims (typed values), findings (codes whose words stand in one table), series and pictures.
// A layout for each command says which claims make which section; writers for text, HTML, Markdown, JSON,
// SARIF and JUnit know these types only. No value is stated twice, and nothing parses a sentence.
package report

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"unicode"

	"tattle/internal/run"
)

// Schema names the form of report.json. The number rises when a key that other programs may rely on changes
// its meaning.
const Schema = "tattle/report/8"

// Report is what one run found.
type Report struct {
	Head
	Findings []Finding `json:"findings"` // the first one is what the report says first
	Claims   []Claim   `json:"claims"`
	Series   []Series  `json:"series,omitempty"`
	Pictures []Picture `json:"pictures,omitempty"`
}

// Head says what was run, on what, and which files belong to it.
type Head struct {
	Schema  string `json:"schema"`
	Version string `json:"version"` // of tattle
	Title   string `json:"title"`
	Command string `json:"command"`
	Seed    uint64 `json:"seed"`
	Layout  string `json:"layout,omitempty"` // if it is not that of the subcommand

	// InWords is the verdict in a few words, for programs and lists; WriteJSON sets it.
	InWords string `json:"verdict"`

	// Request is what the command was asked to do, in the command's own type: with model, data and files it
	// decides every claim that can be recomputed.
	Request json.RawMessage `json:"request,omitempty"`

	Model  Model  `json:"model,omitzero"`
	Data   Data   `json:"data,omitzero"`
	Target string `json:"target,omitempty"` // attribute that an audited model answers
	Score  string `json:"score,omitempty"`  // what outputs are worth, in words; empty: accuracy
	Files  []File `json:"files,omitempty"`  // of the run's folder, that claims are computed from

	Rendered map[string]string  `json:"rendered,omitempty"` // SHA-256 of each file made from this report, and of the files that say how the run began
	Timing   map[string]float64 `json:"timing,omitempty"`   // in seconds
}

// Model is the model that was measured.
type Model struct {
	Path   string `json:"path,omitempty"`
	SHA256 string `json:"sha256,omitempty"`
}

// Data are the examples that were measured.
type Data struct {
	Name     string `json:"name,omitempty"`
	Path     string `json:"path,omitempty"`
	Part     string `json:"part,omitempty"` // train or test
	SHA256   string `json:"sha256,omitempty"`
	Examples int    `json:"examples,omitempty"`
	Shape    []int  `json:"shape,omitempty"` // [channels, rows, columns]
}

// File is a file of the run's folder.
type File struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
}

// Kind says how far a claim can be trusted. Kinds never mix in one figure.
type Kind string

// The kinds of claims.
const (
	Certified      Kind = "certified"                 // a stored witness proves it
	WithConfidence Kind = "certified with confidence" // a limit from random draws, which holds with the stated confidence
	Estimated      Kind = "estimated"                 // linear algebra or statistics without a stated limit
	Demonstrated   Kind = "demonstrated"              // an attack that ran reached it
	Measured       Kind = "measured"                  // counted or measured on the examples of the run
)

// Source says why verify cannot recompute a claim. It is empty for a claim that verify recomputes.
type Source string

// The reasons.
const (
	Recomputed Source = ""
	Searched   Source = "the search, attack or training behind it is not run again"
	Timed      Source = "it differs from run to run"
)

// taken are the IDs of claims, or their parts before the first point, that verify cannot recompute.
var taken = []string{"guess.attack", "design.accuracy", "design.original", "design.drop", "task", "tried", "validation", "point", "nearest", "cut"}

// Taken reports whether a claim may be taken as it is: its source says why, and its ID is one of those that cannot be
// recomputed.
func (c *Claim) Taken() bool {
	first, _, _ := strings.Cut(c.ID, ".")
	return c.Source == Searched && (slices.Contains(taken, c.ID) || slices.Contains(taken, first))
}

// Claim is one value with all that a reader must know of it.
type Claim struct {
	ID      string   `json:"id"`                // what was measured, such as excess
	Subject string   `json:"subject,omitempty"` // of which attribute, band, method or candidate
	Group   string   `json:"group,omitempty"`   // within the subject: a class, what the adversary knows
	Kind    Kind     `json:"kind"`
	Value   Value    `json:"value"`
	Beside  []Beside `json:"beside,omitempty"` // values to compare it with
	N       int      `json:"n,omitempty"`      // examples that it was measured on
	P       *float64 `json:"p,omitempty"`      // adjusted p-value of the test that the value is not chance
	Source  Source   `json:"taken,omitempty"`
}

// Beside is a value that a claim is compared with: a prior, a baseline, a published figure.
type Beside struct {
	Name  string `json:"name"`
	Value Value  `json:"value"`
}

// Finding is a statement. Its words stand in the table of package report, under its code.
type Finding struct {
	Code    string   `json:"code"`
	Subject string   `json:"subject,omitempty"`
	Args    []string `json:"args,omitempty"` // names and texts from outside; numbers are claims
}

// Series is a curve. Series of one ID share a chart.
type Series struct {
	ID   string    `json:"id"`
	Name string    `json:"name"`
	X    []float64 `json:"x"`
	Y    []float64 `json:"y"`
	Low  []float64 `json:"low,omitempty"` // with High, an interval about Y
	High []float64 `json:"high,omitempty"`
}

// Picture is an image beside others of its group, the original first.
type Picture struct {
	Group  string `json:"group"`
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
	Source Source `json:"taken,omitempty"`
	PNG    []byte `json:"-"` // nil if the report was read from a file
}

// New starts the report of a command line.
func New(title, command string, seed uint64) *Report {
	return &Report{Head: Head{Schema: Schema, Version: ProgramVersion(), Title: title, Command: command, Seed: seed, Timing: map[string]float64{}}}
}

// ProgramVersion returns the version of the running program.
func ProgramVersion() string { return run.Current().Version }

// Add adds claims.
func (r *Report) Add(c ...Claim) { r.Claims = append(r.Claims, c...) }

// Find adds a finding.
func (r *Report) Find(code, subject string, args ...string) {
	r.Findings = append(r.Findings, Finding{code, subject, args})
}

// Warn adds a warning, in words of the package that warns.
func (r *Report) Warn(sentence string) { r.Find("warning", "", sentence) }

// Note adds a sentence on how the data were read.
func (r *Report) Note(sentence string) { r.Find("note", "", sentence) }

// Claim returns the claim with an ID about a subject, of no group; nil if there is none.
func (r *Report) Claim(id, subject string) *Claim { return r.claim(id, subject, "") }

// About returns the claim with the ID, subject and group of another; nil if there is none.
func (r *Report) About(c Claim) *Claim { return r.claim(c.ID, c.Subject, c.Group) }

func (r *Report) claim(id, subject, group string) *Claim {
	i := slices.IndexFunc(r.Claims, func(c Claim) bool { return c.ID == id && c.Subject == subject && c.Group == group })
	if i < 0 {
		return nil
	}
	return &r.Claims[i]
}

// Has reports whether there is a finding with the code.
func (r *Report) Has(code string) bool {
	return slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Code == code })
}

// Accepted is the code of the finding that somebody accepts the findings on its subject.
const Accepted = "accepted"

// Verdict returns the code of what the report says first.
func (r *Report) Verdict() string {
	if len(r.Findings) == 0 {
		return ""
	}
	return r.Findings[0].Code
}

// Label returns the verdict in a few words, for which builds and lists are searched.
func (r *Report) Label() string {
	if len(r.Findings) == 0 {
		return ""
	}
	f := r.Findings[0]
	w := WordingOf(f.Code)
	return cmp.Or(w.Label, begun(unicode.ToLower, r.fill(w.Badge, f)))
}

// Lead returns what the report says first: the badge, its tone and the sentence.
func (r *Report) Lead() (badge string, tone Tone, says string) {
	v := r.lead(r.layout())
	return v.Badge, v.Tone, v.Says
}

// Sentences returns what the report says, the verdict first, and apart what limits it.
func (r *Report) Sentences() (said, limits []string) {
	for i, f := range r.Findings {
		switch w := WordingOf(f.Code); {
		case i == 0:
			said = append(said, r.fill(w.Badge, f)+". "+r.Say(f))
		case w.Part == Limit || w.Part == Condition:
			limits = append(limits, r.Say(f))
		case w.Part == Verdict || w.Part == Evidence || w.Part == Ruled || w.Part == Meaning:
			said = append(said, r.Say(f))
		}
	}
	return said, limits
}

// Subcommand returns the name of the command that made the report; empty if the report does not say.
func (r *Report) Subcommand() string {
	if words := strings.Fields(r.Command); len(words) > 1 {
		return words[1]
	}
	return ""
}

// SetRequest stores what the command was asked to do. It panics if request cannot be JSON.
func (r *Report) SetRequest(request any) {
	b, err := json.Marshal(request)
	if err != nil {
		panic(err)
	}
	r.Request = b
}
