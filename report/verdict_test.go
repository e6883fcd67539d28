package report

import (
	"math"
	"regexp"
	"strings"
	"testing"

	"tattle/attack"
	"tattle/bound"
	"tattle/dataset"
	"tattle/internal/must"
	"tattle/measure"
)

// The outcome is that of witnesses near the inputs: far ones and twins, which only some examples have, stand apart.
func TestBoundOutcome(t *testing.T) {
	row := func(search string, median float64) bound.Summary {
		return bound.Summary{Method: bound.MethodHCR, Search: search, Band: bound.AllBand, StdQuantiles: map[string]*float64{"0.5": &median}, Status: bound.StatusCertified}
	}
	for _, c := range []struct {
		rows []bound.Summary
		want Outcome
	}{
		{[]bound.Summary{row("direct", 2), row(bound.SearchTwins, .01)}, Bounded},
		{[]bound.Summary{row("direct", .01), row(bound.SearchFar, 2)}, Vacuous},
		{[]bound.Summary{row("direct", math.Inf(1))}, Unbounded},
		{[]bound.Summary{row(bound.SearchFar, 2)}, Uncertified},
	} {
		r := &Report{Reconstruction: Reconstruction{Bounds: c.rows}, Data: Data{Examples: 10, GreyLevels: 10}}
		if got := r.boundOutcome(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// A model that is right no more often than the guess of the commonest class is warned of.
func TestModelThatGuesses(t *testing.T) {
	data := &dataset.Set{Y: make([]int, 100)}
	for i := range 40 {
		data.Y[i] = 1
	}
	for accuracy, want := range map[float64]int{.6: 1, .61: 0, .5: 1} {
		r := &Report{Utility: Utility{Examples: 100, CleanAccuracy: Number(accuracy)}}
		if r.warnFit(data); len(r.Warnings) != want || want > 0 && !strings.Contains(r.Warnings[0], "the guess of the commonest class for 60.00 %") {
			t.Errorf("%v: %q", accuracy, r.Warnings)
		}
	}
	r := &Report{Utility: Utility{Examples: 100, CleanAccuracy: .1}}
	if r.warnFit(nil); len(r.Warnings) > 0 {
		t.Errorf("without data: %q", r.Warnings)
	}
}

// A file that is no report is not called one of another version.
func TestForeignReport(t *testing.T) {
	for document, want := range map[string]string{
		`{"a":1}`: "not a report of tattle: it has no schema",
		`{"schema":"tattle/report/2","version":"v0.0.1"}`: `written by tattle v0.0.1 with the schema "tattle/report/2"`,
	} {
		must.Fail(t, must.Err(ParseJSON([]byte(document))), want)
	}
}

// Attacks that learned from the inputs that they attack are not adversaries without a list.
func TestHeadlineOfKnownInputs(t *testing.T) {
	r := full(t)
	r.Lists.Anybody = nil
	if s := r.releaseSays(); !strings.Contains(s, "the best attack that ran errs by less") {
		t.Error(s)
	}
	r.Learned = Arrays{SHA256: r.Data.SHA256}
	if s := r.releaseSays(); !strings.Contains(s, "learned from the inputs that it attacks") {
		t.Error(s)
	}
}

// A class is recognised only if the model assigns far more reconstructions to it than guesses without
// the release: a model that answers one class for 76 % of the inputs answers it for their mean, too.
func TestClassRecognised(t *testing.T) {
	share := func(x float64) *float64 { return &x }
	for _, c := range []struct {
		attack, without *float64
		want            bool
	}{
		{share(.76), share(.76), false}, {share(.8), share(.76), false}, {share(.98), share(.76), true},
		{share(.6), share(.1), true}, {share(.4), share(0), false}, {share(1), share(1), false}, {share(.97), nil, true}, {nil, nil, false},
	} {
		r := full(t)
		r.Lists = nil
		for i := range r.Attacks {
			r.Attacks[i].Recognised = c.attack
		}
		for i := range r.PriorAlone {
			r.PriorAlone[i].Recognised = c.without
		}
		v := r.releaseLead()
		if got := v.Badge == "Class recognised"; got != c.want || strings.Contains(v.Says, "original's class") != c.want {
			t.Errorf("%v of reconstructions, %v without the release: %s. %s", c.attack, c.without, v.Badge, v.Says)
		}
	}
}

// TestVerdictIsOneSentence: a verdict is one sentence with three or four tiles, and states none of
// their figures again.
func TestVerdictIsOneSentence(t *testing.T) {
	another := regexp.MustCompile(`[.!?] \p{Lu}`)
	for name, r := range kinds(t) {
		v := r.lead()
		if another.MatchString(v.Says) || !strings.HasSuffix(v.Says, ".") {
			t.Errorf("%s: more than one sentence, or none: %s", name, v.Says)
		}
		if n := len(v.Tiles); n > 4 || n < 3 && name != "figures" { // of which a paper may print one

			t.Errorf("%s: %d tiles", name, n)
		}
		for _, x := range v.Tiles {
			if len(x.Figure) > 2 && strings.ContainsAny(x.Figure, "0123456789") && strings.Contains(v.Says, x.Figure) {
				t.Errorf("%s: %q is on a tile: %s", name, x.Figure, v.Says)
			}
		}
	}
}

// Where no floor is proved for the columns of a table, the verdict names the column that an attack
// comes closest to, in the column's own unit, and no error of whole rows.
func TestNearestColumn(t *testing.T) {
	r := new(Report)
	r.FloorsAndCeilings = new(FloorsAndCeilings)
	r.Coordinates = measure.CoordinatesColumns
	r.Data.Columns = []Column{{Name: "age", Width: 1, Keep: 1, Unit: 18}, {Name: "hours", Width: 1, Keep: 1, Unit: 9}, {Name: "kind", Width: 2, Keep: 2}}
	for band, rms := range map[string]Number{"all": .3, "age": .5, "hours": .2, "kind": .01} {
		r.FloorsAndCeilings.Bands = append(r.FloorsAndCeilings.Bands, BandMarks{Name: band, Attack: &Mark{Name: "linear", Error: rms, Gain: &attack.Gain{Low: ptr(-1.)}}, Prior: &Mark{Error: 1}})
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
	for _, b := range r.FloorsAndCeilings.Bands {
		b.Attack.Error = 1
	}
	if x := r.releaseTiles()[0]; x.Name != "Best attack" || x.Figure != "not closer" {
		t.Errorf("attacks that guess the mean: %+v", x)
	}
}
