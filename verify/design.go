package verify

import (
	"context"

	"tattle/design"
	"tattle/measure"
	"tattle/report"
)

// designClaim returns the part of a design that decides whether its limits are kept.
func designClaim(x *report.Design) *report.Design {
	return &report.Design{
		Limits: x.Limits, MaxDrop: x.MaxDrop, Released: x.Released,
		Accuracy: x.Accuracy, Interval: x.Interval, Drop: x.Drop, DropInterval: x.DropInterval,
	}
}

// designed makes the part of a report on limits again, after all others: the accuracy of
// the release, and whether its figures keep the limits. The search is not run again.
func (q *request) designed(ctx context.Context, r, claims *report.Report, s *measure.Split) error {
	x := *claims.Design
	_, n := s.Front.Dims()
	released := report.DesignedRelease{Keep: n, Sigma: q.Sigma}
	if c := x.Released; c != nil {
		released.Method, released.Node, released.Weight = c.Method, c.Node, c.Weight
	}
	x.Released, x.Queries = &released, q.Queries
	if x.Limits.Candidates == 0 && claims.Lists != nil && claims.Lists.Holder != nil {
		x.Limits.Candidates = claims.Lists.Holder.List.Of
	}
	if q.Data != nil {
		a, _, err := design.FinalAccuracy(ctx, s.Front, s.Head, q.Data, q.Experiment.Noise, claims.Seed, nil)
		if err != nil {
			return err
		}
		x.Accuracy, x.Interval = report.Number(a.Fraction), [2]report.Number{report.Number(a.Interval.Low), report.Number(a.Interval.High)}
	}
	r.Design = &x
	r.CheckLimits()
	return nil
}
