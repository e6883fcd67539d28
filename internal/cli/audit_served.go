package cli

import (
	"encoding/json"
	"fmt"
	"path/filepath"

	"tattle/audit"
	"tattle/curious"
	"tattle/internal/file"
)

// settings is all that decides what comes of an audit's trainings, beside the data: the
// outputs that are audited are none of it, so that whoever trains for somebody else's
// audit need not ask for them.
type settings struct {
	Layout    int      `json:"layout"` // of what is kept
	Trainings []string `json:"trainings"`
	Seed      uint64   `json:"seed"`
	Epochs    int      `json:"epochs"`
	Defences  bool     `json:"defences"`
	Examples  int      `json:"examples"`

	// What is known once the release was asked, or its run was read.
	Outputs curious.Outputs `json:"outputs"`
	Classes int             `json:"classes"`
	Inputs  []int           `json:"inputs,omitempty"` // shape of the pictures that an endpoint takes
	Widths  string          `json:"widths,omitempty"`
}

// trainingsLayout changes with what is kept of a training, or how it is made.
const trainingsLayout = 1

// trainings says what decides the trainings, but for their names.
func (c *auditCmd) trainings(d *audited) (*settings, map[string]string) {
	s := &settings{
		Layout: trainingsLayout, Seed: c.Seed, Epochs: c.referenceEpochs(d), Defences: d.Defences, Examples: d.sample.Len(),
		Outputs: d.sample.Kind, Classes: len(d.sample.Classes), Inputs: d.inputs, Widths: c.widths(d),
	}
	hashes := map[string]string{}
	if d.examples != nil {
		hashes["examples"] = d.examples.set.Sum()
	} else {
		hashes["outputs"] = d.hash
	}
	if d.model != nil {
		hashes["model"] = d.model.hash
	}
	if p := d.training; p != nil {
		hashes["training"], hashes["validation"], hashes["asked"] = p.Train.Sum(), p.Validation.Sum(), d.askedOf().Sum()
	}
	return s, hashes
}

// settledIn reads what the audit in dir, for which this process trains, has settled.
func settledIn(dir string) (*settings, error) {
	path := filepath.Join(dir, shardsDir, manifestFile)
	data, err := file.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("train for another's audit: %w", err)
	}
	var m struct {
		Settings settings `json:"settings"`
	}
	if err := json.Unmarshal(data, &m); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if s := &m.Settings; s.Classes < 2 || s.Classes > maxClasses {
		return nil, fmt.Errorf("%s: %d classes", path, s.Classes)
	}
	return &m.Settings, nil
}

// unasked takes the labels of the examples, where what is released of them is asked by
// somebody else.
func (d *audited) unasked() {
	d.sample = audit.Unasked(d.examples.set, d.settled.Outputs, d.settled.Classes)
}
