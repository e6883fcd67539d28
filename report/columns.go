package report

import (
	"fmt"

	"tattle/bound"
	"tattle/dataset"
	"tattle/measure"
)

// A Column is a column of a table of inputs.
type Column struct {
	Name  string `json:"name"`
	Width int    `json:"width"`          // how many inputs it has
	Keep  int    `json:"keep"`           // how many of them, from the first, errors of the column are over
	Unit  Number `json:"unit,omitempty"` // of numbers: a normalised unit in the column's own; 0 for categories
}

// columnsOf are the columns of a table of inputs, with their units; nil if the data are none.
func columnsOf(s *dataset.Set) []Column {
	var all []Column
	unit := map[string]float64{}
	for _, c := range s.Columns {
		if c.Unit > 0 {
			unit[c.Name] = c.Unit
		}
	}
	for _, c := range measure.Columns(s) {
		all = append(all, Column{c.Name, c.Width, c.Keep, Number(unit[c.Name])})
	}
	return all
}

// BoundColumns returns the columns for coordinates; nil if the data are no table.
func (d Data) BoundColumns() []bound.Column {
	var all []bound.Column
	for _, c := range d.Columns {
		all = append(all, bound.Column{Name: c.Name, Width: c.Width, Keep: c.Keep})
	}
	return all
}

// byColumn reports whether errors are those of the columns of a table.
func (r *Report) byColumn() bool { return r.Coordinates == measure.CoordinatesColumns }

// ownUnit returns a normalised unit of the column of that name in the column's own; 0 if the band is
// no column of numbers.
func (r *Report) ownUnit(band string) float64 {
	if !r.byColumn() {
		return 0
	}
	for _, c := range r.Data.Columns {
		if c.Name == band {
			return float64(c.Unit)
		}
	}
	return 0
}

// exposed returns the errors in the column of numbers that the floor without a list protects least,
// as a share of the error without the release, and the names of those without a floor. It is nil if
// no column of numbers has a floor.
func (r *Report) exposed() (worst *closeness, without []string) {
	if !r.listed() {
		return nil, nil
	}
	rows := r.closeness()
	for i := range rows {
		c := &rows[i]
		switch {
		case !c.own || !(c.anybody.prior > 0):
		case c.anybody.none():
			without = append(without, c.band)
		case worst == nil || c.anybody.share() < worst.anybody.share():
			worst = c
		}
	}
	return worst, without
}

// exposedSays says how far the columns of numbers are protected; empty if none has a floor.
func (r *Report) exposedSays() string {
	c, without := r.exposed()
	if c == nil {
		return ""
	}
	s := fmt.Sprintf("No adversary who knows only what rows look like recovers %s to within %s on average (root mean square, in its own unit; without the release: %s).", c.band, atLeastNumber(c.anybody.value), number(c.anybody.prior))
	if len(without) > 0 {
		s += " No floor is proved for " + and(without) + "."
	}
	return s
}

// nearestColumn returns the column of numbers that an attack comes closest to, as a share of the
// error without the release, with both errors in the column's own unit and the name of the attack;
// with shown, of those that are shown to be closer than guessing. The column is empty if the inputs
// are no table or no such error is known.
func (r *Report) nearestColumn(shown bool) (column, by string, errs, without float64) {
	if !r.byColumn() || r.FloorsAndCeilings == nil {
		return "", "", 0, 0
	}
	for _, b := range r.FloorsAndCeilings.Bands {
		a, unit := b.Attack, r.ownUnit(b.Name)
		if shown {
			a = b.closer()
		}
		if unit == 0 || a == nil || b.Prior == nil || !(b.Prior.Error > 0) {
			continue
		}
		if e, w := unit*float64(a.Error), unit*float64(b.Prior.Error); column == "" || e/w < errs/without {
			column, by, errs, without = b.Name, a.Name, e, w
		}
	}
	return column, by, errs, without
}
