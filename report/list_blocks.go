package report

import (
	"fmt"
	"math"

	"tattle/measure"
)

// everybody adds what no adversary can do better, from lists of inputs: the first section
// of a report on a release.
func (d *document) everybody(r *Report) {
	x := r.Lists
	if x == nil {
		return
	}
	if !r.listed() {
		for _, why := range x.LeftOut {
			d.say("Left out: " + why + ".")
		}
		return
	}
	d.section("How close can anyone come?")
	d.say(r.identified(), r.floored())
	rows := r.closeness()
	d.on(onPage, func(d *document) {
		d.chart(chart{Caption: "Error in " + r.unit() + ", by level of detail: root mean square over inputs", SVG: drawCloseness(rows, r.unit()), Keys: closenessKeys()})
	})
	t := table{Says: "Root mean square errors over inputs, in " + r.unit() + ". Floors are certified with confidence; attacks ran (demonstrated).",
		Heads: []string{"band", "n", "floor, everybody", "floor, list holder", "best attack", "prior alone"}}
	for _, c := range rows {
		t.add(c.band, fmt.Sprint(c.coordinates), floorCell(c.anybody, c.prior), floorCell(c.holder, c.prior), number(c.attack), number(c.prior))
	}
	d.table(t)
	d.say(r.adds(rows))
	d.holder(x.Holder)
	d.population(r, x.Anybody)
	d.inferred(x)
	for _, why := range x.LeftOut {
		d.say("Left out: " + why + ".")
	}
	d.soft(r.listMeaning())
}

// vacuousFloor is the share of what guessing the mean errs by below which a floor is
// called none: it says nothing.
const vacuousFloor = .01

// floorCell is a floor in a band where the prior alone errs by prior.
func floorCell(x, prior float64) string {
	if !(x > 0) || x < vacuousFloor*prior {
		return "none"
	}
	return AtLeastNumber(x)
}

// closeness holds the errors in one band, in units of the page; NaN for what was not measured.
type closeness struct {
	band                           string
	coordinates                    int
	anybody, holder, attack, prior float64
}

// unit is that of errors: grey levels, where the inputs have them.
func (r *Report) unit() string {
	if r.Data.GreyLevels > 0 {
		return "grey levels of 255"
	}
	return "normalised units"
}

// inUnit is the root of a mean square, in the unit.
func (r *Report) inUnit(square float64) float64 {
	u := math.Sqrt(square)
	if g := float64(r.Data.GreyLevels); g > 0 {
		u *= g
	}
	return u
}

// closeness collects the errors of each band.
func (r *Report) closeness() []closeness {
	var rows []closeness
	at := map[string]int{}
	row := func(f measure.BandLimit) *closeness {
		i, ok := at[f.Band]
		if !ok {
			i = len(rows)
			at[f.Band] = i
			nan := math.NaN()
			rows = append(rows, closeness{BandMarks{Name: f.Band}.brief(), f.Coordinates, nan, nan, nan, nan})
		}
		return &rows[i]
	}
	if h := r.Lists.Holder; h != nil {
		for _, f := range h.Floors {
			row(f).holder = r.inUnit(f.MeanSquare.Low)
		}
	}
	if p := r.Lists.EverySample(); p != nil {
		for _, f := range p.Floors {
			row(f).anybody = r.inUnit(f.Anybody)
		}
	}
	if r.FloorsAndCeilings == nil {
		return rows
	}
	for _, b := range r.FloorsAndCeilings.Bands {
		i, ok := at[b.Name]
		if !ok {
			continue
		}
		d := b.digest()
		if d.tried != nil {
			rows[i].attack = r.inUnit(math.Pow(float64(d.tried.level()), 2))
		}
		if d.prior != nil {
			rows[i].prior = r.inUnit(math.Pow(float64(d.prior.level()), 2))
		}
	}
	return rows
}
