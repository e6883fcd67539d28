package report

import (
	"fmt"
	"math"

	"tattle/measure"
)

// everyAdversary adds the limits on every adversary, from lists of inputs. It is the first
// section of a report on a release.
func (d *document) everyAdversary(r *Report) {
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
	d.section("How close can any adversary come?")
	d.say(r.identified(), r.floored())
	rows := r.closeness()
	d.on(onPage, func(d *document) {
		d.chart(chart{Caption: "Error in " + r.unit() + ", by level of detail: root mean square over inputs", SVG: drawCloseness(rows, r.unit()), Keys: closenessKeys()})
	})
	t := table{Says: "Root mean square errors over inputs, in " + r.unit() + ". Floors are certified with 99.9 % confidence; attacks are demonstrated. Without a list: adversaries who know the distribution of inputs. With the list: adversaries who also know that the input is one of the candidates.",
		Heads: []string{"band", "n", "floor without a list", "floor with the list", "best attack", "prior alone"}}
	for _, c := range rows {
		t.add(c.band, fmt.Sprint(c.coordinates), floorCell(c.anybody, c.prior), floorCell(c.holder, c.prior), number(c.attack), number(c.prior))
	}
	d.table(t)
	d.say(r.uninformativeBands(rows))
	d.holder(x)
	d.population(r, x.Anybody)
	d.inferred(x)
	for _, why := range x.LeftOut {
		d.say("Left out: " + why + ".")
	}
	d.soft(r.listMeaning())
}

// negligibleFloor is the share of the error of guessing the mean below which a floor is
// printed as none.
const negligibleFloor = .01

// floorCell prints a floor in a band; prior is the error of the prior alone there.
func floorCell(x, prior float64) string {
	if !(x > 0) || x < negligibleFloor*prior {
		return "none"
	}
	return AtLeastNumber(x)
}

// closeness holds the errors in one band, in the unit of the report; NaN: not measured.
type closeness struct {
	band                           string
	coordinates                    int
	anybody, holder, attack, prior float64
}

// unit is the unit of errors: grey levels if the inputs have them.
func (r *Report) unit() string {
	if r.Data.GreyLevels > 0 {
		return "grey levels of 255"
	}
	return "normalised units"
}

// inUnit returns the root of a mean square, in that unit.
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
