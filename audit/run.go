package audit

import (
	"context"
	"fmt"
	"slices"

	"tattle/classify"
	"tattle/curious"
	"tattle/curious/training"
	"tattle/internal/report"
	"tattle/measure"
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
	Recipe       Recipe   `json:"reference_recipe,omitempty"` // how it is known to be the audited model's
}

// Result is an audit: plain data, and every figure is finite.
type Result struct {
	Sample   string              `json:"sample"` // its name
	SHA256   string              `json:"sha256"` // Sample.Sum
	Examples int                 `json:"examples"`
	Outputs  curious.Outputs     `json:"outputs"`
	Binary   bool                `json:"binary,omitempty"` // every output is 0 or 1: hard labels
	Target   string              `json:"target"`
	Numeric  bool                `json:"numeric_target,omitempty"` // Classes are then only those in which examples are compared
	Classes  []string            `json:"classes"`                  // of y; a single one without a target
	Counts   []int               `json:"counts"`                   // examples of each class of y
	Honesty  classify.Proportion `json:"honesty,omitzero"`         // δy of the hard labels; none of vectors
	Settings Settings            `json:"settings"`
	Notes    []string            `json:"notes,omitempty"`    // of the sample
	Warnings []string            `json:"warnings,omitempty"` // of the audit, whole sentences

	Findings []Finding `json:"findings"` // by attribute
	Controls []Control `json:"controls"`
	Channels []Channel `json:"channels,omitempty"` // codes that were planted into the outputs, by kind

	Defences       []Defence      `json:"defences,omitempty"`
	Recommendation Recommendation `json:"recommendation,omitzero"` // about the defences

	Verdict Verdict `json:"verdict"`

	guesses []*guesses // by attribute; nil of one that cannot be guessed
}

// Run audits a sample: all figures, the negative control, and codes that are planted into
// its outputs. Complete also plants models and tries defences. It returns an error if the
// sample or an option is wrong and when ctx ends.
func Run(ctx context.Context, s *Sample, o Options) (*Result, error) {
	whole := s.Sum()
	s, moved := s.tamed()
	r, err := examine(ctx, s, o)
	if err != nil {
		return nil, err
	}
	r.SHA256, r.Warnings = whole, append(r.Warnings, moved...)
	if r.usable() == 0 {
		return r, nil
	}
	r.dependences(s, o)
	c, err := negative(ctx, s, o.forControl())
	if err != nil {
		return nil, err
	}
	r.Controls = append(r.Controls, c)
	if r.Channels, err = measureChannels(ctx, s, r.usable(), o); err != nil {
		return nil, err
	}
	r.Conclude()
	return r, nil
}

// examine is Run without controls: what a control runs.
func examine(ctx context.Context, s *Sample, o Options) (*Result, error) {
	o = o.withDefaults()
	if err := checkAll(s, o); err != nil {
		return nil, err
	}
	r := newResult(s, o)
	var err error
	if r.guesses, err = crossFit(ctx, s, o, attackName{}, func(done, total int) { o.progress("attacks", done, total) }); err != nil {
		return nil, err
	}
	for a, g := range r.guesses {
		r.Findings = append(r.Findings, *find(s, a, g, o))
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("audit: %w", err)
		}
	}
	if err := r.compareReferences(ctx, s, o); err != nil {
		return nil, err
	}
	r.Conclude()
	return r, nil
}

// dependences adds what the verdicts Leaky and NoEvidence rest on.
func (r *Result) dependences(s *Sample, o Options) {
	for a, g := range r.guesses {
		if g != nil {
			r.Findings[a].dependence(s, a, g, o)
		}
	}
}

// usable counts the findings that have figures.
func (r *Result) usable() int {
	n := 0
	for i := range r.Findings {
		if r.Findings[i].Unusable == "" {
			n++
		}
	}
	return n
}

func newResult(s *Sample, o Options) *Result {
	r := &Result{
		Sample: s.Name, SHA256: s.Sum(), Examples: s.Len(), Outputs: s.Kind, Binary: s.Kind == curious.Soft && zeroOne(s.Outputs),
		Target: s.Target, Numeric: s.YNumbers != nil, Classes: s.Classes, Counts: make([]int, len(s.Classes)),
		Honesty: s.answered(), Notes: s.Notes, Controls: []Control{},
		Settings: Settings{
			Seed: o.Seed, Folds: o.foldsOf(s.Len()), Permutations: o.Permutations, MaxFit: o.MaxFit,
			Confidence: o.Confidence, Margin: *o.Margin, Attacks: o.Attacks,
			References: len(o.References), Unpaired: o.Unpaired, Recipe: o.Recipe,
		},
	}
	if o.Attacks == nil {
		for _, l := range classify.Learners() {
			r.Settings.Attacks = append(r.Settings.Attacks, l.Name())
		}
	}
	for _, y := range s.Y {
		r.Counts[y]++
	}
	r.warn(s)
	return r
}

// fewRows is the number of distinct rows of outputs below which a warning says how many there are:
// honest outputs with decimals have more, and a few examples that were repeated have as few.
const fewRows = 50

// warn adds warnings on what makes figures mean less than they seem to.
func (r *Result) warn(s *Sample) {
	_, copies, distinct := twins(s)
	if copies > 0 {
		r.Warnings = append(r.Warnings, fmt.Sprintf("Of %d rows of outputs, %d repeat earlier ones. Copies are judged together, by attacks that were fitted on none of them, but each counts as an example: intervals are too short if the examples themselves were copied.", s.Len(), copies))
	}
	switch {
	case distinct == 1:
		r.Warnings = append(r.Warnings, "All rows of outputs are equal: the outputs are constant.")
	case distinct < fewRows && distinct < s.Len()/10 && distinct > len(s.Classes) && !r.Binary:
		r.Warnings = append(r.Warnings, fmt.Sprintf("Only %d of %d rows of outputs are distinct. P-values and limits count every row as an example: if examples were copied, they do not hold.", distinct, s.Len()))
	}
	switch often := slices.Max(r.Counts); {
	case s.Kind == Vector || often == len(s.Y):
	case r.Honesty.Interval[1]*float64(len(s.Classes)) < 1:
		r.Warnings = append(r.Warnings, fmt.Sprintf("The predicted %s is right for %s only, less often than by guessing among %d classes: check that the outputs are in the order of the classes.", s.Target, report.Exactly(r.Honesty.Value, report.Share), len(s.Classes)))
	default:
		f := measure.Fit{Examples: len(s.Y), Right: r.Honesty.Correct, Commonest: often}
		if w := f.Warning("The predicted " + s.Target); w != "" {
			r.Warnings = append(r.Warnings, w)
		}
	}
	for _, a := range s.Sensitive {
		if s.targeted() && slices.ContainsFunc(a.Labels, func(l int) bool { return l != a.Labels[0] }) && training.Determines(s.Y, a.Labels) {
			r.Warnings = append(r.Warnings, fmt.Sprintf("%[1]s determines %[2]s in these examples. Somebody who knows %[1]s therefore knows %[2]s, and outputs cannot reveal more of it. For an adversary who does not know %[1]s, use --target none.", s.Target, a.Name))
		}
	}
	for c, n := range r.Counts {
		if n == len(s.Y) && s.targeted() {
			r.Warnings = append(r.Warnings, fmt.Sprintf("All examples have %s = %s: what the outputs reveal for other classes is not measured.", s.Target, s.Classes[c]))
		}
	}
}

// checkAll checks options, sample and references.
func checkAll(s *Sample, o Options) error {
	if err := o.check(); err != nil {
		return err
	}
	if err := s.Check(); err != nil {
		return err
	}
	for i, ref := range o.References {
		if err := ref.Check(); err != nil {
			return fmt.Errorf("reference %d: %w", i+1, err)
		}
		if err := s.fits(ref, o.Unpaired); err != nil {
			return fmt.Errorf("audit: reference %d: %w", i+1, err)
		}
	}
	return nil
}

// fits returns an error if a reference cannot be compared with s.
func (s *Sample) fits(ref *Sample, unpaired bool) error {
	if len(ref.Classes) != len(s.Classes) || ref.RowWidth() != s.RowWidth() || ref.Kind != s.Kind || len(ref.Sensitive) != len(s.Sensitive) {
		return fmt.Errorf("%d %s outputs and %d attributes, where %s has %d %s and %d: they must be alike",
			len(ref.Classes), ref.Kind, len(ref.Sensitive), s.Name, len(s.Classes), s.Kind, len(s.Sensitive))
	}
	for i := range s.Sensitive {
		a, b := &s.Sensitive[i], &ref.Sensitive[i]
		if a.Name != b.Name || a.Numeric() != b.Numeric() {
			return fmt.Errorf("attribute %d is %q, where %s has %q", i+1, b.Name, s.Name, a.Name)
		}
		if !unpaired && !(slices.Equal(a.Labels, b.Labels) && slices.Equal(a.Numbers, b.Numbers)) {
			return fmt.Errorf("attribute %q differs: references are on the same examples in the same order, unless they are unpaired", a.Name)
		}
	}
	if !unpaired && !slices.Equal(s.Y, ref.Y) {
		return fmt.Errorf("%s differs: references are on the same examples in the same order, unless they are unpaired", s.Target)
	}
	return nil
}
