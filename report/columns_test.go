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
	for band, rms := range map[string]Number{"all": .3, "age": .5, "hours": .2, "kind": .01} {
		r.FloorsAndCeilings.Bands = append(r.FloorsAndCeilings.Bands, BandMarks{Name: band, Marks: []Mark{{Method: markAttack, Name: "linear", RMS: rms, Gain: &Gain{Low: -1}}, {Method: markAttack, Name: "posterior", RMS: 2 * rms, Gain: &Gain{Low: -1}}, {Method: markPrior, RMS: 1}}})
	}
	if column, by, errs, without := r.nearestColumn(false); column != "hours" || by != "linear" || errs != 9*.2 || without != 9 {
		t.Errorf("%s by %s: %v without %v", column, by, errs, without)
	}
	if column, _, _, _ := r.nearestColumn(true); column != "" {
		t.Errorf("%s, but no attack is shown to be closer than guessing", column)
	}
	if x := r.releaseTiles()[0]; x.Name != "Best attack, hours" || x.Figure != "1.8" || strings.Contains(x.About, "normalised") {
		t.Errorf("%+v", x)
	}
	for i := range r.FloorsAndCeilings.Bands {
		for k := range r.FloorsAndCeilings.Bands[i].Marks {
			r.FloorsAndCeilings.Bands[i].Marks[k].RMS = 1
		}
	}
	if x := r.releaseTiles()[0]; x.Name != "Best attack" || x.Figure != "not closer" {
		t.Errorf("attacks that guess the mean: %+v", x)
	}
}
