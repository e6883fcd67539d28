package paper

import (
	"fmt"
	"math"
	"slices"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/classify"
	"tattle/internal/math/stat"
	"tattle/internal/report"
	"tattle/internal/reveal/curious"
	"tattle/internal/reveal/curious/training"
)

// Seeds of the paper's procedure: each training is done so often.
const Seeds = 5

// results are what the trainings of an experiment came to.
type results struct {
	*Experiment
	Trained      map[string][]*training.Result // by the key of the training
	Labels       map[string]*dataset.Set       // of the training part, by target
	Given        map[string]float64            // figures that need no training, by the row and the quantity
	Wanted       int                           // seeds of each training
	TestExamples int
	Reduced      string   // how the run departs from the paper's procedure, "" if it does not
	Notes        []string // on the data
}

// Report adds to a report the tables beside the paper's figures, the runs, the curves, and what is said first.
func (res *results) Report(r *report.Report) {
	var t tally
	var claims []report.Claim
	notes := noted{}
	for _, table := range res.Tables {
		of := tally{}
		for _, l := range table.Lines {
			for _, p := range l.Figures {
				claim, note := res.claim(table, l, p)
				of.count(claim)
				claims = append(claims, claim)
				notes.add(claim, note)
			}
		}
		claims = append(claims, count("cells", table.subject(), of.ran, of.cells))
		t.cells, t.ran, t.compared, t.near = t.cells+of.cells, t.ran+of.ran, t.compared+of.compared, t.near+of.near
	}
	r.Layout = report.Tables
	res.lead(r, t)
	r.Add(count("ran", "", t.ran, t.cells))
	if t.compared > 0 && res.Reduced == "" {
		r.Add(count("agree", "", t.near, t.compared))
	}
	r.Add(claims...)
	res.captions(r)
	for _, n := range append(notes.sentences, res.Notes...) {
		r.Note(n)
	}
	res.draw(r)
	res.limits(r)
}

// count is how many there are of a number.
func count(id, subject string, n, of int) report.Claim {
	return report.Claim{ID: id, Subject: subject, Kind: report.Measured, Value: report.Exactly(float64(n), report.Count), Source: report.Searched,
		Beside: []report.Beside{{Name: "of", Value: report.Exactly(float64(of), report.Count)}}}
}

// A tally counts cells: those that ran, those that are compared with a published figure, and those that agree.
type tally struct{ cells, ran, compared, near int }

// beyond is the difference, in standard deviations, from which a cell is said to differ from the published one.
const beyond = 2

func (t *tally) count(c report.Claim) {
	t.cells++
	if !math.IsNaN(c.Value.X) {
		t.ran++
	}
	for _, b := range c.Beside {
		if b.Name == "σ" {
			t.compared++
			if math.Abs(b.Value.X) <= beyond {
				t.near++
			}
		}
	}
}

// lead says first how near the figures are to the published ones.
func (res *results) lead(r *report.Report, t tally) {
	switch {
	case res.Reduced != "" && t.ran < t.cells:
		r.Find("tables.reduced.part", "", res.Reduced)
	case res.Reduced != "":
		r.Find("tables.reduced", "", res.Reduced)
	case t.ran < t.cells:
		r.Find("tables.part", "")
	case t.compared == 0:
		r.Find("tables.ran", "")
	case t.near == t.compared:
		r.Find("tables.agree", "")
	default:
		r.Find("tables.some", "")
	}
}

// captions adds what stands above and below the tables.
func (res *results) captions(r *report.Report) {
	for _, t := range res.Tables {
		if res.Reduced != "" {
			r.Find("reduced", t.subject(), res.Reduced)
		}
		r.Find("caption", t.subject(), t.Title+". "+t.Caption)
		for _, n := range t.Notes {
			r.Note(t.subject() + ": " + n + ".")
		}
	}
	if res.Name == "figure7" && res.Wanted > 1 {
		r.Note("The ROC curves are those of the first seed.")
	}
}

// limits warns of what did not run.
func (res *results) limits(r *report.Report) {
	ran := 0
	for _, t := range res.Trainings {
		for _, s := range res.Trained[t.Key] {
			if s.Failed != "" {
				r.Find("failed", t.Key, t.Key, s.Settings["seed"], s.Failed)
			}
		}
		if len(res.Trained[t.Key]) > 0 {
			ran++
		}
	}
	if ran < len(res.Trainings) {
		r.Find("left.trainings", "", fmt.Sprint(ran), fmt.Sprint(len(res.Trainings)))
	}
	if res.Wanted < Seeds && res.Reduced == "" {
		r.Find("few_seeds", "", report.Many(res.Wanted, "seed"), fmt.Sprint(Seeds))
	}
}

// noted are notes on cells, each once.
type noted struct{ sentences, notes []string }

// add adds a note on a cell; the first cell stands for all of one note.
func (n *noted) add(c report.Claim, note string) {
	if note == "" || slices.Contains(n.notes, note) {
		return
	}
	n.notes = append(n.notes, note)
	n.sentences = append(n.sentences, fmt.Sprintf("%s, %s, and others like it: %s.", c.Subject, c.Group, note))
}

// claim sets the mean over the seeds beside the published figure. The note says why some or all are not there.
func (res *results) claim(t Table, l Line, p Published) (claim report.Claim, note string) {
	_, u := p.Shown()
	claim = report.Claim{ID: string(p.Quantity), Subject: t.subject(), Kind: report.Measured, Value: report.Exactly(math.NaN(), u), N: res.TestExamples, Source: report.Searched,
		Group: joined(t.row(l), l.Column)}
	if p.Quantity == Curiosity {
		claim.Kind = report.Demonstrated
	}
	beside := func(name string, x float64, u report.Unit) {
		claim.Beside = append(claim.Beside, report.Beside{Name: name, Value: report.Exactly(x, u)})
	}
	beside("published", p.Mean, u)
	if p.Known {
		beside("published ±", p.Std, u)
	}
	values, note := res.values(t, l, p.Quantity)
	if len(values) == 0 {
		return claim, note
	}
	ours := overSeeds(values)
	claim.Value.X = ours.Mean
	if ours.Seeds > 1 {
		beside("±", ours.Std, u)
	}
	if d, ok := p.deviations(ours, res.TestExamples); ok {
		beside("σ", d, report.Number)
	}
	return claim, note
}

// values are the figures of a line, one for each seed that has it. The note says why some are missing.
func (res *results) values(t Table, l Line, q Quantity) (values []float64, note string) {
	if v, ok := res.Given[t.row(l)+" "+string(q)]; ok {
		return []float64{v}, ""
	}
	if v, ok := res.share(l, q); ok {
		return []float64{v}, ""
	}
	all := res.Trained[l.Training]
	for _, r := range all {
		if v, ok := res.value(l, q, r.Of(l.measure())); ok {
			values = append(values, v)
		}
	}
	switch {
	case len(all) == 0:
		note = "did not run, left out by --only"
	case len(values) == 0:
		note = "did not run, failed with every seed; the limits say why"
	case len(values) < res.Wanted:
		note = fmt.Sprintf("of %d of %d seeds", len(values), res.Wanted)
	}
	return values, note
}

// overSeeds is that of figures over seeds; the deviation of one is 0.
func overSeeds(values []float64) curious.MeanStd {
	m := curious.MeanStd{Mean: values[0], Seeds: len(values)}
	if len(values) > 1 {
		m.Mean, m.Std = stat.MeanStd(values)
	}
	return m
}

// deviations is the difference from the published figure in standard deviations,
// where the paper prints one. One seed of ours has none: the published one stands in.
func (p Published) deviations(ours curious.MeanStd, examples int) (float64, bool) {
	if !p.Known {
		return 0, false
	}
	if p.Quantity == Entropy {
		examples = 0
	}
	if ours.Seeds == 1 {
		ours.Std = p.Std
	}
	return curious.SummaryDifference(ours, p.Mean, p.Std, examples)
}

// value is the figure of a line in a measure; not ok where there is none.
func (res *results) value(l Line, q Quantity, m *training.Measure) (float64, bool) {
	if m == nil {
		return 0, false
	}
	switch q {
	case Honesty:
		return m.Evaluation.Honesty.Value, true
	case Entropy:
		return m.Evaluation.Entropy.MeanBits, true
	case HonestyAUC:
		return area(m.Evaluation.ROC)
	}
	i := slices.Index(res.Training(l.Training).Sensitive, l.Sensitive)
	if i < 0 || i >= len(m.Evaluation.Sensitive) {
		return 0, false
	}
	s := m.Evaluation.Sensitive[i]
	if q == CuriosityAUC {
		return area(s.ROC)
	}
	return s.Curiosity.Value, q == Curiosity
}

// area is that under the first curve: of two classes there is one.
func area(roc []curious.ROC) (float64, bool) {
	if len(roc) == 0 {
		return 0, false
	}
	return roc[0].Area, true
}

// share reads from the labels of the training part what Table 1 (A) prints of them.
func (res *results) share(l Line, q Quantity) (float64, bool) {
	set := res.Labels[l.Target]
	if set == nil || l.Sensitive == "" {
		return 0, false
	}
	s := set.Sensitive[slices.Index(res.Sensitive(l.Target), l.Sensitive)]
	counts := classify.Confusion(s.Labels, set.Y, len(s.Values), len(set.YNames))
	at, ok := map[Quantity][2]int{Share00: {0, 0}, Share01: {0, 1}, Share10: {1, 0}, Share11: {1, 1}}[q]
	switch {
	case q == Information:
		return stat.MutualInformation(counts, classify.Confidence).PlugIn, true
	case !ok || len(counts) != 2 || len(counts[0]) != 2:
		return 0, false
	}
	return float64(counts[at[0]][at[1]]) / float64(set.Len()), true
}
