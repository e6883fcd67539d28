package report

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"tattle/audit"
	"tattle/curious"
	"tattle/internal/must"
)

// TestPlaneGathers checks spots, curves and lines against figures by hand.
func TestPlaneGathers(t *testing.T) {
	planes := curiousReport(t).runPlanes()
	if len(planes) != 1 || planes[0].title != "age / race" || len(planes[0].runs) != 13 {
		t.Fatalf("%d planes", len(planes))
	}
	p := planes[0]
	if p.chanceS != 1./3 || p.baseline.lo != .4403 || p.baseline.hi != .4403 {
		t.Errorf("chance %g, baseline %v", p.chanceS, p.baseline)
	}
	var seeds spot
	for _, s := range p.spots {
		if s.runs == 3 {
			seeds = s
		}
	}
	// Honesties .81, .806, .813: mean .80966…, standard deviation .0035119.
	if math.Abs(seeds.honesty-.8096667) > 1e-6 || math.Abs(seeds.honestySpan.hi-seeds.honesty-.0035119) > 1e-6 {
		t.Errorf("three seeds: %g, %v", seeds.honesty, seeds.honestySpan)
	}
	if s := p.spots[0]; s.honestySpan.lo != float64(s.HonestyInterval[0]) {
		t.Errorf("one seed has its own interval: %v", s.honestySpan)
	}
	lines := 0
	for _, c := range p.curves() {
		for i := 1; i < len(c); i++ {
			if curiosityShare(c[i].Beta) < curiosityShare(c[i-1].Beta) || c[i].Outputs != c[0].Outputs {
				t.Errorf("%s: out of order", c[i].Name)
			}
		}
		if len(c) > 1 {
			lines++
		}
	}
	svg := string(p.draw(runsHeight))
	if n := strings.Count(svg, "<polyline"); n != lines || n != 3 {
		t.Errorf("%d lines, want %d", n, lines)
	}
	if n := strings.Count(svg, `class="point`); n != 13+1 { // 13 runs, and the mean of three
		t.Errorf("%d points", n)
	}
	for _, want := range []string{shapes["cross"] + `"><title>parameterized, raw, (βy, βs) = (.7, .3), mean of 3 seeds ± standard deviation: honesty 80.97 ± 0.35 %, curiosity 78.13 ± 0.61 %`, "baseline 44.0 %", "parameterized-raw-0.5-seed-1: honesty"} {
		if !strings.Contains(svg, want) {
			t.Errorf("no %q", want)
		}
	}
}

// inside checks that no place of a figure lies outside its frame.
func inside(t *testing.T, name, svg string) {
	t.Helper()
	for _, m := range regexp.MustCompile(` c?x[12]?="([-0-9.eE+]+)%"`).FindAllStringSubmatch(svg, -1) {
		if x, err := strconv.ParseFloat(m[1], 64); err != nil || x < -.01 || x > 100.01 {
			t.Errorf("%s: %s", name, m[0])
		}
	}
	high := 0.0
	if m := regexp.MustCompile(`height="([0-9]+)"`).FindStringSubmatch(svg); m != nil {
		high, _ = strconv.ParseFloat(m[1], 64)
	}
	for _, m := range regexp.MustCompile(` c?y[12]?="([-0-9.eE+]+)"`).FindAllStringSubmatch(svg, -1) {
		if y, err := strconv.ParseFloat(m[1], 64); err != nil || y < -.01 || y > high {
			t.Errorf("%s: %s of %g", name, m[0], high)
		}
	}
	for _, m := range regexp.MustCompile(`points="([^"]*)"`).FindAllStringSubmatch(svg, -1) {
		for _, pair := range strings.Fields(m[1]) {
			var x, y float64
			if _, err := fmt.Sscanf(pair, "%g,%g", &x, &y); err != nil || x < 0 || x > 1000 || y < 0 || y > 1000 {
				t.Errorf("%s: a line to %s", name, pair)
			}
		}
	}
	for _, bad := range []string{"NaN", "Inf"} {
		if strings.Contains(svg, bad) {
			t.Errorf("%s has %s", name, bad)
		}
	}
}

// TestCuriousFiguresStayInside checks every figure of the sample.
func TestCuriousFiguresStayInside(t *testing.T) {
	r := curiousReport(t)
	for _, p := range r.runPlanes() {
		inside(t, p.title, string(p.draw(320)))
	}
	for _, c := range r.ROC {
		inside(t, c.title(), string(c.draw()))
	}
	for _, c := range r.Pruning {
		inside(t, c.Run, string(c.draw(pruningSpan([]Pruning{c}))))
	}
	inside(t, "entropy", string(r.drawEntropy()))
	inside(t, "trade-off", string(r.Plane.draw()))
	inside(t, "mixture", string(r.Plane.Mixtures[0].draw()))
}

// TestPruningPanels groups neighbours under one heading, with one scale.
func TestPruningPanels(t *testing.T) {
	at := func(panel string, honesty Number) Pruning {
		return Pruning{Panel: panel, Run: "run", Points: []PruningPoint{{Honesty: honesty, Curiosity: .5}}}
	}
	r := &Report{Curious: Curious{Pruning: []Pruning{at("", .6), at("", .7), at("left", .8), at("left", .9), at("right", .6)}}}
	panels := r.pruningPanels()
	if len(panels) != 4 || len(panels[2]) != 2 {
		t.Fatalf("%d panels, want 4, the third of two runs: %+v", len(panels), panels)
	}
	if y := pruningSpan(panels[2]); y.lo != .5 || y.hi != .9 {
		t.Errorf("the accuracies of the third panel go from %v to %v", y.lo, y.hi)
	}
	var page, text strings.Builder
	must.Do(t, errors.Join(r.WriteHTML(&page), r.WriteDetails(&text)))
	if strings.Count(page.String(), "<h3>left</h3>") != 1 || strings.Count(page.String(), "<h3>right</h3>") != 1 || strings.Count(text.String(), "\nleft\n") != 1 {
		t.Error("a panel is not headed once")
	}
}

// TestOddValues renders what may be missing, alone and half: no figure may hold
// nonsense, and nothing may fail.
func TestOddValues(t *testing.T) {
	nan := Number(math.NaN())
	for name, c := range map[string]Curious{
		"headline":   {Curiosity: &Curiosity{Evaluation: curious.Evaluation{Sensitive: []curious.Curiosity{{}}}}},
		"run":        {Runs: []Run{{Honesty: .9, Curiosity: .5}}},
		"one place":  {Runs: []Run{{Honesty: 1, Curiosity: 1, Baseline: 1, SensitiveClasses: 2, TargetClasses: 2}, {Honesty: 1, Curiosity: 1, Seed: 2, Attack: "else <b>"}}},
		"unknown":    {Runs: []Run{{Name: "x", Honesty: nan, Curiosity: .5}, {Name: "y", Failed: "it broke"}}},
		"two tasks":  {Runs: []Run{{Honesty: .8, Curiosity: .5, Target: "a", SensitiveClasses: 2}, {Honesty: .8, Curiosity: .5, Baseline: nan, Target: "a", SensitiveClasses: 3}}},
		"empty roc":  {ROC: []ROC{{Of: ofHonesty}, {Of: ofCuriosity, Curves: []curious.ROC{{Name: "a"}, {Points: [][2]float64{{0, 0}}}}}}},
		"entropy":    {Entropy: []Entropy{{Run: "a"}, {Run: "b", Entropy: curious.Entropy{Edges: []float64{0, 1}, Counts: []int{0}}}, {Run: "c", Entropy: curious.Entropy{Edges: []float64{0, 1}, Counts: []int{1, 2}}}}},
		"pruning":    {Pruning: []Pruning{{Run: "none"}, {Run: "one", Points: []PruningPoint{{Fraction: .5, Honesty: nan, Curiosity: .5}}}}},
		"plane":      {Plane: &Plane{Title: "toy"}},
		"mixture":    {Plane: &Plane{Mixtures: []Mixture{{Title: "a", Honesty: nan, Edges: []float64{0, 1}, Groups: []MixtureBars{{Counts: []int{1, 2}}}}}}},
		"table":      {Tables: []Table{{Title: "empty"}, {Columns: []TableColumn{{Name: "δy"}}, Rows: []TableRow{{Labels: []string{"a"}, Cells: []TableCell{{Ours: &Figure{Mean: nan}, Difference: &nan}, {}}}}}}},
		"nothing so": {Tables: []Table{}},
	} {
		r := &Report{Curious: c}
		t.Run(name, func(t *testing.T) {
			r.Schema, r.Title = Schema, name
			text, page := rendered(t, r)
			standsAlone(t, r)
			if strings.Contains(text, "NaN") || strings.Contains(page, "else <b>") {
				t.Errorf("nonsense in\n%s", text)
			}
			if name != "nothing so" && (strings.Contains(text, "It classifies") || strings.Contains(text, "features of the model")) {
				t.Errorf("speaks of a release:\n%s", text)
			}
			for _, svg := range regexp.MustCompile(`(?s)<svg class="fluid".*?</svg>\s*<`).FindAllString(page, -1) {
				inside(t, name, svg)
			}
		})
	}
}

// TestHostileNames puts names that would be markup, and names longer than any line,
// wherever a report has names: nothing of them may become an element or leave an
// attribute, and no line may be longer than a terminal is wide.
func TestHostileNames(t *testing.T) {
	const evil = `a"'><script>alert(1)</script><b onload='x'> &amp; `
	name := evil + strings.Repeat("very long ", 12)
	r := curiousReport(t)
	c := r.Curiosity
	r.Title = name
	c.Target, c.Sensitive[0].Attribute, c.Sensitive[1].Attribute = name, name, name
	c.Classes, c.Sensitive[0].Classes = []string{name, name, name}, []string{name, name, name}
	for i := range r.Runs {
		x := &r.Runs[i]
		x.Name, x.Panel, x.Attack, x.Outputs, x.Target, x.Sensitive = name, name, name, name, name, name
	}
	r.Runs[0].Failed = name
	for i := range r.ROC {
		r.ROC[i].Run, r.ROC[i].Attribute, r.ROC[i].Curves[0].Name = name, name, name
	}
	for i := range r.Entropy {
		r.Entropy[i].Run = name
	}
	for i := range r.Pruning {
		r.Pruning[i].Run, r.Pruning[i].Panel = name, name
	}
	r.Plane.Title, r.Plane.Mixtures[0].Title = name, name
	x := &r.Tables[0]
	x.Title, x.Caption, x.Reduced, x.Heads[0], x.Columns[0].Group, x.Columns[1].Name, x.Notes[0] = name, name, name, name, name, name, name
	x.Rows[0].Labels[0], x.Rows[1].Cells[1].Note = name, name
	text, page := rendered(t, r)
	fits(t, text)
	page = strings.Replace(page, "<script>"+pageScript, "", 1)
	for _, bad := range []string{"<script", "<b onload", evil, `="a"'`} {
		if strings.Contains(page, bad) {
			t.Errorf("the page contains %q", bad)
		}
	}
	for _, svg := range regexp.MustCompile(`(?s)<svg.*?</svg>`).FindAllString(page, -1) {
		if strings.Contains(strings.ReplaceAll(svg, "'></", ""), "'>") {
			t.Errorf("a figure lets a quote through: %.300s", svg)
		}
	}
}

// TestManyRuns draws 200 runs: the page stays small, and soon made.
func TestManyRuns(t *testing.T) {
	r := &Report{Schema: Schema, Title: "many"}
	for i := range 200 {
		r.Runs = append(r.Runs, Run{Name: fmt.Sprint("run ", i), Attack: "parameterized", Outputs: "raw", Beta: curious.Beta{Y: 1, S: float64(i/2) / 100}, Seed: uint64(i % 2),
			TargetClasses: 2, SensitiveClasses: 2, Honesty: Number(.9 - .001*float64(i)), Curiosity: Number(.5 + .002*float64(i)), Baseline: .5, BaselineKind: audit.Majority})
	}
	text, page := rendered(t, r)
	fits(t, text)
	if len(page) > 300<<10 {
		t.Errorf("the page has %d KiB", len(page)>>10)
	}
	if n := strings.Count(page, `class="fine h1"`); n > 40 { // names of βs, where there is room
		t.Errorf("%d names of points", n)
	}
}

// TestManyClasses: every curve of a ROC figure is named in the legend.
func TestManyClasses(t *testing.T) {
	c := ROC{Run: "letters", Of: ofHonesty, Attribute: "letter"}
	seen := map[string]bool{}
	for i := range 27 {
		c.Curves = append(c.Curves, curious.ROC{Name: fmt.Sprintf("class%d", i), Area: .9, Points: [][2]float64{{0, 0}, {.1, .8}, {1, 1}}})
		seen[hueOf(i)] = true
	}
	svg := string(c.draw())
	inside(t, "letters", svg)
	if keys := c.keys(); strings.Count(svg, "<polyline") != 27 || len(keys) != 27 || keys[26].Name != "class26 0.900" {
		t.Error(svg)
	}
	if len(seen) != 12 {
		t.Errorf("%d kinds of curve", len(seen))
	}
}
