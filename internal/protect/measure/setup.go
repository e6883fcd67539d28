package measure

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/nn"
	"tattle/internal/protect/attack"
	"tattle/internal/protect/bound"
	"tattle/internal/protect/release"
	"tattle/internal/report"
)

// Setup is what a run measured, and how: with the model, the data and the files of the run it decides every figure
// that can be computed again. It is the request in the report of tattle bound and tattle design.
type Setup struct {
	Reading  Reading         `json:"reading"`
	Inputs   int             `json:"inputs"`   // numbers of an input
	Features int             `json:"features"` // numbers that leave
	Node     string          `json:"node"`     // whose output is released
	Release  Release         `json:"release"`
	Data     DataSetup       `json:"data"`
	Learned  report.File     `json:"learned_from,omitzero"` // training data of prior, attacks, projection and noise
	Bounds   *BoundsSetup    `json:"bounds,omitempty"`      // nil if no bound was computed
	Attacks  []AttackRan     `json:"attacks,omitempty"`
	Prior    *AttackRan      `json:"prior,omitempty"`  // guessing the mean of the training data
	Lists    *ListFigures    `json:"lists,omitempty"`  // what decides the limits on every adversary, without them
	Draws    int             `json:"draws,omitempty"`  // of the noise for each example, for accuracy
	Use      *release.Use    `json:"use,omitempty"`    // of the outputs, if they are vectors
	Figure   string          `json:"figure,omitempty"` // of paper A that is reproduced
	Design   json.RawMessage `json:"design,omitempty"` // the request of tattle design
}

// BoundsSetup is the experiment behind the bounds.
type BoundsSetup struct {
	bound.Settings
	Coordinates string       `json:"coordinates"`       // dct, pixels, columns or vectors
	Vectors     *report.File `json:"vectors,omitempty"` // the file of vectors
}

// AttackRan says which attack ran, and on how much.
type AttackRan struct {
	Name     string `json:"name"`
	About    string `json:"about"` // what it knew
	Examples int    `json:"examples"`
	Draws    int    `json:"draws"`
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
	s := &Setup{Reading: from.Reading, Inputs: p, Features: n, Node: m.Split.Node, Release: q.measured(), Learned: from.Learned, Draws: q.Draws, Use: q.Use}
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
		ran := func(a *attack.Result) AttackRan { return AttackRan{a.Attack, a.About, len(a.MeanSquare), a.Draws} }
		for _, a := range l.Results {
			s.Attacks = append(s.Attacks, ran(a))
		}
		if l.PriorAlone != nil {
			s.Prior = new(ran(l.PriorAlone))
		}
		s.Lists = l.Listed
	}
	return s
}

// Experiment returns the experiment of the setup, in coordinates c, for inputs of that shape. data is nil if the data
// are absent. The noise, the number of queries and the sizes of the model are the caller's to set.
func (s *Setup) Experiment(c bound.Coordinates, data *dataset.Set, shape []int, examples int, seed uint64) (bound.Experiment, error) {
	e := bound.Experiment{Settings: s.Bounds.Settings, Coordinates: c}
	e.Search.Seed = seed
	for key, lacks := range map[string]bool{"rounding": s.Bounds.Rounding == "", "runtime_error": s.Bounds.Runtime.From == "", "data.range": s.Data.Range == nil, "data.stored": s.Data.Stored == nil, "release.noise": s.Release.Family == ""} {
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
