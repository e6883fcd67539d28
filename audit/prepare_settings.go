package audit

import (
	"encoding/json"
	"fmt"
	"path/filepath"

	"tattle/curious"
	"tattle/internal/file"
)

// TrainingSettings hold everything that decides the trainings of an audit apart from the data and
// the model. The audited outputs are not among them, so that a worker, which trains for
// somebody else's audit, need not ask the model for them.
type TrainingSettings struct {
	Layout    int      `json:"layout"` // of the files that keep trainings
	Trainings []string `json:"trainings"`
	Seed      uint64   `json:"seed"`
	Epochs    int      `json:"epochs"` // of each reference
	Defences  bool     `json:"defences"`
	Examples  int      `json:"examples"`

	Outputs curious.Outputs `json:"outputs"`
	Classes int             `json:"classes"`
	Inputs  []int           `json:"inputs,omitempty"` // shape of the pictures that an endpoint takes
	Widths  [5]int          `json:"widths,omitzero"`  // of the references' layers
}

// trainingsLayout changes with the files that keep a training, or how it is done.
const trainingsLayout = 1

// Settings returns the settings of the trainings, without Inputs and Widths, and the
// SHA-256 by role of the data that they depend on.
func (p *preparation) Settings() (*TrainingSettings, map[string]string) {
	r := p.record
	s := &TrainingSettings{
		Layout: trainingsLayout, Trainings: p.Trainings(), Seed: p.o.Seed, Epochs: p.o.ReferenceEpochs(), Defences: r.Defences,
		Examples: r.Sample.Len(), Outputs: r.Sample.Kind, Classes: len(r.Sample.Classes),
	}
	hashes := map[string]string{}
	if p.o.Examples != nil {
		hashes["examples"] = p.o.Examples.Sum()
	} else {
		hashes["outputs"] = r.Sample.Sum()
	}
	if t := p.o.Training; t != nil {
		hashes["training"], hashes["validation"], hashes["asked"] = t.Train.Sum(), t.Validation.Sum(), p.o.parts(r).Test.Sum()
	}
	return s, hashes
}

// ReadTrainingSettings reads the settings of the trainings in the folder dir, which another process
// began.
func ReadTrainingSettings(dir string) (*TrainingSettings, error) {
	path := filepath.Join(dir, "manifest.json")
	data, err := file.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("training for another process: %w", err)
	}
	var m struct {
		Settings TrainingSettings `json:"settings"`
	}
	if err := json.Unmarshal(data, &m); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if s := &m.Settings; s.Classes < 2 || s.Classes > maxColumns {
		return nil, fmt.Errorf("%s: %d classes", path, s.Classes)
	}
	return &m.Settings, nil
}
