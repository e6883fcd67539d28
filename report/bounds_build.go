package report

import (
	"fmt"
	"path/filepath"

	"tattle/bound"
	"tattle/dataset"
	"tattle/measure"
	"tattle/npy"
)

// setBounds reports on bounds, and draws their histograms. vectors is the file of the
// coordinates, nil for built-in ones; data is nil if the data are absent.
func (r *Report) setBounds(res *bound.Result, data *dataset.Set, vectors *Arrays) {
	r.Experiment, r.Coordinates, r.Vectors = &res.Experiment.Settings, res.Experiment.Coordinates.Name(), vectors
	if vectors != nil {
		r.Coordinates = "vectors"
	}
	r.Bounds = res.Summaries
	r.Arrays = []Arrays{{File: filepath.Base(res.Path), SHA256: res.SHA256}}
	if data != nil {
		r.Data.Range, r.Data.Stored = rangeOf(data), stored(data)
	}
	r.setFigures(res)
}

// setMidRange compares floors with guessing the middle of the data's range, where
// guessing the mean of training data was not measured. It reads the inputs from the
// arrays, as verify does.
func (r *Report) setMidRange(res *bound.Result) error {
	if len(r.PriorAlone) > 0 || res == nil || r.Data.Range == nil {
		return nil
	}
	c := res.Experiment.Coordinates
	legal, err := recordedRange(r.Data.Range, []int{c.Inputs()})
	if err != nil {
		return err
	}
	f, err := npy.Open(res.Path)
	if err != nil {
		return err
	}
	defer f.Close()
	theta, shape, err := f.Float64s("theta")
	if err != nil {
		return err
	}
	if len(shape) != 2 || shape[1] != c.Inputs() {
		return fmt.Errorf("%s: array %q has shape %v, expected [examples, %d]", res.Path, "theta", shape, c.Inputs())
	}
	r.MidRange = attackRows(&measure.Attacks{}, measure.MiddleErrors(theta, legal, c), c, res.Experiment.Band)
	r.ComparePrior()
	return nil
}
