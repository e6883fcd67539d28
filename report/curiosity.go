package report

import (
	"math"
	"slices"

	"tattle/curious"
)

// An Interval is a 95 % confidence interval; the zero value is one that is not
// known.
type Interval [2]Number

// Between is the interval from lo to hi as the reports' own type.
func Between(i [2]float64) Interval { return Interval{Number(i[0]), Number(i[1])} }

func (i Interval) known() bool {
	return i != Interval{} && !math.IsNaN(float64(i[0])) && !math.IsNaN(float64(i[1]))
}

// Curiosity is the headline of a report on a curious classifier: the evaluation of one, and
// what it was trained for. Its curves and histograms are in Curious, with those of the
// other runs.
type Curiosity struct {
	Attack string       `json:"attack"` // a curious.Kind, or student
	Beta   curious.Beta `json:"beta"`
	Taus   []float64    `json:"taus,omitempty"` // of the attacks, in nats; 0 for an attack that is not a threshold
	curious.Evaluation
}

// An attackResult is the result of one of the headline's attacks.
type attackResult struct {
	*curious.Curiosity
	tau float64 // of a threshold, in nats; 0 if it is not known
}

// results returns the results of the attacks, one for each sensitive attribute.
func (c *Curiosity) results() []attackResult {
	all := make([]attackResult, len(c.Sensitive))
	for i := range c.Sensitive {
		all[i] = attackResult{Curiosity: &c.Sensitive[i]}
		if i < len(c.Taus) {
			all[i].tau = c.Taus[i]
		}
	}
	return all
}

// SetEvaluation sets what a report says of one classifier on its first lines: the figures
// of its attacks, or its accuracy if there is none. taus are the attacks' thresholds.
func (r *Report) SetEvaluation(v *curious.Evaluation, o curious.Options, taus []float64) {
	if len(v.Sensitive) == 0 {
		h := v.Honesty
		r.Utility = Utility{
			CleanAccuracy: Number(h.Value), CleanInterval: h.Interval,
			ReleasedAccuracy: Number(h.Value), ReleasedInterval: h.Interval, Examples: h.Examples, Draws: 1,
		}
		return
	}
	c := &Curiosity{Attack: string(o.Attack), Beta: o.Beta, Taus: taus, Evaluation: *v}
	c.ROC, c.Entropy.Edges, c.Entropy.Counts = nil, nil, nil
	c.Sensitive = slices.Clone(v.Sensitive)
	for i := range c.Sensitive {
		c.Sensitive[i].ROC, c.Sensitive[i].Entropy = nil, nil
	}
	r.Curiosity = c
}

// addRuns adds a point of the plane for each attribute that was attacked. run has what is
// not in the evaluation.
func (r *Curious) addRuns(v *curious.Evaluation, run Run) {
	for _, s := range v.Sensitive {
		x, p := run, s.PValueHolm
		x.Target, x.Sensitive = v.Target, s.Attribute
		if len(v.Sensitive) > 1 {
			x.Name += ", " + s.Attribute
		}
		x.TargetClasses, x.SensitiveClasses = len(v.Classes), len(s.Classes)
		x.Honesty, x.HonestyInterval = Number(v.Honesty.Value), Between(v.Honesty.Interval)
		x.Curiosity, x.CuriosityInterval = Number(s.Curiosity.Value), Between(s.Curiosity.Interval)
		x.Baseline, x.BaselineKind = Number(s.BaselineValue), s.Baseline
		x.Excess, x.ExcessInterval, x.PValue = Number(s.Excess), Between(s.ExcessInterval), &p
		x.EntropyBits = Number(v.Entropy.MeanBits)
		r.Runs = append(r.Runs, x)
	}
}

// addCurves adds the ROC curves and the histograms of entropies of a run that was
// attacked.
func (r *Curious) addCurves(v *curious.Evaluation, run string) {
	if len(v.Sensitive) == 0 {
		return
	}
	r.ROC = append(r.ROC, ROCsOf(run, v)...)
	r.Entropy = append(r.Entropy, entropyOf(run, v.Entropy, len(v.Classes)))
	for _, s := range v.Sensitive {
		if s.Attack != curious.ThresholdAttack || len(s.Entropy) != len(s.Classes) {
			continue
		}
		for j, class := range s.Classes { // the classes that the threshold separates
			r.Entropy = append(r.Entropy, entropyOf(run+", "+s.Attribute+" "+class, s.Entropy[j], len(v.Classes)))
		}
	}
}

// ROCsOf returns the ROC curves of one run: of honesty, then of each attack.
func ROCsOf(run string, v *curious.Evaluation) []ROC {
	all := []ROC{{Run: run, Of: ofHonesty, Attribute: v.Target, Curves: v.ROC}}
	for _, s := range v.Sensitive {
		all = append(all, ROC{Run: run, Of: ofCuriosity, Attribute: s.Attribute, Curves: s.ROC})
	}
	return all
}

func entropyOf(run string, h curious.Entropy, classes int) Entropy {
	return Entropy{Run: run, Max: math.Log2(float64(classes)), Entropy: h}
}

// SetPruning sets a curve for each attribute that is attacked, or one of honesty alone; v
// is the classifier before it was pruned.
func (r *Curious) SetPruning(v *curious.Evaluation, points []curious.Pruned) {
	chance := Number(0)
	if v.Examples > 0 {
		chance = Number(float64(v.Majority()) / float64(v.Examples))
	}
	r.Pruning = nil
	for _, s := range v.Sensitive {
		r.Pruning = append(r.Pruning, Pruning{Run: v.Target + " / " + s.Attribute, Honesty: chance, Baseline: Number(s.BaselineValue)})
	}
	if len(v.Sensitive) == 0 {
		r.Pruning = []Pruning{{Run: v.Target, Honesty: chance}}
	}
	for k := range r.Pruning {
		for _, x := range points {
			r.Pruning[k].Points = append(r.Pruning[k].Points, pruningPoint(x, k))
		}
	}
}

// pruningPoint returns a point of the k-th curve.
func pruningPoint(x curious.Pruned, k int) PruningPoint {
	p := PruningPoint{
		Fraction: Number(x.Fraction), Honesty: Number(x.Honesty.Value), HonestyInterval: Between(x.Honesty.Interval),
		Curiosity: Number(math.NaN()),
	}
	if k < len(x.Curiosity) {
		p.Curiosity, p.CuriosityInterval = Number(x.Curiosity[k].Value), Between(x.Curiosity[k].Interval)
	}
	return p
}
