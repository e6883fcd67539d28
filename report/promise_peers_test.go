package report

import (
	"slices"
	"strings"
	"testing"

	"tattle/internal/must"
	"tattle/promise"
)

// TestPromisePeers: the best methods of others are among the five lines that are drawn, all are in the
// table, and no sentence counts them among what was searched.
func TestPromisePeers(t *testing.T) {
	limits := promise.Limits{Identify: .12, Candidates: 60000}
	run := promiseRun(limits)
	for _, m := range []promise.Method{promise.PeerDFIL, promise.TopK, promise.Rounding} {
		for i := range 3 {
			p := promise.Point{Keep: 784, Parameter: float64(i + 4), Accuracy: []float64{.97 - .001*float64(i)}, Identified: .4 - .17*float64(i), Bits: 9, Floor: .3, Meets: i == 2}
			p.Node, p.Method = "pool", m
			run.Answer.Points = append(run.Answer.Points, p)
		}
	}
	r := promised(t, limits)
	r.SetPromise(run)
	drawn := r.Promise.drawn()
	if len(drawn) != mostLines {
		t.Errorf("%d lines are drawn", len(drawn))
	}
	for _, m := range []promise.Method{promise.Isotropic, promise.PeerDFIL, promise.TopK} {
		if !slices.ContainsFunc(drawn, func(l promiseLine) bool { return l.Method == m }) {
			t.Errorf("%s is not drawn", m)
		}
	}
	if drawn[0].Method != run.Answer.Best.Method {
		t.Errorf("the first line is %s, the release is %s", drawn[0].Method, run.Answer.Best.Method)
	}
	if name := pointName(run.Answer.Points[len(run.Answer.Points)-1]); name != "rounding at pool, step = 6" {
		t.Errorf("a point is called %q", name)
	}
	var b strings.Builder
	must.Do(t, r.WriteDetails(&b))
	for _, want := range []string{"for comparison only", "rounding "} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the text lacks %q", want)
		}
	}
	run.Answer.Best = nil
	r.SetPromise(run)
	if said := r.promiseHeadline(); !strings.Contains(said, "none of 35 releases") {
		t.Errorf("%q counts methods of others", said)
	}
}
