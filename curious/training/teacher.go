package training

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"tattle/curious"
	"tattle/dataset"
	"tattle/internal/file"
	"tattle/measure"
	"tattle/run"
)

// Teacher is a trained classifier with its attacks, and the data it was trained on.
type Teacher struct {
	Dir     string // of the training
	Result  *Result
	Model   *curious.Result
	Parts   *dataset.Parts // that it was trained on, once OpenData has read them
	Whole   *dataset.Parts // before something was held out
	Options curious.Options
	Notes   []string // what a reader wants to know
}

// trainHint says which folders hold trainings that can be opened.
const trainHint = "tattle train with --sensitive, --target or --curious makes a run that can be distilled and pruned"

// OpenTeacher opens the training in dir, or that of the first seed of a run in dir,
// without its data. It returns a *measure.OptionError if dir holds no training.
func OpenTeacher(dir string) (*Teacher, error) {
	t := &Teacher{Dir: firstSeed(dir)}
	var err error
	if !file.Exists(filepath.Join(t.Dir, ResultFile)) {
		return nil, &measure.OptionError{Err: fmt.Errorf("%s: holds no training by paper B's protocol", dir), Hint: trainHint}
	}
	if t.Result, err = ReadResult(t.Dir); err != nil {
		return nil, err
	}
	if t.Result.Source == nil {
		return nil, &measure.OptionError{Err: fmt.Errorf("%s: does not say how its data were read", dir), Hint: trainHint}
	}
	if !t.Result.Whole(t.Dir) {
		return nil, fmt.Errorf("%s: the models are not those that result.json is about", t.Dir)
	}
	if t.Model, err = curious.Open(t.Dir); err != nil {
		return nil, err
	}
	if n := len(t.Result.Epochs); t.Result.Unfinished {
		t.Notes = append(t.Notes, fmt.Sprintf("The run was interrupted: what it left is the best of %s.", count(n, "epoch")))
	}
	if t.Options, err = t.Result.Options(); err != nil {
		return nil, fmt.Errorf("%s: %w", t.Dir, err)
	}
	return t, nil
}

// count returns "1 epoch", "2 epochs".
func count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

// DataOptions say how the data of a teacher are read; the zero value reads them as the
// training did.
type DataOptions struct {
	Path     string // where the data are, if they have moved
	Progress func(done, total int)
}

// OpenData reads the teacher's data. It returns a *measure.OptionError if they have other
// attributes than those of the training.
func (t *Teacher) OpenData(ctx context.Context, o DataOptions) (err error) {
	src := *t.Result.Source
	if o.Path != "" {
		src.Path = o.Path
	}
	if t.Parts, t.Whole, err = src.Open(ctx, o.Progress); err != nil {
		return err
	}
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
	first := slices.MinFunc(seeds, func(a, b string) int { // seed-2 before seed-10
		if len(a) != len(b) {
			return len(a) - len(b)
		}
		return strings.Compare(a, b)
	})
	return filepath.Dir(first)
}

// compare returns an error if the data do not have the training's attributes, and notes
// if they are not the same data.
func (t *Teacher) compare() error {
	attributes := func(m map[string]string) map[string]string {
		m = maps.Clone(m)
		maps.DeleteFunc(m, func(k, _ string) bool { return k != "target" && !strings.HasPrefix(k, "sensitive") })
		return m
	}
	was, is := attributes(t.Result.Settings), attributes(Seed{Options: t.Options}.Settings(t.Parts))
	if d := run.Differences(was, is); len(d) > 0 {
		return &measure.OptionError{Option: "Data", Err: fmt.Errorf("not what %s was trained on: %s was %q, now %q", t.Dir, d[0].Field, d[0].Have, d[0].Want), Hint: "give the run's own data"}
	}
	if t.Result.Data != t.Parts.Sum() {
		t.Notes = append(t.Notes, "The data are not those that the run was trained on: they have changed since, or are others.")
	}
	return nil
}

// copyAttacks copies the attacks of the teacher into another folder.
func (t *Teacher) copyAttacks(dir string) error {
	for _, f := range t.Result.Files {
		if !strings.HasPrefix(f.Name, "attack") {
			continue
		}
		b, err := file.ReadFile(filepath.Join(t.Dir, f.Name))
		if err != nil {
			return err
		}
		if err := file.WriteBytes(filepath.Join(dir, f.Name), b); err != nil {
			return err
		}
	}
	return nil
}
