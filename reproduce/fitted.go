package reproduce

import (
	"context"
	"fmt"
	"path/filepath"

	"tattle/dataset"
	"tattle/internal/progress"
	"tattle/measure"
	"tattle/nn"
	"tattle/release"
	"tattle/report"
)

// A FittedNet is a net that a recipe trained, as far as it came.
type FittedNet struct {
	Graph    *nn.Graph
	Training *report.Training
	Test     *dataset.Set
	Data     string // path of the data
}

// Report saves a trained net in dir, measures its accuracy and completes the report x. An
// interrupted training, whose ctx has ended, is reported too.
func (r Recipe) Report(ctx context.Context, x *report.Report, dir string, n FittedNet, bar *progress.Bar) error {
	t := n.Training
	x.Settings["net"] = n.Graph.Name
	x.Training = t
	x.Outcome = report.Done
	if ctx.Err() != nil {
		ctx = context.WithoutCancel(ctx)
		x.Outcome = report.Unfinished
		x.Warnings = append(x.Warnings, fmt.Sprintf("Training was interrupted: %d of %d epochs were completed. This model is not what its recipe makes.", len(t.Epochs), t.Asked))
	}
	hash, err := r.Save(filepath.Join(dir, ModelFile), n.Graph, t)
	if err != nil {
		return err
	}
	u, err := n.utility(ctx, r.Seed, bar)
	if err != nil {
		return fmt.Errorf("the model is in %s, without a report: %w", dir, err)
	}
	x.Model = report.Model{Path: ModelFile, SHA256: hash, Inputs: nn.Size(n.Graph.InputShape), Features: u.Classes} // beside the report
	x.Data = report.DataOf(n.Test, n.Data, "test")
	x.Utility = report.UtilityOf(u)
	return nil
}

// utility measures the accuracy of the net; with noise of the same strength, too, if it was
// trained with noise, which is then kept in Training as it is for these data.
func (n FittedNet) utility(ctx context.Context, seed uint64, bar *progress.Bar) (release.Utility, error) {
	if n.Training.Noise == nil {
		net, err := nn.NewNet(n.Graph)
		if err != nil {
			return release.Utility{}, err
		}
		return release.CleanUtility(ctx, net, progress.Watch(n.Test, bar))
	}
	q := measure.Request{Graph: n.Graph, Data: n.Test, Release: measure.Release{Family: "gaussian", Scale: float64(n.Training.Noise.Scale)}, Seed: seed}
	split, err := q.Split(ctx, n.Graph, nil)
	if err != nil {
		return release.Utility{}, err
	}
	_, u, err := q.SetUtility(ctx, split, "", func(_ string, done, total int) { bar.Set(done, total) })
	if err != nil {
		return release.Utility{}, err
	}
	n.Training.Noise.Sigma = report.Number(q.Sigma)
	return *u, nil
}
