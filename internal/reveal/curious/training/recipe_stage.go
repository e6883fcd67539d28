package training

import (
	"context"
	"io"
	"path/filepath"

	"tattle/internal/data/dataset"
	"tattle/internal/file"
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
