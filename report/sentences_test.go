package report

import (
	"bytes"
	"strings"
	"testing"

	"tattle/bound"
	"tattle/internal/must"
)

// Every sentence on a share, a median or a root mean square names what it counted: the
// inputs that were tried, where these are fewer than those that were examined.
func TestSentencesNameTheirDenominators(t *testing.T) {
	r := full(t)
	text, page := rendered(t, r)
	for _, c := range []struct{ what, want string }{
		{"the certified median", "in half of the cosine modes of the 100 inputs"},
		{"twins, in words", "98 % of the cosine modes of the 10 of 100 inputs that were tried"},
		{"the best attack", "root mean square over all cosine modes of the 100 inputs with 4 draws of the noise each"},
		{"the accuracies", "of 10,000 labelled inputs, with 1 draw of the noise each"},
	} {
		for _, s := range []string{text, page} {
			if !strings.Contains(plainly(s), c.want) {
				t.Errorf("%s: no %q", c.what, c.want)
			}
		}
	}
	for _, c := range []struct{ what, in, want string }{
		{"the marks of floors", text, "Twins: about 10 of the 100 inputs."},
		{"the table of bounds", text, "as quantiles over coordinates and inputs"},
		{"a row over fewer inputs", text, "HCR, twins (10/100)"},
		{"a row over fewer inputs", page, "HCR, twins (10/100)"},
		{"the attacks", text, "over 100 inputs with 4 draws of the noise each"},
		{"the comparison", text, "over coordinates and the 100 inputs, or as many of them as a remark names"},
		{"directions", text, "(medians over the 100 inputs)"},
		{"directions", page, "(medians over the 100 inputs)"},
		{"histograms", page, "unbiased estimate of one coordinate, in the model's normalised units (one is 78.6 grey levels of 255), over the 100 inputs"},
	} {
		if !strings.Contains(plainly(c.in), c.want) {
			t.Errorf("%s: no %q", c.what, c.want)
		}
	}
	for _, vague := range []string{"typical", "where it was tried another", "all coordinates,", "same inputs. "} {
		if strings.Contains(plainly(text), vague) {
			t.Errorf("says %q", vague)
		}
	}
}

// plainly is text on one line, as a reader sees it.
func plainly(s string) string {
	return strings.Join(strings.Fields(strings.NewReplacer("\u00a0", " ", "&#160;", " ", "&#39;", "'").Replace(s)), " ")
}

// Twins that were sought for some of the inputs say nothing of the others, whatever
// share of the bounds has no limit; tried for all of them, all are named.
func TestTwinsCountWhatWasTried(t *testing.T) {
	for tried, want := range map[int]string{3: "For all pixels of the 3 of 10 inputs that were tried, another", 10: "For all pixels of the 10 inputs, another", 0: "For all pixels of the inputs, another"} {
		r := &Report{Data: Data{Examples: 10}, Reconstruction: Reconstruction{Bounds: []bound.Summary{{Method: bound.MethodHCR, Search: bound.SearchTwins, Coordinates: "pixels",
			Band: "all", Examples: tried, UnboundedFraction: 1, Status: bound.StatusCertified}}}}
		if s := r.twins(); !strings.Contains(s, want) {
			t.Errorf("%d tried: %s", tried, s)
		}
	}
}

// estimated is the sample where Jacobians were not decomposed and rounding was measured.
func estimated(t *testing.T) *Report {
	r := sample(t)
	r.Spectrum, r.Resolvable = nil, nil
	r.Experiment = &bound.Settings{Search: bound.SearchOptions{Search: bound.Algorithm1}, Reasons: []string{"it is cheaper"}, Rounding: bound.RoundingMeasured}
	for i := range r.Bounds {
		r.Bounds[i].Status = bound.StatusEstimated
	}
	return r
}

// TestMeasuredRounding: where rounding is measured and Jacobians were not decomposed, nothing is
// called certified or a rank, in text and on the page.
func TestMeasuredRounding(t *testing.T) {
	r := estimated(t)
	var text, page bytes.Buffer
	must.Do(t, r.WriteDetails(&text))
	must.Do(t, r.WriteHTML(&page))
	standsAlone(t, r)
	flat := strings.Join(strings.Fields(text.String()), " ")
	for _, want := range []string{
		"is certified: the rounding of this net's features is measured",
		"Rounding: measured, not proved", "Witnesses: algorithm1 (it is cheaper).",
	} {
		if !strings.Contains(flat, want) {
			t.Errorf("the text does not say %q:\n%s", want, text.String())
		}
	}
	if s := strings.ReplaceAll(page.String(), "\u00a0", " "); strings.Contains(s, "has rank") || !strings.Contains(s, "the estimated standard deviation of every cosine mode") {
		t.Errorf("the page has a rank, or no estimate")
	}
}

// TestNothings: every vacuous bound is named, and only those.
func TestNothings(t *testing.T) {
	r := sample(t)
	got := r.nothings()
	if len(got) != 1 || got[0].Key != "HCR, s = 1/200 (all); Cramér-Rao, seen (all)" {
		t.Errorf("%q", got)
	}
	r.Bounds[1].Vacuous = &bound.Note{Kind: bound.VacuousZero}
	if got = r.nothings(); len(got) != 2 || got[1].Key != "HCR, s = 1/200 (8×8)" {
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
