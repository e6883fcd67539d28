package audit

import (
	"context"
	"fmt"
	"slices"

	"tattle/internal/engine/classify"
	"tattle/internal/math/stat"
	"tattle/internal/protect/measure"
	"tattle/internal/report"
	"tattle/internal/reveal/curious"
	"tattle/internal/reveal/curious/training"
)

// Settings are the options that an audit ran with, defaults filled in, and what is known of its references.
type Settings struct {
	Options
	References int    `json:"references"`
	Unpaired   bool   `json:"unpaired"`
	Recipe     Recipe `json:"reference_recipe,omitempty"` // how it is known to be the audited model's
}

// Result is an audit: plain data, and every figure is finite.
type Result struct {
	Sample   string // its name
	Examples int
	People   int    // who the examples are of, where that is known
	Group    string // what says who
	Outputs  curious.Outputs
	Binary   bool // every output is 0 or 1: hard labels
	Target   string
	Numeric  bool                // Classes are then only those in which examples are compared
	Classes  []string            // of y; a single one without a target
	Honesty  classify.Proportion // δy of the hard labels; none of vectors
	Fitted   int                 // the most examples that an attack was fitted on, if some that it did not judge were left out
	Settings Settings
	Notes    []string // of the sample
	Warnings []string // of the audit, whole sentences

	Findings []*Finding // by attribute
	Controls []Control
	Channels []Channel // codes that were planted into the outputs, by kind

	Defences       []Defence
	Recommendation Recommendation // about the defences

	Verdict Verdict

	x *folded // the sample with the guesses
}

// examine is Audit without controls: what a control runs.
func examine(ctx context.Context, rec *Record, o Options) (*Result, error) {
	o = o.withDefaults()
	r := newResult(rec, o)
	x, list, err := measured(ctx, rec.Sample, o, func(done, total int) { o.progress("attacks", done, total) })
	if err != nil {
		return nil, err
	}
	r.describe(x)
	for a, f := range list {
		if g := x.guesses[a]; g != nil {
			f.permute(g, o)
			f.Given.permute(g, o)
			f.Correlation = Correlation{LabelP: 1, GuessP: 1}
		}
		r.Findings = append(r.Findings, f)
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("audit: %w", err)
		}
	}
	if err := r.compareReferences(ctx, rec, o); err != nil {
		return nil, err
	}
	r.Conclude()
	return r, nil
}

// dependences adds what the verdicts Leaky and NoEvidence rest on: whether the outputs depend on an attribute
// at all, and what shuffling can find.
func (r *Result) dependences(o Options) {
	for a, g := range r.x.guesses {
		if f := r.Findings[a]; g != nil {
			f.Near = r.x.nearCopies(a, o.Seed)
			if !r.x.grouped() {
				f.Shuffling = shuffling(g, f.BestBaseline(), o)
			}
			f.Correlation = correlation(g, f.Permutation, o)
		}
	}
}

// usable lists the findings that have figures.
func (r *Result) usable() []*Finding {
	return slices.DeleteFunc(slices.Clone(r.Findings), func(f *Finding) bool { return f.Unusable != "" })
}

func newResult(rec *Record, o Options) *Result {
	s := rec.Sample
	r := &Result{
		Sample: s.Name, Examples: s.Len(), Outputs: s.Kind, Binary: s.Kind == curious.Soft && zeroOne(s.Outputs),
		Target: s.Target, Numeric: s.YNumbers != nil, Classes: s.Classes, Notes: s.Notes, Controls: []Control{},
		Settings: Settings{o, len(rec.References), rec.Unpaired, rec.Recipe},
	}
	if r.Settings.Progress = nil; o.Attacks == nil {
		for _, l := range classify.Learners() {
			r.Settings.Attacks = append(r.Settings.Attacks, l.Name())
		}
	}
	return r
}

// fewRows is the number of distinct rows of outputs below which a warning says how many there are:
// honest outputs with decimals have more, and a few examples that were repeated have as few.
const fewRows = 50

// describe says how often the outputs answer right, and warns of what makes figures mean less than they seem to.
func (r *Result) describe(s *folded) {
	if r.x, r.Settings.Folds = s, len(s.splits); s.Group != nil {
		r.People, r.Group = s.people, s.Group.Name
	}
	for _, sp := range s.splits {
		if len(sp.all) < len(sp.train) {
			r.Fitted = max(r.Fitted, len(sp.all))
		}
	}
	if s.Kind != Vector {
		p, _ := s.accuracy(s.label, s.Y, random(r.Settings.Seed, streamPeople, 1<<16))
		r.Honesty = *p
	}
	counts := make([]int, len(s.Classes))
	for _, y := range s.Y {
		counts[y]++
	}
	distinct := 0
	for range s.equalRows() {
		distinct++
	}
	switch {
	case distinct == 1:
		r.Warnings = append(r.Warnings, "All rows of outputs are equal: the outputs are constant.")
	case distinct < fewRows && distinct < s.Len()/10 && distinct > len(s.Classes) && !r.Binary && !s.grouped():
		r.Warnings = append(r.Warnings, fmt.Sprintf("Only %d of %d rows of outputs are distinct. P-values and limits count every row as an example: if examples were copied, they do not hold.", distinct, s.Len()))
	}
	switch often := slices.Max(counts); {
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
		if s.targeted() && varies(a.Labels) && training.Determines(s.Y, a.Labels) {
			r.Warnings = append(r.Warnings, fmt.Sprintf("%[1]s determines %[2]s in these examples. Somebody who knows %[1]s therefore knows %[2]s, and outputs cannot reveal more of it. For an adversary who does not know %[1]s, use --target none.", s.Target, a.Name))
		}
	}
	if s.targeted() && !varies(s.Y) {
		r.Warnings = append(r.Warnings, fmt.Sprintf("All examples have %s = %s: what the outputs reveal for other classes is not measured.", s.Target, s.Classes[s.Y[0]]))
	}
}

// Finding is all that an audit says of one sensitive attribute. What is not known
// is left out; every figure is finite.
type Finding struct {
	Attribute string
	Numeric   bool
	Classes   []string // that have examples or are named
	Examples  int
	People    int    // where they have several examples: tests and limits count them
	Unusable  string // why nothing could be measured, a sentence

	Curiosity *classify.Proportion // δs of the chosen guess
	R2        *float64             // of the chosen guess, of a numeric attribute
	Interval  *[2]float64          // of R2, two-sided, at classify.Confidence
	Variance  float64              // of a numeric attribute
	Chosen    []string             // by fold, name of the attack
	Baselines []Baseline
	Best      string // the one that leaves the least excess
	Excess    Excess
	Given     *Given // the same by a proper score given y and the answered label

	Permutation Permutation
	Shuffling   *Shuffling // what that test can find; not of controls
	Reference   *ReferenceTest
	Correlation Correlation
	Power       Power

	Adjusted        float64 // the smallest p-value of the excess, the gain and the AUC, by Holm's method over these and all attributes: LeakyBeyond rests on it
	ExcessAdjusted  float64 // that of the excess alone
	CuriousAdjusted float64 // the same as Adjusted with the references' tests, 1 without references: Curious rests on it

	Verdict   Verdict
	Near      bool      // near-copies: people seem to have several examples, and nothing says which
	Undecided Undecided // why the verdict is Inconclusive

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
		f := describe(x, a)
		if list[a] = f; g == nil {
			continue
		}
		for _, c := range g.chosen {
			f.Chosen = append(f.Chosen, c.String())
		}
		f.excess(g, o)
		f.Given = given(g, o)
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
