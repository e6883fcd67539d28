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
	d.say(r.identified(), r.hidden(), r.floored())
	rows := r.closeness()
	d.on(onPage, func(d *document) {
		d.chart(chart{Caption: "Error in " + r.unit() + ", by level of detail: root mean square over inputs", SVG: drawCloseness(rows, r.unit()), Keys: closenessKeys()})
	})
	t := table{Says: "Root mean square errors over inputs, in " + r.unit() + ". Floors are certified with 99.9 % confidence; attacks are demonstrated. Without a list: adversaries who know the distribution of inputs. With the list: adversaries who also know that the input is one of the candidates. " + r.priorsMeaning(),
		Heads: []string{"band", "n", "floor without a list", "floor with the list", "best attack"}}
	for _, c := range rows {
		t.add(c.band, fmt.Sprint(c.coordinates), c.anybody.beside(c.anybody.floor()), c.holder.beside(c.holder.floor()), c.attack.beside(number(c.attack.value)))
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

// negligibleFloor is the share of the prior alone below which a floor is printed as none.
const negligibleFloor = .01

// closeness holds the errors in one band.
type closeness struct {
	band                    string
	coordinates             int
	anybody, holder, attack errorBeside
}

// An errorBeside is an error beside the prior alone: the error of guessing the mean of the same
// inputs, without the release. Both are in the unit of the report; NaN: not measured.
type errorBeside struct{ value, prior float64 }

// none reports whether a floor is too small to be printed.
func (e errorBeside) none() bool { return !(e.value > 0) || e.value < negligibleFloor*e.prior }

// floor prints a floor.
func (e errorBeside) floor() string {
	switch {
	case math.IsNaN(e.value):
		return number(e.value)
	case e.none():
		return "none"
	}
	return AtLeastNumber(e.value)
}

// beside adds the prior alone to a printed error, as in "41.9 of 68.0".
func (e errorBeside) beside(printed string) string {
	if math.IsNaN(e.value) || math.IsNaN(e.prior) {
		return printed
	}
	return printed + " of " + number(e.prior)
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
			none := errorBeside{math.NaN(), math.NaN()}
			rows = append(rows, closeness{BandMarks{Name: f.Band}.brief(), f.Coordinates, none, none, none})
		}
		return &rows[i]
	}
	if h := r.Lists.Holder; h != nil {
		for _, f := range h.Floors {
			row(f).holder = errorBeside{r.inUnit(f.MeanSquare.Low), r.inUnit(f.Prior)}
		}
	}
	if p := r.Lists.EverySample(); p != nil {
		for _, f := range p.Floors {
			row(f).anybody = errorBeside{r.inUnit(f.Anybody), r.inUnit(f.Prior)}
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
			rows[i].attack.value = r.inUnit(math.Pow(float64(d.tried.level()), 2))
		}
		if d.prior != nil {
			rows[i].attack.prior = r.inUnit(math.Pow(float64(d.prior.level()), 2))
		}
	}
	return rows
}

// priorsMeaning says what stands behind "of" in the table of these errors.
func (r *Report) priorsMeaning() string {
	s := "The figure after \"of\" is the prior alone: the error of guessing the mean of the same inputs without the release"
	if r.bestAttack("all") == nil {
		return s + "."
	}
	return s + fmt.Sprintf("; for attacks, which ran on %s, the mean of the training data.", CountGrouped(r.Attacks[0].Examples, "input"))
}
