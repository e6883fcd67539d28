// Package report turns what was measured into something people and programs
// read: one plain Report value, rendered as text, as JSON and as a single HTML
// file that works offline.
//
// Certified (a bound with a witness), estimated (linear algebra on the
// Jacobian) and demonstrated (an attack that ran) are kept apart in every rendering.
package report

import (
	"cmp"
	"encoding/json"
	"io"
	"math"
	"strings"

	"tattle/audit"
	"tattle/bound"
	"tattle/measure"
)

// Schema names the layout of report.json. The number rises when a key that
// other programs may rely on changes its meaning.
const Schema = "tattle/report/6"

// Report is the account of a run: what was run on what, and the parts that its kind of
// document has. Floats are finite or nil.
type Report struct {
	Schema   string            `json:"schema"`
	Version  string            `json:"version"` // of tattle
	Title    string            `json:"title"`
	Command  string            `json:"command"`
	Settings map[string]string `json:"settings"` // shown, and read by nothing
	Reading  Reading           `json:"reading,omitzero"`
	Learned  Arrays            `json:"learned_from,omitzero"` // what prior, attacks and principal projections learned from
	Figure   string            `json:"figure,omitempty"`      // of paper A that is reproduced
	Seed     uint64            `json:"seed"`
	Model    Model             `json:"model"`
	Data     Data              `json:"data"`
	Release  Release           `json:"release"`
	Utility  Utility           `json:"utility"`
	Training *Training         `json:"training,omitempty"`
	Design   *Design           `json:"design,omitempty"`

	Reconstruction
	Curious
	Audited
	Arrays   []Arrays          `json:"arrays,omitempty"`
	Rendered map[string]string `json:"rendered,omitempty"` // SHA-256 of each file made from this report alone, and of run.RecordFiles, by its path: relative to the report's folder, or absolute
	Timing   map[string]Number `json:"timing"`
	Warnings []string          `json:"warnings"`
	Outcome  Outcome           `json:"outcome"`
	Verdict  string            `json:"verdict"` // what VerdictSentence returns; WriteJSON sets it if it is empty
}

// Subcommand returns the name of the command that made the report; "" if the report does not say.
func (r *Report) Subcommand() string {
	if words := strings.Fields(r.Command); len(words) > 1 {
		return words[1]
	}
	return ""
}

// Reconstruction is the part of reports on a release: what keeps adversaries from
// reconstructing inputs, and how near attacks came.
type Reconstruction struct {
	Lists             *measure.ListFigures `json:"lists,omitempty"` // what binds every adversary
	Experiment        *bound.Settings      `json:"experiment,omitempty"`
	Coordinates       string               `json:"coordinates,omitempty"` // that were bounded: dct, pixels or vectors
	Vectors           *Arrays              `json:"vectors,omitempty"`     // where Coordinates are vectors
	Bounds            []bound.Summary      `json:"bounds"`
	Attacks           []Attack             `json:"attacks,omitempty"`
	PriorAlone        []Attack             `json:"prior_alone,omitempty"` // guessing the mean of the training data, without the release, on the attacks' inputs; a row for each band
	MidRange          []Attack             `json:"mid_range,omitempty"`   // guessing the middle of the data's range, where guessing the mean was not measured; a row for each band
	FloorsAndCeilings *FloorsAndCeilings   `json:"floors_and_ceilings,omitempty"`
	Methods           []MethodRow          `json:"methods,omitempty"`
	Resolvable        *Resolvable          `json:"resolvable,omitempty"`
	Published         []Comparison         `json:"published,omitempty"`
	Histograms        []Histogram          `json:"histograms,omitempty"`
	Spectrum          *Spectrum            `json:"spectrum,omitempty"`
	Gallery           []Picture            `json:"gallery,omitempty"`
	Pairs             []Pair               `json:"pairs,omitempty"`
}

// Curious is the part of reports on honest-but-curious classifiers.
type Curious struct {
	Curiosity *Curiosity `json:"curiosity,omitempty"`
	Runs      []Run      `json:"runs,omitempty"`
	Tables    []Table    `json:"tables,omitempty"`
	ROC       []ROC      `json:"roc,omitempty"`
	Entropy   []Entropy  `json:"entropy,omitempty"`
	Pruning   []Pruning  `json:"pruning,omitempty"`
	Plane     *Plane     `json:"plane,omitempty"`
}

// Audited is the part of reports on audits.
type Audited struct {
	Audit    *audit.Result   `json:"audit,omitempty"`
	Asked    *AuditRequest   `json:"asked,omitempty"`    // of the audit
	FailOn   *audit.FailOn   `json:"fail_on,omitempty"`  // the rules on which the audit fails a build; nil where none were set
	Accepted *audit.Accepted `json:"accepted,omitempty"` // findings that are accepted; nil without --baseline
	Breaches []audit.Breach  `json:"breaches,omitempty"` // of these rules, less what is accepted, and of acceptances
}

// Model is what was measured.
type Model struct {
	Path        string `json:"path"`
	SHA256      string `json:"sha256"`
	Inputs      int    `json:"inputs"`
	Features    int    `json:"features"`
	FeatureNode string `json:"feature_node"`
}

// Data is what it was measured on.
type Data struct {
	Name     string `json:"name"`
	Path     string `json:"path,omitempty"`
	Split    string `json:"split,omitempty"`
	Shape    []int  `json:"shape,omitempty"` // [channels, rows, columns]
	SHA256   string `json:"sha256"`
	Examples int    `json:"examples"`

	Notes []string `json:"notes,omitempty"` // of how they were read

	Range  [][2]float64 `json:"range,omitempty"` // of every channel: its least and greatest value
	Stored *Stored      `json:"stored,omitempty"`

	GreyLevels Number `json:"grey_levels_per_unit"` // of 255, for one normalised unit

	Columns []Column `json:"columns,omitempty"` // of a table of inputs
}

// Stored says what inputs can be stored as. Pictures are bytes b, which become
// (b/255 − Mean)/Std.
type Stored struct {
	As           string    `json:"as"` // one of the Held constants
	Mean         []float32 `json:"mean,omitempty"`
	Std          []float32 `json:"std,omitempty"`
	ChannelsLast bool      `json:"channels_last,omitempty"`
}

// Held returns what inputs are stored as; empty if that was not recorded.
func (d Data) Held() string {
	if d.Stored == nil {
		return ""
	}
	return d.Stored.As
}

// Reading holds the flags by which model and data were read.
type Reading struct {
	measure.ModelOptions
	Beside         bool `json:"preprocessing_beside_model,omitempty"` // the preprocessing is that of the file beside the model
	measure.Inputs      // without path, part and seed
}

// AuditRequest holds the settings of an audit that its result does not contain.
type AuditRequest struct {
	Folds    int  `json:"folds,omitempty"` // zero for the default
	Defences bool `json:"defences"`
}

// Utility is what the noise costs. Accuracies are fractions; intervals are
// Clopper-Pearson at 95 %.
type Utility struct {
	CleanAccuracy    Number     `json:"clean_accuracy"`
	CleanInterval    [2]float64 `json:"clean_interval"`
	ReleasedAccuracy Number     `json:"released_accuracy"`
	ReleasedInterval [2]float64 `json:"released_interval"`
	Examples         int        `json:"examples"`
	Draws            int        `json:"draws"`
}

// Resolvable counts the directions of input space that the release lets an
// unbiased adversary estimate to within each threshold (MATH 3), in the model's
// normalised units.
type Resolvable struct {
	RankMedian       float64   `json:"rank_median"`
	RankMin          int       `json:"rank_min"`
	RankMax          int       `json:"rank_max"`
	Inputs           int       `json:"inputs"`
	Thresholds       []float64 `json:"thresholds"`
	DirectionsMedian []float64 `json:"directions_median"`
}

// Comparison sets a published figure beside ours. What is not known is NaN.
type Comparison struct {
	Quantity    string `json:"quantity"`
	Published   Number `json:"published"`
	ReadOff     bool   `json:"read_off,omitempty"` // Published was read off a picture: the paper prints no number
	Ours        Number `json:"ours"`
	AsPublished Number `json:"as_published"` // by the authors' procedure, run here
	Note        string `json:"note,omitempty"`
}

// Histogram counts values of one quantity; the last count holds what lies at or
// above the last edge, unbounded values included.
type Histogram struct {
	Title  string    `json:"title"`
	Axis   string    `json:"axis"`
	Status string    `json:"status"`
	Edges  []float64 `json:"edges"`
	Counts []int     `json:"counts"` // len(Edges): one a bin, then the overflow
	Peak   Number    `json:"peak"`   // middle of the fullest bin
	Median Number    `json:"median"`
}

// Spectrum is how well each direction can be resolved, best first: σ/sᵢ over
// the examples, as quantiles.
type Spectrum struct {
	Low    []Number `json:"q05"`
	Median []Number `json:"q50"`
	High   []Number `json:"q95"` // null where the direction cannot be resolved at all
}

// Picture is one original and the best unbiased reconstructions of it.
type Picture struct {
	Index  int    `json:"index"`
	Label  int    `json:"label"`
	Name   string `json:"name,omitempty"`
	Shots  []Shot `json:"shots"`
	SHA256 string `json:"sha256,omitempty"` // of source
	source []byte // PNG of the original
}

// Shot is one reconstruction: at the certified bound, or by an attack that ran.
type Shot struct {
	Name   string  `json:"name"`
	Status string  `json:"status,omitempty"` // "demonstrated" for an attack; else certified
	RMS    float64 `json:"rms_grey_levels"`  // before clipping, in levels of 255
	SHA256 string  `json:"sha256,omitempty"` // of pixels
	pixels []byte  // PNG
}

// Arrays names an .npz beside the report and its digest.
type Arrays struct {
	File   string `json:"file"`
	SHA256 string `json:"sha256"`
}

// Number is a float that JSON can hold: NaN and infinities become null.
type Number float64

// MarshalJSON writes null for what JSON has no number for.
func (n Number) MarshalJSON() ([]byte, error) {
	if f := float64(n); math.IsNaN(f) || math.IsInf(f, 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(n))
}

// UnmarshalJSON reads null as NaN.
func (n *Number) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		*n = Number(math.NaN())
		return nil
	}
	var f float64
	if err := json.Unmarshal(b, &f); err != nil {
		return err
	}
	*n = Number(f)
	return nil
}

// WriteJSON writes report.json: indented, keys in a fixed order.
func (r *Report) WriteJSON(w io.Writer) error {
	x := *r
	x.Verdict = cmp.Or(r.Verdict, r.VerdictSentence())
	return writeIndented(w, &x)
}

// writeIndented writes a value as indented JSON.
func writeIndented(w io.Writer, x any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(x)
}
