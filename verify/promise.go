package verify

import (
	"context"

	"tattle/measure"
	"tattle/promise"
	"tattle/report"
)

// promiseClaim returns the part of a promise that decides whether it is kept.
func promiseClaim(x *report.Promise) *report.Promise {
	return &report.Promise{
		Limits: x.Limits, MaxDrop: x.MaxDrop, Released: x.Released,
		Accuracy: x.Accuracy, Interval: x.Interval, Drop: x.Drop, DropInterval: x.DropInterval,
	}
}

// promised makes the part of a report on a promise again, after all others: the accuracy of
// the release, and whether its figures keep the promise. The search is not run again.
func (q *request) promised(ctx context.Context, r, claims *report.Report, s *measure.Split) error {
	x := *claims.Promise
	_, n := s.Front.Dims()
	released := report.PromisedRelease{Keep: n, Sigma: q.Sigma}
	if c := x.Released; c != nil {
		released.Method, released.Node, released.Weight = c.Method, c.Node, c.Weight
	}
	x.Released, x.Queries = &released, q.Queries
	if x.Limits.Candidates == 0 && claims.Lists != nil && claims.Lists.Holder != nil {
		x.Limits.Candidates = claims.Lists.Holder.List.Of
	}
	if q.Data != nil {
		a, _, err := promise.FinalAccuracy(ctx, s.Front, s.Head, q.Data, q.Experiment.Noise, claims.Seed, nil)
		if err != nil {
			return err
		}
		x.Accuracy, x.Interval = report.Number(a.Fraction), [2]report.Number{report.Number(a.Interval.Low), report.Number(a.Interval.High)}
	}
	r.Promise = &x
	r.CheckPromise()
	return nil
}
