package report

import (
	"bytes"
	"strings"
	"testing"

	"tattle/bound"
	"tattle/internal/must"
)

// estimated is the sample where Jacobians were not decomposed and rounding was measured.
func estimated(t *testing.T) *Report {
	r := sample(t)
	r.Spectrum = nil
	r.Experiment = &bound.Settings{Search: bound.SearchOptions{Search: bound.Algorithm1}, Reasons: []string{"it is cheaper"}, Rounding: bound.RoundingMeasured, Spectrum: bound.SpectrumOptions{Probes: 8}}
	r.Resolvable = &Resolvable{
		Estimated: true, Probes: 8, Inputs: 4, Thresholds: []float64{.1, 1}, DirectionsMedian: []float64{0, 812.4},
		DirectionsError: []float64{0, 14.25}, DirectionsLow: []float64{0, 790}, DirectionsHigh: []float64{0, 841}, Largest: 31.4, Smallest: .5,
	}
	for i := range r.Bounds {
		r.Bounds[i].Status = bound.StatusEstimated
	}
	return r
}

// TestEstimatedDirections: counts of which only an estimate is known come with their
// error, in text and on the page, and nothing is called a rank.
func TestEstimatedDirections(t *testing.T) {
	r := estimated(t)
	var text, page bytes.Buffer
	must.Do(t, r.WriteDetails(&text))
	must.Do(t, r.WriteHTML(&page))
	standsAlone(t, r)
	flat := strings.Join(strings.Fields(text.String()), " ")
	for _, want := range []string{
		"0.1 0 1 812 ± 14 (790 to 841)", "8 random vectors an example, its largest singular value is 31.4",
		"the smallest that is distinguished from zero 0.5", "is certified: the rounding of this net's features is measured",
		"Rounding: measured, not proved", "Witnesses: algorithm1 (it is cheaper).",
	} {
		if !strings.Contains(flat, want) {
			t.Errorf("the text does not say %q:\n%s", want, text.String())
		}
	}
	if s := strings.ReplaceAll(page.String(), "\u00a0", " "); !strings.Contains(s, "<td>812 ± 14 (790 to 841)</td>") || strings.Contains(s, "has rank") || !strings.Contains(s, "the estimated standard deviation of every cosine mode") {
		t.Errorf("the page has no estimate with its error, or a rank")
	}
}

// TestNothings: every vacuous bound is named, with its band where the others of its
// name say something, and only those.
func TestNothings(t *testing.T) {
	r := sample(t)
	got := r.nothings()
	if len(got) != 1 || strings.Join(got[0].Rows, "|") != "HCR, s = 1/200 (all)|Cramér-Rao, seen" {
		t.Errorf("%q", got)
	}
	r.Bounds[1].Vacuous = &bound.Note{Kind: bound.VacuousZero}
	if got = r.nothings(); len(got) != 2 || got[1].Rows[0] != "HCR, s = 1/200 (8×8)" {
		t.Errorf("%q", got)
	}
	if s := r.fewer(); !strings.HasPrefix(s, "The 2 features of a release do not determine the 4 numbers of an input.") {
		t.Errorf("%q", s)
	}
	r.Model.Features = 4
	if s := r.fewer(); s != "" {
		t.Errorf("as many features as inputs: %q", s)
	}
}
