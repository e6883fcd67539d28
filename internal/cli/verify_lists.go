package cli

import (
	"context"
	"fmt"

	"tattle/dataset"
	"tattle/internal/file"
	"tattle/internal/progress"
	"tattle/measure"
	"tattle/report"
)

// listClaims returns what of the limits from lists of inputs decides them.
func listClaims(x *measure.ListFigures) *measure.ListFigures {
	if x == nil {
		return nil
	}
	c := &measure.ListFigures{Draws: x.Draws, Attributes: x.Attributes}
	if h := x.Holder; h != nil {
		c.Holder = &measure.ListHolder{List: h.List}
	}
	if p := x.EverySample(); p != nil {
		c.Anybody = []measure.Population{{List: p.List}}
	}
	return c
}

// lists computes the limits from lists of inputs again. found is false where the
// candidates are not there any more.
func (c *verifyCmd) lists(ctx context.Context, e *env, claims *report.Report, m *remeasured, s *measure.Split) (x *measure.ListFigures, found bool, err error) {
	claimed := claims.Lists
	if claimed == nil || m.Data == nil {
		return nil, claimed == nil, nil
	}
	var candidates *dataset.Set
	if claimed.Holder != nil {
		if candidates, err = c.candidates(ctx, e, claims, m, s, claimed.Holder.List); err != nil {
			return nil, false, err
		}
	}
	legal, err := measure.LegalDomain(m.Data)
	if err != nil {
		return nil, false, err
	}
	bars := &progress.Phases{W: e.stderr}
	defer bars.Close()
	o := claimed.Again(candidates, m.Data, claims.Seed)
	o.Progress = bars.Set
	x, err = o.Run(ctx, measure.Target{
		Front: s.Front, Noise: m.Experiment.Noise, Queries: m.Experiment.Queries, Post: m.Post, Coordinates: m.Experiment.Coordinates, Legal: legal,
	})
	return x, claimed.Holder == nil || candidates != nil, err
}

// candidates opens a list of candidates, nil where it is not there any more.
func (c *verifyCmd) candidates(ctx context.Context, e *env, claims *report.Report, m *remeasured, s *measure.Split, u measure.ListUsed) (*dataset.Set, error) {
	if u.SHA256 == m.Data.SHA256 {
		return m.Data, nil
	}
	path := u.Path
	if c.TrainingData != "" {
		path = c.TrainingData
	}
	read, err := m.reads(claims, s.FrontGraph)
	if err != nil {
		return nil, err
	}
	in := claims.Reading.Inputs(path, u.Split, claims.Seed)
	in.Limit = ""
	set, err := readInputs(ctx, e, in, read)
	if err != nil && c.TrainingData == "" && ctx.Err() == nil {
		fmt.Fprintf(e.stderr, "tattle: the candidates are not at %s: what the report says of whoever holds their list is not checked\n", file.Name(path))
		return nil, nil
	}
	if err == nil && set.SHA256 != u.SHA256 {
		err = finding(fmt.Errorf("%s: sha256 %s, the report is about %s", path, set.SHA256, u.SHA256), "name the right candidates with --training-data")
	}
	return set, err
}
