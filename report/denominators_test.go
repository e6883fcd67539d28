package report

import (
	"strings"
	"testing"

	"tattle/bound"
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
		{"a design's target", "resolved to within 0.5 for half of the 100 inputs"},
		{"a design's certificate", "in half of the coordinates of 100 inputs"},
	} {
		for _, s := range []string{text, page} {
			if !strings.Contains(plainly(s), c.want) {
				t.Errorf("%s: no %q", c.what, c.want)
			}
		}
	}
	for _, c := range []struct{ what, in, want string }{
		{"the marks of floors", text, "HCR, twins (stored): about 10 of the 100 inputs."},
		{"the table of bounds", text, "as quantiles over coordinates and inputs"},
		{"a row over fewer inputs", text, "HCR, twins (10/100)"},
		{"a row over fewer inputs", page, "HCR, twins (10/100)"},
		{"the attacks", text, "over 100 inputs with 4 draws of the noise each"},
		{"the comparison", text, "over coordinates and the 100 inputs, or as many of them as a remark names"},
		{"directions", text, "(medians over the 100 inputs)"},
		{"directions", page, "(medians over the 100 inputs)"},
		{"a frontier", text, "median over the coordinates of the tried inputs"},
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

// Shares round down: what is said of all holds of all.
func TestShare(t *testing.T) {
	for x, want := range map[float64]string{1: "100 %", .99996: "99.9 %", .9999: "99.9 %", .98: "98 %", .3: "30 %", .0005: "under 0.1 %", 0: "0 %", .001: "0.1 %", .57: "57 %"} {
		if got := Share(x); got != want {
			t.Errorf("%v is %s, want %s", x, got, want)
		}
	}
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
