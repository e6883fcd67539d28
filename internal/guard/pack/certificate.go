package pack

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/nn"
	"tattle/internal/guard"
	"tattle/internal/guard/ledger"
	"tattle/internal/protect/bound"
	"tattle/internal/protect/lattice"
	"tattle/internal/protect/measure"
	"tattle/internal/report"
)

// CertificateSchema names the layout of a Certificate.
const CertificateSchema = "tattle/certificate/2"

// A Certificate states what a run proved about the integers that package guard releases. It
// repeats the sentences of the run's report, and lists what they do not cover.
type Certificate struct {
	Schema  string `json:"schema"`
	Version string `json:"version"` // of tattle
	Title   string `json:"title"`

	Command string `json:"command"`       // of the run
	Report  string `json:"report_sha256"` // report.json of the run
	Model   string `json:"model_sha256"`
	Data    string `json:"data_sha256"`

	Inputs  guard.Inputs     `json:"inputs"`
	Lattice CertifiedLattice `json:"lattice"`
	Budget  ledger.Budget    `json:"budget"`
	Drift   float64          `json:"drift_allowance"` // δ: largest error of a feature before it is rounded
	From    string           `json:"drift_from"`      // how δ is known: a constant of package bound
	Queries int              `json:"queries"`         // releases of one input that the figures are for
	Group   string           `json:"group,omitempty"` // whom a subject of the ledger stands for: what says whose inputs those of the run are

	Sentences []string        `json:"sentences"` // of the report, the verdict first
	Worst     []WorstCase     `json:"worst_case,omitempty"`
	Promise   []PromisedLimit `json:"promise,omitempty"` // limits that the run was to keep, with its figures
	Kept      bool            `json:"kept,omitempty"`    // all of them
	Warnings  []string        `json:"warnings"`          // of the report
	Uncovered []string        `json:"uncovered"`         // what the figures do not cover
}

// inputsOf says how the inputs of a run were made.
func inputsOf(r *report.Report, s *measure.Setup) guard.Inputs {
	d := s.Data
	if d.Stored == nil || d.Stored.Std == nil {
		in := guard.Inputs{Scaling: "the numbers of the data", Layout: "the order of the data"}
		if p := s.Reading.Preprocess; p != "" && p != "none" {
			in.Scaling += ", with the preprocessing " + p
		}
		if len(d.Columns) > 0 {
			in.Layout = "the columns of the table, in its order"
		}
		return in
	}
	x := dataset.Set{Mean: d.Stored.Mean, Std: d.Stored.Std}
	in := guard.Inputs{Scaling: x.Scaling() + ", for pixels x from 0 to 255", Layout: "channels, height, width", Range: d.Range}
	if d.Stored.ChannelsLast {
		in.Layout = "height, width, channels"
	}
	if len(r.Data.Shape) > 0 {
		in.Layout += ": " + nn.ShapeString(r.Data.Shape)
	}
	if len(d.Stored.Mean) == 3 {
		order := "red, green, blue"
		if slices.Contains(strings.Fields(s.Reading.Preprocess), "channels="+dataset.ChannelsBGR) {
			order = "blue, green, red"
		}
		in.Layout += "; channels " + order
	}
	return in
}

// CertifiedLattice holds the parameters of the mechanism.
type CertifiedLattice struct {
	Delta float64 `json:"delta" toml:"delta"`
	Sigma float64 `json:"sigma" toml:"sigma"`
	Clip  float64 `json:"clip" toml:"clip"`
	Ball  bool    `json:"norm,omitempty" toml:"norm,omitempty"` // Clip is that of the norm
	Dim   int     `json:"features" toml:"features"`
}

// A WorstCase is a limit that holds whatever the data, for all releases of a subject in a period together.
type WorstCase struct {
	To   string  `json:"to" toml:"to"`
	Most float64 `json:"at_most" toml:"at_most"`
}

// worstOf returns the limits of a report that hold whatever the data.
func worstOf(r *report.Report) (all []WorstCase) {
	for _, x := range r.Claims {
		switch x.ID {
		case "worst":
			all = append(all, WorstCase{x.Subject, x.Value.High})
		case "privacy":
			all = append(all, WorstCase{"differential privacy, local: " + x.Subject, x.Value.High})
		}
	}
	return all
}

// A PromisedLimit is a limit that the run was to keep, beside its figure.
type PromisedLimit struct {
	Name   string       `json:"name"`
	Limit  report.Value `json:"limit"`
	Figure report.Value `json:"figure"`
}

// NewCertificate returns the certificate of a run whose noise was on the lattice l. sha256 is the
// digest of report.json. It returns an error if the figures of the run do not hold for
// the integers that a guard with this budget releases.
func NewCertificate(r *report.Report, s *measure.Setup, sha256 string, l lattice.Lattice, b ledger.Budget) (*Certificate, error) {
	queries := max(1, s.Release.Queries)
	switch {
	case s.Bounds == nil:
		return nil, fmt.Errorf("the run has no bounds")
	case s.Release.Label:
		return nil, fmt.Errorf("the run measured the label of noisy features (--surface label), and a guard releases the features")
	case !(s.Bounds.Runtime.Error > 0) && s.Bounds.Runtime.From == bound.RuntimeGiven: // vectors that are released themselves are exact
		return nil, fmt.Errorf("the figures of the run are for real arithmetic (--runtime-error 0), and a guard computes features in float32")
	case b.Releases < 1:
		return nil, fmt.Errorf("a budget of %d releases: must be at least 1", b.Releases)
	case b.Releases > queries:
		return nil, fmt.Errorf("a budget of %s: the figures of the run are for %s of one input (--queries)", report.Many(b.Releases, "release"), report.Many(queries, "release"))
	}
	c := &Certificate{
		Schema: CertificateSchema, Version: r.Version, Title: "Certificate of a release",
		Command: r.Command, Report: sha256, Model: r.Model.SHA256, Data: r.Data.SHA256,
		Inputs: inputsOf(r, s), Lattice: CertifiedLattice(l), Budget: b,
		Drift: s.Bounds.Runtime.Error, From: s.Bounds.Runtime.From, Queries: queries,
	}
	c.Sentences, c.Warnings = r.Sentences()
	if s.Lists != nil && s.Lists.Holder != nil && s.Lists.Holder.List.Group != "" {
		c.Group = s.Lists.Holder.List.Group
		c.Sentences = append(c.Sentences, fmt.Sprintf("The figures are about a random %s, and a random input of theirs. They hold if each subject of the ledger is one %[1]s.", c.Group))
	}
	if c.Worst = worstOf(r); c.Worst != nil {
		c.Sentences = append(c.Sentences, fmt.Sprintf("The limits that hold whatever the data are for all releases of a subject %s together, whatever the inputs.", b.Span()))
	}
	for _, x := range r.Claims {
		if figure := r.Claim("figure", x.Subject); x.ID == "limit" && figure != nil {
			c.Promise = append(c.Promise, PromisedLimit{x.Subject, x.Value, figure.Value})
		}
	}
	c.Kept = r.Has("limit.kept") && !r.Has("limit.missed") && !r.Has("limit.lacks")
	c.Uncovered = c.uncovered()
	return c, nil
}

// BudgetInWords states the budget of a subject.
func (c *Certificate) BudgetInWords() string {
	return report.Many(c.Budget.Releases, "release") + " " + c.Budget.Span()
}

// uncovered lists what the figures do not cover.
func (c *Certificate) uncovered() []string {
	var all []string
	if c.Budget.Period > 0 {
		all = append(all, fmt.Sprintf("Releases of several periods together. The figures are for an adversary with %s of one input. Inputs that are nearly the same can be released again in each period.", report.Many(c.Queries, "release")))
	}
	drift := fmt.Sprintf("Runtimes whose features differ by more than δ = %s from those of real arithmetic.", report.Exactly(c.Drift, report.Number).String())
	if c.From != bound.RuntimeGiven {
		drift += fmt.Sprintf(" This δ was %s for a float32 runtime by the run, on a sample of inputs.", c.From)
	}
	all = append(all, drift)
	return append(all,
		"Inputs that are scaled or laid out otherwise. A guard refuses pixels out of range only.",
		"Single inputs. Limits on every adversary are averages over inputs. Figures of attacks are for the inputs that the run attacked.",
		"What several different inputs of one subject have in common. The figures are about one input, except those that hold whatever the data.",
		"Releases that another ledger counts. A new ledger, or an older copy of one, gives each subject a new budget.",
		"Several subject names for one person. Each name has its own budget: a trusted gateway must set the names.",
		"Clients that ask in the name of a subject. The same input gets the same integers again, so who has seen them can compare an input with them for each release that is left of the budget. With tattle guard serve --repeats, refusals also show which inputs are stored.",
		"Anything but the released integers. A client may send more to other services.")
}

// WriteJSON writes the certificate for programs.
func (c *Certificate) WriteJSON(w io.Writer) error {
	b, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return err
	}
	_, err = w.Write(append(b, '\n'))
	return err
}

// WriteHTML writes the certificate as a page that loads nothing.
func (c *Certificate) WriteHTML(w io.Writer) error {
	r := report.New(c.Title, "", 0)
	r.Version, r.Command, r.Layout = c.Version, c.Command, "guard"
	code := "certificate"
	if len(c.Promise) > 0 && c.Kept {
		code = "certificate.kept"
	} else if len(c.Promise) > 0 {
		code = "certificate.missed"
	}
	r.Find(code, "", report.Many(c.Queries, "release"))
	count := func(id string, n int) {
		r.Add(report.Claim{ID: id, Kind: report.Measured, Value: report.Exactly(float64(n), report.Count)})
	}
	count("integers", c.Lattice.Dim)
	r.Add(report.Claim{ID: "budget", Group: c.Budget.Span(), Kind: report.Measured, Value: report.Exactly(float64(c.Budget.Releases), report.Count)},
		report.Claim{ID: "noise", Kind: report.Measured, Value: report.Exactly(c.Lattice.Sigma, report.Number)},
		report.Claim{ID: "drift", Kind: report.Measured, Value: report.Exactly(c.Drift, report.Number)})
	for _, p := range c.Promise {
		r.Add(report.Claim{ID: "limit", Subject: p.Name, Value: p.Limit}, report.Claim{ID: "figure", Subject: p.Name, Value: p.Figure})
	}
	for _, s := range c.Sentences {
		r.Find("certificate.says", "", s)
	}
	for _, s := range c.Warnings {
		r.Warn(s)
	}
	for _, s := range c.Uncovered {
		r.Find("uncovered", "", s)
	}
	r.SetRequest(struct {
		Scaling string           `json:"scaling_of_the_inputs"`
		Layout  string           `json:"layout_of_the_inputs"`
		Lattice CertifiedLattice `json:"lattice"`
		Budget  string           `json:"budget_of_a_subject"`
		Report  string           `json:"report_sha256"`
		Model   string           `json:"model_sha256"`
		Data    string           `json:"data_sha256"`
	}{c.Inputs.Scaling, c.Inputs.Layout, c.Lattice, c.BudgetInWords(), c.Report, c.Model, c.Data})
	return r.WriteHTML(w)
}

// ReadCertificate reads a certificate that WriteJSON wrote. It refuses other bytes.
func ReadCertificate(document []byte) (*Certificate, error) {
	c := &Certificate{}
	if err := json.Unmarshal(document, c); err != nil {
		return nil, err
	}
	if c.Schema != CertificateSchema || len(c.Sentences) == 0 {
		return nil, fmt.Errorf("schema %q: must be %s, with sentences", c.Schema, CertificateSchema)
	}
	var again bytes.Buffer
	if err := c.WriteJSON(&again); err != nil {
		return nil, err
	}
	if !bytes.Equal(again.Bytes(), document) {
		return nil, fmt.Errorf("the file is not as tattle writes it")
	}
	return c, nil
}
