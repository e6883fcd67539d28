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

// settings returns the settings of the trainings, and the SHA-256 by role of what they depend on.
func (p *preparation) settings() (*TrainingSettings, map[string]string) {
	r := p.s
	s := &TrainingSettings{
		Layout: trainingsLayout, Seed: p.q.Seed, Epochs: r.Epochs, Defences: r.Defences,
		Examples: r.Sample.Len(), Outputs: r.Sample.Kind, Classes: len(r.Sample.Classes), Inputs: r.inputs, Widths: p.q.widths(),
	}
	for _, t := range p.all {
		s.Trainings = append(s.Trainings, t.Name)
	}
	hashes := map[string]string{}
	if r.Examples != nil {
		hashes["examples"] = r.Examples.Set.Sum()
	} else {
		hashes["outputs"] = r.Sample.Sum()
	}
	if t := r.Training; t != nil {
		hashes["training"], hashes["validation"], hashes["asked"] = t.Train.Sum(), t.Validation.Sum(), r.parts().Test.Sum()
	}
	if r.Model != nil {
		hashes["model"] = r.Model.SHA256
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
