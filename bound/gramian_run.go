package bound

import (
	"context"
	"errors"
	"fmt"

	"tattle/internal/file"
	"tattle/run"
)

// factorLarge computes the factor of the batch's only example, in files within the folder of the
// shards, where a run that was interrupted finds them. close returns the error of what followed,
// and removes the files if there was none.
func (r *runner) factorLarge(ctx context.Context, b *batch, progress func(part float64)) (close func(error) error, err error) {
	dir := r.path(shardsDir, fmt.Sprintf("%s%06d", gramFolder, b.first))
	if err := file.MkdirAll(dir); err != nil {
		return nil, err
	}
	unlock, err := file.Lock(dir)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	if b.gramian, err = gramianAt(ctx, r.model, b.theta, dir, r.spare, progress); err != nil {
		unlock()
		var disk *file.DiskError
		if errors.As(err, &disk) {
			return nil, &run.StoreError{Dir: dir, Err: disk.Err}
		}
		return nil, err
	}
	return func(err error) error {
		unlock()
		if err != nil {
			return err
		}
		return file.RemoveAll(dir)
	}, nil
}
