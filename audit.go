package tattle

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"tattle/internal/reveal/audit"
	"tattle/internal/reveal/curious"
)

// AuditOptions are the settings of Audit. The zero value is the default.
type AuditOptions struct {
	Margin     *float64 // excess that counts as none, as a share of the examples; nil is one hundredth
	Confidence float64  // 0 is 0.95
	// References are the outputs of classifiers that were trained honestly by the same recipe, on the same
	// examples. With two or more, a verdict can be that the outputs reveal more than honest ones.
	References [][][]float32
	// Group numbers the person that each example is about; nil: each is another person. Figures are then means over people, and
	// tests and limits count people.
	Group []int
	Seed  uint64
}

// An AuditResult says what the outputs of a classifier reveal of a sensitive attribute.
type AuditResult struct {
	// Verdict is, the worst first: curious, leaky beyond the target, leaky by correlation, inconclusive,
	// no evidence.
	Verdict string
	// Beyond reports whether the outputs reveal more of the attribute than the target explains.
	Beyond   bool
	Accuracy float64 // how often the outputs answer the target right
	Guessed  float64 // how often the best attack guesses the attribute right
	// Excess is how much more often that is than without the outputs, from the target and the answered label, with its
	// limits.
	Excess, Low, High float64
	P                 float64  // of an excess and a gain of at most the margin, adjusted for all that was tested
	Warnings          []string // whole sentences
}

// Audit tests whether the outputs of a classifier carry a sensitive attribute beyond what
// the target attribute explains. outputs has one row for each example, with a probability or
// a score for each class of the target; target and sensitive are the true classes of each
// example, counted from 0. Outputs are taken for probabilities if every row is at least 0
// and adds up to 1.
func Audit(ctx context.Context, outputs [][]float32, target, sensitive []int, o AuditOptions) (*AuditResult, error) {
	if err := checkContext(ctx); err != nil {
		return nil, err
	}
	s, err := sampleOf(outputs, target, sensitive)
	if err != nil {
		return nil, err
	}
	if o.Group != nil {
		if len(o.Group) != len(outputs) || slices.Min(o.Group) < 0 {
			return nil, fmt.Errorf("people of %d examples, for %d rows of outputs: give as many, numbered from 0", len(o.Group), len(outputs))
		}
		s.Group = &audit.Attribute{Name: "person", Labels: o.Group}
		if err := s.Check(); err != nil {
			return nil, err
		}
	}
	rec := &audit.Record{Sample: s}
	for i, rows := range o.References {
		r, err := sampleOf(rows, target, sensitive)
		if err != nil {
			return nil, fmt.Errorf("reference %d: %w", i, err)
		}
		r.Group = s.Group
		rec.References, rec.Recipe = append(rec.References, r), audit.RecipeStated
	}
	r, err := rec.Audit(ctx, audit.Options{Margin: o.Margin, Confidence: o.Confidence, Seed: o.Seed})
	if err != nil {
		return nil, err
	}
	f := r.Findings[0]
	out := &AuditResult{
		Verdict: string(r.Verdict), Beyond: r.Verdict.ExceedsTarget(), Accuracy: r.Honesty.Value,
		Excess: f.Excess.Value, Low: f.Excess.Low, High: f.Excess.High, P: f.Adjusted, Warnings: r.Warnings,
	}
	if f.Unusable != "" {
		out.Warnings = append(out.Warnings, f.Unusable)
	}
	if f.Curiosity != nil {
		out.Guessed = f.Curiosity.Value
	}
	return out, nil
}

// sampleOf checks rows of outputs and their labels.
func sampleOf(outputs [][]float32, target, sensitive []int) (*audit.Sample, error) {
	if len(outputs) == 0 || len(target) != len(outputs) || len(sensitive) != len(outputs) {
		return nil, fmt.Errorf("%d rows of outputs, %d target and %d sensitive classes: give as many of each, at least one", len(outputs), len(target), len(sensitive))
	}
	if most := slices.Max(sensitive); most >= len(sensitive) {
		return nil, fmt.Errorf("sensitive class %d of %d examples: number the classes from 0", most, len(sensitive))
	}
	s := &audit.Sample{Name: "outputs", Kind: curious.Soft, Target: "target", Y: target, Classes: numbered(len(outputs[0]) - 1)}
	for i, row := range outputs {
		if len(row) != len(outputs[0]) {
			return nil, fmt.Errorf("row %d has %d outputs, row 0 has %d: give one for each class of the target", i, len(row), len(outputs[0]))
		}
		if !distribution(row) {
			s.Kind = curious.Raw
		}
		s.Outputs = append(s.Outputs, row...)
	}
	s.Sensitive = []audit.Attribute{{Name: "sensitive", Labels: sensitive, Values: numbered(slices.Max(sensitive))}}
	return s, s.Check()
}

// numbered names the classes 0 to last by their numbers.
func numbered(last int) []string {
	var names []string
	for i := range last + 1 {
		names = append(names, strconv.Itoa(i))
	}
	return names
}

// sumTolerance is what the sum of probabilities in float32 may differ from 1.
const sumTolerance = 1e-3

// distribution reports whether the numbers of a row are probabilities.
func distribution(row []float32) bool {
	sum := 0.
	for _, v := range row {
		if !(v >= 0) {
			return false
		}
		sum += float64(v)
	}
	return sum >= 1-sumTolerance && sum <= 1+sumTolerance
}
