package audit

import (
	"math"

	"tattle/classify"
	"tattle/stat"
)

// Finding is all that an audit says of one sensitive attribute. What is not known
// is left out; every figure is finite.
type Finding struct {
	Attribute string   `json:"attribute"`
	Numeric   bool     `json:"numeric"`
	Classes   []string `json:"classes,omitempty"` // that have examples or are named
	Counts    []int    `json:"counts,omitempty"`  // examples of each class
	Examples  int      `json:"examples"`
	Unusable  string   `json:"unusable,omitempty"` // why nothing could be measured, a sentence

	Curiosity *classify.Proportion `json:"curiosity,omitempty"`   // δs of the chosen guess
	R2        *float64             `json:"r2,omitempty"`          // of the chosen guess, of a numeric attribute
	Interval  *[2]float64          `json:"r2_interval,omitempty"` // of R2, two-sided, at classify.Confidence
	Variance  float64              `json:"variance,omitempty"`    // of a numeric attribute
	Chosen    []string             `json:"chosen"`                // by fold, name of the attack
	Baselines []Baseline           `json:"baselines"`
	Best      string               `json:"best_baseline"` // the one that leaves the least excess
	Excess    Excess               `json:"excess"`
	Given     *Given               `json:"given,omitempty"` // the same by a proper score given y and the answered label

	Permutation Permutation    `json:"permutation"`
	Shuffling   *Shuffling     `json:"shuffling,omitempty"` // what that test can find; not of controls
	Reference   *ReferenceTest `json:"reference,omitempty"`
	Correlation Correlation    `json:"correlation"`
	Power       Power          `json:"power"`

	P               float64 `json:"p"`                  // the smaller of the two kinds of tests that raise the verdict to LeakyBeyond: of the excess and of the gain
	Adjusted        float64 `json:"adjusted_p"`         // the smaller of the two by Holm's method over both kinds and all attributes: LeakyBeyond rests on it
	ExcessAdjusted  float64 `json:"excess_adjusted_p"`  // that of the excess alone
	CuriousAdjusted float64 `json:"curious_adjusted_p"` // the same as Adjusted with the references' tests, 1 without references: Curious rests on it

	Verdict   Verdict   `json:"verdict"`
	Undecided Undecided `json:"undecided,omitzero"` // why the verdict is Inconclusive
}

// BestBaseline returns the baseline that leaves the least excess, nil if there is none.
func (f *Finding) BestBaseline() *Baseline {
	for i := range f.Baselines {
		if f.Baselines[i].Name == f.Best {
			return &f.Baselines[i]
		}
	}
	return nil
}

// find holds the guesses of attribute a against the baselines. Verdicts, and what
// depends on the other attributes or on the controls, are left to Conclude.
func find(s *Sample, a int, g *guesses, o Options) *Finding {
	o = o.withDefaults()
	f := &Finding{Attribute: s.Sensitive[a].Name, Numeric: s.Sensitive[a].Numeric(), Examples: s.Len()}
	f.describe(&s.Sensitive[a])
	if g == nil {
		_, f.Unusable = goalOf(s, a, o.foldsOf(s.Len()))
		return f
	}
	f.compare(s, a, g, o)
	if f.Numeric {
		f.Permutation = permuteNumbers(s, a, g, o)
	} else {
		f.Permutation = permutation(s, a, g, o)
	}
	f.Given = given(s, a, g, o)
	f.Correlation = Correlation{LabelP: 1, GuessP: 1}
	return f
}

// compare says what the chosen attacks reached, and compares it with the baselines.
func (f *Finding) compare(s *Sample, a int, g *guesses, o Options) {
	at := &s.Sensitive[a]
	f.attacks(at, g)
	for _, b := range baselineGuesses(s, a, g.fold, g.folds) {
		if f.Numeric {
			f.Baselines = append(f.Baselines, compareNumbers(b.name, at.Numbers, g.bestValue, b.value, f.Variance, o))
		} else {
			f.Baselines = append(f.Baselines, compare(b.name, at.Labels, g.best, b.guess, o))
		}
	}
	f.excess(o)
}

// dependence adds what the verdicts Leaky and NoEvidence rest on: whether the outputs depend on attribute
// a at all, and what shuffling can find.
func (f *Finding) dependence(s *Sample, a int, g *guesses, o Options) {
	o = o.withDefaults()
	f.Shuffling = shuffling(s, a, g, f.BestBaseline(), o)
	f.Correlation = correlation(s, a, g, f.Permutation, o)
}

// describe counts what there is of the attribute.
func (f *Finding) describe(at *Attribute) {
	if at.Numeric() {
		_, sd := stat.MeanStd(at.Numbers)
		if len(at.Numbers) > 1 {
			f.Variance = sd * sd
		}
		return
	}
	f.Classes = at.Values
	f.Counts = make([]int, len(at.Values))
	for _, l := range at.Labels {
		f.Counts[l]++
	}
}

// attacks says what the chosen attacks reached.
func (f *Finding) attacks(at *Attribute, g *guesses) {
	for _, c := range g.chosen {
		f.Chosen = append(f.Chosen, c.String())
	}
	if f.Numeric {
		f.R2, f.Interval = new(rSquared(at.Numbers, g.bestValue)), new(rSquaredInterval(at.Numbers, g.bestValue))
	} else {
		f.Curiosity = new(classify.Accuracy(g.best, at.Labels))
	}
}

// excess combines the comparisons.
func (f *Finding) excess(o Options) {
	best := 0
	e := Excess{Value: math.Inf(1), Low: math.Inf(1), High: f.high(1 - o.Confidence)}
	for i := range f.Baselines {
		b := &f.Baselines[i]
		if b.Difference < e.Value {
			e.Value, best = b.Difference, i
		}
		e.Low = min(e.Low, b.Low)
		e.P = max(e.P, b.P)
	}
	f.Excess, f.Best = e, f.Baselines[best].Name
}

// high returns the upper limit of the excess that is exceeded with probability alpha at
// most: the least of the baselines' limits, which share alpha.
func (f *Finding) high(alpha float64) float64 {
	least, confidence := math.Inf(1), 1-alpha/float64(len(f.Baselines))
	for i := range f.Baselines {
		least = min(least, f.limits(&f.Baselines[i], confidence).High)
	}
	return least
}

// rSquared returns 1 less the mean squared error over the variance of truth.
func rSquared(truth, value []float64) float64 {
	_, sd := stat.MeanStd(truth)
	sum := 0.
	for i, v := range value {
		e := (v - truth[i]) / sd
		sum += e * e
	}
	return 1 - sum/float64(len(truth)-1)
}

// low returns the least lower limit of the excess over the baselines.
func (f *Finding) low(confidence float64) float64 {
	low := math.Inf(1)
	for i := range f.Baselines {
		low = min(low, f.limits(&f.Baselines[i], confidence).Low)
	}
	return low
}

// limits returns the one-sided limits of the excess over a baseline, each at the confidence.
func (f *Finding) limits(b *Baseline, confidence float64) stat.Interval {
	if !f.Numeric {
		return b.comparison(f.Examples).Interval(2*confidence - 1)
	}
	half := b.StandardError * stat.StudentQuantile(confidence, float64(f.Examples-1))
	return stat.Interval{Low: b.Difference - half, High: b.Difference + half}
}
