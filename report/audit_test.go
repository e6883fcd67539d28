package report

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"tattle/audit"
	"tattle/classify"
	"tattle/curious"
)

// of is a share of n examples with an interval of about the right width.
func of(p float64, n int) *classify.Proportion {
	d := 1.96 * math.Sqrt(p*(1-p)/float64(n))
	return &classify.Proportion{Value: p, Interval: [2]float64{max(0, p-d), min(1, p+d)}, Correct: int(p * float64(n)), Examples: n}
}

// audited is an audit with something in every part: an attribute that the outputs
// give away, one that they tell by correlation, numbers that they do not tell, and
// one that cannot be audited. Its figures are made up, of the sizes that a few
// thousand faces give.
func audited() *audit.Result {
	const n = 4741
	a := &audit.Result{
		Sample: "scores.csv", SHA256: strings.Repeat("ab", 32), Examples: n, Outputs: curious.Raw, Target: "age", Classes: []string{"≤20", "21–35", ">35"}, Counts: []int{1053, 2000, 1688},
		Honesty:  *of(.8103, n),
		Settings: audit.Settings{Seed: 7, Folds: 5, Permutations: 9999, MaxFit: 20000, Confidence: .95, Margin: .02, Attacks: []string{"network", "logistic", "trees", "neighbours"}, References: 5, Recipe: audit.RecipeCompared},
		Notes:    []string{"12 rows without a label of gender were left out."}, Warnings: []string{"31 rows are copies of others; copies were judged together."},
		Verdict: audit.Curious,
		Reasons: []string{"race: the outputs reveal more than age explains, and more than those of honest training by the same recipe.", "gender: the outputs are not shown to reveal more than age explains, by more than the margin.", "Shuffled labels (this sample) came out clean, as they should. A planted curious model (glyphs) was found, with an excess of 31.2 points."},
		Advice:  []string{"Release the label only: of the defences that leave no excess above the margin, it keeps the most honesty.", "Ask who trained this model, and for which other purposes."},
	}
	a.Findings = []audit.Finding{findingRace(n), findingGender(n), findingIncome(n), {
		Attribute: "site <b>", Classes: []string{"north"}, Counts: []int{n}, Examples: n, Unusable: "Every example has the same site.",
		P: 1, Adjusted: 1, Verdict: audit.Inconclusive, Reasons: []string{"There is one class only."}, Power: audit.Power{Probability: .9},
	}}
	a.Entropy = &audit.EntropyShift{
		MeanBits: .611, References: 5, ReferenceMean: ptr(.432), ReferenceSD: ptr(.021), ShiftBits: ptr(.179), P: ptr(.0014),
		Differences: []audit.EntropyDifference{{Attribute: "race", Bits: .084, Interval: [2]float64{.061, .107}, Highest: "Asian", Lowest: "White"}},
	}
	a.Controls = []audit.Control{
		{Name: audit.NegativeControl, Passed: true, Where: "this sample, attributes shuffled within age", Attribute: "race", Examples: n, Verdict: audit.NoEvidence, Excess: audit.Excess{Value: -.004, Low: -.011, High: .006, P: 1}, P: 1},
		{Name: audit.PositiveControl, Passed: true, Where: "glyphs", Attribute: "family", Examples: n, Verdict: audit.Curious, Excess: audit.Excess{Value: .312, Low: .299, High: .327}, TrueExcess: ptr(.331), LearningLoss: ptr(.019)},
	}
	a.Channels = []audit.Channel{
		{Channel: audit.DecimalChannel, Where: "decimal 3 of output 2", Examples: n, Planted: ptr(.052), LearningLoss: .015, Plants: 3},
		{Channel: audit.LastBitChannel, Where: "the float32 of output 1", Examples: n, Plants: 3},
		{Channel: audit.OrderChannel, Examples: n, Note: "2 outputs have no order beside the largest"},
	}
	for i, name := range []string{"none", "soft", "3 digits", "2 digits", "temperature 2", "temperature 5", "top 1", "label only", "noise 0.3", "pruned 0.8"} {
		left := []float64{.34, .21, .34, .33, .2, .19, .06, .001, .14, .3}[i]
		honest := .8103 - []float64{0, 0, 0, .001, 0, 0, 0, 0, .031, .052}[i]
		a.Defences = append(a.Defences, audit.Defence{Name: name, Honesty: *of(honest, n), HonestyLost: .8103 - honest, Recommended: name == "label only", Left: []audit.DefenceLeft{
			{Attribute: "race", Curiosity: of(.44+left, n), Excess: audit.Excess{Value: left, Low: left - .014, High: left + .015}, Attack: "trees on raw"},
			{Attribute: "gender", Curiosity: of(.553+left/30, n), Excess: audit.Excess{Value: left / 30, Low: left/30 - .013, High: left/30 + .013}, Attack: "logistic on soft"},
		}})
	}
	a.Recommendation = "Release the label only: of the defences that leave no excess above the margin, it keeps the most honesty."
	a.Guesses = [][]int{make([]int, n), make([]int, n), nil, nil}
	return a
}

// channelPowers are those of an audit whose largest figure is given.
func channelPowers(largest float64) []audit.ChannelPower {
	return []audit.ChannelPower{
		{Channel: audit.ScoreChannel, Smallest: ptr(largest), LearningLoss: .019, Found: true},
		{Channel: audit.DecimalChannel, Smallest: ptr(largest - .004), LearningLoss: .015, Found: true},
		{Channel: audit.LastBitChannel},
		{Channel: audit.OrderChannel, Note: "2 outputs have no order beside the largest"},
	}
}

func findingRace(n int) audit.Finding {
	f := audit.Finding{
		Attribute: "race", Classes: []string{"White", "Black, Indian & others", "Asian"}, Counts: []int{2016, 2049, 676}, Examples: n,
		Curiosity: of(.7811, n), Chosen: []string{"trees on raw", "trees on raw", "network on raw", "trees on raw", "trees on raw"}, Best: audit.FromTarget,
		Excess: audit.Excess{Value: .3408, Low: .3261, High: .3555, P: 0}, Permutation: audit.Permutation{Draws: 9999, P: .0001},
		Reference:   &audit.ReferenceTest{Figures: []float64{.575, .586, .592, .581, .601}, Mean: .587, SD: .0098, Difference: .1941, Low: .171, High: .217, T: 18.1, Freedom: 4, P: 2.7e-5},
		Leakage:     &audit.Leakage{Multiplicative: 1.807, Interval: [2]float64{1.74, 1.88}, MinEntropyBits: .854, GivenLabel: 1.775, GivenInterval: [2]float64{1.71, 1.85}},
		Information: &classify.MutualInformation{Between: [2]string{"guess", "race"}, Bits: .781, PlugInBits: .783, Interval: [2]float64{.741, .822}, CeilingBits: 12.21, Examples: n},
		Balanced:    ptr(.7432),
		Given: &audit.Given{Chosen: []string{"trees on raw", "trees on raw", "trees on raw", "network on raw", "trees on raw"}, Baseline: 1.3921, Gain: .7713, StandardError: .0112, Low: .7528, High: .7898, Interval: [2]float64{.7493, .7933}, Margin: .0012, Permutation: audit.Permutation{Draws: 2400, P: .0004}, Adjusted: .0021,
			Reference: &audit.ReferenceTest{Figures: []float64{.301, .312, .318, .322, .309}, Mean: .3124, SD: .0081, Difference: .4589, Low: .44, High: .4778, T: 51.7, Freedom: 4, P: 4e-7, Above: true},
			Order:     &audit.Order{Class: "Asian", Compared: 5, Area: .921, StandardError: .005, Margin: .52, P: 1e-40, Permutation: audit.Permutation{Draws: 6000, P: 1.0 / 6001}, Adjusted: .005},
			Areas:     []audit.Area{{Class: "Asian", Given: audit.GivenTarget, Area: .941, Interval: [2]float64{.932, .949}, P: 1e-40, Adjusted: 6e-40, Positives: 676}, {Class: "Asian", Given: audit.GivenLabel, Area: .938, Interval: [2]float64{.929, .946}, P: 1e-39, Adjusted: 5e-39, Positives: 676}}},
		Power: audit.Power{Probability: .9, Smallest: ptr(.0633), StandardError: .0072, LearningLoss: .019, FromReferences: ptr(.0391), Channels: channelPowers(.0633)},
		P:     2.7e-5, Adjusted: 8.1e-5, ExcessAdjusted: 8.1e-5, CuriousAdjusted: 8.1e-5, Verdict: audit.Curious,
		Reasons: []string{"Attacks on the outputs guess race right for 78.1 % of 4741 examples that they had not seen (95 % interval 76.9 % to 79.3 %); guessing from the true age is right for 44 %.", "The excess over the best such guess is 34.1 points, and at least 32.6 points at 95 % confidence: above the margin of 2.0 points (p < 0.0001)."},
	}
	f.Correlation = correlation("race", n)
	for i, x := range []struct {
		learner, form string
		p             float64
	}{{"trees", "raw", .783}, {"network", "raw", .779}, {"neighbours", "raw", .764}, {"logistic", "raw", .741}, {"trees", "soft", .612}, {"logistic", "top1", .498}} {
		f.Attacks = append(f.Attacks, audit.Attack{Name: x.learner + " on " + x.form, Learner: x.learner, Form: x.form, Accuracy: of(x.p, n), Balanced: ptr(x.p - .04), Chosen: max(0, 4-3*i)})
	}
	for i, p := range []float64{.4322, .4403, .4401} {
		d := .7811 - p
		f.Baselines = append(f.Baselines, audit.Baseline{Name: []string{audit.Majority, audit.FromTarget, audit.FromLabel}[i], Accuracy: of(p, n), Balanced: ptr(.3333 + float64(i)/100), AttackAlone: 2100, BaselineAlone: 480, Difference: d, StandardError: .009, Low: d - .0147, High: d + .0147})
	}
	f.Subgroups = audit.Subgroups{LeftOut: 2, List: []audit.Subgroup{
		{Attribute: "race", Value: "Black, Indian & others", Curiosity: *of(.82, 2049), Baseline: *of(.41, 2049), Excess: .41, Low: .37},
		{Attribute: "age", Value: "≤20", Curiosity: *of(.79, 1053), Baseline: *of(.44, 1053), Excess: .35, Low: .29},
	}}
	return f
}

func correlation(s string, n int) audit.Correlation {
	return audit.Correlation{
		Target: classify.MutualInformation{Between: [2]string{"age", s}, Bits: .024, Interval: [2]float64{.018, .031}, CeilingBits: 12.21, Examples: n},
		Label:  classify.MutualInformation{Between: [2]string{"label", s}, Bits: .022, Interval: [2]float64{.016, .029}, CeilingBits: 12.21, Examples: n},
		LabelP: .0001, GuessP: .0001, Draws: 9999, LabelQ: .0003, GuessQ: .0003, Measured: true,
	}
}

func findingGender(n int) audit.Finding {
	return audit.Finding{
		Attribute: "gender", Classes: []string{"male", "female"}, Counts: []int{2480, 2261}, Examples: n, Curiosity: of(.561, n),
		Attacks:   []audit.Attack{{Name: "logistic on soft", Learner: "logistic", Form: "soft", Accuracy: of(.561, n), Chosen: 5}},
		Baselines: []audit.Baseline{{Name: audit.Majority, Accuracy: of(.523, n), Difference: .038, Low: .021, High: .055, P: .03}, {Name: audit.FromLabel, Accuracy: of(.553, n), Difference: .008, Low: -.004, High: .02, P: .95}},
		Best:      audit.FromLabel, Excess: audit.Excess{Value: .008, Low: -.004, High: .02, P: .95}, Permutation: audit.Permutation{Draws: 9999, P: .03}, Correlation: correlation("gender", n),
		Power: audit.Power{Probability: .9, Smallest: ptr(.058), StandardError: .0069, LearningLoss: .019, Channels: channelPowers(.058)}, P: .95, Adjusted: 1, ExcessAdjusted: 1, CuriousAdjusted: 1, Verdict: audit.Leaky,
		Reasons: []string{"Hard label and gender are dependent, and the guess reveals no more than that."},
	}
}

func findingIncome(n int) audit.Finding {
	return audit.Finding{
		Attribute: "income", Numeric: true, Examples: n, R2: ptr(.013), Variance: 4.2,
		Attacks:   []audit.Attack{{Name: "ridge on raw", Learner: "ridge", Form: "raw", R2: ptr(.013), Chosen: 5}},
		Baselines: []audit.Baseline{{Name: audit.FromTarget, R2: ptr(.011), Difference: .002, Low: -.005, High: .009, P: .99}},
		Best:      audit.FromTarget, Excess: audit.Excess{Value: .002, Low: -.005, High: .009, P: .99}, Permutation: audit.Permutation{Draws: 999, P: .4},
		Power: audit.Power{Probability: .9, Smallest: ptr(.049), StandardError: .004, LearningLoss: .01, Channels: channelPowers(.049)}, P: .99, Adjusted: 1, Verdict: audit.NoEvidence,
		Reasons: []string{"Neither an excess nor a dependence was found."},
	}
}

// auditReport is a report of audited.
func auditReport() *Report {
	r := &Report{
		Schema:   Schema,
		Title:    "Is this <release> curious?",
		Command:  "tattle audit --outputs scores.csv",
		Settings: map[string]string{"seed": "7", "references": "5"},
		Seed:     7,
		Model:    Model{Path: "model.onnx", SHA256: strings.Repeat("cd", 32)},
		Data:     Data{Name: "UTKFace", Path: "faces.npz", SHA256: strings.Repeat("ef", 32), GreyLevels: Number(math.NaN())},
		Timing:   map[string]Number{"audit": 12.5},
		Audited:  Audited{Breaches: []audit.Breach{{Rule: "excess>5%@95%", Attribute: "race", Figure: "excess", Limit: .3261, Confidence: .95}}},
	}
	r.FillAudit(audited())
	return r
}

func TestAuditGolden(t *testing.T) { golden(t, "audit.txt", auditReport().WriteText) }

// TestAuditVerdictFirst: the verdict and its reasons come before all else, and no
// line is wider than a terminal.
func TestAuditVerdictFirst(t *testing.T) {
	r := auditReport()
	text, page := rendered(t, r)
	lines := strings.Split(text, "\n")
	if len(lines) < 4 || lines[2] != "Verdict: Reveals race" || !strings.HasPrefix(lines[3], "From the raw outputs (logits) alone, race is guessed right for 78.1 %") {
		t.Errorf("begins with %q", lines[:min(4, len(lines))])
	}
	if got := briefly(&audit.Finding{Attribute: "s", Best: audit.Majority, Baselines: []audit.Baseline{{Name: audit.Majority}}, Excess: audit.Excess{Value: .031, Low: .0234567}}); !strings.HasSuffix(got, "(at least +2.34)") {
		t.Errorf("a lower limit is rounded up: %s", got)
	}
	if got := r.KeyFigure(); got != "Excess, race: +34.1 points" {
		t.Error(got)
	}
	ordered := audit.Finding{Attribute: "s", Verdict: audit.LeakyBeyond, Adjusted: .01, ExcessAdjusted: 1, Best: audit.Majority, Baselines: []audit.Baseline{{Name: audit.Majority}}, Given: &audit.Given{Order: &audit.Order{Area: .711, Adjusted: .01}}}
	by := &Report{Audited: Audited{Audit: &audit.Result{Verdict: audit.LeakyBeyond, Findings: []audit.Finding{ordered}}}}
	if got := by.KeyFigure(); got != "AUC, s: 71.1 % of pairs" {
		t.Error(got)
	}
	body := page[strings.Index(page, "<main"):]
	if at := strings.Index(body, "<h2"); at < strings.Index(body, "race is guessed right") {
		t.Error("the page does not begin with the verdict")
	}
}

// TestAuditWords holds the first sentence of every verdict to its words.
func TestAuditWords(t *testing.T) {
	a := audited()
	for v, want := range map[audit.Verdict]string{
		audit.Curious:      "Verdict: curious. From the raw outputs (logits) alone, race is guessed right for 78.1 % of examples, and by guessing from the true class of age for 44.0 %; neither chance (95 % confidence) nor the true and the predicted class of age explain the difference. 5 honestly trained classifiers of the same recipe reveal less, by 19.4 points on average.",
		audit.LeakyBeyond:  "Verdict: leaky beyond the target. The raw outputs (logits) reveal something about the sensitive attributes. This does not show intent: the outputs are not shown to reveal more than honest training by the same recipe.",
		audit.Leaky:        "Verdict: leaky by correlation. The raw outputs (logits) depend on gender, but no guess from them is shown to be right more often than guessing from the predicted class of age (difference at most 2.0 points).",
		audit.NoEvidence:   "Verdict: no evidence. No attack is shown to guess income from the raw outputs (logits) better than the class of age explains; a leak of 4.9 points of the variance or more is found with probability 0.9 if it is like those that this audit planted as a test.",
		audit.Inconclusive: "Verdict: inconclusive. This audit shows neither",
	} {
		a.Verdict = v
		if got := (&Report{Audited: Audited{Audit: a}}).verdictWords(); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %s", v, got)
		}
	}
	leaky := a.Findings[slices.IndexFunc(a.Findings, func(f audit.Finding) bool { return f.Attribute == "gender" })]
	leaky.Excess = audit.Excess{Value: -.043, Low: -.055, High: -.028}
	worse := &audit.Result{Verdict: audit.Leaky, Target: a.Target, Outputs: a.Outputs, Findings: []audit.Finding{leaky}, Settings: a.Settings}
	if got := auditSays(worse, &worse.Findings[0]); !strings.HasSuffix(got, "no guess from them is shown to be right more often than guessing from the predicted age.") {
		t.Error(got)
	}
	share := func(x float64) *float64 { return &x }
	number := audit.Finding{Attribute: "age", Numeric: true, Verdict: audit.Leaky, R2: share(.1), Best: audit.Majority, Baselines: []audit.Baseline{{Name: audit.Majority, R2: share(.08)}}, Excess: audit.Excess{Value: .02, Low: -.003, High: .0121}}
	for low, want := range map[float64]string{
		-.003: "The raw outputs (logits) depend on age, but are not shown to explain more of its variance than always guessing the mean (difference at most 1.3 % of the variance).",
		.003:  "The raw outputs (logits) explain 10.0 % of the variance of age, and always guessing the mean explains 8.0 %; beyond the margins, this is not shown to be more than the true and the predicted age explain.",
	} {
		number.Excess.Low = low
		worse.Findings[0] = number
		if got := auditSays(worse, &worse.Findings[0]); got != want {
			t.Error(got)
		}
		if got := evidenceTile(worse, &number).words(); !strings.HasSuffix(got, "margin 2.0 % of variance") {
			t.Error(got)
		}
	}
	for s, refs := range map[string]int{"This does not show intent: honest training for the same task may reveal as much; this was not measured.": 0, "5 honestly trained classifiers of the same recipe reveal less": 5} {
		r := auditReport()
		if r.Audit.Settings.References = refs; refs == 0 {
			r.Audit.Verdict, r.Audit.Findings[0].Verdict = audit.LeakyBeyond, audit.LeakyBeyond
		}
		for name := range formats {
			if !strings.Contains(written(t, r, name), s) {
				t.Errorf("%s with %d references does not say %q", name, refs, s)
			}
		}
	}
	a.Settings.References, a.Verdict = 0, audit.Leaky
	if got := (&Report{Audited: Audited{Audit: a}}).verdictWords(); strings.Contains(got, "honest") {
		t.Errorf("speaks of honest training that was not measured: %s", got)
	}
	a.Findings = nil
	for i := range 7 {
		a.Findings = append(a.Findings, audit.Finding{Attribute: fmt.Sprint("s", i), Verdict: audit.Curious})
	}
	if got := attributesOf(a, audit.Curious); got != "s0, s1, s2, s3, s4 and 2 more" {
		t.Error(got)
	}
}

// TestAuditLargeAndEmpty: long names and many attributes keep to a terminal's width,
// and what is missing or equal draws no nonsense.
func TestAuditLargeAndEmpty(t *testing.T) {
	large := auditReport()
	a := large.Audit
	for i := range 9 {
		f := a.Findings[i%3]
		f.Attribute = fmt.Sprintf("%d %s", i, strings.Repeat("long name ", 9))
		f.Excess = audit.Excess{Value: -1, Low: -1, High: 1}
		f.Baselines = append(f.Baselines, audit.Baseline{Name: strings.Repeat("b", 99), Difference: -1, Low: -1, High: 1, P: 1e-9})
		for range 30 {
			f.Attacks = append(f.Attacks, audit.Attack{Name: strings.Repeat("a", 99), Accuracy: of(.5, 100000), Chosen: 5})
		}
		a.Findings = append(a.Findings, f)
	}
	for i := range a.Defences {
		a.Defences[i].Name = strings.Repeat("d", 99)
		a.Defences[i].Left[0].Attribute = strings.Repeat("e", 99)
	}
	empty := &Report{Schema: Schema}
	empty.FillAudit(&audit.Result{})
	flat := &Report{Schema: Schema}
	flat.FillAudit(&audit.Result{Findings: []audit.Finding{{Best: audit.Majority, Baselines: []audit.Baseline{{Name: audit.Majority}}, Attacks: []audit.Attack{{}, {Accuracy: &classify.Proportion{}}}, Reference: &audit.ReferenceTest{}}}, Defences: []audit.Defence{{}, {Left: make([]audit.DefenceLeft, 1)}}, Entropy: &audit.EntropyShift{}, Controls: make([]audit.Control, 1)})
	for name, r := range map[string]*Report{"large": large, "empty": empty, "flat": flat} {
		text, page := rendered(t, r)
		for _, l := range strings.Split(text, "\n") {
			if n := utf8.RuneCountInString(l); n > width && strings.Contains(strings.TrimSpace(l), " ") {
				t.Errorf("%s: %d columns: %q", name, n, l)
			}
		}
		all := text + page
		for f := range formats {
			all += written(t, r, f)
		}
		if strings.Contains(all, "NaN") || strings.Contains(all, "Inf") {
			t.Errorf("%s shows what is no number", name)
		}
		standsAlone(t, r)
	}
}

// TestAuditStanding: what is said to be demonstrated was.
func TestAuditStanding(t *testing.T) {
	r := auditReport()
	text, page := rendered(t, r)
	for name, s := range map[string]string{"text": text, "page": page, "audit.md": written(t, r, "audit.md")} {
		if !strings.Contains(strings.Join(strings.Fields(s), " "), "All figures are of attacks that ran") {
			t.Errorf("%s does not say what its figures are", name)
		}
	}
	r.Audit.Findings = r.Audit.Findings[3:]
	if s := written(t, r, "audit.md"); strings.Contains(s, "All figures are of attacks") || !strings.Contains(s, "No attack ran") {
		t.Error("an audit without an attack is said to demonstrate")
	}
}

// TestAuditWorstFirst: what is shown at once is the worst.
func TestAuditWorstFirst(t *testing.T) {
	a := audited()
	a.Findings[0], a.Findings[2] = a.Findings[2], a.Findings[0]
	var got []string
	for _, f := range worstFirst(a) {
		got = append(got, f.Attribute)
	}
	if s := strings.Join(got, ", "); s != "race, gender, site <b>, income" {
		t.Error(s)
	}
}

// TestDefenceNotes: what is said of several defences is said once.
func TestDefenceNotes(t *testing.T) {
	a := &audit.Result{Defences: []audit.Defence{{Name: "a", Note: "x"}, {Name: "b"}, {Name: "c", Note: "x"}, {Name: "d", Note: "y"}}}
	if got := fmt.Sprint(defenceNotes(a)); got != "[{a; c x} {d y}]" {
		t.Error(got)
	}
}

// Limits are written no better than they are: what limits a leak from above is written no smaller, and
// a share that is said of all holds of all. A share of identified inputs can be compared with
// guessing: of 300 candidates, 0.333 % is no 0.3 %.
func TestRounding(t *testing.T) {
	for _, c := range []struct{ x, step, want float64 }{
		{.03141, .001, .032}, {.031, .001, .031}, {.0251, .0001, .0251}, {-.00649, .001, -.006}, {0, .0001, 0},
	} {
		if got := above(c.x, c.step); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("above(%v, %v) = %v, not %v", c.x, c.step, got, c.want)
		}
	}
	if s := seen(.02123456); s != "2.13" {
		t.Error(s)
	}
	for x, want := range map[float64]string{1: "100 %", .99996: "99.9 %", .9999: "99.9 %", .98: "98 %", .3: "30 %", .0005: "under 0.1 %", 0: "0 %", .001: "0.1 %", .57: "57 %"} {
		if got := Share(x); got != want {
			t.Errorf("%v is %s, want %s", x, got, want)
		}
	}
	for x, want := range map[float64]string{1. / 300: "0.333 %", .0999: "10.0 %", 1e-5: "0.001 %", 1: "100.0 %"} {
		if got := percentOf(x); got != want {
			t.Errorf("%v is %s, want %s", x, got, want)
		}
	}
}

// Outputs that are zeros and ones are called labels.
func TestHardLabelsAreNamed(t *testing.T) {
	a := &audit.Result{Target: "y", Outputs: curious.Soft, Binary: true}
	if s := auditedWords(a); !strings.HasPrefix(s, "Audited: hard labels of y on ") {
		t.Error(s)
	}
}

// Where a finding rests on the AUC or the gain, every format gives that figure beside the verdict, and
// the excess is not drawn as the finding. The sentence is about the attack's score: the outputs may
// rank the value lower.
func TestEvidenceIsOneFigure(t *testing.T) {
	for kind, says := range map[evidence]string{
		byOrder: "AUC 61.0 % for race = Asian (moderate; chance: 50 %; p = 0.0050)",
		byGain:  "gain 0.0300 bits (at least 0.0200)",
	} {
		r := auditReport()
		a := r.Audit
		a.Findings = a.Findings[:1]
		f := &a.Findings[0]
		f.Excess, f.ExcessAdjusted, f.Adjusted = audit.Excess{Value: -.002, Low: -.01, High: .006}, 1, .005
		f.Verdict, a.Verdict, f.Reference = audit.LeakyBeyond, audit.LeakyBeyond, nil
		g := *f.Given
		order := *g.Order
		g.Gain, g.Low, g.Adjusted, g.Order = .03, .02, 1, &order
		order.Area, order.Adjusted = .61, .005
		if kind == byGain {
			g.Adjusted, order.Adjusted = .005, 1
		}
		f.Given = &g
		for _, name := range []string{"audit.sarif", "audit.junit.xml"} {
			if got := written(t, r, name); !strings.Contains(got, "race: leaky beyond the target, "+says) || strings.Contains(got, "race: leaky beyond the target, excess") {
				t.Errorf("%s does not say %q", name, says)
			}
		}
		lead := auditSays(a, f)
		if strings.Contains(lead, "outputs rank") || !strings.Contains(lead, "not shown to be right more often than guessing from the true class of age") {
			t.Error(lead)
		}
		if kind == byOrder && !strings.Contains(lead, "an attack on the raw outputs (logits) picks out that one in 61.0 % of pairs (moderate; chance: 50 %)") {
			t.Error(lead)
		}
		if key, name := r.KeyFigure(), map[evidence]string{byOrder: "AUC, race: 61.0 %", byGain: "Revealed, race: 0.03 bits"}[kind]; !strings.HasPrefix(key, name) {
			t.Error(key)
		}
		red := "point " + verdictLooks[audit.LeakyBeyond].colour
		if chart := string(drawExcess(a)); strings.Contains(chart, red) {
			t.Error("the chart of the excess marks a finding that rests on another figure")
		}
		if orders := string(drawOrders(a)); strings.Contains(orders, red) != (kind == byOrder) {
			t.Errorf("%s: the chart of AUCs: %q", evidenceNames[kind], orders)
		}
		if note := otherNote(a); !strings.Contains(note, "rests on the "+evidenceNames[kind]) {
			t.Error(note)
		}
		if row := foundTable(a).Rows[0]; row[2] != evidenceNames[kind] {
			t.Error(row)
		}
	}
}
