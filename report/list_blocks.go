package report

import (
	"fmt"
	"math"
	"strings"

	"tattle/internal/file"
)

// everyAdversary adds how close adversaries can come, by level of detail, and limits on guessing
// attributes: a part of what a reader must know.
func (d *document) everyAdversary(r *Report) {
	if !r.listed() {
		return
	}
	rows := r.closeness()
	d.section("How close can any adversary come?")
	if len(closenessKeys(rows)) <= 1 { // a chart of what is reached without the release alone
		d.say("No floor is proved at this noise, and no attack ran that would show how close an adversary comes. Without the release, guessing the mean errs by " + number(rows[0].floorsPrior()) + " " + r.unit() + ".")
		d.inferred(r.Lists)
		return
	}
	d.on(onPage, func(d *document) {
		d.chart(chart{Caption: r.closenessCaption(), SVG: drawCloseness(rows, r.unit()), Keys: closenessKeys(rows), Note: r.closenessNote()})
	})
	t := closenessTable(r, rows)
	d.on(onTerminal|onMarkdown, func(d *document) { d.table(t) })
	d.inferred(r.Lists)
}

// closenessCaption says what the chart of errors shows.
func (r *Report) closenessCaption() string {
	if r.byColumn() {
		return "Error by column: of numbers in the column's own unit"
	}
	return "Error in " + r.unit() + ", by level of detail"
}

// closenessTable has the errors in each band.
func closenessTable(r *Report, rows []closeness) table {
	head, says := "band", "Errors in "+r.unit()+"."
	if r.byColumn() {
		head, says = "column", "Errors of numbers in the column's own unit, of categories and whole rows in normalised units (of a number: one standard deviation of its column, unless the preprocessing says otherwise). n: how many inputs the column has."
	}
	says += " " + r.closenessInputs()
	t := table{Says: says, Heads: []string{head, "n", "floor without a list", "floor with the list", "best attack"}}
	for _, c := range rows {
		t.add(c.band, fmt.Sprint(c.coordinates), c.anybody.beside(c.anybody.floor()), c.holder.beside(c.holder.floor()), c.attack.beside(c.attack.printed()))
	}
	return t
}

// closenessInputs says over which inputs each of the errors is: they differ.
func (r *Report) closenessInputs() string {
	said := []string{"Each is a root mean square, beside that of guessing the mean, without the release, for the same inputs (after “of”)."}
	if p := r.Lists.EverySample(); p != nil {
		said = append(said, fmt.Sprintf("Floor without a list: over inputs like the %s of %s.", grouped(p.List.Inputs), p.List.Name))
	}
	if h := r.Lists.Holder; h != nil {
		said = append(said, fmt.Sprintf("Floor with the list: over its %s.", Count(h.List.Inputs, "input")))
	}
	if r.bestAttack() != nil {
		said = append(said, r.attackInputs())
	}
	return strings.Join(said, " ")
}

// attackInputs says over which inputs the errors of attacks are.
func (r *Report) attackInputs() string {
	s := fmt.Sprintf("Attack: over the %s that it ran on", Count(r.Data.Examples, "input"))
	if r.Data.Examples > 1 {
		return s + "; in brackets its 95 % interval over inputs like these."
	}
	return s + ", which says little of others."
}

// listDetails adds the figures behind the limits on every adversary.
func (d *document) listDetails(r *Report) {
	x := r.Lists
	if x == nil {
		return
	}
	if r.listed() {
		d.folded("Limits on every adversary, in figures")
		d.say(r.listSays()...)
		d.on(onPage, func(d *document) { d.table(closenessTable(r, r.closeness())) })
		d.say(r.uninformativeBands(r.closeness()))
		d.holder(x)
		d.population(r, x.Anybody)
		d.soft(r.listMeaning())
	}
	for _, why := range x.LeftOut {
		d.say("Left out: " + why + ".")
	}
}

// negligibleFloor is the share of the prior alone below which a floor is printed as none.
const negligibleFloor = .01

// closeness holds the errors in one band.
type closeness struct {
	band            string
	coordinates     int
	own             bool // in the unit of a column of numbers, not in that of the report
	anybody, holder errorBeside
	attack          attackBeside
}

// An errorBeside is an error beside the prior alone: the error of guessing the mean of the same
// inputs, without the release. Both are in the unit of the report; NaN: not measured.
type errorBeside struct{ value, prior float64 }

// An attackBeside is the error of an attack, which runs on few inputs, and its 95 % interval over inputs
// like these; NaN: not known.
type attackBeside struct {
	errorBeside
	low, high float64
}

// printed is the error with its interval.
func (a attackBeside) printed() string {
	if math.IsNaN(a.low) {
		return number(a.value)
	}
	return fmt.Sprintf("%s (%s to %s)", number(a.value), number(a.low), number(a.high))
}

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
	return atLeastNumber(e.value)
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
func (r *Report) inUnit(square float64) float64 { return r.toUnit(math.Sqrt(square)) }

// closeness collects the errors of each band.
func (r *Report) closeness() []closeness {
	var rows []closeness
	at := map[string]int{}
	row := func(band string, coordinates int) *closeness {
		i, ok := at[band]
		if !ok {
			i = len(rows)
			at[band] = i
			none := errorBeside{math.NaN(), math.NaN()}
			rows = append(rows, closeness{r.levelOfDetail(band), coordinates, r.ownUnit(band) > 0, none, none, attackBeside{none, math.NaN(), math.NaN()}})
		}
		return &rows[i]
	}
	if h := r.Lists.Holder; h != nil {
		for _, f := range h.Floors {
			row(f.Band, f.Coordinates).holder = errorBeside{r.inBand(f.Band, f.MeanSquare.Low), r.inBand(f.Band, f.Prior)}
		}
	}
	if p := r.Lists.EverySample(); p != nil {
		for _, f := range p.Floors {
			row(f.Band, f.Coordinates).anybody = errorBeside{r.inBand(f.Band, f.Anybody), r.inBand(f.Band, f.Prior)}
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
		if b.Attack != nil {
			rows[i].attack.value = r.inBand(b.Name, math.Pow(float64(b.Attack.Error), 2))
			if x := b.Attack.Interval; x != nil {
				rows[i].attack.low, rows[i].attack.high = r.inBand(b.Name, x[0]*x[0]), r.inBand(b.Name, x[1]*x[1])
			}
		}
		if b.Prior != nil {
			rows[i].attack.prior = r.inBand(b.Name, math.Pow(float64(b.Prior.Error), 2))
		}
	}
	return rows
}

// inBand returns the root of a mean square in the unit of its band: of a column of numbers in its own,
// else in that of the report.
func (r *Report) inBand(band string, square float64) float64 {
	if u := r.ownUnit(band); u > 0 {
		return u * math.Sqrt(square)
	}
	return r.inUnit(square)
}

// levelOfDetail names a band for readers who do not know cosine modes.
func (r *Report) levelOfDetail(band string) string {
	if r.byColumn() {
		if band == "all" {
			return "whole row"
		}
		return file.Name(band)
	}
	switch band {
	case "all":
		return "whole input"
	case "mode 0":
		return "mean (mode 0)"
	case "mode 1":
		return "coarsest (mode 1)"
	}
	if rest, ok := strings.CutPrefix(band, "modes from "); ok {
		return "finest (from mode " + rest + ")"
	}
	return band
}
