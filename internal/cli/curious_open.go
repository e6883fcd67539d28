package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"tattle/curious/training"
	"tattle/dataset"
	"tattle/internal/progress"
	"tattle/reproduce"
	"tattle/run/folders"
)

// openSource reads labelled data, in three parts. All of the training part is in whole;
// parts has only what is trained on.
func openSource(ctx context.Context, e *env, s *training.Source) (parts, whole *dataset.Parts, err error) {
	bar := progress.New(e.stderr, "reading the data", 0)
	defer bar.Close()
	parts, whole, err = s.Open(ctx, bar.Set)
	return parts, whole, openError(ctx, err)
}

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
	if record, ok := errors.AsType[*training.RecordError](err); ok {
		if record.Schema == reproduce.CellSchema {
			return usage(fmt.Errorf("%s: a cell of reproduce, not a training", record.Path), "name a folder that tattle train made")
		}
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
