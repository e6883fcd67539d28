package report

import (
	"bytes"
	"strings"
	"testing"

	"tattle/internal/must"
)

// auditReport is a report of an audit with a finding of every rule.
func auditReport() *Report {
	r := New("Audit of income: do the outputs reveal race, gender, age, job?", "tattle audit --outputs people.csv", 7)
	r.Version, r.Target = "v1.2.3", "income"
	r.Data = Data{Name: "people.csv", Path: "people.csv", SHA256: Digest(nil), Examples: 4000}
	p, q := .0003, .4
	for _, a := range []struct {
		name                   string
		guessed, without, area float64
		p                      *float64
	}{{"race", .61, .6, .64, &p}, {"gender", .71, .66, .56, &p}, {"age", .4, .405, .5, &q}} {
		share := func(x float64) Value { return Within(x, x-.015, x+.015, Share, .95) }
		excess := a.guessed - a.without
		r.Add(Claim{ID: "guessed", Subject: a.name, Kind: Demonstrated, Value: share(a.guessed), N: 4000, Beside: []Beside{{"without", Exactly(a.without, Share)}}},
			Claim{ID: "without", Subject: a.name, Kind: Measured, Value: Exactly(a.without, Share), N: 4000},
			Claim{ID: "excess", Subject: a.name, Kind: Demonstrated, Value: Within(excess, excess-.016, excess+.016, Points, .95), N: 4000, P: a.p},
			Claim{ID: "gain", Subject: a.name, Kind: Demonstrated, Value: Within(.05, .03, .07, Bits, .95), N: 4000, P: a.p},
			Claim{ID: "auc", Subject: a.name, Kind: Demonstrated, Value: share(a.area), N: 4000, P: a.p},
			Claim{ID: "p", Subject: a.name, Kind: Demonstrated, Value: Exactly(*a.p, Chance), P: a.p},
			Claim{ID: "detectable", Subject: a.name, Kind: Estimated, Value: Exactly(.031, Points), N: 4000},
			Claim{ID: "baseline", Subject: a.name, Group: "majority", Kind: Measured, Value: Exactly(a.without-.02, Share)},
			Claim{ID: "baseline.excess", Subject: a.name, Group: "majority", Kind: Demonstrated, Value: Within(excess+.02, excess, excess+.04, Points, .95), P: a.p})
	}
	r.Add(Claim{ID: "guessed", Subject: "job", Kind: Demonstrated, Value: Exactly(nan, Share)})
	r.Add(Claim{ID: "examples", Kind: Measured, Value: Exactly(4000, Count)}, Claim{ID: "margin", Kind: Measured, Value: Exactly(.02, Points)}, Claim{ID: "honesty", Group: "income", Kind: Measured, Value: Within(.84, .83, .85, Share, .95), N: 4000},
		Claim{ID: "control.excess", Subject: "negative", Kind: Demonstrated, Value: Within(.001, -.01, .012, Points, .95), N: 4000},
		Claim{ID: "control.excess", Subject: "positive", Kind: Demonstrated, Value: Within(-.01, -.02, .01, Points, .95), N: 4000},
		Claim{ID: "channel", Subject: "last bit", Kind: Demonstrated, Value: Exactly(.05, Points), N: 4000},
		Claim{ID: "defence.excess", Subject: "label only", Group: "race", Kind: Demonstrated, Value: Within(0, -.01, .01, Points, .95)},
		Claim{ID: "defence.honesty", Subject: "label only", Group: "race", Kind: Demonstrated, Value: Within(.84, .83, .85, Share, .95)})
	both := "the true and the predicted income"
	r.Find("beyond.auc", "race", "race", "soft outputs", "always saying White", both, "race Black", " with the same true and predicted income", "weakly")
	r.Find("leaky.guessed", "gender", "gender", "soft outputs", "always saying male", both)
	r.Find("no_evidence.power", "age", "age", "soft outputs", "always saying 30", both)
	r.Find("inconclusive.unusable", "job", "job", "soft outputs", "", both, "one of its values has 3 examples")
	r.Find("control.negative.passed", "negative", "these outputs", "")
	r.Find("control.positive.failed", "positive", "glyphs", "More examples would help.")
	r.Find("learns.beyond", "", "race", both)
	r.Find("advice.less", "")
	r.Find("attacks_that_ran", "")
	r.Find(BrokenVerdict, "race", `beyond: race is "leaky beyond the target"`)
	r.Find(Broken, "", "excess>1% of region: there is no such attribute")
	r.Find(Broken, "gender", "gender: excess>1%")
	r.Find(Accepted, "gender", "A. Smith accepts excess up to 0.06 until 2031-01-01: it is the task")
	r.Find(Failed, "positive")
	r.Find(Undecided, "job")
	r.Note("Columns that are not used: person")
	return r
}

// releaseReport is a report on a release, with the finding that it begins with.
func releaseReport(command, code string, args ...string) *Report {
	r := New("What the features of model.onnx give away", command, 3)
	r.Version = "v1.2.3"
	r.Model, r.Data = Model{"model.onnx", Digest(nil)}, Data{Name: "shapes", Path: "shapes.npz", Part: "test", SHA256: Digest(nil), Examples: 2000, Shape: []int{1, 28, 28}}
	without := func(x float64) []Beside { return []Beside{{"without the release", Exactly(x, Grey)}} }
	for i, level := range []string{"whole input", "mean (mode 0)", "coarsest (mode 1)", "modes 2–3", "modes 4–7", "modes 8–15", "finest (from mode 16)"} {
		x := float64(40 - 5*i)
		r.Add(Claim{ID: "floor", Subject: level, Kind: WithConfidence, Value: AtLeast(.3*x, Grey).Sure(.999), Beside: without(x)},
			Claim{ID: "floor.list", Subject: level, Kind: WithConfidence, Value: AtLeast(.1*x, Grey).Sure(.999)},
			Claim{ID: "attack", Subject: level, Kind: Demonstrated, Value: Within(.7*x, .6*x, .8*x, Grey, .95), N: 25, Source: Searched, Beside: without(x + 1)})
	}
	r.Add(Claim{ID: "identified", Kind: WithConfidence, Value: Within(.975, .965, .981, Share, .999), Beside: []Beside{{"guessing", Exactly(1e-4, Share)}}},
		Claim{ID: "candidates", Kind: Measured, Value: Exactly(10000, Count)}, Claim{ID: "bound", Kind: Certified, Value: AtLeast(381, Grey)},
		Claim{ID: "guess.majority", Subject: "family", Group: "the list", Kind: Measured, Value: Exactly(.205, Share)},
		Claim{ID: "guess.limit", Subject: "family", Group: "the list", Kind: WithConfidence, Value: AtMost(.9931, Share)},
		Claim{ID: "limit", Subject: "identification by a list of 10,000 candidates", Kind: Measured, Value: AtMost(.2, Share)},
		Claim{ID: "figure", Subject: "identification by a list of 10,000 candidates", Kind: WithConfidence, Value: AtMost(.981, Share).Sure(.999)},
		Claim{ID: "q50", Subject: "HCR, far", Group: "all", Kind: Certified, Value: AtLeast(.24, Number), N: 25})
	r.Find(code, "", args...)
	for _, more := range []string{"attack.not_closer", "limits.list", "limits.unbiased", "limits.attacks", "limits.range"} {
		r.Find(more, "")
	}
	r.Find("certificate.says", "", "The release was measured on 2,000 inputs.")
	r.Find("uncovered", "", "Inputs that the run did not measure.")
	r.Series = []Series{{ID: "search", Name: "noise", X: []float64{.01, .1, .5}, Y: []float64{.5, .7, .9}}, {ID: "search", Name: "lattice", X: []float64{.02, .2, .6}, Y: []float64{.6, .8, .9}, Low: []float64{.5, .7, .8}, High: []float64{.7, .9, 1}},
		{ID: "histogram/far", Name: "all", X: []float64{.1, .2, .3}, Y: []float64{.2, .7, .1}}}
	r.Pictures = []Picture{{"input 1", "original", Digest([]byte("a")), Recomputed, []byte("a")}, {"input 1", "linear attack", Digest([]byte("b")), Searched, []byte("b")}}
	return r
}

// kinds are reports of every kind.
func kinds() map[string]*Report {
	return map[string]*Report{
		"audit":        auditReport(),
		"bound":        releaseReport("tattle bound --model model.onnx", "identified"),
		"promise":      releaseReport("tattle design --model model.onnx", "promise.kept", "identification and floor"),
		"promise-none": releaseReport("tattle design --model model.onnx", "promise.missed", "identification"),
		"certificate":  releaseReport("tattle guard build", "certificate.kept", "all"),
	}
}

// written is a report in one format.
func written(t *testing.T, r *Report, name string) string {
	t.Helper()
	var b bytes.Buffer
	var err error
	switch name {
	case "text":
		err = r.WriteText(&b, true)
	case "html":
		err = r.WriteHTML(&b)
	case "json":
		err = r.WriteJSON(&b)
	case "md":
		err = r.WriteMarkdown(&b)
	case "sarif":
		err = r.WriteSARIF(&b)
	case "xml":
		err = r.WriteJUnit(&b)
	}
	must.Do(t, err, name)
	return b.String()
}

// fits checks that no line but a command is wider than a terminal.
func fits(t *testing.T, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > width && !strings.HasPrefix(line, "  tattle ") && strings.Contains(strings.TrimSpace(line), " ") {
			t.Errorf("%d columns: %s", n, line)
		}
	}
}
