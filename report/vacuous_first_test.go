package report

import (
	"strings"
	"testing"

	"tattle/bound"
	"tattle/lattice"
)

// TestNothingVacuousFirst: a bound that is unbounded through rounding alone is not called certified,
// and neither it nor one above the prior comes before another sentence, in a report or a certificate.
func TestNothingVacuousFirst(t *testing.T) {
	near := func(r *Report, change func(b *bound.Summary)) *Report {
		for i := range r.Bounds {
			if b := &r.Bounds[i]; b.Status == bound.StatusCertified && !b.Pair() {
				change(b)
			}
		}
		r.Outcome = r.boundOutcome()
		return r
	}
	unbounded := func(b *bound.Summary) {
		b.AbovePrior, b.StdQuantiles, b.UnboundedFraction = nil, map[string]*float64{"0.05": nil, "0.25": nil, "0.5": nil, "0.75": nil, "0.95": nil}, 1
	}
	above := func(b *bound.Summary) { b.AbovePrior = ptr(true) }
	for name, c := range map[string]struct {
		r    *Report
		last string
	}{
		"unbounded": {near(full(t), unbounded), "No bound"},
		"vacuous":   {near(full(t), above), "Certified: "},
	} {
		c.r.Lists = nil
		said := c.r.sentences()
		if !strings.HasPrefix(said[len(said)-1], c.last) || len(said) < 2 {
			t.Errorf("%s: the last sentence of %d is %q", name, len(said), said[len(said)-1])
		}
		c.r.Release.Post, c.r.Experiment.Runtime.Error = nil, 1e-6
		p, err := NewCertificate(c.r, "", lattice.Lattice{Delta: 1, Sigma: 64, Clip: 64, Dim: 1}, CertifiedBudget{Releases: 1})
		if err != nil {
			t.Fatal(err)
		}
		if all := strings.Join(p.Sentences, "\n"); name == "unbounded" && (strings.Contains(all, "million") || strings.Contains(all, "Certified: an unbiased")) {
			t.Errorf("the certificate says\n%s", all)
		}
		if strings.HasPrefix(p.Sentences[0], "Certified") || strings.HasPrefix(p.Sentences[1], "Certified") {
			t.Errorf("%s: the certificate opens with %q", name, p.Sentences[:2])
		}
	}
	// Of two rows, the one that is not unbounded is stated.
	r := full(t)
	want := r.certified()
	more := *r.strongest("")
	unbounded(&more)
	r.Bounds = append(r.Bounds, more)
	if is := r.certified(); is != want {
		t.Errorf("%s\nbecame\n%s", want, is)
	}
}
