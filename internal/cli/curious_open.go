package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"tattle/dataset"
	"tattle/measure"
	"tattle/run/folders"
)

// openError names the flag behind an error of reading labelled data, which is wrong usage
// unless a file is to blame.
func openError(ctx context.Context, err error) error {
	var format *dataset.FormatError
	var path *fs.PathError
	var option *measure.OptionError
	switch {
	case err == nil || ctx.Err() != nil:
		return err
	case errors.As(err, &option):
		return trainingError(err)
	case errors.As(err, &format) || errors.As(err, &path) || errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("--data: %w", err)
	}
	return usage(err, "")
}

// trainingError names the flag behind an error of package training, and says what helps.
func trainingError(err error) error {
	if other, ok := errors.AsType[*folders.OtherError](err); ok {
		return usage(other, "choose another folder with --out")
	}
	return flagged(err, nil)
}
