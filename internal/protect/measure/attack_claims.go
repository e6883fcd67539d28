package measure

import (
	"fmt"
	"math"

	"tattle/internal/npy"
	"tattle/internal/protect/attack"
	"tattle/internal/protect/bound"
	"tattle/internal/report"
)

// middle computes the errors of guessing without the release: the mean of the training data or, where that was not
// measured, the middle of the data's range. It reads the inputs from the arrays.
func (a *account) middle() error {
	if a.at != nil && a.at.PriorAlone != nil {
		a.prior, a.mean = a.at.PriorAlone.Summaries(a.c, a.q.Experiment.Band), true
		return nil
	}
	res := a.m.Bounds
	if res == nil || a.setup.Data.Range == nil {
		return nil
	}
	c := res.Experiment.Coordinates
	legal, err := a.setup.Data.legal(c.Inputs())
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
	a.prior = MiddleErrors(theta, legal, c).Summaries(c, res.Experiment.Band)
	return nil
}

// MedianErrorID is the ID of the median error of a coordinate, by band and attack, in normalised units.
const MedianErrorID = "error.median"

// attacks claims what the attacks reached, in every band.
func (a *account) attacks() {
	for _, band := range bound.Octaves(a.c) {
		for _, x := range a.at.Results {
			a.attack(x, band, "error", x.Attack)
		}
		if best := attack.Best(a.at.Results, band.Keep); best != nil {
			a.attack(best, band, "attack", "")
		}
		if p := a.at.PriorAlone; p != nil {
			v, u := a.root(band.Name, p.BandMeanSquare(band.Keep))
			a.Add(report.Claim{ID: "error", Subject: a.level(band.Name), Group: "none: guessing the mean of the training data", Kind: report.Measured, Value: report.Exactly(v, u), N: len(p.MeanSquare)})
		}
	}
	medians := func(x *attack.Result, kind report.Kind) {
		for _, row := range x.Summaries(a.c, a.q.Experiment.Band) {
			a.Add(report.Claim{ID: MedianErrorID, Subject: row.Band, Group: x.Attack, Kind: kind, Value: report.Exactly(row.Median, normalised), N: row.Examples})
		}
	}
	if p := a.at.PriorAlone; p != nil {
		medians(p, report.Measured)
	}
	for _, x := range a.at.Results {
		medians(x, report.Demonstrated)
		if !math.IsNaN(x.Recognised) {
			c := report.Claim{ID: "recognised", Subject: a.level(bound.AllBand), Group: x.Attack, Kind: report.Demonstrated, Value: report.Exactly(x.Recognised, report.Share), N: len(x.MeanSquare)}
			if p := a.at.PriorAlone; p != nil && !math.IsNaN(p.Recognised) {
				c.Beside = []report.Beside{{Name: "without the release", Value: report.Exactly(p.Recognised, report.Share)}}
			}
			a.Add(c)
		}
	}
}

// attack claims the error of an attack in a band.
func (a *account) attack(x *attack.Result, band bound.Band, id, group string) {
	v, u := a.root(band.Name, x.BandMeanSquare(band.Keep))
	value := report.Exactly(v, u)
	if i := x.Interval(band.Keep); i != nil {
		low, _ := a.root(band.Name, i[0])
		high, _ := a.root(band.Name, i[1])
		value = report.Within(v, low, high, u, .95)
	}
	c := report.Claim{ID: id, Subject: a.level(band.Name), Group: group, Kind: report.Demonstrated, Value: value, N: len(x.MeanSquare)}
	if p := a.at.PriorAlone; p != nil {
		without, _ := a.root(band.Name, p.BandMeanSquare(band.Keep))
		c.Beside = []report.Beside{{Name: "without the release", Value: report.Exactly(without, u)}}
	}
	a.Add(c)
}
