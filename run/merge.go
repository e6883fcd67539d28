package run

import (
	"context"
	"errors"
	"fmt"
)

// ErrPrepared says that a stage is ready to be computed by others.
var ErrPrepared = errors.New("prepared")

// A PreparedError is an ErrPrepared that names the stage.
type PreparedError struct {
	Stage, Dir string
	Shards     int
}

func (e *PreparedError) Error() string {
	return fmt.Sprintf("stage %s is prepared: its %d shards want computing", e.Stage, e.Shards)
}

// Unwrap returns ErrPrepared.
func (e *PreparedError) Unwrap() error { return ErrPrepared }

// A MissingError tells of shards that nobody has computed yet, or that were set aside.
type MissingError struct {
	Stage, Dir string
	Shards     int
	Missing    []int
	Failures   []Failure // of them
}

func (e *MissingError) Error() string { return "" }

// Merge computes nothing: it returns folders whose shards are all there, errs with a
// *MissingError where some are not, and prepares the stage that comes next, with a
// *PreparedError.
type Merge struct {
	Root    string // the run's folder, which names of stages are relative to; "" for none
	Prepare bool   // a stage that lacks shards is a *PreparedError, too
	Retry   bool   // what was set aside is to be tried again
}

// Run implements Pool.
func (m *Merge) Run(ctx context.Context, w Work) (*Folder, error) { panic("not yet") }

// Finish removes the folders of stages that were merged.
func (m *Merge) Finish() error { panic("not yet") }
