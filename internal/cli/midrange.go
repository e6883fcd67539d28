package cli

import (
	"fmt"
	"math"

	"tattle/attack"
	"tattle/bound"
	"tattle/npy"
	"tattle/report"
)

// middleName names the guess of the middle of the data's range.
const middleName = "middle"

// compareMiddle compares floors with guessing the middle of the data's range, where
// guessing the mean of training data was not measured. It reads the inputs from the
// arrays, as verify does.
func (m *measurement) compareMiddle(r *report.Report, res *bound.Result) error {
	c := m.experiment.Coordinates
	if len(r.PriorAlone) > 0 || res == nil || r.Data.Range == nil {
		return nil
	}
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
	r.MidRange = (&ceilings{}).rows(middleGuess(theta, legal, c), c, m.experiment.Band)
	r.ComparePrior()
	return nil
}

// middleGuess is what guessing the middle of a box errs by on inputs [examples, p].
func middleGuess(theta []float64, box bound.Domain, c bound.Coordinates) *attack.Result {
	p, m := c.Inputs(), c.Len()
	n := len(theta) / p
	a := &attack.Result{Attack: middleName, About: "guesses the middle of the data's range", RMS: make([]float64, n*m), MeanSquare: make([]float64, n)}
	miss := make([]float64, p)
	for i := range n {
		sum := 0.
		for k, x := range theta[i*p : (i+1)*p] {
			miss[k] = x - (box.Low[k]+box.High[k])/2
			sum += miss[k] * miss[k] / float64(p)
		}
		a.MeanSquare[i] = sum
		row := a.RMS[i*m : (i+1)*m]
		c.Apply(row, miss)
		for k, v := range row {
			row[k] = math.Abs(v)
		}
	}
	return a
}
