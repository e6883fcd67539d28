package cli

import (
	"context"
	"errors"
	"io/fs"

	"tattle/dataset"
	"tattle/measure"
)

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
