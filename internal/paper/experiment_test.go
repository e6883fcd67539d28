package paper

import (
	"io/fs"
	"math"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tattle/internal/must"
	"tattle/internal/reveal/curious"
	"tattle/internal/reveal/curious/training"
)

// counts of what the paper prints and what has to be trained for it.
var counts = map[string]struct{ cells, trainings int }{
	"table1":   {24 + 68, 33}, // part (A) has five figures of each attribute and four accuracies
	"table2":   {48, 22},
	"table3":   {128, 52},
	"table4":   {48, 24},
	"table5":   {60, 20},
	"table6":   {32, 8},
	"table7":   {66, 22},
	"table8":   {128, 52},
	"table9":   {46, 20},
	"mixtures": {4, 0},
	"figure7":  {3, 2},
	"figure8":  {15, 5},
	"figure9":  {24, 10},
	"convex":   {0, 0},
}

func all(t *testing.T) []*Experiment {
	t.Helper()
	var out []*Experiment
	for _, name := range Names() {
		x := must.Get(Get(name))(t)
		out = append(out, x)
	}
	return out
}

// A printed is a published figure where it stands.
type printed struct {
	row string
	Line
	Published
}

func (t Table) cells() (cells []printed) {
	for _, l := range t.Lines {
		for _, p := range l.Figures {
			cells = append(cells, printed{t.row(l), l, p})
		}
	}
	return cells
}

func (x *Experiment) cells() (cells []printed) {
	for _, t := range x.Tables {
		cells = append(cells, t.cells()...)
	}
	return cells
}

func TestCounts(t *testing.T) {
	for _, x := range all(t) {
		if got, want := len(x.cells()), counts[x.Name].cells; got != want {
			t.Errorf("%s: %d cells, want %d", x.Name, got, want)
		}
		if got, want := len(x.Trainings), counts[x.Name].trainings; got != want {
			t.Errorf("%s: %d trainings, want %d", x.Name, got, want)
		}
	}
	if len(counts) != len(Names()) {
		t.Errorf("%d experiments are counted here, there are %d", len(counts), len(Names()))
	}
	must.Fail(t, must.Err(Get("table10")), "table1, table2")
}

// TestEveryFileIsUsed finds tables that nobody reads.
func TestEveryFileIsUsed(t *testing.T) {
	files := must.Get(fs.Glob(published, "published/*.csv"))(t)
	var names []string
	for _, x := range all(t) {
		for _, table := range x.Tables {
			names = append(names, table.Name)
		}
	}
	for _, f := range files {
		if !slices.Contains(names, strings.TrimSuffix(path.Base(f), ".csv")) {
			t.Errorf("no experiment reads %s", f)
		}
	}
	if len(files) != len(names) {
		t.Errorf("%d files, %d tables", len(files), len(names))
	}
}

// TestPlausible catches mistyped figures: the least accuracy printed is that of age
// in five classes, the largest standard deviation 7.3 points.
func TestPlausible(t *testing.T) {
	for _, x := range all(t) {
		for _, c := range x.cells() {
			p := c.Published
			lo, hi, std := 0., 1., .073
			switch c.Quantity {
			case Honesty, Curiosity:
				lo = .32
			case Entropy:
				lo, hi, std = .26, 1.41, .11
			case HonestyAUC, CuriosityAUC:
				lo, std = .89, 0
			}
			if p.Mean < lo || p.Mean > hi || p.Std < 0 || p.Std > std+1e-12 {
				t.Errorf("%s: %v, %s, %s: %v ± %v", x.Name, c.row, c.Column, c.Quantity, p.Mean, p.Std)
			}
		}
	}
}

// TestPrinted looks up figures from the corners of the paper's tables.
func TestPrinted(t *testing.T) {
	for _, want := range []struct {
		experiment, key, measure, sensitive string
		quantity                            Quantity
		mean, std                           float64
	}{
		{"table1", "MouthOpen-standard", "raw", "", Honesty, .9342, .0007},
		{"table1", "Smiling-standard", "soft", "WavyHair", Curiosity, .5790, 0},
		{"table1", "Smiling-Male-parameterized-soft-y.3s.7", "soft", "Male", Honesty, .6765, .064},
		{"table2", "HairColor-Attractive-regularized-soft-y.3s.7", "soft", "Attractive", Curiosity, .7570, .0027},
		{"table3", "age5-race5-parameterized-soft-y.5s.5", "soft", "race5", Curiosity, .7730, .01},
		{"table4", "race5-gender-regularized-soft-y.5s.5", "soft", "gender", Curiosity, .8597, .0028},
		{"table5", "age3-standard-x.8", "raw", "race3", Entropy, .32, .02},
		{"table5", "age3-race3-parameterized-soft-x.8y.5s.5", "soft", "race3", Entropy, .33, .02},
		{"table6", "Smiling-WavyHair-regularized-soft-y.5s.5-distilled", training.StudentMeasure, "WavyHair", Curiosity, .6861, .0096},
		{"table7", "age3-race3-parameterized-raw-y.7s.3", "raw", "race3", Curiosity, .8314, .0048},
		{"table7", "age3-race3-parameterized-soft-y.7s.3-8.8.4.4.8", "soft", "race3", Entropy, 1.36, .05},
		{"table8", "race5-age5-parameterized-soft-y.5s.5", "soft", "age5", Curiosity, .5802, .012},
		{"table9", "gender-race2-regularized-soft-y.3s.7", "soft", "race2", Curiosity, .8435, .0048},
		{"figure7", "gender-race2-regularized-soft-y.5s.5", "soft", "race2", CuriosityAUC, .89, 0},
	} {
		x := must.Get(Get(want.experiment))(t)
		cells := x.cells()
		i := slices.IndexFunc(cells, func(c printed) bool {
			return c.Training == want.key && c.measure() == want.measure && c.Sensitive == want.sensitive && c.Quantity == want.quantity
		})
		if i < 0 {
			t.Errorf("%s: no cell of %s, %s, %s", want.experiment, want.key, want.sensitive, want.quantity)
			continue
		}
		if p := cells[i].Published; math.Abs(p.Mean-want.mean) > 1e-12 || math.Abs(p.Std-want.std) > 1e-12 {
			t.Errorf("%s: %s, %s: %v ± %v, want %v ± %v", want.experiment, want.key, want.quantity, p.Mean, p.Std, want.mean, want.std)
		}
	}
}

// TestTableOneAgreesWithItself computes the printed mutual information from the
// printed shares, which are rounded to .001: that moves it by less than .002.
func TestTableOneAgreesWithItself(t *testing.T) {
	x := must.Get(Get("table1"))(t)
	shares := map[string]map[Quantity]float64{}
	for _, c := range x.Tables[0].cells() {
		if shares[c.row] == nil {
			shares[c.row] = map[Quantity]float64{}
		}
		shares[c.row][c.Quantity] = c.Published.Mean
	}
	for name, p := range shares {
		joint := [2][2]float64{{p[Share00], p[Share01]}, {p[Share10], p[Share11]}}
		bits := 0.
		for s := range 2 {
			for y := range 2 {
				bits += joint[s][y] * math.Log2(joint[s][y]/((joint[s][0]+joint[s][1])*(joint[0][y]+joint[1][y])))
			}
		}
		if math.Abs(bits-p[Information]) > .002 {
			t.Errorf("%s: %v bits by the shares, %v printed", name, bits, p[Information])
		}
		if smiling := joint[0][1] + joint[1][1]; math.Abs(smiling-.511) > .0015 {
			t.Errorf("%s: %v of the pictures smile, elsewhere in the table .511", name, smiling)
		}
	}
}

// TestGrids holds every cell to a training that yields it.
func TestGrids(t *testing.T) {
	safe := regexp.MustCompile(`^[A-Za-z0-9.-]+$`)
	for _, x := range all(t) {
		seen := map[string]bool{}
		for _, tr := range x.Trainings {
			if seen[tr.Key] || !safe.MatchString(tr.Key) {
				t.Errorf("%s: key %q", x.Name, tr.Key)
			}
			seen[tr.Key] = true
			if tr.Kind == curious.Regularized && (tr.Outputs[0] != curious.Soft || strings.HasPrefix(tr.Sensitive[0], "race") && tr.Sensitive[0] != "race2") {
				t.Errorf("%s: %s: the regularized attack needs soft outputs and S = 2", x.Name, tr.Key)
			}
			if tr.Kind != curious.Standard && (len(tr.Sensitive) != 1 || len(tr.Outputs) != 1 || tr.Beta.S == 0) {
				t.Errorf("%s: %s: %+v", x.Name, tr.Key, tr)
			}
		}
		for _, c := range x.cells() {
			tr := x.Training(c.Training)
			if tr == nil {
				if x.Data != Plane {
					t.Errorf("%s: %v %s has no training", x.Name, c.row, c.Column)
				}
				continue
			}
			if !slices.Contains(tr.measures(), c.measure()) || tr.Student != strings.Contains("teacher student", c.row[strings.LastIndex(c.row, " ")+1:]) {
				t.Errorf("%s: %s: no measure %q", x.Name, tr.Key, c.measure())
			}
			if c.Sensitive != "" && !slices.Contains(x.Sensitive(tr.Target), c.Sensitive) {
				t.Errorf("%s: %s: no attribute %q", x.Name, tr.Key, c.Sensitive)
			}
		}
	}
}

// TestRowsAreDistinct holds each cell of a printed table to a place of its own.
func TestRowsAreDistinct(t *testing.T) {
	for _, x := range all(t) {
		for _, table := range x.Tables {
			seen := map[string]bool{}
			for _, c := range table.cells() {
				at := strings.Join([]string{c.row, c.Column, string(c.Quantity)}, "|")
				if seen[at] {
					t.Errorf("%s: two cells at %s", table.Name, at)
				}
				seen[at] = true
			}
		}
	}
}
