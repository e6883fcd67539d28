package cli

import (
	"context"
	"errors"
	"io/fs"

	"tattle/curious/training"
	"tattle/dataset"
	"tattle/measure"
)

// openSource reads labelled data, in three parts. All of the training part is in whole;
// parts has only what is trained on.
func openSource(ctx context.Context, e *env, s *training.Source) (parts, whole *dataset.Parts, err error) {
	parts, whole, err = s.Open(ctx, e.bars.Begin("reading the data"))
	return parts, whole, openError(ctx, err)
}

// openError names the flag behind an error of reading labelled data, which is wrong usage
// unless a file is to blame.
func openError(ctx context.Context, err error) error {
	var format *dataset.FormatError
	var path *fs.PathError
	var option *measure.OptionError
	switch {
	case err == nil || ctx.Err() != nil || errors.As(err, &option):
		return err
	case errors.As(err, &format) || errors.As(err, &path) || errors.Is(err, fs.ErrNotExist):
		return &measure.InputError{Option: "Data", Err: err}
	}
	return usage(err, "")
}
