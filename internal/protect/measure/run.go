package measure

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"time"

	"tattle/internal/engine/nn"
	"tattle/internal/file"
	"tattle/internal/progress"
	"tattle/internal/protect/bound"
	"tattle/internal/protect/release"
	"tattle/internal/report"
	"tattle/internal/run"
)

// RunOptions are the settings of a run, which keeps its arrays in a folder.
type RunOptions struct {
	Dir      string
	Files    *file.Dir         // changes the files in Dir; nil: any files
	Resume   bool              // go on with the bounds that are in Dir
	Hashes   map[string]string // what a resumed run must share besides the experiment: digests of the model and the data
	Pool     run.Pool          // computes the shards of the bounds; nil is run.Leader
	Name     string            // of the bounds, for Progress
	Progress progress.Func     // examples
}

// Measured is what a request came to.
type Measured struct {
	Split   *Split
	Files   []report.File    // of the release, beside the arrays
	Utility *release.Utility // nil of data without labels
	Bounds  *bound.Result    // nil if no bound holds
	Learned *Learned         // what adversaries came to; nil if none ran
	Timing  map[string]time.Duration
}

// Begin cuts the model, settles the noise, and measures accuracy. Bound and Attack do the rest.
func (q *Request) Begin(ctx context.Context, o RunOptions) (*Measured, error) {
	m := &Measured{Timing: map[string]time.Duration{}}
	var err error
	if m.Split, err = q.cut(ctx); err != nil {
		return nil, err
	}
	if m.Files, err = q.Keep(o.Files, m.Split, o.Dir); err != nil {
		return nil, err
	}
	if err := q.checkLists(m.Split, o.Dir); err != nil {
		return nil, err
	}
	started := time.Now()
	m.Utility, err = q.SetUtility(ctx, m.Split, o.Dir, o.Progress)
	m.Timing["accuracy"] = time.Since(started)
	m.Split.Front.Rest()
	q.Views = nil // they were needed for usefulness only
	return m, err
}

// Bound computes the bounds, unless none holds for the release.
func (q *Request) Bound(ctx context.Context, m *Measured, o RunOptions) (err error) {
	if ok, _ := q.Holds(q.Experiment.Noise); !ok {
		return nil
	}
	started := time.Now()
	x := q.Experiment
	x.Memory = q.Memory
	m.Bounds, err = bound.Run(ctx, m.Split.Front, q.Data, q.Indices, x, bound.RunOptions{
		Dir: o.Dir, Files: o.Files, Resume: o.Resume, Hashes: q.hashes(m, o.Hashes), Pool: o.Pool,
		Progress: o.Progress.Of(o.Name),
	})
	m.Timing["bounds"] = time.Since(started)
	m.Split.Front.Rest()
	return err
}

// cut makes both sides of the release.
func (q *Request) cut(ctx context.Context) (*Split, error) {
	var train nn.Source
	if q.Adversaries != nil {
		train = q.Adversaries.Training
	}
	s, err := q.Split(ctx, q.Graph, train)
	if err != nil {
		if ctx.Err() == nil {
			err = &OptionError{Err: fmt.Errorf("%s: %w", q.Release, err)}
		}
		return nil, err
	}
	s.LimitMemory(q.Memory)
	return s, q.Check(s)
}

// checkLists returns an error if the limits from lists of inputs cannot be computed as chosen,
// before anything else is computed.
func (q *Request) checkLists(s *Split, dir string) error {
	if q.Adversaries == nil || q.Adversaries.Lists == nil {
		return nil
	}
	_, n := s.Front.Dims()
	noise, err := q.Noise(1, n, dir)
	if err != nil {
		return &OptionError{Option: "Sigma", Err: err}
	}
	return q.Adversaries.Lists.Check(Target{Front: s.Front, Noise: noise, Queries: q.Queries, Label: q.Label})
}

// SetUtility makes the noise, as SetNoise does, and measures accuracy, or what vectors are worth, without and with it, on all of data:
// nil for data without labels. Of a projection, the figure without noise is that of the model itself: what the projection loses is
// part of the release's price.
func (q *Request) SetUtility(ctx context.Context, s *Split, dir string, show progress.Func) (u *release.Utility, err error) {
	scaling := q.scaling()
	total, what := scaling.Len()+q.Data.Len(), "measuring accuracy"
	if q.Use != nil {
		what = "measuring " + q.Use.Words()
	} else if !q.Data.Labelled() {
		total, what = scaling.Len(), "measuring features"
	}
	tell := func(before, total int) func(read, _ int) {
		return func(read, _ int) { show.Of(what)(before+read, total) }
	}
	if err := q.SetNoise(ctx, s.Front, progress.Watch(scaling, tell(0, total)), dir); err != nil {
		return nil, err
	}
	if q.Spec.ClipNorm > 0 {
		if q.Clipped, err = release.Clipped(ctx, s.Front, q.Data, q.Spec.ClipNorm); err != nil {
			return nil, err
		}
	}
	if q.Use == nil && !q.Data.Labelled() {
		return nil, nil
	}
	original, err := q.Original(s)
	if err != nil {
		return nil, err
	}
	f := release.Features{Front: s.Front, Head: s.Head, Noise: q.Experiment.Noise, Label: q.Label}
	measured, err := Purpose{q.Use, q.Data, q.Views}.Measured(q.Graph).Utility(ctx, original, f, release.UtilityOptions{Draws: q.Draws, Seed: q.Seed}, func(data nn.Source) nn.Source {
		return progress.Watch(data, tell(scaling.Len(), scaling.Len()+data.Len()))
	})
	return &measured, err
}

// hashes are what a resumed run must share besides the experiment.
func (q *Request) hashes(m *Measured, of map[string]string) map[string]string {
	h := map[string]string{"features": m.Split.Node, "release": q.Release.String()}
	maps.Copy(h, of)
	for _, f := range m.Files {
		h[f.Name] = f.SHA256
	}
	if q.Adversaries != nil {
		h["adversaries"] = q.Adversaries.String()
	}
	return h
}

// Attack runs the adversaries of the request against the release, and writes AttacksFile.
// So many reconstructions are kept as pictures.
func (q *Request) Attack(ctx context.Context, m *Measured, pictures int, o RunOptions) error {
	a := q.Adversaries
	if a == nil || len(a.Attacks) == 0 && a.Lists == nil {
		return nil
	}
	legal, err := LegalDomain(q.Data)
	if err != nil {
		return err
	}
	whole, err := nn.NewNet(q.Graph)
	if err != nil {
		return err
	}
	do := *a
	do.Seed, do.Progress, do.memory = q.Seed, o.Progress, q.Memory
	from := q.FromData
	if from != NothingFrom && a.Lists != nil && a.Lists.Sample != nil && q.Shared() == 0 {
		from = NothingFrom // the noise was computed from other inputs than those of the sample
	}
	var classifier nn.Model
	if q.Use == nil {
		classifier = whole
	}
	m.Learned, err = do.Run(ctx, Target{
		Front: m.Split.Front, Model: classifier, Noise: q.Experiment.Noise, Queries: q.Experiment.Queries, Label: q.Label,
		Data: q.Data, Indices: q.Indices, Coordinates: q.Experiment.Coordinates, Legal: legal,
		FromData: from, Seed: q.Seed, Pictures: pictures,
	})
	if err != nil {
		return err
	}
	m.Learned.CountPeople(q.Data, q.Indices)
	digest, err := m.Learned.Write(o.Files, filepath.Join(o.Dir, AttacksFile))
	m.Files = append([]report.File{{Name: AttacksFile, SHA256: digest}}, m.Files...)
	return err
}

// mostScaling is the largest number of training inputs from which SetNoise computes the noise: more
// hardly change a root mean square.
const mostScaling = 10000

// someOf returns most examples of the data, or all if there are fewer. The choice does not depend on the
// seed of a run, so the strength of the noise does not either.
func someOf(data nn.Source, most int) nn.Source {
	if data.Len() <= most {
		return data
	}
	return nn.Choose(data, DrawCandidates(data.Len(), most, 0))
}
