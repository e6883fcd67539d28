package bound

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"tattle/internal/file"
	"tattle/internal/npy"
	"tattle/internal/run"
)

// merge merges the shards into the arrays, puts their manifest beside, and removes them.
func (r *runner) merge(ctx context.Context) error {
	if err := r.options.Files.Remove(r.path(manifestFile)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("remove the manifest of older arrays: %w", err)
	}
	err := r.experiment.newRecord().merge(ctx, r.options.Files, r.path(ArraysFile), len(r.indices), r.folder)
	if err != nil && ctx.Err() != nil {
		return r.interrupted(ctx)
	}
	if err != nil {
		return err
	}
	if err := r.folder.KeepManifest(r.options.Files, r.options.Dir, ArraysFile); err != nil {
		return fmt.Errorf("keep the manifest of the shards: %w", err)
	}
	return r.folder.Discard()
}

// merge writes the records of the shards into one archive, in order. It removes each shard that it has copied, so that
// the disk does not hold all of them twice, and from the first one on does not end with ctx: what is removed would have to
// be computed again.
func (e *record) merge(ctx context.Context, files *file.Dir, path string, total int, f *run.Folder) error {
	return files.WriteAt(path, func(w io.WriterAt) error {
		z, err := npy.NewSideBySide(w, e.outlines(total))
		if err != nil {
			return err
		}
		for i := range f.Len() {
			if err := ctx.Err(); err != nil && i == 0 {
				return err
			}
			if err := e.appendShard(z, f.Path(i)); err != nil {
				return err
			}
			if err := f.Release(i); err != nil {
				return err
			}
		}
		return z.Close()
	})
}

// outlines describes the arrays of all examples together.
func (e *record) outlines(total int) (all []npy.Outline) {
	for _, c := range e.columns() {
		all = append(all, npy.Outline{Name: c.name, Shape: c.shape(total), Type: c.data.dtype()})
	}
	return all
}

// appendShard appends the arrays of one shard.
func (e *record) appendShard(z *npy.SideBySide, path string) error {
	f, rows, total, err := e.open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := e.read(rows, 0, total, func(string) bool { return true }); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for _, c := range e.columns() {
		if err := z.Part(c.name).Append(c.data.values()); err != nil {
			return err
		}
	}
	return nil
}
