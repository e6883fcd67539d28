package training

import (
	"context"
	"fmt"
	"io"
	"math"
	"path/filepath"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/nn"
	"tattle/internal/file"
	"tattle/internal/progress"
	"tattle/internal/protect/measure"
	"tattle/internal/protect/release"
	"tattle/internal/report"
	"tattle/internal/run"
)

// TrainingFolder keeps the net of a figure as a shard, in the folder of the run, until the figure is made.
const TrainingFolder = "training"

// A Fit trains a net by a recipe.
type Fit func(context.Context, Recipe) (*Fitted, error)

// Stage is the training of a figure's net in the folder of a run: a stage of one shard, so that
// all who take part in the run, now or once it is resumed, use the same net. The training is
// kept after each epoch.
func (r Recipe) Stage(dir string, data *dataset.Set, resume bool, fit Fit) run.Work {
	r.Unfinished = dir
	return run.Work{
		Dir: filepath.Join(dir, TrainingFolder), Resume: resume,
		Manifest: run.Manifest{
			Command: "reproduce", Shards: 1, Hashes: map[string]string{"data": data.SHA256},
			Settings: struct {
				Recipe
				Seed uint64 `json:"seed"`
			}{r, r.Seed},
		},
		Name: func(int) string { return "training" },
		Do: func(ctx context.Context, _ int, w io.Writer) error {
			t, err := fit(ctx, r)
			if err != nil {
				return err
			}
			path := filepath.Join(dir, ModelFile)
			if _, err := r.Save(path, t); err != nil {
				return err
			}
			b, err := file.ReadFile(path)
			if err != nil {
				return err
			}
			if _, err := w.Write(b); err != nil {
				return err
			}
			return r.unfinished(data).remove()
		},
	}
}

// Unpack writes the net of a finished Stage into the folder of the run, and returns its path.
func Unpack(files *file.Dir, trained *run.Folder, dir string) (path string, err error) {
	path = filepath.Join(dir, ModelFile)
	b, err := file.ReadFile(trained.Path(0))
	if err != nil {
		return "", err
	}
	return path, files.WriteBytes(path, b)
}

// Report saves a trained net in dir, measures its accuracy and completes the report x; data is the path
// of the data. read is called as the test data are read.
func (r Recipe) Report(ctx context.Context, x *report.Report, dir string, t *Fitted, data string, read func(done, total int)) error {
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
