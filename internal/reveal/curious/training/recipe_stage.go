package training

import (
	"context"
	"io"
	"path/filepath"

	"tattle/internal/data/dataset"
	"tattle/internal/file"
	"tattle/internal/run"
)

// What the training of a figure's net leaves in the folder of the run.
const (
	// TrainingFolder keeps the net as a shard until the figure is made.
	TrainingFolder = "training"
	// unfinishedFile keeps the training after each epoch, until it is done.
	unfinishedFile = "unfinished.json"
)

// A Fit trains a net by a recipe.
type Fit func(context.Context, Recipe) (*Fitted, error)

// Stage is the training of a figure's net in the folder of a run: a stage of one shard, so that
// all who take part in the run, now or once it is resumed, use the same net. The training is
// kept after each epoch.
func (r Recipe) Stage(dir string, data *dataset.Set, resume bool, fit Fit) run.Work {
	r.State = filepath.Join(dir, unfinishedFile)
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
			return r.Files.RemoveAll(r.State)
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
