package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"

	"tattle/internal/file"
)

// Array computes one part of a run in a folder that several processes share, without
// any connection between them: of the stage that is to be computed, the shards whose
// numbers leave the remainder Index when divided by Of. It is a Pool. Merge prepares
// the stages and gathers them.
type Array struct {
	Index, Of int
	Root      string // the run's folder, which all share
	Scratch   string // this process's own: Work.Dir lies in it where the stage's folder lies in Root
	Log       func(format string, a ...any)
}

// Run returns the folder in Root of a stage that is complete. Of the one that is not it
// computes the shards that are this process's and neither committed nor set aside; it
// sets aside what fails MaxAttempts times, and then returns ErrServed. So it does for
// a stage that is still to be prepared.
func (a Array) Run(ctx context.Context, w Work) (*Folder, error) {
	if a.Of < 1 || a.Index < 0 || a.Index >= a.Of {
		return nil, fmt.Errorf("index %d of %d: it counts from 0", a.Index, a.Of)
	}
	name, err := filepath.Rel(a.Scratch, w.Dir)
	if err != nil || !filepath.IsLocal(name) {
		return nil, fmt.Errorf("the folder of a stage, %s, is not in %s", w.Dir, a.Scratch)
	}
	stage := filepath.ToSlash(name)
	w.Dir = filepath.Join(a.Root, name)
	if w.Manifest, err = w.Manifest.exact(); err != nil {
		return nil, err
	}
	if _, err := os.Lstat(filepath.Join(w.Dir, ManifestName)); errors.Is(err, os.ErrNotExist) {
		return nil, a.unprepared(ctx, stage)
	}
	unlock, err := file.Share(w.Dir)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", w.Dir, err)
	}
	defer unlock()
	f, err := Join(w.Dir, w.Manifest)
	if err != nil {
		return nil, err
	}
	if len(f.Remaining()) == 0 {
		if err := f.Whole(ctx); err != nil {
			return nil, fmt.Errorf("stage %s: %w: tattle merge %s makes it one that is missing", stage, err, a.Root)
		}
		return f, nil
	}
	mine, err := a.mine(f)
	if err != nil {
		return nil, err
	}
	failures, err := w.each(ctx, f, mine)
	if err != nil {
		return nil, err
	}
	a.log("stage %s: %s committed", stage, count(len(mine)-len(failures), "shard"))
	for _, failure := range failures {
		a.log("set aside: %s: %s", failure.Name, failure.Cause())
	}
	return nil, ErrServed
}

// mine returns the shards that this process is to compute.
func (a Array) mine(f *Folder) ([]int, error) {
	n, err := list(f.dir)
	if err != nil {
		return nil, &StoreError{f.dir, err}
	}
	var mine []int
	for _, i := range f.Remaining() {
		if i%a.Of == a.Index && !n.records[i] && !n.failed[i] {
			mine = append(mine, i)
		}
	}
	return mine, nil
}

// unprepared says that there is nothing to do for a stage, or why it cannot be done by
// workers on the folder.
func (a Array) unprepared(ctx context.Context, stage string) error {
	runs, err := Scan(ctx, a.Root)
	if err != nil {
		return err
	}
	prepared := false
	for _, r := range runs {
		for _, s := range r.Stages {
			switch prepared = true; {
			case s.Merged && stageName(a.Root, filepath.Join(r.Dir, s.Name)) == path.Dir(stage):
				return fmt.Errorf("%s holds what stage %s was merged into: go on as the run was begun, with --resume", a.Root, stage)
			case s.Done < s.Shards:
				return fmt.Errorf("%s holds no stage %s, and stage %s is not complete: the run was not begun with --prepare, or by another command", a.Root, stage, s.Name)
			}
		}
	}
	if !prepared {
		return fmt.Errorf("%s holds no stage %s: prepare the run first, with --prepare", a.Root, stage)
	}
	a.log("stage %s is to be prepared: tattle merge %s does", stage, a.Root)
	return ErrServed
}

// Prepare copies the manifests of the run's stages into Scratch: what the run settled
// when it began stands in them.
func (a Array) Prepare(ctx context.Context) error {
	runs, err := Scan(ctx, a.Root)
	if err != nil {
		return err
	}
	for _, r := range runs {
		for _, s := range r.Stages {
			from := filepath.Join(r.Dir, filepath.FromSlash(s.Name))
			name, err := filepath.Rel(a.Root, from)
			if err != nil {
				return err
			}
			data, err := ReadManifest(from)
			if err != nil {
				return err
			}
			if err := WriteManifest(filepath.Join(a.Scratch, name), data); err != nil {
				return err
			}
		}
	}
	return nil
}

func (a Array) log(format string, args ...any) {
	if a.Log != nil {
		a.Log(format, args...)
	}
}

// count is "1 shard" or "2 shards".
func count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}
