package training

import (
	"context"
	"fmt"
	"math"
	"path/filepath"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/nn"
	"tattle/internal/progress"
	"tattle/internal/protect/measure"
	"tattle/internal/protect/release"
	"tattle/internal/report"
)

// Report saves a trained net in dir, measures its accuracy and completes the report x; data is the path
// of the data. An interrupted training, whose ctx has ended, is reported too. read is called as the test data are read.
func (r Recipe) Report(ctx context.Context, x *report.Report, dir string, t *Fitted, data string, read func(done, total int)) error {
	stopped := ctx.Err() != nil
	if stopped {
		ctx = context.WithoutCancel(ctx)
	}
	hash, err := r.Save(filepath.Join(dir, ModelFile), t)
	if err != nil {
		return err
	}
	u, sigma, err := t.utility(ctx, r, read)
	if err != nil {
		return fmt.Errorf("the model is in %s, without a report: %w", dir, err)
	}
	x.Model = report.Model{Path: ModelFile, SHA256: hash} // beside the report
	x.Data = measure.DataOf(t.Test, data, string(dataset.Test))
	x.SetRequest(r)
	accuracy := func(id string, a release.Accuracy) {
		x.Add(report.Claim{ID: id, Kind: report.Measured, Value: report.Within(a.Fraction, a.Interval.Low, a.Interval.High, report.Share, release.Confidence), N: u.Examples, Source: report.Searched})
	}
	if stopped {
		x.Find("interrupted", "")
		x.Find("unfinished", "", fmt.Sprint(len(t.Epochs)), report.Many(t.Asked, "epoch"))
	}
	x.Find("trained", "")
	accuracy("accuracy", u.Clean)
	if r.Noise > 0 {
		accuracy("accuracy.noisy", u.Released)
		x.Add(report.Claim{ID: "sigma", Kind: report.Measured, Value: report.Exactly(sigma, report.Number), Source: report.Searched})
		x.Find("made.noise", "", fmt.Sprint(r.Noise), t.Node)
		if r.BitsPenalty > 0 {
			x.Find("made.penalty", "", fmt.Sprint(r.BitsPenalty))
		}
		x.Find("made.noisy", "")
	}
	t.History.Report(x)
	return nil
}

// utility measures the accuracy of the net; with noise of the same strength, too, if it was
// trained with noise, whose standard deviation on these data is sigma.
func (n *Fitted) utility(ctx context.Context, r Recipe, read func(done, total int)) (u release.Utility, sigma float64, err error) {
	if r.Noise == 0 {
		net, err := nn.NewNet(n.Graph)
		if err != nil {
			return u, math.NaN(), err
		}
		u.Examples = n.Test.Len()
		u.Clean, _, err = release.CleanUtility(ctx, net, progress.Watch(n.Test, read), nil, n.Test.People())
		return u, math.NaN(), err
	}
	q := measure.Request{Graph: n.Graph, Data: n.Test, Release: measure.Release{Family: "gaussian", Scale: r.Noise}, Seed: r.Seed}
	split, err := q.Split(ctx, n.Graph, nil)
	if err != nil {
		return u, math.NaN(), err
	}
	of, err := q.SetUtility(ctx, split, "", func(_ string, done, total int) { read(done, total) })
	if err != nil {
		return u, math.NaN(), err
	}
	return *of, q.Sigma, nil
}
