package verify

import (
	"context"
	"slices"

	"tattle/dataset"
	"tattle/internal/report"
	"tattle/measure"
)

// limits computes the limits from lists of inputs again; those of candidates that are absent are left out.
func (q *request) limits(ctx context.Context, s *measure.Split) (x *measure.ListFigures, err error) {
	claimed := q.setup.Lists
	if claimed == nil {
		return nil, nil
	}
	if q.Data == nil {
		q.absent = append(q.absent, theCandidates.gone())
		return nil, nil
	}
	var candidates *dataset.Set
	if claimed.Holder != nil {
		switch u := claimed.Holder.List; {
		case u.SHA256 == q.Data.SHA256:
			candidates = q.Data
		case q.train != nil && q.train.SHA256 == u.SHA256:
			candidates = q.train
		default:
			in := q.learned(q.setup, u.Path)
			in.Split = u.Split
			if candidates, _, err = q.data(ctx, theCandidates, q.TrainingData, in, q.reader, u.SHA256); err != nil {
				return nil, err
			}
		}
	}
	legal, err := measure.LegalDomain(q.Data)
	if err != nil {
		return nil, err
	}
	if claimed.EverySample() != nil && claimed.NoiseFrom == measure.NothingFrom && q.Scaling != nil {
		if n := q.Shared(); n > 0 {
			return nil, mismatch("%s: the limits without a list take the noise not to depend on the sample, but it was computed from %s of the sample", q.dir, report.Many(n, "input"))
		}
	}
	again := claimed.Again(candidates, q.Data, q.Seed)
	again.Progress = q.Progress
	x, err = again.Run(ctx, measure.Target{
		Front: s.Front, Noise: q.Experiment.Noise, Queries: q.Experiment.Queries, Post: q.Post, Coordinates: q.Experiment.Coordinates, Legal: legal,
		FromData: claimed.NoiseFrom, Data: q.Data, Rounding: q.Experiment.Rounding, RuntimeError: q.Experiment.Runtime.Error,
	})
	unknown := func(why string) bool { return !slices.Contains(claimed.LeftOut, why) }
	if err == nil && !slices.ContainsFunc(x.LeftOut, unknown) { // the others are of lists that are absent, and of attacks, which are not run again
		x.LeftOut = claimed.LeftOut
	}
	return x, err
}
