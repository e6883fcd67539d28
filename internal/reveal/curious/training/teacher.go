package training

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"tattle/internal/data/dataset"
	"tattle/internal/file"
	"tattle/internal/protect/measure"
	"tattle/internal/report"
	"tattle/internal/reveal/curious"
	"tattle/internal/run"
)

// Teacher is a trained classifier with its attacks, and the data it was trained on.
type Teacher struct {
	Dir     string // of the training
	Result  *Result
	Model   *curious.Result
	Parts   *dataset.Parts  // that it was trained on, once OpenData has read them
	Whole   *dataset.Parts  // before something was held out
	Options curious.Options // of the training, as far as its settings have them
	Notes   []string        // what a reader wants to know
}

// OpenTeacher opens the training in dir, or that of the first seed of a run in dir,
// without its data. It returns a *measure.OptionError if dir holds no training.
func OpenTeacher(dir string) (*Teacher, error) {
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil, &file.NotFoundError{Path: dir, Give: "give the folder of a run of tattle train"}
	}
	t := &Teacher{Dir: firstSeed(dir)}
	var err error
	if !file.Exists(filepath.Join(t.Dir, ResultFile)) {
		return nil, noTeacher("%s: holds no training by paper B's protocol", dir)
	}
	if t.Result, err = ReadResult(t.Dir); err != nil {
		return nil, err
	}
	if t.Result.Source == nil {
		return nil, noTeacher("%s: does not say how its data were read", dir)
	}
	if !t.Result.Whole(t.Dir) {
		return nil, fmt.Errorf("%s: the models are not those that result.json is about", t.Dir)
	}
	if t.Model, err = curious.Open(t.Dir); err != nil {
		return nil, err
	}
	if n := len(t.Result.Epochs); t.Result.Unfinished {
		t.Notes = append(t.Notes, fmt.Sprintf("The run was interrupted: what it left is the best of %s.", report.Many(n, "epoch")))
	}
	was := t.Result.Settings
	t.Options.Attack, t.Options.Outputs = curious.Kind(was["attack"]), curious.Outputs(was["outputs"])
	if t.Options.Beta, err = curious.ParseBeta(was["beta"]); err == nil {
		_, err = fmt.Sscan(was["seed"], &t.Options.Seed)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %s: %w", t.Dir, ResultFile, err)
	}
	return t, nil
}

// noTeacher returns the error of a folder that holds no training.
func noTeacher(format, dir string) error {
	return &measure.OptionError{Err: fmt.Errorf(format, dir), Hint: "tattle train with --sensitive, --target or --curious makes a run that can be distilled and pruned"}
}

// OpenData reads the teacher's data, from a path if they have moved. It returns a *measure.OptionError if they have
// other attributes than those of the training.
func (t *Teacher) OpenData(ctx context.Context, moved string, progress func(done, total int)) (err error) {
	src := *t.Result.Source
	src.Path = cmp.Or(moved, src.Path)
	if t.Parts, t.Whole, err = src.Open(ctx, progress); err != nil {
		return err
	}
	t.Result.Source = &src
	return t.compare()
}

// firstSeed returns the folder of the first seed's training of a run.
func firstSeed(dir string) string {
	if file.Exists(filepath.Join(dir, ResultFile)) {
		return dir
	}
	seeds, err := Several(dir)
	if err != nil || len(seeds) == 0 {
		return dir
	}
	return filepath.Dir(seeds[0])
}

// compare returns an error if the data do not have the training's attributes, and notes
// if they are not the same data.
func (t *Teacher) compare() error {
	was, is := maps.Clone(t.Result.Settings), Seed{Options: t.Options}.Settings(t.Parts)
	maps.DeleteFunc(was, func(k, _ string) bool { return k != "target" && !strings.HasPrefix(k, "sensitive") })
	maps.DeleteFunc(is, func(k, _ string) bool { return was[k] == "" })
	if d := run.Differences(was, is); len(d) > 0 {
		return &measure.OptionError{Option: "Data", Err: fmt.Errorf("not what %s was trained on: %s was %q, now %q", t.Dir, d[0].Field, d[0].Have, d[0].Want), Hint: "give the run's own data"}
	}
	if t.Result.Data != t.Parts.Sum() {
		t.Notes = append(t.Notes, "The data are not those that the run was trained on: they have changed since, or are others. The figures of that run are of its own data.")
	}
	return nil
}

// KeepPruned writes the teacher's classifier with a fraction of its weights set to zero,
// and its attacks, into dir.
func (t *Teacher) KeepPruned(files *file.Dir, dir string, fraction float64) error {
	g, err := curious.Prune(t.Model.Classifier, fraction)
	if err != nil {
		return err
	}
	return curious.Save(files, dir, &curious.Result{Classifier: g, Attacks: t.Model.Attacks})
}
