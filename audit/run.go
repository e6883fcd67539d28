package audit

import (
	"context"

	"tattle/curious"
)

// Settings are the options that an audit ran with, defaults filled in.
type Settings struct {
	Seed         uint64   `json:"seed"`
	Folds        int      `json:"folds"`
	Permutations int      `json:"permutations"`
	MaxFit       int      `json:"max_fit"`
	Confidence   float64  `json:"confidence"`
	Margin       float64  `json:"margin"`
	Attacks      []string `json:"attacks"` // learners
	References   int      `json:"references"`
	Unpaired     bool     `json:"unpaired"`
}

// Result is an audit: plain data, of which every figure is finite.
type Result struct {
	Sample   string             `json:"sample"` // its name
	SHA256   string             `json:"sha256"` // Sample.Sum
	Examples int                `json:"examples"`
	Outputs  curious.Outputs    `json:"outputs"`
	Target   string             `json:"target"`
	Classes  []string           `json:"classes"` // of y
	Counts   []int              `json:"counts"`  // examples of each class of y
	Honesty  curious.Proportion `json:"honesty"` // δy of the hard labels
	Settings Settings           `json:"settings"`
	Notes    []string           `json:"notes,omitempty"`    // of the sample
	Warnings []string           `json:"warnings,omitempty"` // of the audit, whole sentences

	Findings []Finding     `json:"findings"` // by attribute
	Entropy  *EntropyShift `json:"entropy,omitempty"`
	Controls []Control     `json:"controls"`

	Defences       []Defence `json:"defences,omitempty"`
	Recommendation string    `json:"recommendation,omitempty"` // about the defences

	Verdict Verdict  `json:"verdict"`
	Reasons []string `json:"reasons"` // whole sentences
	Advice  []string `json:"advice"`  // whole sentences

	Guesses [][]int     `json:"-"` // [attribute][example], the chosen guess; nil of a numeric attribute
	Values  [][]float64 `json:"-"` // the same of numeric attributes
	Folds   []int       `json:"-"` // [example], the fold it was judged in
}

// Run audits a sample: all figures and the negative control. It plants no model
// and tries no defence: the caller adds these and calls Conclude again. It errs
// where the sample or an option is wrong and when ctx ends.
func Run(ctx context.Context, s *Sample, o Options) (*Result, error) {
	panic("to be written")
}

// examine is Run without controls: what a control runs.
func examine(ctx context.Context, s *Sample, o Options) (*Result, error) {
	panic("to be written")
}
