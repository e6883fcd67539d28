package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"tattle/internal/file"
	"tattle/run"
)

// trainings is a stage of a run each of whose shards is a training. A shard that is
// committed, wherever that was computed, is unpacked into a folder below the run's at
// once, and stays there whatever trainings are asked for the next time.
type trainings struct {
	*env
	dir    string   // of the run
	names  []string // of the trainings asked for, in their order: folders below dir
	atOnce int      // trained at a time
	trainingSet

	replaced bool // a stage that was begun is to be forgotten, wherever it is known
}

// trainingSet makes the trainings of a run, each of which has a name.
type trainingSet interface {
	// manifest returns the manifest of a stage of these trainings.
	manifest(ctx context.Context, e *env, names []string) (run.Manifest, error)
	// finished returns the result of a training in dir, nil if it is not complete.
	finished(name, dir string) (*trained, error)
	// make trains into dir. Interrupted, it returns ctx's error.
	make(ctx context.Context, e *env, name, dir string) error
	// label returns the name of a training for people, "" for one of another set.
	label(name string) string
	// onUnpacked is called after the folder of a training was unpacked.
	onUnpacked(dir string) error
	// onDone is called for each missing training once its folder is complete, with the time
	// that it took if this process trained it.
	onDone(e *env, name string, took time.Duration)
}

// stageSettings are those of a stage of trainings.
type stageSettings struct {
	Training  map[string]string `json:"training"`  // that all have in common
	Trainings []string          `json:"trainings"` // their names, by shard
}

// missing returns the trainings that have no whole folder.
func (t *trainings) missing() ([]string, error) {
	var left []string
	for _, name := range t.names {
		k, err := t.finished(name, t.at(name))
		if err != nil {
			return nil, err
		}
		if k == nil {
			left = append(left, name)
		}
	}
	return left, nil
}

// at is the folder of a training.
func (t *trainings) at(name string) string { return filepath.Join(t.dir, filepath.FromSlash(name)) }

// stage is the folder of the shards.
func (t *trainings) stage() string { return filepath.Join(t.dir, shardsDir) }

// run trains what is missing; start is told of it first.
func (t *trainings) run(ctx context.Context, start func(missing []string) error) error {
	names, missing, err := t.begin(ctx)
	if err == nil {
		err = start(missing)
	}
	if err != nil || len(names) == 0 && !exists(t.stage()) && !t.replaced {
		return err
	}
	f, err := t.compute(ctx, names, missing)
	if err != nil {
		return err
	}
	return f.Discard()
}

// begin settles what the shards are: those of a stage that was begun, where it is the
// same trainings that are missing, otherwise these. What another stage has finished is
// taken out of it before it goes.
func (t *trainings) begin(ctx context.Context) (names, missing []string, err error) {
	was, theirs, err := t.begun()
	if err != nil {
		return nil, nil, err
	}
	if t.serve {
		if was == nil {
			was = t.names
		}
		return was, was, nil
	}
	if was == nil {
		missing, err = t.missing()
		return missing, missing, err
	}
	f, unlock, err := t.open(ctx, was, theirs)
	if err != nil {
		return nil, nil, err
	}
	defer unlock()
	left, err := t.takeOver(f, was)
	if err != nil {
		return nil, nil, err
	}
	if missing, err = t.missing(); err != nil || theirs == run.Current() && slices.Equal(left, missing) {
		return was, missing, err
	}
	t.replaced = true
	return missing, missing, f.Discard()
}

// begun returns the trainings of the stage in the folder, nil where there is none, and
// what has trained them so far.
func (t *trainings) begun() (names []string, by run.Program, err error) {
	if !exists(filepath.Join(t.stage(), manifestFile)) {
		return nil, by, nil
	}
	data, err := run.ReadManifest(t.stage())
	if err != nil {
		return nil, by, err
	}
	var m struct {
		Program  run.Program
		Settings stageSettings
	}
	if err := json.Unmarshal(data, &m); err != nil {
		return nil, by, err
	}
	for _, name := range m.Settings.Trainings {
		if t.label(name) == "" {
			return nil, by, usage(fmt.Errorf("%s: trainings of another kind: there is no %q here", t.stage(), name), "choose another folder with --out")
		}
	}
	return m.Settings.Trainings, m.Program, nil
}

// open opens a stage that was begun. Where others work in it, what they have finished is
// only read.
func (t *trainings) open(ctx context.Context, names []string, by run.Program) (f *run.Folder, unlock func(), err error) {
	m, err := t.manifest(ctx, t.env, names)
	if err != nil {
		return nil, nil, err
	}
	m.Program = by
	f, unlock, err = run.Work{Dir: t.stage(), Manifest: m, Resume: true}.Open()
	if !errors.Is(err, file.ErrLocked) {
		return f, unlock, err
	}
	locked := err
	if f, err = run.Join(t.stage(), m); err == nil {
		f.OnDiscard(func() error { return locked })
	}
	return f, func() {}, err
}

// takeOver unpacks what a stage has finished, and returns what it has left to do.
func (t *trainings) takeOver(f *run.Folder, names []string) (left []string, err error) {
	for i, name := range names {
		if !f.Done(i) {
			left = append(left, name)
		} else if err := t.take(f, i, name); err != nil {
			return nil, err
		}
	}
	return left, nil
}

// take sees that the folder of a training that is committed is there.
func (t *trainings) take(f *run.Folder, i int, name string) error {
	dir := t.at(name)
	if k, err := t.finished(name, dir); k != nil || err != nil {
		return err
	}
	err := t.unpack(f.Path(i), name, dir)
	if err == nil {
		err = t.onUnpacked(dir)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", t.label(name), err)
	}
	return nil
}

// unpack puts the files of a training into its folder, result.json last. It takes no
// archive of anything else.
func (t *trainings) unpack(archive, name, dir string) error {
	if err := file.MkdirAll(dir); err != nil {
		return err
	}
	beside, err := t.aside()
	if err != nil {
		return err
	}
	defer file.RemoveAll(beside)
	from := filepath.Join(beside, "training")
	if err := run.Unpack(archive, from); err != nil {
		return err
	}
	k, err := t.finished(name, from)
	if err == nil && k == nil {
		err = fmt.Errorf("%s is not the archive of a finished training", archive)
	}
	if err != nil {
		return err
	}
	for _, of := range k.names() {
		if err := move(from, dir, filepath.FromSlash(of)); err != nil {
			return err
		}
	}
	return nil
}

// aside makes a folder for what is under way: in the stage's, with which it goes at
// last, whatever became of the process.
func (t *trainings) aside() (string, error) { return file.MkdirTemp(t.stage(), ".training-") }

// move moves a file below one folder to the same place below another.
func move(from, to, name string) error {
	if err := file.MkdirAll(filepath.Dir(filepath.Join(to, name))); err != nil {
		return err
	}
	return file.Rename(filepath.Join(from, name), filepath.Join(to, name))
}

// pack writes the files of a training in dir, which may hold more, as an archive.
func (t *trainings) pack(w io.Writer, dir string, k *trained) error {
	beside, err := t.aside()
	if err != nil {
		return err
	}
	defer file.RemoveAll(beside)
	for _, name := range k.names() {
		name = filepath.FromSlash(name)
		if err := link(filepath.Join(dir, name), filepath.Join(beside, name)); err != nil {
			return err
		}
	}
	return run.Pack(w, beside)
}

// compute has the stage's trainings done, of which some are missing. It returns the
// folder of all shards once the folders of all trainings are there.
func (t *trainings) compute(ctx context.Context, names, missing []string) (*run.Folder, error) {
	m, err := t.manifest(ctx, t.env, names)
	if err != nil {
		return nil, err
	}
	c := &computing{trainings: t, shards: names, took: map[string]time.Duration{}}
	for _, name := range names {
		c.seen = append(c.seen, !slices.Contains(missing, name))
	}
	w := run.Work{
		Dir: t.stage(), Manifest: m, Resume: true, AtOnce: t.atOnce, Do: c.do,
		Name: func(i int) string { return t.label(names[i]) },
	}
	w.Again = func(ctx context.Context, i int, to io.Writer) error { return c.train(ctx, i, to, true) }
	if !t.serve {
		w.Progress = c.progress
	}
	f, err := t.pool.Run(ctx, w)
	c.under.Wait() // what was interrupted keeps what it has
	switch stopped := ctx.Err(); {
	case err == nil && t.serve:
		return nil, run.ErrServed
	case stopped != nil && errors.Is(err, stopped):
		return nil, stopped
	case err != nil:
		return nil, err
	}
	c.progress(f)
	return f, c.failed
}

// computing is a stage under way.
type computing struct {
	*trainings
	shards []string
	under  sync.WaitGroup

	seen   []bool // the shards whose folders are there
	failed error  // why one is not

	mu   sync.Mutex
	took map[string]time.Duration
}

// do trains, or takes what is there already, and packs the folder. A worker keeps
// nothing but the shard.
func (c *computing) do(ctx context.Context, i int, w io.Writer) error {
	return c.train(ctx, i, w, c.serve)
}

// train is do; with aside it trains in a folder that it removes.
func (c *computing) train(ctx context.Context, i int, w io.Writer, aside bool) error {
	c.under.Add(1)
	defer c.under.Done()
	name, dir := c.shards[i], c.at(c.shards[i])
	if aside {
		var err error
		if dir, err = c.aside(); err != nil {
			return err
		}
		defer file.RemoveAll(dir)
	}
	k, err := c.finished(name, dir)
	if err != nil {
		return err
	}
	if k == nil {
		started := time.Now()
		if err := sweep(dir); err != nil {
			return err
		}
		if err := c.make(ctx, c.env, name, dir); err != nil {
			return err
		}
		c.note(name, time.Since(started))
		if k, err = c.finished(name, dir); err == nil && k == nil {
			err = errors.New("its models are not as they were written")
		}
		if err != nil {
			return err
		}
	}
	return c.pack(w, dir, k)
}

// sweep removes what a training that was killed has left half-written in its folder.
func sweep(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	for _, entry := range entries {
		if file.IsTemporary(entry.Name()) {
			err = errors.Join(err, file.Remove(filepath.Join(dir, entry.Name())))
		}
	}
	return err
}

func (c *computing) note(name string, took time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.took[name] = took
}

func (c *computing) timeOf(name string) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.took[name]
}

// progress takes what was committed. What cannot be taken now is tried again in the end.
func (c *computing) progress(f *run.Folder) {
	c.failed = nil
	for i, name := range c.shards {
		if c.seen[i] || !f.Done(i) {
			continue
		}
		err := c.take(f, i, name)
		if err == nil {
			c.onDone(c.env, name, c.timeOf(name))
		}
		c.seen[i] = err == nil
		c.failed = errors.Join(c.failed, err)
	}
}
