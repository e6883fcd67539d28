package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"tattle/curious/training"
	"tattle/dataset"
	"tattle/run/folders"
)

// openError names the flag behind an error of reading labelled data, which is wrong usage
// unless a file is to blame.
func openError(ctx context.Context, err error) error {
	var format *dataset.FormatError
	var path *fs.PathError
	var option *training.OptionError
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
	if _, ok := errors.AsType[*training.ResultError](err); ok {
		return hinted(err, "delete it: the training is then done again")
	}
	if other, ok := errors.AsType[*folders.OtherError](err); ok {
		return usage(other, "choose another folder with --out")
	}
	option, ok := errors.AsType[*training.OptionError](err)
	if !ok {
		return err
	}
	switch option.Option {
	case training.OptionSensitive:
		return usage(fmt.Errorf("--sensitive: %w", err), "choose an attribute that the target does not determine, and each one once")
	case training.OptionWidths:
		return usage(fmt.Errorf("--widths: %w", err), "leave --widths out")
	case training.OptionRun:
		return usage(err, "tattle train with --sensitive, --target or --curious makes a run that can be distilled and pruned")
	case training.OptionData:
		return usage(fmt.Errorf("--data: %w", err), "give the run's own data")
	}
	return usage(err, "")
}
