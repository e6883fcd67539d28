package paper

import (
	"math"
	"slices"
	"strings"
	"testing"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/classify"
	"tattle/internal/must"
	"tattle/internal/report"
	"tattle/internal/reveal/curious"
	"tattle/internal/reveal/curious/training"
)

// TestLead: a run is whole if every training ran, and fewer seeds are warned of.
func TestLead(t *testing.T) {
	x := must.Get(Get("figure8"))(t)
	g := &results{Experiment: x, Wanted: 2, Trained: map[string][]*training.Result{}}
	for _, tr := range x.Trainings {
		g.Trained[tr.Key] = []*training.Result{{}, {}}
	}
	lead := func(tally tally) string {
		r := new(report.Report)
		g.lead(r, tally)
		return r.Verdict()
	}
	for want, tally := range map[string]tally{
		"tables.part": {cells: 3, ran: 2, compared: 2, near: 2}, "tables.some": {cells: 3, ran: 3, compared: 2, near: 1},
		"tables.agree": {cells: 3, ran: 3, compared: 2, near: 2}, "tables.ran": {cells: 3, ran: 3},
	} {
		if is := lead(tally); is != want {
			t.Errorf("%+v: %s, want %s", tally, is, want)
		}
	}
	r := new(report.Report)
	if g.limits(r); len(r.Findings) != 1 || r.Say(r.Findings[0]) != "2 seeds; the paper's figures are of 5." {
		t.Errorf("%+v", r.Findings)
	}
	g.Reduced = "one epoch"
	if is := lead(tally{cells: 3, ran: 3, compared: 2, near: 2}); is != "tables.reduced" {
		t.Errorf("a reduced run: %s", is)
	}
	var of tally
	for _, d := range []float64{-1.9, 2.1} {
		of.count(report.Claim{Value: report.Exactly(.5, report.Percent), Beside: []report.Beside{{Name: "σ", Value: report.Exactly(d, report.Number)}}})
	}
	of.count(report.Claim{Value: report.Exactly(.5, report.Percent)})
	of.count(report.Claim{Value: report.Exactly(math.NaN(), report.Percent)})
	if (of != tally{cells: 4, ran: 3, compared: 2, near: 1}) {
		t.Errorf("%+v", of)
	}
}

// TestPruningPanels finds the standard net of a βx in both of its panels of figure 9,
// with means over the seeds, and what did not run in none.
func TestPruningPanels(t *testing.T) {
	x := must.Get(Get("figure9"))(t)
	g := &results{Experiment: x, Wanted: 2, Trained: map[string][]*training.Result{}}
	for _, key := range []string{"age3-standard", "age3-standard-x.4", "age3-race3-parameterized-raw-x.4y.5s.5"} {
		for _, honesty := range []float64{.4, .6} {
			m := training.Measure{
				Evaluation: &curious.Evaluation{Outputs: curious.Raw, Examples: 2, Confusion: [][]int{{1, 0}, {0, 1}}, Sensitive: []curious.Curiosity{{}}},
				Pruned:     []curious.Pruned{{Fraction: .9, Honesty: classify.Proportion{Value: honesty}, Curiosity: []classify.Proportion{{Value: .3}}}},
			}
			g.Trained[key] = append(g.Trained[key], &training.Result{Measure: m})
		}
	}
	r := new(report.Report)
	g.draw(r)
	var panels []string
	for _, c := range r.Claims {
		if c.ID != "pruned.honesty" {
			continue
		}
		panel, _, _ := strings.Cut(c.Subject, ": ")
		panels = append(panels, panel)
		if math.Abs(c.Value.X-.5) > 1e-12 || c.Group != "90.0 %" {
			t.Errorf("%+v", c)
		}
	}
	if want := "β=(0,.7,.3) β=(0,.5,.5) β=(.4,.7,.3) β=(.4,.5,.5) β=(.4,.5,.5)"; strings.Join(panels, " ") != want {
		t.Errorf("panels %v, want %s", panels, want)
	}
}

// claimOf returns the claim of a table on a quantity, and what stands beside it by name.
func (res *results) claimOf(t *testing.T, table Table, row int, q Quantity) (c report.Claim, note string, beside map[string]float64) {
	t.Helper()
	for _, cell := range table.cells() {
		if cell.Quantity != q {
			continue
		}
		if row--; row < 0 {
			c, note = res.claim(table, cell.Line, cell.Published)
			beside = map[string]float64{}
			for _, b := range c.Beside {
				beside[b.Name] = b.Value.X
			}
			return c, note, beside
		}
	}
	t.Fatalf("%s has too few cells of %s", table.Name, q)
	return c, note, nil
}

// TestCells sets figures of two seeds beside published ones.
func TestCells(t *testing.T) {
	x := must.Get(Get("table1"))(t)
	labelled := &dataset.Set{YNames: []string{"0", "1"}}
	for _, name := range x.Sensitive("Smiling") { // MouthOpen is the first
		labelled.Sensitive = append(labelled.Sensitive, dataset.Attribute{Name: name, Values: labelled.YNames})
	}
	for k, n := range []int{386, 122, 103, 389} { // class of s, then of y
		for range n {
			labelled.Y = append(labelled.Y, k&1)
			for i := range labelled.Sensitive {
				labelled.Sensitive[i].Labels = append(labelled.Sensitive[i].Labels, k>>1)
			}
		}
	}
	g := &results{Experiment: x, Wanted: 2, TestExamples: 10000, Trained: map[string][]*training.Result{}, Labels: map[string]*dataset.Set{"Smiling": labelled}}
	for _, honesty := range []float64{.91, .93} {
		e := &curious.Evaluation{Outputs: curious.Raw, Honesty: classify.Proportion{Value: honesty}}
		g.Trained["Smiling-standard"] = append(g.Trained["Smiling-standard"], &training.Result{Measure: training.Measure{Evaluation: e}})
	}
	g.Trained["Male-standard"] = []*training.Result{{Failed: "diverged"}}
	labels, shown := x.Tables[0], x.Tables[1]
	// Printed .386, .122, .103, .389 and .231 bits.
	for q, want := range map[Quantity]float64{Share00: .386, Share01: .122, Share10: .103, Share11: .389, Information: .23144} {
		c, _, beside := g.claimOf(t, labels, 0, q)
		if _, compared := beside["σ"]; math.Abs(c.Value.X-want) > 1e-5 || compared {
			t.Errorf("%s: %+v, want %v", q, c, want)
		}
	}
	// Mean .92, standard deviation .01414; published .9215 ± .0004; p = .92075,
	// n = 10000: (.92 − .9215)/√(.0002 + .00000016 + .0000072969) = −.1041.
	if c, _, beside := g.claimOf(t, shown, 0, Honesty); math.Abs(c.Value.X-.92) > 1e-12 || math.Abs(beside["±"]-math.Sqrt(.0002)) > 1e-12 || math.Abs(beside["σ"]+.1041) > 1e-4 {
		t.Errorf("honesty: %+v", c)
	}
	if c, note, _ := g.claimOf(t, labels, 1, Honesty); !math.IsNaN(c.Value.X) || !strings.Contains(note, "failed") {
		t.Errorf("a failed cell: %+v, %s", c, note)
	}
	if c, note, _ := g.claimOf(t, labels, 2, Honesty); !math.IsNaN(c.Value.X) || !strings.Contains(note, "--only") {
		t.Errorf("a cell that was left out: %+v, %s", c, note)
	}
	g.Trained["Smiling-standard"] = g.Trained["Smiling-standard"][:1]
	// One seed: (.91 − .9215)/√(2·.0004² + .91575·.08425/10000) = −4.0570.
	c, _, beside := g.claimOf(t, shown, 0, Honesty)
	if _, known := beside["±"]; known || math.Abs(beside["σ"]+4.0570) > 1e-4 {
		t.Errorf("honesty of one seed: %+v", c)
	}
	r := new(report.Report)
	g.Trained, g.Labels = nil, nil
	g.Report(r)
	seen := map[[3]string]bool{}
	for _, c := range r.Claims {
		if key := [3]string{c.ID, c.Subject, c.Group}; seen[key] {
			t.Errorf("two claims %q", key)
		} else {
			seen[key] = true
		}
	}
}

// TestRunsAreCorrected: of several attacks on one net, each has the p-value that is corrected for
// all of them; the mean over seeds shows an excess above two standard deviations.
func TestRunsAreCorrected(t *testing.T) {
	k := Training{Key: "k", Outputs: []curious.Outputs{curious.Raw}, Sensitive: []string{"s", "t"}}
	e := &curious.Evaluation{Sensitive: []curious.Curiosity{{PValue: .03, PValueHolm: .06}, {PValue: .04, PValueHolm: .06}}}
	if x := runsOf(k, "raw", []*training.Measure{{Evaluation: e}})[0]; x.P == nil || *x.P != .06 {
		t.Errorf("p-value %v, want the corrected .06", x.P)
	}
	for excess, want := range map[float64]bool{.05: false, .09: true} { // the deviation is .0424
		var all []*training.Measure
		for _, curiosity := range []float64{.5, .56} {
			all = append(all, &training.Measure{Evaluation: &curious.Evaluation{Sensitive: []curious.Curiosity{{Excess: excess, Curiosity: classify.Proportion{Value: curiosity}}}}})
		}
		if x := runsOf(k, "raw", all)[0]; x.Shown != want || x.P != nil {
			t.Errorf("an excess of %v: shown %v", excess, x.Shown)
		}
	}
}

// TestGaps sets the gap of each classifier beside that of its standard one. A training of an earlier version has none.
func TestGaps(t *testing.T) {
	g := &results{Experiment: must.Get(Get("figure9"))(t), Wanted: 2, Trained: map[string][]*training.Result{}}
	for key, trained := range map[string]float64{"age3-standard": .8, "age3-race3-parameterized-raw-y.5s.5": .7, "age3-race3-parameterized-soft-y.5s.5": .9, "age3-race3-parameterized-raw-x.4y.5s.5": .9, "age3-standard-x.4": 0} {
		if g.Training(key) == nil {
			t.Fatalf("no training %s", key)
		}
		for _, honesty := range []float64{.5, .6} {
			v := &curious.Evaluation{Outputs: g.Training(key).Outputs[0], Honesty: classify.Proportion{Value: honesty}, Trained: &classify.Proportion{Value: trained}}
			if trained == 0 {
				v.Trained = nil
			}
			g.Trained[key] = append(g.Trained[key], &training.Result{Measure: training.Measure{Evaluation: v}})
		}
	}
	r := new(report.Report)
	g.gaps(r)
	var said []string
	for _, c := range r.Claims {
		s := joined(c.Subject, c.Group) + " " + c.Value.Figure()
		for _, b := range c.Beside {
			if b.Name == "standard" || b.Name == "of" {
				s += ", " + b.Name + " " + b.Value.Figure()
			}
		}
		said = append(said, s)
	}
	slices.Sort(said)
	want := []string{" 1, of 2", "age3 / race3, parameterized, raw, β 0.4,0.5,0.5 +35.0 points", "age3 / race3, parameterized, raw, β 0,0.5,0.5 +15.0 points, standard +25.0 points", "age3 / race3, parameterized, soft, β 0,0.5,0.5 +35.0 points, standard +25.0 points", "age3, overlearning, raw, β 0,1,0 +25.0 points"}
	if slices.Sort(want); !slices.Equal(said, want) {
		t.Errorf("%q, want %q", said, want)
	}
}
