package audit

import (
	"context"
	"fmt"
	"math"

	"tattle/classify"
	"tattle/stat"
)

// compareReferences sends every reference through the pipeline of the audited model
// and holds the model's figures against theirs.
func (r *Result) compareReferences(ctx context.Context, s *Sample, o Options) error {
	if o.Unpaired && len(o.References) > 0 {
		return r.compareUnpaired(ctx, s, o)
	}
	figures, gains := make([][]float64, len(r.Findings)), make([][]float64, len(r.Findings)) // by attribute
	for i, ref := range o.References {
		o.progress("references", i, len(o.References))
		all, err := crossFit(ctx, ref, o, attackName{}, nil)
		if err != nil {
			return fmt.Errorf("reference %d: %w", i+1, err)
		}
		for a, g := range all {
			if g != nil {
				at := &ref.Sensitive[a]
				gain, _ := g.gains(at)
				mean, _ := stat.MeanStd(gain)
				figures[a], gains[a] = append(figures[a], figureOf(at, g)), append(gains[a], mean)
			}
		}
	}
	for a := range r.Findings {
		f := &r.Findings[a]
		switch {
		case len(o.References) == 0 || f.Unusable != "":
		case len(figures[a]) < len(o.References):
			r.unreferenced(f)
		default:
			f.Reference = referenceTest(f.own(), figures[a], f.chance(), *o.Margin, o)
			f.Given.Reference = referenceTest(f.Given.Gain, gains[a], f.chance(), f.Given.Margin, o)
		}
	}
	if n := len(o.References); n > 0 {
		o.progress("references", n, n)
	}
	return nil
}

// figureOf returns the accuracy, or R², of the chosen guess of an attribute.
func figureOf(a *Attribute, g *guesses) float64 {
	if a.Numeric() {
		return rSquared(a.Numbers, g.bestValue)
	}
	return classify.Accuracy(g.best, a.Labels).Value
}

// own returns the finding's accuracy, or R².
func (f *Finding) own() float64 {
	if f.Numeric {
		return *f.R2
	}
	return f.Curiosity.Value
}

// unreferenced warns that the references say nothing of an attribute.
func (r *Result) unreferenced(f *Finding) {
	r.Warnings = append(r.Warnings, fmt.Sprintf("%s cannot be guessed from the references' examples, so it is judged without references.", f.Attribute))
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

// chance returns the variance of a figure's smallest step, without which figures on the
// same examples that happen to be equal would leave no deviation at all.
func (f *Finding) chance() float64 { return .25 / (float64(f.Examples) * float64(f.Examples)) }
