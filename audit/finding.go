package audit

import (
	"cmp"
	"math"
	"slices"

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

	Curiosity *classify.Proportion `json:"curiosity,omitempty"`         // δs of the chosen guess
	Balanced  *float64             `json:"balanced_accuracy,omitempty"` // of the chosen guess: mean over the classes of s of the share that is right
	R2        *float64             `json:"r2,omitempty"`                // of the chosen guess, of a numeric attribute
	Interval  *[2]float64          `json:"r2_interval,omitempty"`       // of R2, two-sided, at classify.Confidence
	Variance  float64              `json:"variance,omitempty"`          // of a numeric attribute
	Attacks   []Attack             `json:"attacks"`                     // the best first
	Chosen    []string             `json:"chosen"`                      // by fold, name of the attack
	Baselines []Baseline           `json:"baselines"`
	Best      string               `json:"best_baseline"` // the one that leaves the least excess
	Excess    Excess               `json:"excess"`
	Given     *Given               `json:"given,omitempty"` // the same by a proper score given y and the answered label

	Permutation Permutation                 `json:"permutation"`
	Shuffling   *Shuffling                  `json:"shuffling,omitempty"` // what that test can find; not of controls
	Reference   *ReferenceTest              `json:"reference,omitempty"`
	Leakage     *Leakage                    `json:"leakage,omitempty"`
	Information *classify.MutualInformation `json:"information,omitempty"` // between chosen guess and s
	Confusion   [][]int                     `json:"confusion,omitempty"`   // true s × chosen guess
	Subgroups   Subgroups                   `json:"subgroups"`
	Correlation Correlation                 `json:"correlation"`
	Power       Power                       `json:"power"`

	P               float64 `json:"p"`                  // the smaller of the two kinds of tests that raise the verdict to LeakyBeyond: of the excess and of the gain
	Adjusted        float64 `json:"adjusted_p"`         // the smaller of the two by Holm's method over both kinds and all attributes: LeakyBeyond rests on it
	ExcessAdjusted  float64 `json:"excess_adjusted_p"`  // that of the excess alone
	CuriousAdjusted float64 `json:"curious_adjusted_p"` // the same as Adjusted with the references' tests, 1 without references: Curious rests on it

	Verdict Verdict  `json:"verdict"`
	Reasons []string `json:"reasons"` // whole sentences
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
	f.attacks(&s.Sensitive[a], g)
	bases := baselineGuesses(s, a, g.fold, g.folds)
	if f.Numeric {
		f.compareNumbers(s, a, g, bases, o)
		f.Permutation = permuteNumbers(s, a, g, o)
	} else {
		f.compareClasses(s, a, g, bases, o)
		f.Permutation = permutation(s, a, g, o)
		f.Leakage = leakage(f, o.Confidence)
	}
	f.Given = given(s, a, g, o)
	f.Correlation = Correlation{LabelP: 1, GuessP: 1}
	if !o.brief {
		f.Shuffling = shuffling(s, a, g, f.BestBaseline(), o)
		f.Correlation = correlation(s, a, g, f.Permutation, o)
	}
	return f
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

// attacks says what each attack reached by itself, the best first, and the chosen
// ones together.
func (f *Finding) attacks(at *Attribute, g *guesses) {
	f.list(at, g)
	for _, c := range g.chosen {
		f.Chosen = append(f.Chosen, g.attack[c].String())
	}
	if f.Numeric {
		f.R2, f.Interval = new(rSquared(at.Numbers, g.bestValue)), new(rSquaredInterval(at.Numbers, g.bestValue))
	} else {
		f.Curiosity, f.Balanced = new(classify.Accuracy(g.best, at.Labels)), classify.Balanced(g.best, at.Labels)
	}
}

// list compares the attacks on the examples that all of them guessed.
func (f *Finding) list(at *Attribute, g *guesses) {
	f.Attacks = []Attack{}
	if len(g.listed) == 0 {
		return
	}
	for i, name := range g.attack {
		a := Attack{Name: name.String(), Learner: name.learner, Form: name.form, Fitted: slices.Min(g.fitted[i])}
		if f.Numeric {
			a.R2 = new(rSquared(pick(at.Numbers, g.listed), pick(g.value[i], g.listed)))
		} else {
			truth, guess := pick(at.Labels, g.listed), pick(g.guess[i], g.listed)
			a.Accuracy, a.Balanced = new(classify.Accuracy(guess, truth)), classify.Balanced(guess, truth)
		}
		for _, c := range g.chosen {
			if c == i {
				a.Chosen++
			}
		}
		f.Attacks = append(f.Attacks, a)
	}
	slices.SortStableFunc(f.Attacks, func(a, b Attack) int {
		if f.Numeric {
			return cmp.Compare(*b.R2, *a.R2)
		}
		return cmp.Compare(b.Accuracy.Correct, a.Accuracy.Correct)
	})
}

func (f *Finding) compareClasses(s *Sample, a int, g *guesses, bases []baselineGuess, o Options) {
	truth := s.Sensitive[a].Labels
	for _, b := range bases {
		f.Baselines = append(f.Baselines, compare(b.name, truth, g.best, b.guess, o))
	}
	best := f.excess(o)
	f.Subgroups = subgroups(s, a, g.best, bases[best].guess, o)
	f.Confusion = classify.Confusion(truth, g.best, len(f.Classes), len(f.Classes))
	f.Information = new(classify.Information(f.Attribute, "guess", f.Confusion, o.Confidence))
}

func (f *Finding) compareNumbers(s *Sample, a int, g *guesses, bases []baselineGuess, o Options) {
	for _, b := range bases {
		f.Baselines = append(f.Baselines, compareNumbers(b.name, s.Sensitive[a].Numbers, g.bestValue, b.value, f.Variance, o))
	}
	f.excess(o)
}

// excess combines the comparisons and returns the index of the best baseline.
func (f *Finding) excess(o Options) (best int) {
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
	return best
}

// high returns the upper limit of the excess that is exceeded with probability alpha at
// most: the least of the baselines' limits, which share alpha.
func (f *Finding) high(alpha float64) float64 {
	least, confidence := math.Inf(1), 1-alpha/float64(len(f.Baselines))
	for i := range f.Baselines {
		b := &f.Baselines[i]
		if f.Numeric {
			least = min(least, b.Difference+b.StandardError*stat.StudentQuantile(confidence, float64(f.Examples-1)))
		} else {
			least = min(least, b.comparison(f.Examples).Interval(2*confidence-1).High)
		}
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
