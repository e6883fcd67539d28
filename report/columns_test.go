package report

import (
	"strings"
	"testing"

	"tattle/measure"
)

// Where no floor is proved for the columns of a table, the verdict names the column that an attack
// comes closest to, in the column's own unit, and no error of whole rows.
func TestNearestColumn(t *testing.T) {
	r := new(Report)
	r.FloorsAndCeilings = new(FloorsAndCeilings)
	r.Coordinates = measure.CoordinatesColumns
	r.Data.Columns = []Column{{Name: "age", Width: 1, Keep: 1, Unit: 18}, {Name: "hours", Width: 1, Keep: 1, Unit: 9}, {Name: "kind", Width: 2, Keep: 2}}
	for band, squares := range map[string][2]Number{"all": {.09, 1}, "age": {.25, 1}, "hours": {.04, 1}, "kind": {.0001, 1}} {
		r.Attacks = append(r.Attacks, Attack{Name: "linear", Band: band, MeanSquare: squares[0]})
		r.PriorAlone = append(r.PriorAlone, Attack{Name: "prior", Band: band, MeanSquare: squares[1]})
	}
	best := rowOfBand(r.Attacks, "all")
	if name, errs, without := r.nearestColumn(best); name != "hours" || errs != 9*.2 || without != 9 {
		t.Errorf("%s: %v without %v", name, errs, without)
	}
	for _, tile := range r.releaseTiles() {
		if tile.Name == "Best attack, hours" && tile.Figure == "1.8" && !strings.Contains(tile.About, "normalised") {
			return
		}
	}
	t.Errorf("%+v", r.releaseTiles())
}
