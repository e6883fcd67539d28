package audit

import (
	"context"

	"tattle/internal/engine/classify"
	"tattle/internal/math/stat"
)

// Finding is all that an audit says of one sensitive attribute. What is not known
// is left out; every figure is finite.
type Finding struct {
	Attribute string   `json:"attribute"`
	Numeric   bool     `json:"numeric"`
	Classes   []string `json:"classes,omitempty"` // that have examples or are named
	Examples  int      `json:"examples"`
	People    int      `json:"people,omitempty"`   // where they have several examples: tests and limits count them
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
	Near      bool      `json:"near_copies,omitempty"` // near-copies: people seem to have several examples, and nothing says which
	Undecided Undecided `json:"undecided,omitzero"`    // why the verdict is Inconclusive

	right *stat.PeopleMean // of Curiosity, where people have several examples
}

// measured fits attacks to a sample, and returns the sample with their guesses and what they reached of each attribute. What
// permutations test is left out.
func measured(ctx context.Context, s *Sample, o Options, progress func(done, total int)) (*folded, []*Finding, error) {
	x, err := crossFit(ctx, s, o, progress)
	if err != nil {
		return nil, nil, err
	}
	list := make([]*Finding, len(x.guesses))
	for a, g := range x.guesses {
		if list[a] = describe(x, a); g != nil {
			list[a].figures(g, o)
		}
	}
	return x, list, nil
}

// describe says what there is of attribute a.
func describe(x *folded, a int) *Finding {
	at := &x.Sensitive[a]
	f := &Finding{Attribute: at.Name, Numeric: at.Numeric(), Classes: at.Values, Examples: x.Len(), Unusable: x.unusable[a]}
	if x.grouped() {
		f.People = x.people
	}
	if f.Numeric && f.Examples > 1 {
		_, sd := stat.MeanStd(at.Numbers)
		f.Variance = sd * sd
	}
	return f
}

// counted returns how many independent observations there are.
func (f *Finding) counted() int {
	if f.People > 0 {
		return f.People
	}
	return f.Examples
}

// figures says what the chosen attacks reached, beyond the baselines and given y and the answered label.
func (f *Finding) figures(g *guesses, o Options) {
	for _, c := range g.chosen {
		f.Chosen = append(f.Chosen, c.String())
	}
	f.excess(g, o)
	f.Given = given(g, o)
}
