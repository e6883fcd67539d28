package report_test

import (
	"bytes"
	"flag"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tattle/internal/engine/classify"
	"tattle/internal/must"
	"tattle/internal/paper"
	"tattle/internal/report"
	"tattle/internal/reveal/curious"
)

// given returns the value of a flag that the tests of package report define.
func given(name string) string { return flag.Lookup(name).Value.String() }

// kinds are reports of the kinds that this package lays out for package curious and reproduce.
func kinds(t *testing.T) map[string]*report.Report {
	return map[string]*report.Report{"curious": curiousReport(), "trained": trainedReport(), "mixtures": mixtures(t), "pruned": prunedReport()}
}

// of is a proportion with its interval.
func of(p float64, n int) classify.Proportion {
	return classify.ProportionOf(int(math.Round(p*float64(n))), n)
}

// evaluation has made-up figures of the sizes that UTKFace gives, age as target and race as what is guessed.
func evaluation(curiosity float64) *curious.Evaluation {
	const n = 4741
	return &curious.Evaluation{
		Target: "age", Outputs: curious.Raw, Examples: n, Honesty: of(.8103, n), Classes: []string{"≤20", "21–35", ">35"},
		Confusion: [][]int{{901, 130, 22}, {140, 1620, 240}, {18, 350, 1320}},
		Entropy:   curious.Entropy{MeanBits: .611, Examples: n, Edges: []float64{0, .5, 1, 1.585}, Counts: []int{2000, 2000, 741}},
		ROC:       []curious.ROC{{Name: "≤20", Area: .94, Interval: [2]float64{.93, .95}, Points: [][2]float64{{0, 0}, {.1, .9}, {1, 1}}}},
		Sensitive: []curious.Curiosity{{
			Attribute: "race", Attack: curious.NetworkAttack, Curiosity: of(curiosity, n), Majority: of(.4252, n), FromTarget: of(.4403, n), FromLabel: of(.4401, n),
			Baseline: classify.FromTarget, BaselineValue: .4403, Excess: curiosity - .4403, ExcessInterval: [2]float64{curiosity - .457, curiosity - .423},
			Guess: classify.MutualInformation{Bits: .781, Interval: [2]float64{.741, .822}},
		}},
		Correlations: []classify.MutualInformation{{Between: [2]string{"age", "race"}, Bits: .024, Interval: [2]float64{.018, .031}}},
	}
}

// curiousReport is a report on an honest-but-curious classifier.
func curiousReport() *report.Report {
	r := report.New("A classifier of <UTKFace>: age", "tattle train utkface --target age --sensitive race", 1)
	r.Version = "golden"
	v := evaluation(.7811)
	v.Headline(r, nil)
	v.Describe(r, "parameterized", curious.Beta{Y: .7, S: .3})
	h := curious.History{Task: "UTKFace", Parameters: 1050, Examples: 17068, Epochs: []curious.Epoch{{LossY: 1, ValidationY: .7}, {LossY: .5, ValidationY: .81}}}
	h.Report(r)
	curious.ReportRuns(r, append(v.Runs("parameterized, raw", "seed 1"), evaluation(.75).Runs("parameterized, raw", "seed 2")...))
	v.Curves(r, "seed 1")
	r.Warn("an <odd> warning")
	return r
}

// trainedReport is a report on a classifier that nobody attacked.
func trainedReport() *report.Report {
	r := report.New("A classifier of glyphs", "tattle train glyphs", 1)
	v := evaluation(.5)
	v.Sensitive = nil
	v.Headline(r, nil)
	h := curious.History{Task: "glyphs", Parameters: 1238730, Examples: 10000, Epochs: []curious.Epoch{{LossY: .1, ValidationY: .98}}}
	h.Report(r)
	return r
}

// prunedReport is a report on a pruned classifier.
func prunedReport() *report.Report {
	r := report.New("Pruning a classifier of UTKFace: age", "tattle prune curious", 1)
	v := evaluation(.7811)
	v.Headline(r, nil)
	var points []curious.Pruned
	for _, f := range []float64{0, .5, .9} {
		points = append(points, curious.Pruned{Fraction: f, Honesty: of(.81*(1-f/2), 4741), Curiosity: []classify.Proportion{of(.78*(1-f/2), 4741)}})
	}
	for _, x := range v.PrunedRuns(points) {
		x.Report(r)
		x.ReportEnds(r)
	}
	return r
}

// mixtures is a report with a published table.
func mixtures(t *testing.T) *report.Report {
	t.Helper()
	x := must.Get(paper.Get("mixtures"))(t)
	r := report.New(x.Title, "tattle reproduce mixtures", 1)
	r.Version = "golden"
	must.Do(t, x.OnPlane(t.Context(), curious.Plane(400, 1), r))
	return r
}

// TestGolden compares the text of two reports with files.
func TestGolden(t *testing.T) {
	for _, name := range []string{"curious", "mixtures"} {
		var b bytes.Buffer
		must.Do(t, kinds(t)[name].WriteText(&b, true))
		path := filepath.Join("testdata", name+".txt")
		if given("update") == "true" {
			must.Do(t, os.WriteFile(path, b.Bytes(), 0o666))
		}
		if want := must.Get(os.ReadFile(path))(t); !bytes.Equal(b.Bytes(), want) {
			t.Errorf("%s: go test ./internal/report -update writes it anew:\n%s", path, &b)
		}
	}
}

// TestSaysFirst: what is said first, and the four figures behind it.
func TestSaysFirst(t *testing.T) {
	for name, want := range map[string][]string{
		"curious":  {"Verdict: Reveals race", "From the raw outputs, a small network guesses race right more often", "Honesty: 81.0 %; age answered right, of 4,741 test examples", "Curiosity: 78.1 %; race guessed right", "Without the outputs: 44.0 %", "Excess: +34.1 points; 95 % interval +32.4 to +35.9; p < 0.0001"},
		"trained":  {"Verdict: Trained", "81.0 % of 4,741 held-out examples", "Accuracy: 81.0 %; 95 % interval", "Training: 1; epochs on 10,000 examples", "Model: 1,238,730; parameters"},
		"pruned":   {"Verdict: Reveals race", "With 90.0 % of the weights set to zero, honesty is 44.5 %; before pruning it is 81.0 %"},
		"mixtures": {"Verdict: Computed again", "All published figures of these tables were computed again.", "Ran: 4; of 4 figures", "Honesty, first row: 100.00 %; hard mixture; published: 100.00 %"},
	} {
		var b bytes.Buffer
		must.Do(t, kinds(t)[name].WriteText(&b, false))
		text := strings.Join(strings.Fields(b.String()), " ")
		for _, w := range want {
			if !strings.Contains(text, w) {
				t.Errorf("%s: no %q in\n%s", name, w, text)
			}
		}
	}
	r := curiousReport()
	v := evaluation(.45)
	v.Sensitive[0].PValueHolm = .3
	r.Findings, r.Claims = nil, nil
	v.Headline(r, nil)
	if badge, tone, says := r.Lead(); badge != "No excess shown" || tone != report.Calm || !strings.Contains(says, "is not shown to guess race right more often") || !strings.HasSuffix(says, "another attack may.") {
		t.Errorf("%q %q %q", badge, tone, says)
	}
}

// TestEveryKindOfTrainings is TestEveryKind for them.
func TestEveryKindOfTrainings(t *testing.T) { report.EveryKind(t, kinds(t)) }

// TestFirstScreenOfTrainings is TestFirstScreen for the reports of packages curious and reproduce.
func TestFirstScreenOfTrainings(t *testing.T) { report.FirstScreens(t, kinds(t)) }
