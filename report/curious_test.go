package report

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"tattle/audit"
	"tattle/classify"
	"tattle/curious"
)

// about is an interval around a share, of a size that 4,741 examples give.
func about(p float64) Interval {
	d := 1.96 * math.Sqrt(p*(1-p)/4741)
	return Interval{Number(p - d), Number(p + d)}
}

// curiousReport is a report on honest-but-curious classifiers with something in every
// section: made-up figures of the sizes that UTKFace gives, gender as target and
// race as what is read.
func curiousReport(t *testing.T) *Report {
	t.Helper()
	r := &Report{
		Schema: Schema, Title: "How curious <a> classifier is", Command: "tattle curious --data utkface", Settings: map[string]string{"epochs": "50"}, Seed: 1,
		Model: Model{Path: "model.onnx", SHA256: "ab"}, Data: Data{Name: "UTKFace", Split: "test", SHA256: "cd", Examples: 4741, GreyLevels: Number(math.NaN())},
		Timing: map[string]Number{"training": 812}, Warnings: []string{"an <odd> warning"},
	}
	const n = 4741
	r.Curiosity = &Curiosity{Attack: "parameterized", Beta: curious.Beta{Y: .7, S: .3}, Taus: []float64{0, .26}, Evaluation: curious.Evaluation{
		Target: "age", Outputs: curious.Raw, Examples: n, Honesty: *of(.8103, n),
		Classes: []string{"≤20", "21–35", ">35"}, Confusion: [][]int{{901, 130, 22}, {140, 1620, 240}, {18, 350, 1320}},
		Entropy: curious.Entropy{MeanBits: .611},
		Sensitive: []curious.Curiosity{{
			Attribute: "race", Attack: curious.NetworkAttack, Curiosity: *of(.7811, n),
			Majority: *of(.4252, n), FromTarget: *of(.4403, n), FromLabel: *of(.4401, n), Baseline: classify.FromTarget, BaselineValue: .4403,
			Excess: .3408, ExcessInterval: [2]float64{.3242, .3573}, Guess: classify.MutualInformation{Bits: .781, Interval: [2]float64{.741, .822}},
			Classes: []string{"White", "Black, Indian & others", "Asian"}, Confusion: [][]int{{1680, 260, 76}, {310, 1690, 49}, {118, 225, 333}},
		}, {
			Attribute: "gender", Attack: curious.ThresholdAttack, Curiosity: *of(.523, n),
			Majority: *of(.523, n), FromTarget: *of(.553, n), FromLabel: *of(.549, n), Baseline: classify.FromTarget, BaselineValue: .553,
			Excess: -.03, ExcessInterval: [2]float64{-.05, -.01}, PValueHolm: 1,
		}},
		Correlations: []classify.MutualInformation{{Between: [2]string{"age", "race"}, Bits: .024, Interval: [2]float64{.018, .031}}, {Between: [2]string{"age", "gender"}, Interval: [2]float64{0, .001}}},
	}}
	addRuns(r)
	addCurves(r)
	r.Plane = &Plane{Title: "Two attributes on a plane", Examples: 20000, Sum: 1.5}
	for i := range 11 {
		s := float64(i) / 10
		r.Plane.TradeOff = append(r.Plane.TradeOff, TradeOffPoint{Number(s), Number(1 - .5*s*s*(3-2*s) + .002*float64(i%3-1)), Number(.5 + .5*s*s*(3-2*s))})
	}
	m := Mixture{Title: "Hard mixture", Honesty: 1, Curiosity: 1, Edges: []float64{0, .1, .2, .3, .4, .5, .6, .7, .8, .9, 1}, Marks: []float64{.1, .5, .9}}
	for i := range 4 {
		g := MixtureBars{Y: i / 2, S: i % 2, Counts: make([]int, 10)}
		g.Counts[[]int{0, 2, 7, 9}[i]] = 5000
		m.Groups = append(m.Groups, g)
	}
	r.Plane.Mixtures = []Mixture{m}
	r.Tables = []Table{publishedTable()}
	return r
}

// addRuns puts runs of every attack at several βs onto one plane, one of them
// with three seeds, and one that failed.
func addRuns(r *Report) {
	base := Run{Target: "age", Sensitive: "race", TargetClasses: 3, SensitiveClasses: 3, Baseline: .4403, BaselineKind: audit.FromTarget}
	add := func(attack, outputs string, b curious.Beta, seed int, y, s, h float64) {
		x := base
		x.Name, x.Attack, x.Outputs, x.Beta, x.Seed = fmt.Sprintf("%s-%s-%g-seed-%d", attack, outputs, b.S, seed), attack, outputs, b, uint64(seed)
		x.Honesty, x.HonestyInterval, x.Curiosity, x.CuriosityInterval = Number(y), about(y), Number(s), about(s)
		x.Excess, x.EntropyBits = Number(s)-x.Baseline, Number(h)
		x.ExcessInterval = Interval{x.Excess - .016, x.Excess + .016}
		r.Runs = append(r.Runs, x)
	}
	add("overlearning", "raw", curious.Beta{}, 1, .815, .587, .43)
	add("overlearning", "soft", curious.Beta{}, 1, .815, .512, .43)
	for i, s := range []float64{.7, .5, .3} {
		for _, o := range []string{"raw", "soft"} {
			k := s
			off := float64(strings.Index("rs", o[:1]))
			add("parameterized", o, curious.Beta{Y: 1 - k, S: k}, 1, .78+.015*float64(i)-.004*off, .84-.03*float64(i)-.06*off, .7+.1*off)
		}
	}
	add("parameterized", "raw", curious.Beta{Y: .7, S: .3}, 2, .806, .788, .7)
	add("parameterized", "raw", curious.Beta{Y: .7, S: .3}, 3, .813, .776, .7)
	add("regularized", "soft", curious.Beta{Y: .5, S: .5}, 1, .772, .61, .9)
	add("regularized", "soft", curious.Beta{Y: .7, S: .3}, 1, .79, .56, .8)
	add("mixture", "soft", curious.Beta{Y: .7, S: .3}, 1, .815, .83, .88)
	p := .0004
	r.Runs[2].PValue = &p
	x := base
	x.Name, x.Attack, x.Outputs, x.Failed = "regularized-raw-0.3-seed-1", "regularized", "raw", "stopped before its first epoch ended"
	r.Runs = append(r.Runs, x)
}

// addCurves adds ROC curves, entropies and pruning.
func addCurves(r *Report) {
	roc := func(run, of, attribute string, power float64, classes ...string) {
		c := ROC{Run: run, Of: of, Attribute: attribute}
		for i, name := range classes {
			k := power / (1 + .3*float64(i))
			x := curious.ROC{Name: name, Area: k / (k + 1), Interval: [2]float64{k/(k+1) - .01, k/(k+1) + .01}}
			for j := range 21 {
				u := float64(j) / 20
				x.Points = append(x.Points, [2]float64{u, math.Pow(u, 1/k)})
			}
			c.Curves = append(c.Curves, x)
		}
		r.ROC = append(r.ROC, c)
	}
	age, race := []string{"≤20", "21–35", ">35"}, []string{"White", "Black, Indian & others", "Asian"}
	roc("standard", ofHonesty, "age", 12, age...)
	roc("standard", ofCuriosity, "race", 2, race...)
	roc("parameterized, raw, β .7,.3", ofHonesty, "age", 11, age...)
	roc("parameterized, raw, β .7,.3", ofCuriosity, "race", 9, race...)
	for i, name := range []string{"standard", "parameterized, raw, βx 0", "parameterized, raw, βx .4", "parameterized, soft, βx 0"} {
		e := Entropy{Run: name, Max: 1.585, Entropy: curious.Entropy{MeanBits: []float64{.43, .61, .3, .8}[i]}}
		for k := range 25 {
			u := (float64(k) + .5) / 25 * 1.585
			e.Edges = append(e.Edges, float64(k)/25*1.585)
			e.Counts = append(e.Counts, int(1000*math.Exp(-u/e.MeanBits)+300*math.Exp(-40*(u-e.MeanBits)*(u-e.MeanBits))))
		}
		e.Edges = append(e.Edges, 1.585)
		r.Entropy = append(r.Entropy, e)
	}
	for i, name := range []string{"parameterized, raw, β 0,.7,.3", "parameterized, raw, β .4,.7,.3"} {
		c := Pruning{Run: name, Honesty: .43, Baseline: .4403}
		for k := range 10 {
			f := float64(k) / 10
			fall := 1 / (1 + math.Exp(20*(f-.75+.12*float64(i))))
			c.Points = append(c.Points, PruningPoint{Number(f), Number(.4 + .41*fall), about(.4 + .41*fall), Number(.42 + .36*fall), about(.42 + .36*fall)})
		}
		r.Pruning = append(r.Pruning, c)
	}
}

// table has every kind of cell: both figures, far apart, ours alone, published
// alone, neither, and none at all.
func publishedTable() Table {
	fig := func(mean, std float64) *Figure { return &Figure{Number(mean), Number(std), 5} }
	d := func(x float64) *Number { n := Number(x); return &n }
	return Table{
		Name: "table3", Title: "Table 3 of paper B: age against race", Caption: "UTKFace, 50 epochs.", Reduced: "quick: 2 epochs, 32×32 pictures, at most 5,000 examples, 1 seed",
		Heads:   []string{"outputs", "(βy, βs)"},
		Columns: []TableColumn{{"Y = 2", "δy", unitPercent}, {"Y = 2", "δs", unitPercent}, {"Y = 5", "δy", unitPercent}, {"Y = 5", "H", unitBits}},
		Rows: []TableRow{
			{[]string{"standard", "–"}, []TableCell{{Ours: fig(.831, .004), Published: fig(.8301, .0034), Difference: d(.2)}, {Ours: fig(.61, .02), Published: fig(.5534, .001), Difference: d(2.8)}, {Blank: true}, {Blank: true}}},
			{[]string{"raw", "(.7, .3)"}, []TableCell{{Ours: fig(.829, .004), Published: fig(.8254, .0034), Difference: d(-.7)}, {Published: fig(.8554, .011), Note: "broken off before it began"}, {Ours: fig(.6, 0)}, {Ours: fig(.72, .01), Published: fig(.71, .02), Difference: d(.4)}}},
			{[]string{"raw", "(.5, .5)"}, []TableCell{{Ours: fig(.829, .004), Published: fig(.8254, .0034), Difference: d(-.7)}, {Note: "broken off before it began"}, {Ours: fig(.6, .01), Published: fig(.67, .01), Difference: d(-4.9), Note: "printed as 67.00 where 62.24 is meant"}, {Ours: fig(.72, .01), Published: fig(.71, .02), Difference: d(.4)}}},
		},
		Notes: []string{"σ counts the standard deviations of both and the test part's binomial one."},
	}
}

func TestCuriousGolden(t *testing.T) { golden(t, "curious.txt", curiousReport(t).WriteText) }

// fits checks that lines are no longer than a terminal is wide.
func fits(t *testing.T, text string) {
	t.Helper()
	for _, line := range strings.Split(text, "\n") {
		if n := utf8.RuneCountInString(line); n > width || strings.TrimRight(line, " ") != line {
			t.Errorf("%d columns: %q", n, line)
		}
	}
}
