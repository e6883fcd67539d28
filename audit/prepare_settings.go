package audit

import "tattle/curious"

// trainingSettings hold everything that decides the trainings of an audit apart from the data and
// the model.
type trainingSettings struct {
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
func (p *preparation) settings() (*trainingSettings, map[string]string) {
	r := p.s
	s := &trainingSettings{
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
