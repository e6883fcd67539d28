package cli

import (
	"context"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"tattle/curious"
	"tattle/dataset"
	"tattle/internal/file"
	"tattle/report"
)

// taught is what distill and prune have in common: a run of `train`, and its data.
type taught struct {
	Run   string `arg:"" help:"Folder of a run of tattle train (paper B's training), or of one of its seeds (default: the first)." placeholder:"RUN" input:"file"`
	Data  string `help:"Path of the data, if they have moved." placeholder:"PATH" input:"data"`
	Cache string `help:"Folder that caches decoded pictures, or none (default: as in the run)." placeholder:"DIR|none"`
}

// teacher is a trained classifier with its attacks, and the data it was trained on.
type teacher struct {
	dir     string
	result  *seedResult
	model   *curious.Result
	parts   *dataset.Parts // that it was trained on
	whole   *dataset.Parts // before something was held out
	options curious.Options
	notes   []string
}

// open reads the run and then its data.
func (c *taught) open(ctx context.Context, e *env) (*teacher, error) {
	t := &teacher{dir: firstSeed(c.Run)}
	var err error
	if !exists(filepath.Join(t.dir, resultFile)) {
		return nil, usage(fmt.Errorf("%s: holds no training by paper B's protocol", c.Run), "tattle train with --sensitive, --target or --attack makes one")
	}
	if t.result, err = readResult(t.dir); err != nil {
		return nil, err
	}
	if t.result.Source == nil {
		return nil, usage(fmt.Errorf("%s: does not say how its data were read", c.Run), "take a run of tattle train")
	}
	if !t.result.whole(t.dir) {
		return nil, fmt.Errorf("%s: the models are not those that result.json is about", t.dir)
	}
	if t.model, err = curious.Open(t.dir); err != nil {
		return nil, err
	}
	if t.result.Unfinished {
		t.notes = append(t.notes, fmt.Sprintf("The run was interrupted: what it left is the best of %s.", report.Count(len(t.result.Epochs), "epoch")))
	}
	src := *t.result.Source
	if c.Data != "" {
		src.Path = absolute(c.Data)
	}
	if c.Cache != "" {
		src.Cache = cacheFolder(c.Cache)
	}
	if t.parts, t.whole, err = src.open(ctx, e); err != nil {
		return nil, err
	}
	if t.options, err = t.result.options(); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(t.dir, resultFile), err)
	}
	return t, t.compare()
}

// firstSeed is the folder of the first seed's training of a run.
func firstSeed(run string) string {
	if exists(filepath.Join(run, resultFile)) {
		return run
	}
	seeds, err := filepath.Glob(filepath.Join(escapeGlob(run), "seed-*", resultFile))
	if err != nil || len(seeds) == 0 {
		return run
	}
	first := slices.MinFunc(seeds, func(a, b string) int { // seed-2 before seed-10
		if len(a) != len(b) {
			return len(a) - len(b)
		}
		return strings.Compare(a, b)
	})
	return filepath.Dir(first)
}

// options are those that the settings tell of.
func (r *seedResult) options() (o curious.Options, err error) {
	o.Attack, o.Outputs = curious.Kind(r.Settings["attack"]), curious.Outputs(r.Settings["outputs"])
	if o.Beta, err = curious.ParseBeta(r.Settings["beta"]); err != nil {
		return o, err
	}
	_, err = fmt.Sscan(r.Settings["seed"], &o.Seed)
	return o, err
}

// compare sees that the data have the run's attributes, and notes where they are
// others than the run's.
func (t *teacher) compare() error {
	classesOf := func(m map[string]string) map[string]string {
		m = maps.Clone(m)
		maps.DeleteFunc(m, func(k, _ string) bool { return k != "target" && !strings.HasPrefix(k, "sensitive") })
		return m
	}
	was, is := classesOf(t.result.Settings), classesOf(seedRun{options: t.options}.settings(t.parts))
	if d := differences(was, is); len(d) > 0 {
		return usage(fmt.Errorf("--data: not what %s was trained on: %s was %q, now %q", t.dir, d[0].Field, d[0].Have, d[0].Want), "give the run's own data")
	}
	if t.result.Data != digestOf(t.parts) {
		t.notes = append(t.notes, "The data are not those that the run was trained on: they have changed since, or are others.")
	}
	return nil
}

// here notes where a run lies, for its report.
func (t *teacher) here() string {
	dir, err := filepath.Abs(t.dir)
	if err != nil {
		return t.dir
	}
	return dir
}

// copyAttacks copies the attacks of a run into another folder.
func (t *teacher) copyAttacks(dir string) error {
	for _, f := range t.result.Files {
		if !strings.HasPrefix(f.File, "attack") {
			continue
		}
		b, err := file.ReadFile(filepath.Join(t.dir, f.File))
		if err != nil {
			return err
		}
		if err := file.Write(filepath.Join(dir, f.File), func(w io.Writer) error { _, err := w.Write(b); return err }); err != nil {
			return err
		}
	}
	return nil
}
