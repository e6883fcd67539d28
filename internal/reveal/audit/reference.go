package audit

import (
	"context"
	"fmt"
	"math"

	"tattle/internal/math/stat"
)

// ReferenceTest is what honestly trained classifiers leak of the attribute, each
// measured by the same pipeline. Under "the audited model is another of them"
// its figure and theirs are exchangeable:
//
//	T = (figure − mean)/(sd·√(1 + 1/R))
//
// has Student's distribution with R − 1 degrees of freedom.
type ReferenceTest struct {
	Figures    []float64 // accuracy, or R² of a numeric attribute, or the gain; where Unpaired, their excess on top of the audited sample's baseline
	Mean       float64
	SD         float64
	Difference float64 // the audited model's figure less Mean
	Low        float64 // one-sided limits of it
	High       float64
	P          float64
	Unpaired   bool // measured on other examples
	Above      bool // Difference is at least the margin, without which P raises no verdict
}

// leak is what the outputs of one classifier leak of an attribute, as references are compared: its
// accuracy or R², and its gain. Of classifiers on other examples it is the excess on top of the audited
// sample's baseline, because there the attribute may be more or less even, and both vary by their examples.
type leak [2]struct{ value, variance float64 }

// leaks measures every attribute on n examples of s; nil of an attribute that cannot be guessed.
func (r *Result) leaks(ctx context.Context, s *Sample, n int, o Options) ([]*leak, error) {
	_, found, err := measured(ctx, s.some(n, random(o.Seed, streamControl, 1)), o, nil)
	if err != nil {
		return nil, err
	}
	list := make([]*leak, len(found))
	for a, f := range found {
		base := r.Findings[a].BestBaseline()
		if f.Unusable != "" || base == nil {
			continue
		}
		if list[a] = f.leak(); r.Settings.Unpaired {
			list[a] = &leak{{f.Excess.Value + base.figure(), square(f.BestBaseline().StandardError)}, {f.Given.Mean, square(f.Given.StandardError)}}
		}
	}
	return list, nil
}

// compareReferences sends every reference through the pipeline of the audited model
// and holds the model's figures against theirs. Attacks learn more from more examples, so references on
// other examples are compared on as many of both.
func (r *Result) compareReferences(ctx context.Context, rec *Record, o Options) error {
	refs := len(rec.References)
	if refs == 0 {
		return nil
	}
	n := min(rec.Sample.Len(), rec.References[0].Len())
	theirs := make([][]*leak, len(r.Findings)) // by attribute
	for i, ref := range rec.References {
		o.progress("references", i, refs)
		all, err := r.leaks(ctx, ref, n, o)
		if err != nil {
			return fmt.Errorf("reference %d: %w", i+1, err)
		}
		for a, l := range all {
			if l != nil {
				theirs[a] = append(theirs[a], l)
			}
		}
	}
	own := make([]*leak, len(r.Findings))
	for a, f := range r.Findings {
		if f.Unusable == "" {
			own[a] = f.leak()
		}
	}
	if rec.Unpaired {
		var err error
		if own, err = r.leaks(ctx, rec.Sample, n, o); err != nil {
			return err
		}
	}
	for a, f := range r.Findings {
		if f.Unusable != "" {
			continue
		}
		if own[a] == nil || len(theirs[a]) < refs {
			r.Warnings = append(r.Warnings, fmt.Sprintf("%s cannot be guessed from the references' examples, so it is judged without references.", f.Attribute))
			continue
		}
		// The least step of a figure: without it, figures on the same examples that happen to be equal
		// would leave no deviation at all.
		least := .25 / square(float64(f.counted()))
		for k, margin := range []float64{*o.Margin, f.Given.Margin} {
			figures, variance := make([]float64, len(theirs[a])), own[a][k].variance+least
			for i, l := range theirs[a] {
				figures[i] = l[k].value
				variance += l[k].variance / float64(refs)
			}
			test := referenceTest(own[a][k].value, figures, variance, margin, o.Confidence)
			test.Unpaired = rec.Unpaired
			if f.Given.Reference = test; k == 0 {
				f.Reference = test
			}
		}
	}
	o.progress("references", refs, refs)
	return nil
}

func square(x float64) float64 { return x * x }

// leak returns the finding's accuracy or R², and its gain.
func (f *Finding) leak() *leak {
	if f.Numeric {
		return &leak{{value: *f.R2}, {value: f.Given.Mean}}
	}
	return &leak{{value: f.Curiosity.Value}, {value: f.Given.Mean}}
}

// referenceTest compares an attribute's figure with the references'. extra is the
// variance of the difference that the spread of the references does not hold.
func referenceTest(own float64, figures []float64, extra, margin, confidence float64) *ReferenceTest {
	mean, sd := stat.MeanStd(figures)
	t := &ReferenceTest{Figures: figures, Mean: mean, SD: sd, Difference: own - mean}
	_, t.P = stat.OneMore(own, figures, extra)
	se := math.Sqrt(sd*sd*(1+1/float64(len(figures))) + extra)
	reach := se * stat.StudentQuantile(confidence, float64(len(figures)-1))
	t.Low, t.High, t.Above = t.Difference-reach, t.Difference+reach, t.Difference >= margin
	return t
}
