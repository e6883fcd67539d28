package bound

import (
	"context"
	"errors"
	"fmt"
	"os"

	"tattle/internal/file"
	"tattle/internal/run"
)

// factorLarge computes the factor of the batch's only example, in files within the folder of the
// shards, where a run that was interrupted finds them; without such a folder, in a temporary one.
// closeFiles takes and returns the error of what followed. It removes the files unless a later
// run can use them.
func (r *runner) factorLarge(ctx context.Context, b *batch) (closeFiles func(error) error, err error) {
	dir, temporary := r.path(shardsDir, fmt.Sprintf("%s%06d", gramFolder, b.first)), r.options.Dir == ""
	if temporary {
		dir, err = os.MkdirTemp("", gramFolder)
	} else {
		err = r.options.Files.MkdirAll(dir)
	}
	if err != nil {
		return nil, err
	}
	unlock, err := file.Lock(dir)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	closeFiles = func(err error) error {
		unlock()
		if err != nil && !temporary {
			return err
		}
		return errors.Join(err, r.options.Files.RemoveAll(dir))
	}
	b.gramian, err = gramianAt(ctx, r.model, b.theta, r.options.Files, dir, r.spare)
	var disk *file.DiskError
	if errors.As(err, &disk) {
		err = &run.StoreError{Dir: dir, Err: disk.Err}
	}
	if err != nil {
		return nil, closeFiles(err)
	}
	return closeFiles, nil
}
