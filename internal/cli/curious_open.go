package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"tattle/curious"
	"tattle/dataset"
)

// open reads the data, in three parts. All of the training part is in whole; in
// parts only what is trained on.
func (o *dataSource) open(ctx context.Context, e *env) (parts, whole *dataset.Parts, err error) {
	if _, err := os.Stat(o.Path); err != nil && o.Path != "" {
		return nil, nil, fmt.Errorf("--data: %w", err)
	}
	bar := newMeter(e.stderr, "reading", 0, false)
	defer bar.close()
	whole, err = dataset.OpenParts(ctx, o.Path, dataset.LabelledOptions{
		Kind: o.Kind, Labels: o.Labels, FileColumn: o.FileColumn, Target: o.Target, Sensitive: o.Sensitive,
		Side: o.Side, Seed: o.Seed, Cache: o.Cache, Limit: o.Limit,
		Progress: func(done, total int) { bar.set(int64(done), int64(total)) },
	})
	if err != nil {
		return nil, nil, openError(ctx, e, err)
	}
	if parts = whole; o.HoldOut {
		parts, _ = curious.SplitTeacher(whole, o.Seed)
	}
	return parts, whole, nil
}

// cacheFolder is what --cache means wherever the command is run.
func cacheFolder(flag string) string {
	if flag == "" || flag == "none" {
		return flag
	}
	return absolute(flag)
}

// openError says whether it is the files that are wrong, or what is asked of them.
func openError(ctx context.Context, e *env, err error) error {
	var format *dataset.FormatError
	var path *fs.PathError
	if ctx.Err() != nil {
		return err
	}
	if errors.As(err, &format) || errors.As(err, &path) || errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("--data: %w", err)
	}
	return usage(err, "")
}
