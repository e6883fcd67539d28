package reproduce

import (
	"math"
	"strings"
	"testing"

	"tattle/classify"
	"tattle/curious"
	"tattle/dataset"
	"tattle/internal/must"
	"tattle/report"
)

// TestConclude: a run is finished if every training ran, and fewer seeds are warned of.
func TestConclude(t *testing.T) {
	x := must.Get(Get("figure8"))(t)
	g := &results{Experiment: x, Wanted: 2, Trained: map[string][]seedResult{}}
	for _, tr := range x.Trainings {
		g.Trained[tr.Key] = []seedResult{{Measured: new(Measured)}, {Measured: new(Measured)}}
	}
	near, far := report.Number(-1.9), report.Number(2.1)
	ours := &report.Figure{Mean: .5}
	r := &report.Report{Curious: report.Curious{Tables: []report.Table{{Rows: []report.TableRow{{Cells: []report.TableCell{
		{Ours: ours, Difference: &near}, {Ours: ours, Difference: &far}, {Ours: ours}, {Difference: &near}}}}}}}}
	g.conclude(r)
	if r.Outcome != report.Done {
		t.Errorf("outcome %q", r.Outcome)
	}
	if len(r.Warnings) != 1 || r.Warnings[0] != "2 seeds; the paper's figures are of 5." {
		t.Errorf("warnings: %q", r.Warnings)
	}
}

// TestPruningPanels finds the standard net of a βx in both of its panels of figure 9,
// with means over the seeds, and what did not run in none.
func TestPruningPanels(t *testing.T) {
	x := must.Get(Get("figure9"))(t)
	g := &results{Experiment: x, Wanted: 2, Trained: map[string][]seedResult{}}
	for _, key := range []string{"age3-standard", "age3-standard-x.4", "age3-race3-parameterized-raw-x.4y.5s.5"} {
		for _, honesty := range []float64{.4, .6} {
			m := &Measure{
				Evaluation: &curious.Evaluation{Examples: 2, Confusion: [][]int{{1, 0}, {0, 1}}, Sensitive: []curious.Curiosity{{}}},
				Pruned:     []curious.Pruned{{Fraction: .9, Honesty: classify.Proportion{Value: honesty}, Curiosity: []classify.Proportion{{Value: .3}}}},
			}
			g.Trained[key] = append(g.Trained[key], seedResult{Measured: &Measured{Measures: map[string]*Measure{"raw": m}}})
		}
	}
	r := new(report.Report)
	g.draw(r)
	var panels []string
	for _, c := range r.Pruning {
		panels = append(panels, c.Panel)
		if p := c.Points[0]; len(c.Points) != 1 || math.Abs(float64(p.Honesty)-.5) > 1e-12 || p.Fraction != .9 {
			t.Errorf("%s: %+v", c.Run, c.Points)
		}
	}
	if want := "β=(0,.7,.3) β=(0,.5,.5) β=(.4,.7,.3) β=(.4,.5,.5) β=(.4,.5,.5)"; strings.Join(panels, " ") != want {
		t.Errorf("panels %v, want %s", panels, want)
	}
}

// TestCells sets figures of two seeds beside published ones.
func TestCells(t *testing.T) {
	x := must.Get(Get("table1"))(t)
	g := &results{Experiment: x, Wanted: 2, TestExamples: 10000,
		Trained: map[string][]seedResult{}}
	for _, honesty := range []float64{.91, .93} {
		g.Trained["Smiling-standard"] = append(g.Trained["Smiling-standard"], seedResult{Measured: &Measured{
			Counts:   map[string][][]int{"MouthOpen": {{386, 122}, {103, 389}}},
			Measures: map[string]*Measure{"raw": {Evaluation: &curious.Evaluation{Honesty: classify.Proportion{Value: honesty}}}},
		}})
	}
	g.Trained["Male-standard"] = []seedResult{{Failed: "diverged", Measured: new(Measured)}}
	labels, shown := g.table(x.Tables[0]), g.table(x.Tables[1])
	// Printed .386, .122, .103, .389 and .231 bits.
	for i, want := range []float64{.386, .122, .103, .389, .23144} {
		if c := labels.Rows[0].Cells[i]; c.Ours == nil || math.Abs(float64(c.Ours.Mean)-want) > 1e-5 || c.Difference != nil {
			t.Errorf("%s: %+v, want %v", labels.Columns[i].Name, c, want)
		}
	}
	// Mean .92, standard deviation .01414; published .9215 ± .0004; p = .92075,
	// n = 10000: (.92 − .9215)/√(.0002 + .00000016 + .0000072969) = −.1041.
	if c := shown.Rows[0].Cells[0]; c.Ours == nil || math.Abs(float64(c.Ours.Mean)-.92) > 1e-12 || math.Abs(float64(c.Ours.Std)-math.Sqrt(.0002)) > 1e-12 ||
		c.Difference == nil || math.Abs(float64(*c.Difference)+.1041) > 1e-4 {
		t.Errorf("honesty: %+v", c)
	}
	if c := labels.Rows[1].Cells[5]; c.Ours != nil || !strings.Contains(c.Note, "failed") {
		t.Errorf("a failed cell: %+v", c)
	}
	if c := labels.Rows[2].Cells[5]; c.Ours != nil || !strings.Contains(c.Note, "--only") {
		t.Errorf("a cell that was left out: %+v", c)
	}
	g.Trained["Smiling-standard"] = g.Trained["Smiling-standard"][:1]
	// One seed: (.91 − .9215)/√(2·.0004² + .91575·.08425/10000) = −4.0570.
	if c := g.table(x.Tables[1]).Rows[0].Cells[0]; c.Ours == nil || !math.IsNaN(float64(c.Ours.Std)) || c.Difference == nil || math.Abs(float64(*c.Difference)+4.0570) > 1e-4 {
		t.Errorf("honesty of one seed: %+v, %+v", c, c.Ours)
	}
	for _, row := range shown.Rows {
		for i, c := range row.Cells {
			if !c.Blank && c.Published == nil || len(row.Cells) != len(shown.Columns) {
				t.Errorf("%q, %s: %+v", row.Labels, shown.Columns[i].Name, c)
			}
		}
	}
}

// TestRunsAreCorrected: of several attacks on one net, each has the p-value that is corrected for
// all of them.
func TestRunsAreCorrected(t *testing.T) {
	k := Training{Key: "k", Outputs: []curious.Outputs{curious.Raw}}
	e := &curious.Evaluation{Sensitive: []curious.Curiosity{{PValue: .03, PValueHolm: .06}, {PValue: .04, PValueHolm: .06}}}
	g := &results{Trained: map[string][]seedResult{"k": {{Measured: &Measured{Measures: map[string]*Measure{"raw": {Evaluation: e}}}}}}}
	var x report.Run
	if g.fillRun(&x, k, "raw", 0); x.PValue == nil || *x.PValue != .06 {
		t.Errorf("p-value %v, want the corrected .06", x.PValue)
	}
}

// TestSteps counts whole batches: a last partial batch is dropped, fewer examples than a
// batch are one.
func TestSteps(t *testing.T) {
	for n, want := range map[int]int64{18964: 50 * 189, 70: 50} {
		if got := steps(&dataset.Parts{Train: &dataset.Set{Y: make([]int, n)}}, 50); got != want {
			t.Errorf("%d examples: %d steps, want %d", n, got, want)
		}
	}
}
