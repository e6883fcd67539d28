package audit

import (
	"context"
	"fmt"
	"slices"
)

// compareUnpaired is compareReferences for references on other examples. There the attribute
// may be more or less even, and attacks learn more from more examples. So it compares the
// excess over the best baseline, on the same number of examples of both. Figures are written as the references' excess on top of the
// audited sample's baseline, and both excesses vary by their examples, too.
func (r *Result) compareUnpaired(ctx context.Context, s *Sample, o Options) error {
	n := min(s.Len(), o.References[0].Len())
	own, err := excesses(ctx, s, n, o)
	if err != nil {
		return err
	}
	figures, variance := make([][]float64, len(own)), make([]float64, len(own))
	gains, gainVariance := make([][]float64, len(own)), make([]float64, len(own))
	for i, ref := range o.References {
		o.progress("references", i, len(o.References))
		all, err := excesses(ctx, ref, n, o)
		if err != nil {
			return fmt.Errorf("reference %d: %w", i+1, err)
		}
		for a, f := range all {
			if base := r.Findings[a].BestBaseline(); f.Unusable == "" && base != nil {
				figures[a] = append(figures[a], f.Excess.Value+base.figure())
				variance[a] += square(f.BestBaseline().StandardError) / float64(len(o.References))
				gains[a] = append(gains[a], f.Given.Gain)
				gainVariance[a] += square(f.Given.StandardError) / float64(len(o.References))
			}
		}
	}
	for a := range r.Findings {
		f := &r.Findings[a]
		switch {
		case f.Unusable != "":
		case len(figures[a]) < len(o.References) || own[a].Unusable != "":
			r.unreferenced(f)
		default:
			f.Reference = referenceTest(own[a].Excess.Value+f.BestBaseline().figure(), figures[a], square(own[a].BestBaseline().StandardError)+variance[a]+f.chance(), *o.Margin, o)
			f.Given.Reference = referenceTest(own[a].Given.Gain, gains[a], square(own[a].Given.StandardError)+gainVariance[a]+f.chance(), f.Given.Margin, o)
		}
	}
	o.progress("references", len(o.References), len(o.References))
	return nil
}

func square(x float64) float64 { return x * x }

// excesses measures every attribute on n examples of s, drawn by the seed.
func excesses(ctx context.Context, s *Sample, n int, o Options) ([]*Finding, error) {
	if n < s.Len() {
		rows := random(o.Seed, streamControl, 1).Perm(s.Len())[:n]
		slices.Sort(rows)
		s = s.Subset(rows)
	}
	all, err := crossFit(ctx, s, o, attackName{}, nil)
	if err != nil {
		return nil, err
	}
	var found []*Finding
	for a, g := range all {
		found = append(found, find(s, a, g, o))
	}
	return found, nil
}
