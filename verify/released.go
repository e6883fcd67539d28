package verify

import (
	"context"
	"fmt"
	"path/filepath"

	"tattle/dataset"
	"tattle/internal/report"
	"tattle/measure"
	"tattle/nn"
	"tattle/release"
	"tattle/run"
)

// Released is the release of a run of bounds.
type Released struct {
	Report      *report.Report // as the run left it
	Setup       *measure.Setup // of the report
	SHA256      string         // of report.json
	Front, Head *nn.Graph
	Noise       release.Noise
	Post        release.Post
	Data        *dataset.Set // nil if they are absent
}

// Open builds the release of the run in the folder dir again, from the model or from what the run
// kept, and checks that both are what the report names. It recomputes no figure. It returns the
// errors of Run, and an error if the run has no bounds.
func Open(ctx context.Context, dir string, o Options) (*Released, error) {
	r, err := read(dir)
	if err != nil {
		return nil, err
	}
	setup, err := measure.SetupOf(r)
	if err != nil || setup.Bounds == nil {
		return nil, &measure.OptionError{Err: fmt.Errorf("%s: the run has no bounds", dir), Hint: "name a run of tattle bound, or of tattle design with a promise about every adversary"}
	}
	x := &Released{Report: r, Setup: setup}
	if x.SHA256, err = run.Digest(filepath.Join(dir, report.FileJSON)); err != nil {
		return nil, err
	}
	q, s, err := o.open(ctx, dir, r, setup)
	if err != nil {
		return nil, err
	}
	x.Front, x.Head, x.Noise, x.Post, x.Data = s.FrontGraph, s.HeadGraph, q.Experiment.Noise, q.Post, q.Data
	return x, nil
}
