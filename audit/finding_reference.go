package audit

import (
	"context"
	"fmt"
	"math"

	"tattle/stat"
)

// compareReferences sends every reference through the pipeline of the audited model
// and holds the model's figures against theirs.
func (r *Result) compareReferences(ctx context.Context, s *Sample, o Options) error {
	o.brief = true
	figures := make([][]float64, len(r.Findings)) // by attribute
	for i, ref := range o.References {
		o.progress("references", i, len(o.References))
		all, err := crossFit(ctx, ref, o, nil)
		if err != nil {
			return fmt.Errorf("reference %d: %w", i+1, err)
		}
		for a, g := range all {
			if g != nil {
				figures[a] = append(figures[a], ref.Sensitive[a].figure(g))
			}
		}
	}
	for a := range r.Findings {
		f := &r.Findings[a]
		switch {
		case len(o.References) == 0 || f.Unusable != "":
		case len(figures[a]) < len(o.References):
			r.Warnings = append(r.Warnings, fmt.Sprintf("The references' examples do not allow to guess %s: it is judged without references.", f.Attribute))
		default:
			f.Reference = referenceTest(f, figures[a], o.References[0].Len(), o)
		}
	}
	if n := len(o.References); n > 0 {
		o.progress("references", n, n)
	}
	return nil
}

// figure returns the accuracy, or R², of the chosen guess.
func (a *Attribute) figure(g *guesses) float64 {
	if a.Numeric() {
		return rSquared(a.Numbers, g.bestValue)
	}
	return accuracy(a.Labels, g.best).Value
}

// own returns the finding's accuracy, or R².
func (f *Finding) own() float64 {
	if f.Numeric {
		return *f.R2
	}
	return f.Curiosity.Value
}

// referenceTest compares the finding with the references' figures, on n examples.
func referenceTest(f *Finding, figures []float64, n int, o Options) *ReferenceTest {
	mean, sd := stat.MeanStd(figures)
	extra := f.chance(mean, n, o.Unpaired)
	t := &ReferenceTest{
		Figures: figures, Mean: mean, SD: sd, Difference: f.own() - mean,
		Freedom: len(figures) - 1, Unpaired: o.Unpaired,
	}
	t.T, t.P = stat.OneMore(f.own(), figures, extra)
	se := math.Sqrt(sd*sd*(1+1/float64(len(figures))) + extra)
	reach := se * stat.StudentQuantile(o.Confidence, float64(t.Freedom))
	t.Low, t.High = t.Difference-reach, t.Difference+reach
	return t
}

// chance returns the variance of the difference that the spread of the references
// does not hold: where they are measured on other examples, that of both samples;
// else no more than a figure's smallest step, without which figures that happen to
// be equal would leave no deviation at all.
func (f *Finding) chance(mean float64, n int, unpaired bool) float64 {
	own, m := f.own(), float64(f.Examples)
	switch {
	case !unpaired:
		return .25 / (m * m)
	case f.Numeric:
		se := f.Baselines[0].StandardError
		return se * se * (1 + m/float64(n))
	}
	return own*(1-own)/m + mean*(1-mean)/float64(n)
}
