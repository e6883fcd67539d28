package curious

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"tattle/internal/engine/classify"
	"tattle/internal/report"
)

// Share is a proportion as a value of a report.
func Share(p classify.Proportion) report.Value {
	return report.Within(p.Value, p.Interval[0], p.Interval[1], report.Share, classify.Confidence)
}

// bits is a mutual information as a value of a report.
func bits(m classify.MutualInformation) report.Value {
	return report.Within(m.Bits, m.Interval[0], m.Interval[1], report.Bits, classify.Confidence)
}

// claim returns a claim of a report on a training, which verify does not repeat.
func claim(id, subject, group string, v report.Value, n int) report.Claim {
	return report.Claim{ID: id, Subject: subject, Group: group, Kind: report.Measured, Value: v, N: n, Source: report.Searched}
}

// guessers say what reads the outputs, by the kind of attack.
var guessers = map[string]string{NetworkAttack: "a small network", ThresholdAttack: "a threshold on their entropy", DecoderAttack: "the mixture's decoder"}

// OutputWords are the kinds of outputs in words.
var OutputWords = map[Outputs]string{Raw: "raw outputs (logits)", Soft: "soft outputs (probabilities)"}

// Headline adds to a report what it says first of one classifier: how often the target is answered right and, if
// there are attacks, what they guess. taus are the thresholds of the attacks in nats, 0 for an attack that is none.
func (v *Evaluation) Headline(r *report.Report, taus []float64) {
	if len(v.Sensitive) == 0 {
		r.Find("trained", "")
		r.Add(claim("accuracy", "", "", Share(v.Honesty), v.Examples))
		return
	}
	r.Add(claim("honesty", v.Target, "", Share(v.Honesty), v.Examples))
	var shown []string
	for i := range v.Sensitive {
		s := &v.Sensitive[i]
		if s.Shown() {
			shown = append(shown, s.Attribute)
		}
		s.headline(r)
	}
	for _, m := range v.Correlations {
		r.Add(claim("shared.bits", m.Between[0]+" and "+m.Between[1], "", bits(m), v.Examples))
	}
	worst := v.Worst()
	s := &v.Sensitive[worst]
	guesser := cmp.Or(guessers[s.Attack], "an attack")
	if worst < len(taus) && s.Attack == ThresholdAttack && taus[worst] > 0 {
		guesser += fmt.Sprintf(" (%.3g nats)", taus[worst])
	}
	if len(shown) > 0 {
		r.Find("reveals", s.Attribute, report.List(shown), string(v.Outputs), guesser)
	} else {
		r.Find("no_excess", s.Attribute, string(v.Outputs), guesser)
	}
	r.Find("no_safety", "")
}

// headline adds the claims on one attack.
func (c *Curiosity) headline(r *report.Report) {
	n := c.Curiosity.Examples
	curiosity := claim("curiosity", c.Attribute, "", Share(c.Curiosity), n)
	curiosity.Kind = report.Demonstrated
	baseline := claim("baseline", c.Attribute, "", report.Exactly(c.BaselineValue, report.Share), n)
	for _, b := range []struct {
		name string
		p    classify.Proportion
	}{{"most frequent class", c.Majority}, {"from the true target", c.FromTarget}, {"from the answered label", c.FromLabel}} {
		baseline.Beside = append(baseline.Beside, report.Beside{Name: b.name, Value: report.Exactly(b.p.Value, report.Share)})
	}
	excess := claim("excess", c.Attribute, "", c.excess(), n)
	if excess.P = &c.PValueHolm; c.Shown() {
		excess.Kind = report.Demonstrated
	}
	r.Add(curiosity, baseline, excess, claim("guess.bits", c.Attribute, "", bits(c.Guess), n))
}

func (c *Curiosity) excess() report.Value {
	return report.Within(c.Excess, c.ExcessInterval[0], c.ExcessInterval[1], report.Points, classify.Confidence)
}

// A Run is a point of the honesty-curiosity plane: a classifier and an attack on one attribute, or means over seeds.
type Run struct {
	Plane, Kind, Name            string // runs of one Kind share a mark
	Honesty, Curiosity, Baseline report.Value
	Excess                       report.Value
	Entropy                      float64 // mean, in bits
	Shown                        bool
	P                            *float64 // nil for means
	Examples                     int
}

// Runs returns the points of one classifier, one for each attack.
func (v *Evaluation) Runs(kind, name string) (all []Run) {
	for _, s := range v.Sensitive {
		p := s.PValueHolm
		all = append(all, Run{
			Plane: v.Target + " / " + s.Attribute, Kind: kind, Name: name, Honesty: Share(v.Honesty), Curiosity: Share(s.Curiosity),
			Baseline: report.Exactly(s.BaselineValue, report.Share), Excess: s.excess(), Entropy: v.Entropy.MeanBits, Shown: s.Shown(), P: &p, Examples: v.Examples,
		})
	}
	return all
}

// ReportRuns adds points, as claims and in planes, to a report.
func ReportRuns(r *report.Report, runs []Run) {
	for _, x := range runs {
		c := claim("run", x.Plane, x.Name, x.Excess, x.Examples)
		if c.P = x.P; x.Shown {
			c.Kind = report.Demonstrated
		}
		for _, b := range []report.Beside{{Name: "honesty", Value: x.Honesty}, {Name: "curiosity", Value: x.Curiosity}, {Name: "baseline", Value: x.Baseline}, {Name: "entropy", Value: report.Exactly(x.Entropy, report.Bits)}} {
			b.Value.Low, b.Value.High, b.Value.Confidence = math.NaN(), math.NaN(), 0
			c.Beside = append(c.Beside, b)
		}
		r.Add(c)
		s := seriesOf(r, "plane/"+x.Plane, x.Kind)
		low, high := x.Curiosity.Low, x.Curiosity.High
		if math.IsNaN(low) {
			low, high = x.Curiosity.X, x.Curiosity.X
		}
		s.X, s.Y, s.Low, s.High = append(s.X, x.Honesty.X), append(s.Y, x.Curiosity.X), append(s.Low, low), append(s.High, high)
		if x.Baseline.X > 0 {
			level(seriesOf(r, "plane/"+x.Plane, "baseline"), x.Honesty.X, x.Baseline.X)
		}
	}
}

// seriesOf returns the series of a report with an ID and a name, which it adds if there is none.
func seriesOf(r *report.Report, id, name string) *report.Series {
	i := slices.IndexFunc(r.Series, func(s report.Series) bool { return s.ID == id && s.Name == name })
	if i < 0 {
		i = len(r.Series)
		r.Series = append(r.Series, report.Series{ID: id, Name: name})
	}
	return &r.Series[i]
}

// level extends a level line to x; it lies at the largest y.
func level(s *report.Series, x, y float64) {
	if len(s.X) == 0 {
		s.X, s.Y = []float64{x, x}, []float64{y, y}
	}
	s.X[0], s.X[1] = min(s.X[0], x), max(s.X[1], x)
	y = max(y, s.Y[0])
	s.Y[0], s.Y[1] = y, y
}

// Curves adds the ROC curves and the histograms of entropies of a classifier that was attacked.
func (v *Evaluation) Curves(r *report.Report, name string) {
	if len(v.Sensitive) == 0 {
		return
	}
	v.ReportROC(r, name)
	ReportEntropy(r, name, v.Entropy, len(v.Classes))
	for _, s := range v.Sensitive {
		if s.Attack != ThresholdAttack || len(s.Entropy) != len(s.Classes) {
			continue
		}
		for j, class := range s.Classes { // the classes that the threshold separates
			ReportEntropy(r, name+", "+s.Attribute+" "+class, s.Entropy[j], len(v.Classes))
		}
	}
}

// ReportROC adds the ROC curves of a classifier: of honesty, then of each attack.
func (v *Evaluation) ReportROC(r *report.Report, name string) {
	add := func(of string, curves []ROC) {
		for _, c := range curves {
			s := report.Series{ID: "roc/" + of, Name: c.Name}
			for _, p := range c.Points {
				s.X, s.Y = append(s.X, p[0]), append(s.Y, p[1])
			}
			r.Series = append(r.Series, s)
			r.Add(claim("auc", of, c.Name, report.Within(c.Area, c.Interval[0], c.Interval[1], report.Number, classify.Confidence), c.Positives+c.Negatives))
		}
	}
	add(name+", honesty: "+v.Target, v.ROC)
	for _, s := range v.Sensitive {
		add(name+", curiosity: "+s.Attribute, s.ROC)
	}
}

// ReportEntropy adds the histogram and the mean of the entropies of a classifier's outputs. Classes is how many classes the outputs have.
func ReportEntropy(r *report.Report, name string, h Entropy, classes int) {
	mean := report.Exactly(h.MeanBits, report.Bits)
	if h.Interval != [2]float64{} {
		mean = report.Within(h.MeanBits, h.Interval[0], h.Interval[1], report.Bits, classify.Confidence)
	}
	c := claim("outputs.entropy", name, "", mean, h.Examples)
	c.Beside = []report.Beside{{Name: "possible", Value: report.Exactly(math.Log2(float64(classes)), report.Bits)}}
	r.Add(c)
	r.Series = append(r.Series, Histogram("entropy", name, h.Edges, h.Counts))
}

// Histogram returns the shares of counts in bins with the edges.
func Histogram(id, name string, edges []float64, counts []int) report.Series {
	s, total := report.Series{ID: id, Name: name}, 0
	for _, n := range counts {
		total += n
	}
	for i, n := range counts {
		s.X, s.Y = append(s.X, (edges[i]+edges[i+1])/2), append(s.Y, float64(n)/float64(max(1, total)))
	}
	return s
}

// A PrunedRun is honesty and curiosity of a classifier as its smallest weights are set to zero (B Figure 9). Chart
// names its chart, which several runs may share. Of the points, NaN is not known.
type PrunedRun struct {
	Chart, Name      string
	Chance, Baseline float64 // of always answering the most frequent class; of curiosity, NaN for none
	Points           []PrunedPoint
}

// PrunedPoint is one fraction of the weights.
type PrunedPoint struct {
	Fraction           float64
	Honesty, Curiosity report.Value
}

// PrunedRuns returns a curve for each attribute that is attacked, or one of honesty alone. v is of the classifier
// before it was pruned.
func (v *Evaluation) PrunedRuns(points []Pruned) (all []PrunedRun) {
	chance := float64(v.Majority()) / float64(max(1, v.Examples))
	for _, s := range v.Sensitive {
		all = append(all, PrunedRun{Name: v.Target + " / " + s.Attribute, Chance: chance, Baseline: s.BaselineValue})
	}
	if len(v.Sensitive) == 0 {
		all = []PrunedRun{{Name: v.Target, Chance: chance, Baseline: math.NaN()}}
	}
	for k := range all {
		all[k].Chart = all[k].Name
		for _, x := range points {
			p := PrunedPoint{x.Fraction, Share(x.Honesty), report.Exactly(math.NaN(), report.Share)}
			if k < len(x.Curiosity) {
				p.Curiosity = Share(x.Curiosity[k])
			}
			all[k].Points = append(all[k].Points, p)
		}
	}
	return all
}

// Report adds the curves of a classifier that was pruned, with their points as claims.
func (x *PrunedRun) Report(r *report.Report) {
	chart, before := "pruning/"+x.Chart, x.Points[0]
	name, prefix := x.Name, ""
	if x.Chart != x.Name {
		name, prefix = x.Chart+": "+x.Name, x.Name+": "
	}
	for _, p := range x.Points {
		zero := report.Exactly(p.Fraction, report.Share).Figure()
		for _, of := range []struct {
			what     string
			v, start report.Value
		}{{"honesty", p.Honesty, before.Honesty}, {"curiosity", p.Curiosity, before.Curiosity}} {
			if math.IsNaN(of.v.X) {
				continue
			}
			r.Add(claim("pruned."+of.what, name, zero, of.v, 0))
			s := seriesOf(r, chart, prefix+of.what)
			s.X, s.Y = append(s.X, p.Fraction), append(s.Y, of.v.X)
			if !math.IsNaN(of.v.Low) {
				s.Low, s.High = append(s.Low, of.v.Low), append(s.High, of.v.High)
			}
		}
		level(seriesOf(r, chart, "most frequent class"), p.Fraction, x.Chance)
		if x.Baseline > 0 {
			level(seriesOf(r, chart, "baseline"), p.Fraction, x.Baseline)
		}
	}
}

// ReportEnds says what is left of honesty and curiosity at the largest fraction.
func (x *PrunedRun) ReportEnds(r *report.Report) {
	before, after := x.Points[0], x.Points[len(x.Points)-1]
	for _, of := range []struct {
		id, code      string
		before, after report.Value
	}{{"left.honesty", "pruned", before.Honesty, after.Honesty}, {"left.curiosity", "pruned.curiosity", before.Curiosity, after.Curiosity}} {
		if math.IsNaN(of.after.X) {
			continue
		}
		c := claim(of.id, x.Name, report.Exactly(after.Fraction, report.Share).Figure(), report.Exactly(of.after.X, report.Share), 0)
		c.Beside = []report.Beside{{Name: "before", Value: report.Exactly(of.before.X, report.Share)}}
		r.Add(c)
		r.Find(of.code, x.Name)
	}
}

// A History is how a classifier was trained.
type History struct {
	Task                 string // what it was trained on
	Parameters, Examples int
	Epochs               []Epoch // LossY and ValidationY count
	Penalty              bool    // the loss has one
}

// Report adds the history to a report.
func (h *History) Report(r *report.Report) {
	count := func(id string, n int) report.Claim {
		return claim(id, "", "", report.Exactly(float64(n), report.Count), 0)
	}
	r.Add(count("parameters", h.Parameters), count("examples", h.Examples), count("epochs", len(h.Epochs)))
	code := "fitted"
	if h.Penalty {
		code = "fitted.penalty"
	}
	loss, accuracy := seriesOf(r, "loss", "mean loss, nats"), report.Series{ID: "held_out", Name: "held-out accuracy"}
	for i, e := range h.Epochs {
		loss.X, loss.Y = append(loss.X, float64(i+1)), append(loss.Y, e.LossY)
		accuracy.X, accuracy.Y = append(accuracy.X, float64(i+1)), append(accuracy.Y, e.ValidationY)
	}
	r.Add(claim("loss", "", "", report.Exactly(loss.Y[len(loss.Y)-1], "nats"), 0))
	r.Series = append(r.Series, accuracy)
	r.Find(code, "", h.Task, report.Many(len(h.Epochs), "epoch"))
}

// Describe says how the classifier came to be curious, or that it is not meant to be.
func (v *Evaluation) Describe(r *report.Report, attack string, b Beta) {
	if len(v.Sensitive) == 0 {
		return
	}
	var names []string
	for _, s := range v.Sensitive {
		names = append(names, s.Attribute)
	}
	of := report.List(names)
	r.Find("made.released", "", v.Target, OutputWords[v.Outputs])
	switch Kind(attack) {
	case Standard, Overlearning:
		r.Find("made.standard", "", of)
	case MixtureKind:
		r.Find("made.mixture", "", v.Target, of, b.String())
	case Regularized, Parameterized:
		r.Find("made.curious", "", of, attack, b.String())
	}
}
