package report

import (
	"math"
	"strings"
	"testing"

	"tattle/curious"
)

// TestCuriositySentences checks what is said of each kind of training and outcome.
func TestCuriositySentences(t *testing.T) {
	says := func(r *Report, want ...string) {
		t.Helper()
		all := strings.Join(r.Sentences(), "\n")
		for _, w := range append(want, "!privacy-preserving", "!is safe", "!It classifies") {
			if yes := !strings.HasPrefix(w, "!"); strings.Contains(all, strings.TrimPrefix(w, "!")) != yes {
				t.Errorf("%q in:\n%s", w, all)
			}
		}
	}
	r := curiousReport(t)
	says(r, "trained to reveal race and gender as well, by the parameterized attack with (βy, βs) = (.7, .3)",
		"From the raw outputs, a small network guesses race right more often than the best guess without the outputs",
		"Over 3 seeds (the figures above are for seed 1; age / race; parameterized, raw, (βy, βs) = (.7, .3)): honesty 80.97 ± 0.35 %", "excess with 3 of them")
	r.Runs[8].ExcessInterval[0] = -.01
	says(r, "excess with 2 of them")
	c, s := r.Curiosity, &r.Curiosity.Sensitive[0]
	c.Sensitive, r.Runs = c.Sensitive[:1], nil
	s.ExcessInterval, s.PValueHolm = [2]float64{.001, .02}, .2 // the interval alone shows nothing
	says(r, "is not shown to guess race right more often", "another attack may", "!Over 3 seeds")
	if rows := c.rows(); rows[5].Claim != "not shown" {
		t.Errorf("the excess is %q", rows[5].Claim)
	}
	c.Attack, c.Outputs = "overlearning", curious.Soft
	says(r, "trained for this task only", "soft outputs (probabilities)")
	c.Attack = "mixture"
	says(r, "mixed from two classifiers, one of age and one of race")
}

// TestRunsAreSummed checks what is said where runs have no headline.
func TestRunsAreSummed(t *testing.T) {
	r := curiousReport(t)
	r.Curiosity, r.Tables, r.Plane = nil, nil, nil
	said := strings.Join(r.Sentences(), "\n")
	if !strings.Contains(said, "of the 13 of 14 runs that have figures, the one with the largest excess over its baseline is parameterized-raw-0.7-seed-1") || !strings.Contains(said, notSafety) {
		t.Error(said)
	}
	r.Runs[0].Excess = Number(math.NaN())
	r.Runs[2].ExcessInterval[0] = -.01 // the greatest excess is not one that shows
	if said := r.runsSentence(); !strings.Contains(said, "over its baseline is mixture-soft-0.3-seed-1") {
		t.Error(said)
	}
	for i := range r.Runs {
		r.Runs[i].ExcessInterval[0] = -.01
	}
	mean := Run{Name: "five seeds", Seeds: 5, Honesty: .8, Curiosity: .6, CuriosityStd: .03, Excess: .05}
	if mean.exceeds() {
		t.Error("an excess under two deviations")
	}
	if mean.CuriosityStd = .02; !mean.exceeds() {
		t.Error("no excess over two deviations")
	}
	if mean.CuriosityStd = Number(math.NaN()); !mean.exceeds() {
		t.Error("a deviation that is not known hides the excess")
	}
	if said := r.runsSentence(); !strings.HasPrefix(said, "None of the attacks of the 13 of 14 runs that have figures shows an excess") {
		t.Error(said)
	}
	r.Runs = r.Runs[len(r.Runs)-1:]
	if said := r.runsSentence(); said != "None of 1 run has figures." {
		t.Error(said)
	}
}

// TestTable checks the counts of a table, what spans what, and its remarks.
func TestTable(t *testing.T) {
	x := publishedTable()
	cells, ran, compared, near := x.tally()
	if cells != 10 || ran != 8 || compared != 7 || near != 5 {
		t.Errorf("%d cells, %d ran, %d compared, %d near", cells, ran, compared, near)
	}
	whole := x.whole()
	if got := strings.Join(whole.Heads, "|"); !strings.HasSuffix(got, "Y = 2 δy|Y = 2 δs|Y = 5 δy|Y = 5 H") {
		t.Errorf("heads %s", got)
	}
	n := len(x.Heads)
	if c := whole.Rows[1][n+1]; c != "did not run\n85.54 ±1.10" {
		t.Errorf("a cell that did not run: %q", c)
	}
	if c := whole.Rows[2][n+2]; !strings.HasSuffix(c, "; −4.9 σ") {
		t.Errorf("a cell that differs: %q", c)
	}
	remarks := strings.Join(x.remarks(), "\n")
	if !strings.Contains(remarks, "raw, (.7, .3), Y = 2 δs; raw, (.5, .5), Y = 2 δs: did not run, broken off") {
		t.Error(remarks)
	}
	for i := range x.Rows {
		for j := range x.Rows[i].Cells {
			x.Rows[i].Cells[j].Note = "of 3 of 5 seeds"
		}
	}
	if remarks := x.remarks(); len(remarks) != 3 || !strings.HasPrefix(remarks[1], "10 cells: of 3") {
		t.Errorf("remarks %q", remarks)
	}
}

// TestManyRunsAreLeftToThePage: a table sums its runs up on a terminal.
func TestManyRunsAreLeftToThePage(t *testing.T) {
	r := curiousReport(t)
	for len(r.Runs) <= mostRuns {
		r.Runs = append(r.Runs, r.Runs[0])
	}
	text, page := rendered(t, r)
	if strings.Contains(text, "parameterized-raw-0.7") || !strings.Contains(text, "21 runs, and their") {
		t.Error("the terminal lists every run of a table")
	}
	if !strings.Contains(page, "The honesty–curiosity plane") {
		t.Error("the page has no plane")
	}
}

// TestWrapKeepsFigures: a line breaks neither before a percent sign nor about ±.
func TestWrapKeepsFigures(t *testing.T) {
	if got := words("for 78.20 % (95 % interval), 1.5 ± 0.61 %, mean ± standard"); strings.Join(got, "|") != "for|78.20 %|(95 %|interval),|1.5 ± 0.61 %,|mean ± standard" {
		t.Errorf("%q", got)
	}
}

// TestEntropyOf names what all rows share once, in the heading.
func TestEntropyOf(t *testing.T) {
	row := func(run string) Entropy {
		return Entropy{Run: run, Entropy: curious.Entropy{Edges: []float64{0, 1}, Counts: []int{2}}}
	}
	r := &Report{Curious: Curious{Entropy: []Entropy{row("age / race: standard"), row("age / race: mixture")}}}
	if svg := string(r.drawEntropy()); r.entropyOf() != "age / race" || !strings.Contains(svg, ">mixture</text>") || !strings.Contains(svg, `"name h2"`) {
		t.Errorf("%q: %s", r.entropyOf(), svg)
	}
	r.Entropy[1].Run = "age: mixture"
	if svg := string(r.drawEntropy()); r.entropyOf() != "" || !strings.Contains(svg, ">age / race: standard</text>") {
		t.Errorf("%q: %s", r.entropyOf(), svg)
	}
}

// TestWords checks the small print.
func TestWords(t *testing.T) {
	for want, got := range map[string]string{
		"p < 0.0001": pValue(0), "p = 0.0002": pValue(.0002), "p = 0.041": pValue(.041),
		"–":        betaShort(curious.Beta{}),
		".4,.7,.3": betaShort(curious.Beta{X: .4, Y: .7, S: .3}), "(βx, βy, βs) = (.4, 1, 0)": betaWords(curious.Beta{X: .4, Y: 1}),
		"abc…":       cut("abcdef", 4),
		"92.15 ±.04": (&Figure{Mean: .9215, Std: .0004}).Words(unitPercent), "0.371 ±.005": (&Figure{Mean: .371, Std: .005}).Words(unitBits),
		"68.20 ±.00": (&Figure{Mean: .682}).Words(unitPercent), "68.20": (&Figure{Mean: .682, Seeds: 1}).Words(unitPercent), // a deviation of zero, and an unknown one
		"−99…": TableCell{Difference: ptr(Number(-300))}.away(), "a, b and c": and([]string{"a", "b", "c"}),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func ptr[T any](x T) *T { return &x }
