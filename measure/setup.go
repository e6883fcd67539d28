package measure

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"tattle/bound"
	"tattle/dataset"
	"tattle/internal/report"
	"tattle/nn"
	"tattle/release"
)

// Setup is what a run measured, and how: with the model, the data and the files of the run it decides every figure
// that can be computed again. It is the request in the report of tattle bound and tattle design.
type Setup struct {
	Reading  Reading         `json:"reading"`
	Inputs   int             `json:"inputs"`   // numbers of an input
	Features int             `json:"features"` // numbers that leave
	Node     string          `json:"node"`     // whose output is released
	Release  ReleaseSetup    `json:"release"`
	Data     DataSetup       `json:"data"`
	Learned  report.File     `json:"learned_from,omitzero"` // training data of prior, attacks, projection and noise
	Bounds   *BoundsSetup    `json:"bounds,omitempty"`      // nil if no bound was computed
	Attacks  []AttackRan     `json:"attacks,omitempty"`
	Prior    *AttackRan      `json:"prior,omitempty"`  // guessing the mean of the training data
	Lists    *ListFigures    `json:"lists,omitempty"`  // what decides the limits on every adversary, without them
	Draws    int             `json:"draws,omitempty"`  // of the noise for each example, for accuracy
	Figure   string          `json:"figure,omitempty"` // of paper A that is reproduced
	Design   json.RawMessage `json:"design,omitempty"` // the request of tattle design
}

// Reading holds the flags by which model and data were read.
type Reading struct {
	ModelOptions
	Beside bool `json:"preprocessing_beside_model,omitempty"` // the preprocessing is that of the file beside the model
	Inputs      // without path, part and seed
}

// BoundsSetup is the experiment behind the bounds.
type BoundsSetup struct {
	bound.Settings
	Coordinates string       `json:"coordinates"`       // dct, pixels, columns or vectors
	Vectors     *report.File `json:"vectors,omitempty"` // the file of vectors
}

// DataSetup says what values inputs can have.
type DataSetup struct {
	GreyLevels float64       `json:"grey_levels,omitempty"` // of 255, in one normalised unit; 0 for inputs that are no pictures
	Range      [][2]float64  `json:"range,omitempty"`       // of every channel: its least and greatest value
	Stored     *Stored       `json:"stored,omitempty"`
	Columns    []ColumnSetup `json:"columns,omitempty"` // of a table
}

// Stored says what inputs can be stored as. Pictures are bytes b, which become (b/255 − Mean)/Std.
type Stored struct {
	As           string    `json:"as"` // one of the Stored constants
	Mean         []float32 `json:"mean,omitempty"`
	Std          []float32 `json:"std,omitempty"`
	ChannelsLast bool      `json:"channels_last,omitempty"`
}

// What inputs can be stored as.
const (
	StoredBytes   = "8-bit pixels"
	StoredResized = "8-bit pixels, as resizing left them"
	StoredColumns = "values that the table's columns can hold"
	StoredFloat32 = "float32 numbers within the data's range"
)

// ColumnSetup is a column of a table of inputs.
type ColumnSetup struct {
	Name  string  `json:"name"`
	Width int     `json:"width"`          // how many inputs it has
	Keep  int     `json:"keep"`           // how many of them, from the first, errors of the column are over
	Unit  float64 `json:"unit,omitempty"` // of numbers: a normalised unit in the column's own; 0 for categories
}

// ReleaseSetup is a Release as JSON.
type ReleaseSetup struct {
	Surface      string        `json:"surface"`
	Noise        string        `json:"noise"` // family and settings, as release.ParseNoise reads them
	Sigma        float64       `json:"sigma"`
	FromTraining bool          `json:"noise_from_training,omitempty"` // strength or clip were computed from the features of training data
	Covariance   bool          `json:"covariance,omitempty"`          // the noise has that of CovarianceFile, times sigma squared
	Projection   string        `json:"projection,omitempty"`
	Keep         int           `json:"keep,omitempty"`
	Temperature  float64       `json:"temperature,omitempty"`
	Post         *release.Post `json:"post,omitempty"`
	Queries      int           `json:"queries,omitempty"` // 0 is 1
}

// AttackRan says which attack ran, and on how much.
type AttackRan struct {
	Name     string `json:"name"`
	About    string `json:"about"` // what it knew
	Examples int    `json:"examples"`
	Draws    int    `json:"draws"`
}

// An Origin says where the model and the data of a measurement came from, and how they were read.
type Origin struct {
	Model   report.Model
	Data    report.Data
	Notes   []string // of how the data were read
	Reading Reading
	Learned report.File  // the training data
	Vectors *report.File // the file of the coordinates; nil for built-in ones
	Values  DataSetup    // of the data, where they are absent
}

// ReadingOf returns how model and data were read. m may be nil: read with no options.
func ReadingOf(m *Model, in Inputs) Reading {
	in.Path, in.Split, in.Seed = "", "", 0
	l := Reading{Inputs: in}
	if m == nil {
		return l
	}
	if l.ModelOptions, l.Beside = m.Options, m.Beside; m.Preprocess.IsZero() {
		l.Preprocess = ""
	}
	return l
}

// OfModel returns the options with which the model was read.
func (l Reading) OfModel() ModelOptions {
	o := l.ModelOptions
	if o.Preprocess == "" {
		o.Preprocess = "none" // whatever is beside the model now
	}
	return o
}

// OfInputs returns what was read of data at the path.
func (l Reading) OfInputs(path, split string, seed uint64) Inputs {
	in := l.Inputs
	in.Path, in.Split, in.Seed = path, split, seed
	return in
}

// DataOf describes a data set, read from a path, for a report.
func DataOf(s *dataset.Set, path, part string) report.Data {
	return report.Data{Name: s.Name, Path: path, Part: part, Shape: s.Shape, SHA256: s.SHA256, Examples: s.Len()}
}

// GreyLevels returns how many grey levels of 255 a normalised unit is; 0 for inputs that are no pictures.
func GreyLevels(s *dataset.Set) (levels float64) {
	for _, v := range s.Std {
		levels += 255 * float64(v) / float64(len(s.Std))
	}
	return levels
}

// dataSetup describes the values of a data set.
func dataSetup(s *dataset.Set) DataSetup {
	d := DataSetup{GreyLevels: GreyLevels(s), Range: rangeOf(s), Stored: storedOf(s)}
	unit := map[string]float64{}
	for _, c := range s.Columns {
		unit[c.Name] = max(c.Unit, 0)
	}
	for _, c := range Columns(s) {
		d.Columns = append(d.Columns, ColumnSetup{c.Name, c.Width, c.Keep, unit[c.Name]})
	}
	return d
}

// BoundColumns returns the columns for coordinates; nil if the data are no table.
func (d DataSetup) BoundColumns() (all []bound.Column) {
	for _, c := range d.Columns {
		all = append(all, bound.Column{Name: c.Name, Width: c.Width, Keep: c.Keep})
	}
	return all
}

// rangeOf returns the least and the greatest value of each channel.
func rangeOf(set *dataset.Set) [][2]float64 {
	low, high := set.Range()
	all := make([][2]float64, len(low))
	for c := range low {
		all[c] = [2]float64{float64(low[c]), float64(high[c])}
	}
	return all
}

// storedOf says what the inputs of a set can be stored as.
func storedOf(set *dataset.Set) *Stored {
	_, known := set.Grid()
	switch {
	case set.Values != nil:
		return &Stored{As: StoredColumns}
	case !known:
		return &Stored{As: StoredFloat32}
	}
	s := &Stored{As: StoredBytes, Mean: set.Mean, Std: set.Std, ChannelsLast: set.ChannelsLast}
	if set.Resized {
		s.As = StoredResized
	}
	return s
}

// releaseSetup describes a release with its noise.
func (q *Request) releaseSetup() ReleaseSetup {
	l := q.Release
	s := ReleaseSetup{
		Surface: l.Surface(), Noise: l.Family, Sigma: q.Experiment.Noise.Std(), FromTraining: q.Scaling != nil, Covariance: l.Spec.Covariance != nil,
		Temperature: l.Spec.Temperature,
	}
	if l.Spec.Keep > 0 {
		s.Projection, s.Keep = l.Spec.Projection, l.Spec.Keep
	}
	if l.Post != (release.Post{}) {
		s.Post = &l.Post
	}
	if l.Queries > 1 {
		s.Queries = l.Queries
	}
	return s
}

// Of returns the release that was measured. seed is that of the run.
func (s ReleaseSetup) Of(seed uint64) Release {
	l := Release{Sigma: s.Sigma, Queries: max(1, s.Queries), Family: s.Noise}
	l.Spec = release.Spec{Surface: s.Surface, Temperature: s.Temperature, Seed: seed, Projection: s.Projection, Keep: s.Keep}
	if s.Post != nil {
		l.Post = *s.Post
	}
	if l.Post.Label {
		l.Spec.Surface = release.SurfaceLogits
	}
	return l
}

// SetupOf reads the setup in a report. It returns an error if the report has none.
func SetupOf(r *report.Report) (*Setup, error) {
	s := new(Setup)
	if len(r.Request) == 0 {
		return nil, errors.New("request: the report does not say what was measured")
	}
	if err := json.Unmarshal(r.Request, s); err != nil {
		return nil, fmt.Errorf("request: %w", err)
	}
	return s, nil
}

// setup describes what was measured.
func (q *Request) setup(m *Measured, from Origin) *Setup {
	p, n := m.Split.Front.Dims()
	s := &Setup{Reading: from.Reading, Inputs: p, Features: n, Node: m.Split.Node, Release: q.releaseSetup(), Learned: from.Learned, Draws: q.Draws}
	if s.Data = from.Values; q.Data != nil {
		s.Data = dataSetup(q.Data)
	}
	if b := m.Bounds; b != nil {
		s.Bounds = &BoundsSetup{Settings: b.Experiment.Settings, Coordinates: b.Experiment.Coordinates.Name(), Vectors: from.Vectors}
		if from.Vectors != nil {
			s.Bounds.Coordinates = "vectors"
		}
	}
	if l := m.Learned; l != nil {
		for _, a := range l.Results {
			s.Attacks = append(s.Attacks, ranOf(a.Attack, a.About, len(a.MeanSquare), a.Draws))
		}
		if a := l.PriorAlone; a != nil {
			ran := ranOf(a.Attack, a.About, len(a.MeanSquare), a.Draws)
			s.Prior = &ran
		}
		s.Lists = l.Listed.deciding()
	}
	return s
}

func ranOf(name, about string, examples, draws int) AttackRan {
	return AttackRan{name, about, examples, draws}
}

// deciding returns the part of the limits from lists that decides them.
func (f *ListFigures) deciding() *ListFigures {
	if f == nil {
		return nil
	}
	c := &ListFigures{Draws: f.Draws, Look: f.Look, Attributes: f.Attributes, Tasks: f.Tasks, NoiseFrom: f.NoiseFrom, LeftOut: f.LeftOut}
	if h := f.Holder; h != nil {
		c.Holder = &ListHolder{List: h.List}
	}
	if p := f.EverySample(); p != nil {
		c.Anybody = []Population{{List: p.List, Apart: p.Apart}}
	} else if f.Hidden != nil {
		c.Hidden = &HiddenFigures{List: f.Hidden.List}
	}
	return c
}

// Experiment returns the experiment of the setup, in coordinates c, for inputs of that shape. data is nil if the data
// are absent. The noise, the number of queries and the sizes of the model are the caller's to set.
func (s *Setup) Experiment(c bound.Coordinates, data *dataset.Set, shape []int, examples int, seed uint64) (bound.Experiment, error) {
	e := bound.Experiment{Settings: s.Bounds.Settings, Coordinates: c}
	e.Search.Seed = seed
	for key, lacks := range map[string]bool{"rounding": s.Bounds.Rounding == "", "runtime_error": s.Bounds.Runtime.From == "", "data.range": s.Data.Range == nil, "data.stored": s.Data.Stored == nil, "release.noise": s.Release.Noise == ""} {
		if lacks {
			return e, fmt.Errorf("the request lacks %s", key)
		}
	}
	if data != nil {
		if is := dataSetup(data); !reflect.DeepEqual(is, s.Data) {
			return e, errors.New("request: data: the report says something else of the values of inputs than the data")
		}
	}
	var err error
	if e.Domain, err = s.domain(e.Domain.String(), data, shape); err != nil {
		return e, err
	}
	further := Further{Barankin: e.Barankin.Witnesses, Far: e.Far.Starts, Twins: e.Twins.Examples}
	for name, n := range map[string]int{"barankin.witnesses": further.Barankin, "far.starts": further.Far, "twins.examples": further.Twins} {
		if most := max(MaxWitnesses, examples); n < 0 || n > most {
			return e, fmt.Errorf("request: bounds: %s is %d: it must be between 0 and %d", name, n, most)
		}
	}
	name := e.Far.Domain.String()
	if further.Far == 0 {
		name = e.Twins.Domain.String()
	}
	far, err := s.domain(name, data, shape)
	if err != nil {
		return e, err
	}
	e.Far, e.Barankin, e.Twins, e.Pairs = bound.FarOptions{}, bound.BarankinOptions{}, bound.TwinOptions{}, bound.PairOptions{}
	further.AddIn(&e, far, seed)
	return e, nil
}

// domain returns the domain of that name: by the data or, where they are absent, by what the setup keeps of them.
func (s *Setup) domain(name string, data *dataset.Set, shape []int) (bound.Domain, error) {
	switch {
	case name == bound.DomainFree:
		return bound.Free, nil
	case name != bound.DomainLegal && name != bound.DomainStored:
		return bound.Domain{}, fmt.Errorf("request: there is no domain %q", name)
	case data != nil:
		return DomainOf(data, name)
	}
	legal, err := s.Data.legal(nn.Size(shape))
	if err != nil || name == bound.DomainLegal {
		return legal, err
	}
	x := s.Data.Stored
	switch {
	case x == nil || len(x.Mean) == 0:
		return legal, errors.New("request: data.stored: only the data show which values inputs can have: name them with --data")
	case len(x.Std) != len(x.Mean) || slices.Contains(x.Std, 0) || nn.Size(shape)%len(x.Mean) != 0:
		return legal, fmt.Errorf("request: data.stored: the means %v and standard deviations %v are not those of the channels of %v", x.Mean, x.Std, shape)
	}
	return DomainOf(&dataset.Set{Shape: shape, Mean: x.Mean, Std: x.Std, ChannelsLast: x.ChannelsLast}, name)
}

// legal returns the domain of n inputs within the ranges of their channels.
func (d DataSetup) legal(n int) (bound.Domain, error) {
	if len(d.Range) == 0 || n%len(d.Range) != 0 {
		return bound.Domain{}, fmt.Errorf("request: data.range: %d ranges, which are not those of the channels of %d inputs", len(d.Range), n)
	}
	var low, high []float64
	for _, c := range d.Range {
		for range n / len(d.Range) {
			low, high = append(low, c[0]), append(high, c[1])
		}
	}
	return bound.Legal(low, high)
}

// ReleaseTitle is the title of the report on a release of the model at a path.
func ReleaseTitle(l Release, model string) string {
	give := "give"
	if l.Post.Label {
		give = "gives"
	}
	return fmt.Sprintf("What the %s of %s %s away", l.Surface(), filepath.Base(model), give)
}

// words describe a release: what leaves, with which noise, and what becomes of it.
func (s *Setup) words(noise release.Noise) string {
	l := s.Release
	what := report.Many(s.Features, "feature")
	switch {
	case l.Keep > 0:
		what = fmt.Sprintf("%s kept of the features (%s)", report.Many(l.Keep, "number"), l.Projection)
	case l.Surface == "logits" || l.Surface == "label":
		what = report.Many(s.Features, "logit")
	case l.Surface == "probabilities":
		what = fmt.Sprintf("%d class probabilities", s.Features)
	}
	words := []string{what + " of node " + s.Node}
	family, settings, _ := strings.Cut(l.Noise, ":")
	if family == NoNoise {
		words = append(words, "without noise")
	} else {
		x := fmt.Sprintf("with %s noise of σ = %s", noiseNames[family], report.Exactly(l.Sigma, report.Number))
		if g, ok := noise.(release.Lattice); ok {
			x += fmt.Sprintf(" on multiples of %v after clipping to ±%v", g.Delta, g.Clip)
		} else if family == "table" {
			x += " (" + filepath.Base(settings) + ")"
		}
		if l.Covariance {
			x += " times the covariance of " + CovarianceFile
		}
		words = append(words, x)
	}
	if l.Temperature != 0 && l.Temperature != 1 {
		words = append(words, fmt.Sprintf("at temperature %v", l.Temperature))
	}
	if l.Queries > 1 {
		words = append(words, fmt.Sprintf("%d times for each input", l.Queries))
	}
	if p := l.Post; p != nil {
		if p.Digits > 0 {
			words = append(words, "rounded to "+report.Many(p.Digits, "decimal"))
		}
		if p.TopK > 0 {
			words = append(words, fmt.Sprintf("cut to the %d largest", p.TopK))
		}
		if p.Label {
			words = append(words, "replaced by the label")
		}
	}
	return strings.Join(words, ", ")
}

// noiseNames are the families of noise in words.
var noiseNames = map[string]string{"gaussian": "Gaussian", "lattice": "discrete Gaussian", "laplace": "Laplace", "table": "tabulated"}
