package audit

import (
	"context"
	"fmt"
	"math"

	"tattle/stat"
)

// leak is what the outputs of one classifier leak of an attribute, as references are compared: its
// accuracy or R², and its gain. Of classifiers on other examples it is the excess on top of the audited
// sample's baseline, because there the attribute may be more or less even, and both vary by their examples.
type leak struct {
	figure, variance   float64
	gain, gainVariance float64
}

// leaks measures every attribute on n examples of s; nil of an attribute that cannot be guessed.
func (r *Result) leaks(ctx context.Context, s *Sample, n int, o Options) ([]*leak, error) {
	s = s.some(n, o.Seed)
	all, err := crossFit(ctx, s, o, attackName{}, nil)
	if err != nil {
		return nil, err
	}
	list := make([]*leak, len(all))
	for a, g := range all {
		switch base := r.Findings[a].BestBaseline(); {
		case g == nil || base == nil:
		case o.Unpaired:
			f := find(s, a, g, o)
			list[a] = &leak{f.Excess.Value + base.figure(), square(f.BestBaseline().StandardError), f.Given.Gain, square(f.Given.StandardError)}
		default:
			f := &Finding{Numeric: s.Sensitive[a].Numeric()}
			f.attacks(&s.Sensitive[a], g)
			gain, _ := g.gains(&s.Sensitive[a])
			mean, _ := stat.MeanStd(gain)
			list[a] = &leak{figure: f.own(), gain: mean}
		}
	}
	return list, nil
}

// compareReferences sends every reference through the pipeline of the audited model
// and holds the model's figures against theirs. Attacks learn more from more examples, so references on
// other examples are compared on as many of both.
func (r *Result) compareReferences(ctx context.Context, s *Sample, o Options) error {
	refs := float64(len(o.References))
	if refs == 0 {
		return nil
	}
	n := min(s.Len(), o.References[0].Len())
	theirs := make([][]*leak, len(r.Findings)) // by attribute
	for i, ref := range o.References {
		o.progress("references", i, len(o.References))
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
	for a := range r.Findings {
		if f := &r.Findings[a]; f.Unusable == "" {
			own[a] = &leak{figure: f.own(), gain: f.Given.Gain}
		}
	}
	if o.Unpaired {
		var err error
		if own, err = r.leaks(ctx, s, n, o); err != nil {
			return err
		}
	}
	for a := range r.Findings {
		f := &r.Findings[a]
		if f.Unusable != "" {
			continue
		}
		if own[a] == nil || len(theirs[a]) < len(o.References) {
			r.Warnings = append(r.Warnings, fmt.Sprintf("%s cannot be guessed from the references' examples, so it is judged without references.", f.Attribute))
			continue
		}
		// The least step of a figure: without it, figures on the same examples that happen to be equal
		// would leave no deviation at all.
		least := .25 / square(float64(f.Examples))
		var figures, gains []float64
		variance, gainVariance := own[a].variance+least, own[a].gainVariance+least
		for _, l := range theirs[a] {
			figures, gains = append(figures, l.figure), append(gains, l.gain)
			variance += l.variance / refs
			gainVariance += l.gainVariance / refs
		}
		f.Reference = referenceTest(own[a].figure, figures, variance, *o.Margin, o)
		f.Given.Reference = referenceTest(own[a].gain, gains, gainVariance, f.Given.Margin, o)
	}
	o.progress("references", len(o.References), len(o.References))
	return nil
}

func square(x float64) float64 { return x * x }

// own returns the finding's accuracy, or R².
func (f *Finding) own() float64 {
	if f.Numeric {
		return *f.R2
	}
	return f.Curiosity.Value
}

// referenceTest compares an attribute's figure with the references'. extra is the
// variance of the difference that the spread of the references does not hold.
func referenceTest(own float64, figures []float64, extra, margin float64, o Options) *ReferenceTest {
	mean, sd := stat.MeanStd(figures)
	t := &ReferenceTest{
		Figures: figures, Mean: mean, SD: sd, Difference: own - mean,
		Freedom: len(figures) - 1, Unpaired: o.Unpaired,
	}
	t.T, t.P = stat.OneMore(own, figures, extra)
	se := math.Sqrt(sd*sd*(1+1/float64(len(figures))) + extra)
	reach := se * stat.StudentQuantile(o.Confidence, float64(t.Freedom))
	t.Above = t.Difference >= margin
	t.Low, t.High = t.Difference-reach, t.Difference+reach
	return t
}
