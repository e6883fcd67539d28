package verify

import (
	"context"
	"slices"

	"tattle/dataset"
	"tattle/internal/report"
	"tattle/measure"
)

// lists computes the limits from lists of inputs again. found is false if the
// candidates are absent.
func (o *Options) lists(ctx context.Context, dir string, r *report.Report, q *request, s *measure.Split) (x *measure.ListFigures, found bool, err error) {
	claimed := q.setup.Lists
	if claimed == nil || q.Data == nil {
		return nil, claimed == nil, nil
	}
	var candidates *dataset.Set
	if claimed.Holder != nil {
		if candidates, err = o.candidates(ctx, r, q, s, claimed.Holder.List); err != nil {
			return nil, false, err
		}
	}
	legal, err := measure.LegalDomain(q.Data)
	if err != nil {
		return nil, false, err
	}
	if claimed.EverySample() != nil && claimed.NoiseFrom == measure.NothingFrom && q.Scaling != nil {
		if n := q.Shared(); n > 0 {
			return nil, false, mismatch("%s: the limits without a list take the noise not to depend on the sample, but it was computed from %s of the sample", dir, report.Many(n, "input"))
		}
	}
	again := claimed.Again(candidates, q.Data, r.Seed)
	again.Progress = o.Progress
	x, err = again.Run(ctx, measure.Target{
		Front: s.Front, Noise: q.Experiment.Noise, Queries: q.Experiment.Queries, Post: q.Post, Coordinates: q.Experiment.Coordinates, Legal: legal,
		FromData: claimed.NoiseFrom, Data: q.Data,
	})
	if err == nil {
		unknown := func(why string) bool { return !slices.Contains(claimed.LeftOut, why) }
		if !slices.ContainsFunc(x.LeftOut, unknown) { // the others are of lists that are absent, and of attacks, which are not run again
			x.LeftOut = claimed.LeftOut
		}
	}
	return x, claimed.Holder == nil || candidates != nil, err
}

// candidates opens a list of candidates, nil if it is absent.
func (o *Options) candidates(ctx context.Context, r *report.Report, q *request, s *measure.Split, u measure.ListUsed) (*dataset.Set, error) {
	if u.SHA256 == q.Data.SHA256 {
		return q.Data, nil
	}
	if q.train != nil && q.train.SHA256 == u.SHA256 {
		return q.train, nil
	}
	read, err := q.reader(s.FrontGraph)
	if err != nil {
		return nil, err
	}
	in := o.learned(r, q.setup, u.Path)
	in.Split = u.Split
	return o.openLearned(ctx, in, read, u.SHA256, "candidates", "the candidates are not at %s: the figures on adversaries with this list are not checked")
}
