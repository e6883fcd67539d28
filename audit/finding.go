package audit

import "tattle/curious"

// Finding is all that an audit says of one sensitive attribute. What is not known
// is left out; every figure is finite.
type Finding struct {
	Attribute string   `json:"attribute"`
	Numeric   bool     `json:"numeric"`
	Classes   []string `json:"classes,omitempty"` // that have examples or are named
	Counts    []int    `json:"counts,omitempty"`  // examples of each class
	Examples  int      `json:"examples"`
	Unusable  string   `json:"unusable,omitempty"` // why nothing could be measured, a sentence

	Curiosity *curious.Proportion `json:"curiosity,omitempty"` // δs of the chosen guess
	R2        *float64            `json:"r2,omitempty"`        // of the chosen guess, of a numeric attribute
	Variance  float64             `json:"variance,omitempty"`  // of a numeric attribute
	Attacks   []Attack            `json:"attacks"`             // the best first
	Chosen    []string            `json:"chosen"`              // by fold, name of the attack
	Baselines []Baseline          `json:"baselines"`
	Best      string              `json:"best_baseline"` // the one that leaves the least excess
	Excess    Excess              `json:"excess"`

	Permutation Permutation    `json:"permutation"`
	Reference   *ReferenceTest `json:"reference,omitempty"`
	Leakage     *Leakage       `json:"leakage,omitempty"`
	Information *Information   `json:"information,omitempty"` // between chosen guess and s
	Confusion   [][]int        `json:"confusion,omitempty"`   // true s × chosen guess
	Subgroups   Subgroups      `json:"subgroups"`
	Correlation Correlation    `json:"correlation"`
	Power       Power          `json:"power"`

	P        float64  `json:"p"`          // the largest of the tests that a verdict "curious" must pass
	Adjusted float64  `json:"adjusted_p"` // Holm's over the attributes
	Verdict  Verdict  `json:"verdict"`
	Reasons  []string `json:"reasons"` // whole sentences
}

// best returns the baseline that leaves the least excess, nil where there is none.
func (f *Finding) best() *Baseline {
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
	panic("to be written")
}
