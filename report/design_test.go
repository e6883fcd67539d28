package report

import (
	"bytes"
	"errors"
	"html"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"tattle/bayes"
	"tattle/design"
	"tattle/internal/must"
	"tattle/measure"
	"tattle/release"
	"tattle/stat"
)

// promised is a report on a release that was searched for: the promise, and what the search found.
// The figures are of fullLists, whose limits are 11.2 % identified, 7.8 bits and a floor of 43.4 grey
// levels.
func promised(t *testing.T, l design.Limits) *Report {
	t.Helper()
	r := full(t)
	r.Command, r.Title = "tattle design --identify 12%@60000", "What to release of m.onnx"
	r.Release = Release{Surface: "features", Noise: Noise{Family: "gaussian", Sigma: 3.2, Scale: .4}}
	r.Model.FeatureNode, r.Model.Features = design.Node, 12
	r.Lists.Holder.List.Inputs, r.Lists.Holder.List.Merged = 59998, 2
	r.Lists.Hidden = &measure.HiddenFigures{List: r.Lists.EverySample().List, Inputs: 59998, Draws: 2000, First: bayes.Limit{Mean: .0973, Low: .0876, High: .1087}, Ten: bayes.Limit{Mean: .3, Low: .28, High: .32}}
	r.SetDesign(designRun(l))
	return r
}

func designRun(l design.Limits) DesignRun {
	accuracy := func(x, off float64) release.Accuracy {
		return release.Accuracy{Fraction: x, Interval: stat.Interval{Low: x - off, High: x + off}}
	}
	a := &design.Answer{Clean: .977, Left: []string{"projected at pool: 5408 features are too many for principal directions: at most 2048"},
		Cuts: []design.CutCost{{Node: "relu", Features: 784, MultiplyAdds: 1229312, Share: .994, Parameters: 1230096}, {Node: "pool", Features: 5408, MultiplyAdds: 97344, Share: .08, Parameters: 320}}}
	add := func(m design.Method, node string, weight float64, keep int, cost, leak float64) {
		for i := range 7 {
			sigma := .5 * math.Pow(1.6, float64(i))
			p := design.Point{Keep: keep, Sigma: sigma, Accuracy: []float64{max(.11, .977-cost*sigma*sigma)}, Identified: min(.99, leak/sigma/sigma), Bits: 14 - 2*math.Log2(1+sigma/leak), Floor: .65 * sigma / (sigma + leak/2)}
			p.Node, p.Method, p.Weight = node, m, weight
			for range l.Protect {
				p.Guessed = append(p.Guessed, design.Guess{Right: .55 + .2/sigma, Anybody: .56 + .2/sigma, AUC: .6, Bits: .1})
			}
			p.Meets = p.Identified <= .1 && p.Floor > .57
			a.Points = append(a.Points, p)
			if p.Meets && (a.Best == nil || p.Accuracy[0] > a.Best.Accuracy[0]) {
				best := p
				a.Best = &best
			}
		}
	}
	add(design.Isotropic, "relu", 0, 784, .02, 2)
	add(design.Discriminant, "relu", 0, 9, .0012, .5)
	add(design.Shaped, "relu", 4, 12, .0009, .4)
	add(design.Shaped, "relu", 12, 12, .0011, .3)
	add(design.Trained, "pool", 2, 12, .001, .5)
	return DesignRun{
		Options: design.Options{Limits: l}, Answer: a, Utility: design.Utility{Released: accuracy(.969, .003), Drop: accuracy(.0066, .002), Clean: accuracy(.9756, .003)},
		Command: "tattle bound --model release/model.onnx --features release --sigma 3.2",
	}
}

// TestPromiseNeverBeyondALimit: a promise with a figure beyond its limit, or without a figure, is never
// called kept.
func TestPromiseNeverBeyondALimit(t *testing.T) {
	for _, c := range []struct {
		name   string
		limits design.Limits
		change func(*Report, *DesignRun)
		kept   bool
		says   string
	}{
		{"kept", design.Limits{Identify: .12, Candidates: 60000, Bits: 8, Floor: .55, Attack: .37}, nil, true, "keeps the promise: identification at most 12 % among 59,998 different candidates, at most 8 bits, floor without a list at least 43.2 grey levels of 255, error of every attack at least 29.1"},
		{"at the limit", design.Limits{Identify: .112}, nil, true, "identification at most 11.2 %"},
		{"identified by a hair", design.Limits{Identify: .1119999}, nil, false, "more draws in the final measurement (--list-draws), or slightly more noise"},
		{"identified", design.Limits{Identify: .05}, nil, false, "exceeded by 6.2 points"},
		{"new inputs", design.Limits{Identify: .12}, func(r *Report, _ *DesignRun) { r.Lists.Hidden.First.High = .13 }, false, "identification of new inputs (limit 12 %, exceeded by 1 point; mean 9.73 %)"},
		{"no new inputs", design.Limits{Identify: .12}, func(r *Report, _ *DesignRun) { r.Lists.Hidden = nil }, false, "no new inputs were hidden among the candidates"},
		{"bits", design.Limits{Bits: 7.7}, nil, false, "the number of bits (limit 7.7, exceeded by 0.1"},
		{"floor", design.Limits{Floor: .56}, nil, false, "the floor without a list (limit 44, missed by 0.5"},
		{"attack", design.Limits{Attack: .4}, nil, false, "the error of attacks (limit 31.4, missed by 2.0"},
		{"one of two", design.Limits{Identify: .12, Floor: .56}, nil, false, "does not keep the promise: the floor without a list"},
		{"other list", design.Limits{Identify: .12, Candidates: 50000}, nil, false, "identification was not measured (limit 12 %): the list has 60,000 candidates, the promise is about 50,000"},
		{"no lists", design.Limits{Identify: .12}, func(r *Report, _ *DesignRun) { r.Lists = nil }, false, "no limits for adversaries with a list"},
		{"no floor", design.Limits{Floor: .01}, func(r *Report, _ *DesignRun) { r.Lists.Anybody = nil }, false, "no floor for adversaries without a list"},
		{"no attack", design.Limits{Attack: .01}, func(r *Report, _ *DesignRun) { r.Attacks = nil }, false, "no attack ran"},
		{"unknown", design.Limits{Identify: .12}, func(r *Report, _ *DesignRun) { r.Lists.Holder.First = bayes.Limit{High: math.NaN()} }, false, "identification (limit 12 %"},
		{"queries", design.Limits{Identify: .12}, func(_ *Report, p *DesignRun) { p.Options.Queries = 2 }, false, "1 release of an input was measured, the promise is about 2"},
		{"drop", design.Limits{Identify: .12}, func(_ *Report, p *DesignRun) { p.Options.MaxDrop = .008 }, false, "the accuracy drop (limit 0.8, exceeded by 0.0"},
		{"right", design.Limits{Protect: []design.Protect{{Attribute: "writer", Accuracy: .72}}}, nil, false, "right guesses of writer (limit 72 %, exceeded by 2 points"},
		{"right kept", design.Limits{Protect: []design.Protect{{Attribute: "writer", Accuracy: .75}}}, nil, true, "writer guessed right in at most 75 % of cases"},
		{"area", design.Limits{Protect: []design.Protect{{Attribute: "writer", AUC: .8}}}, nil, false, "the AUC of writer (limit 0.8, exceeded by 0.04"},
		{"known", design.Limits{Protect: []design.Protect{{Attribute: "writer", Bits: .1}}}, nil, false, "the number of bits about writer (limit 0.1, exceeded by 0.03"},
		{"other attribute", design.Limits{Protect: []design.Protect{{Attribute: "age", Accuracy: .99}}}, nil, false, "right guesses of age was not measured"},
		{"nothing", design.Limits{Identify: .12}, func(_ *Report, p *DesignRun) { p.Answer.Best = nil }, false, "In the search, none of 35 releases meets the limits (identification at most 12 % among 59,998 different candidates)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := promised(t, c.limits)
			p := designRun(c.limits)
			if c.change != nil {
				c.change(r, &p)
			}
			r.SetDesign(p)
			if said := r.designHeadline(); r.Design.Met != c.kept || (r.Outcome == Met) != c.kept || strings.HasPrefix(said, "This release keeps the promise") != c.kept || !strings.Contains(said, c.says) {
				t.Errorf("kept %v, outcome %q: %s", r.Design.Met, r.Outcome, said)
			}
		})
	}
}

// TestPromiseGolden renders a promise that is kept, and one that nothing keeps.
func TestPromiseGolden(t *testing.T) {
	kept := promised(t, design.Limits{Identify: .12, Candidates: 60000, Floor: .55, Protect: []design.Protect{{Attribute: "writer", Accuracy: .75}}})
	kept.Bounds, kept.FloorsAndCeilings, kept.Methods, kept.Resolvable, kept.Pairs, kept.Gallery, kept.Published, kept.Spectrum = nil, nil, nil, nil, nil, nil, nil, nil
	golden(t, "promise.txt", kept.WriteText)
	golden(t, "promise.md", kept.WriteMarkdown)
	nothing := nothingPromised(t)
	golden(t, "promise-none.txt", nothing.WriteText)
	for _, r := range []*Report{kept, nothing} {
		standsAlone(t, r)
		if err := r.WriteSARIF(io.Discard); !errors.Is(err, errNoAudit) {
			t.Errorf("SARIF: %v", err)
		}
		if err := r.WriteJUnit(io.Discard); !errors.Is(err, errNoAudit) {
			t.Errorf("JUnit: %v", err)
		}
	}
}

// nothingPromised is a report on a search that found nothing.
func nothingPromised(t *testing.T) *Report {
	whole := full(t)
	r := &Report{Schema: Schema, Title: "What to release of m.onnx", Command: "tattle design --identify 0.01%", Model: whole.Model, Data: whole.Data}
	p := designRun(design.Limits{Identify: 1e-4, Candidates: 60000})
	p.Answer.Best, p.Answer.Nearest = nil, &p.Answer.Points[27]
	for i := range p.Answer.Points {
		p.Answer.Points[i].Meets = false
	}
	r.SetDesign(p)
	return r
}

// TestPromiseReadBack: what is read from report.json renders as before, and compares as before.
func TestPromiseReadBack(t *testing.T) {
	for _, r := range []*Report{promised(t, design.Limits{Identify: .12, Floor: .55}), promised(t, design.Limits{Identify: .1, Floor: .57}), nothingPromised(t)} {
		r.Published = nil // null and infinity are one
		var was, document bytes.Buffer
		must.Do(t, r.WriteHTML(&was))
		must.Do(t, r.WriteJSON(&document))
		written := document.String()
		back := must.Get(ParseJSON(document.Bytes()))(t)
		var is bytes.Buffer
		must.Do(t, back.WriteHTML(&is))
		picture := regexp.MustCompile(`src="[^"]*"`)
		if picture.ReplaceAllString(is.String(), "") != picture.ReplaceAllString(was.String(), "") {
			t.Error("the page differs after it was read back")
		}
		back.Design.Met, back.Design.Checked = false, nil
		back.CheckLimits()
		var again bytes.Buffer
		must.Do(t, back.WriteJSON(&again))
		if again.String() != written {
			t.Error("report.json differs after the promise was compared again")
		}
	}
}

// TestSearchFiguresAreLabelled: wherever figures of the search are, the report says what they are.
func TestSearchFiguresAreLabelled(t *testing.T) {
	r := promised(t, design.Limits{Identify: .12})
	for name, write := range map[string]func(io.Writer) error{"text": r.WriteDetails, "page": r.WriteHTML, "Markdown": r.WriteMarkdown, "nothing": nothingPromised(t).WriteDetails} {
		var b bytes.Buffer
		must.Do(t, write(&b))
		words := strings.Join(strings.Fields(html.UnescapeString(b.String())), " ")
		if !strings.Contains(words, "means over draws on training data, without limits") {
			t.Errorf("%s: figures of the search are not labelled", name)
		}
	}
	var b bytes.Buffer
	must.Do(t, r.WriteHTML(&b))
	page := b.String()
	if chart, warnings := strings.Index(page, "<svg class=\"fluid\""), strings.Index(page, "Limits of these figures"); chart < 0 || chart > warnings {
		t.Error("the frontier is not the first picture of the page")
	}
	for _, want := range r.Design.Points { // the figures of the search are in no sentence on the release
		if strings.Contains(r.designHeadline(), percentOf(want.Identified)) && want.Identified < .9 {
			t.Errorf("the verdict has a figure of the search: %s", r.designHeadline())
		}
	}
}

// TestPromiseLines: at most five lines, with that of isotropic noise and the chosen one; each line only
// falls, and nothing leaves the frame.
func TestPromiseLines(t *testing.T) {
	r := promised(t, design.Limits{Identify: .12, Floor: .55, Protect: []design.Protect{{Attribute: "writer", Accuracy: .75}}})
	for i, m := range []design.Method{"a", "b", "c", "d"} {
		for _, p := range r.Design.Points[7:14] {
			p.Method = m
			p.Accuracy = []float64{p.Accuracy[0] - .001*float64(i)}
			r.Design.Points = append(r.Design.Points, p)
		}
	}
	r.Design.Limits.Floor = 0 // no limit, no shade
	lines := r.Design.drawn()
	if len(lines) != mostLines || r.Design.released(lines[0]) != 1 || lines[len(lines)-1].Method != design.Isotropic {
		t.Errorf("lines %v", lines)
	}
	place := regexp.MustCompile(`c?[xX][12]?="([-0-9.eE+]+)%"`)
	for _, q := range r.quantities() {
		f, ok := r.frontier(q)
		if !ok {
			t.Fatalf("%s: nothing to draw", q.title)
		}
		for _, l := range f.lines {
			for i := 1; i < len(l.points); i++ {
				if a, b := l.points[i-1], l.points[i]; !(b.y < a.y) || f.axis.at(b.x) < f.axis.at(a.x) {
					t.Errorf("%s: %s rises from %v to %v", q.title, l.class, a, b)
				}
			}
		}
		svg := string(f.draw())
		for _, m := range place.FindAllStringSubmatch(svg, -1) {
			if x, err := strconv.ParseFloat(m[1], 64); err != nil || x < 0 || x > 100 {
				t.Errorf("%s: %s", q.title, m[0])
			}
		}
		if limited := strings.Contains(svg, `class="open"`); limited != f.inside(q.limit) || len(f.axis.ticks(f.x0, f.x1)) < 3 {
			t.Errorf("%s: shaded %v, ticks %v", q.title, limited, f.axis.ticks(f.x0, f.x1))
		}
		if strings.Contains(svg, "NaN") || !strings.Contains(svg, "released: 12 × shaped") {
			t.Errorf("%s: %s", q.title, svg)
		}
	}
}

// TestPromiseDamaged renders reports whose parts do not fit together.
func TestPromiseDamaged(t *testing.T) {
	for _, document := range []string{
		`{"released":{}}`, `{"points":[{}]}`, `{"points":[{},{"node":"a"}],"cuts":[{},{}],"nearest":{}}`,
		`{"met":true}`, `{"released":{},"met":true,"checked":[{"kind":"identification"},{"kind":"x"}]}`,
		`{"limits":{"protect":[{"attribute":"a%s","accuracy":0.5}]},"released":{},"checked":[{"kind":"attribute right","of":"a%s","limit":0.5}],"points":[{"accuracy":[0.5],"identified":0.1},{"accuracy":[0.4],"identified":0.01}]}`,
	} {
		r := must.Get(ParseJSON([]byte(`{"schema":"` + Schema + `","design":` + document + `}`)))(t)
		for _, write := range []func(io.Writer) error{r.WriteText, r.WriteHTML, r.WriteMarkdown} {
			var b bytes.Buffer
			if err := write(&b); err != nil || strings.Contains(b.String(), "%!") {
				t.Errorf("%s: %v\n%s", document, err, b.String())
			}
		}
	}
}

// TestCertificateWords: the certificate prints shares in percent, and its verdict is one that the promise
// supports.
func TestCertificateWords(t *testing.T) {
	c := certified(t)
	page := func() string {
		var b strings.Builder
		must.Do(t, c.WriteHTML(&b))
		return b.String()
	}
	for _, want := range []string{"Promise kept", "at most 12 %", ">11.2 %<", "9.73 %", "at least 43.2", "in all"} {
		if !strings.Contains(strings.ReplaceAll(page(), "\u00a0", " "), want) {
			t.Errorf("no %q", want)
		}
	}
	if strings.Contains(page(), ".112") {
		t.Error("prints a bare share")
	}
	c.Promise[1].Kept = false
	if s := page(); strings.Contains(s, "Promise kept</") || !strings.Contains(s, "Promise not kept") || c.lead().Tone != Bad {
		t.Error("a promise that is not kept is called kept")
	}
}

// TestPromisePeers: the best methods of others are among the five lines that are drawn, all are in the
// table, and no sentence counts them among what was searched.
func TestPromisePeers(t *testing.T) {
	limits := design.Limits{Identify: .12, Candidates: 60000}
	run := designRun(limits)
	for _, m := range []design.Method{design.PeerDFIL, design.TopK, design.Rounding} {
		for i := range 3 {
			p := design.Point{Keep: 784, Parameter: float64(i + 4), Accuracy: []float64{.97 - .001*float64(i)}, Identified: .4 - .17*float64(i), Bits: 9, Floor: .3, Meets: i == 2}
			p.Node, p.Method = "pool", m
			run.Answer.Points = append(run.Answer.Points, p)
		}
	}
	r := promised(t, limits)
	r.SetDesign(run)
	drawn := r.Design.drawn()
	if len(drawn) != mostLines {
		t.Errorf("%d lines are drawn", len(drawn))
	}
	for _, m := range []design.Method{design.Isotropic, design.PeerDFIL, design.TopK} {
		if !slices.ContainsFunc(drawn, func(l designLine) bool { return l.Method == m }) {
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
	r.SetDesign(run)
	if said := r.designHeadline(); !strings.Contains(said, "none of 35 releases") {
		t.Errorf("%q counts methods of others", said)
	}
}
