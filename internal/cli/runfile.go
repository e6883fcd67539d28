package cli

import (
	"errors"
	"os"
	"path/filepath"
	"time"

	"tattle/internal/run"
)

// runFile is the name of the file that records how the run of a folder was started. It is read
// when the run is resumed, listed or merged.
const runFile = run.RecordName

// writeRunFile notes in dir how its run was begun, or that it goes on.
func (e *env) writeRunFile(dir string, resume bool) error {
	cwd, err := os.Getwd()
	if err != nil {
		return err
	}
	p := program()
	if e.prepare { // workers compare it with theirs
		if p, err = p.Exact(); err != nil {
			return err
		}
	}
	r := run.Record{Args: e.args, Cwd: cwd, Program: p, Started: time.Now().UTC().Truncate(time.Second)}
	if resume {
		if was, err := run.ReadRecord(dir); err == nil {
			r.Started = was.Started
		}
	}
	return run.WriteRecord(e.files, dir, r)
}

// readRunFile reads it.
func readRunFile(dir string) (run.Record, error) {
	r, err := run.ReadRecord(dir)
	switch {
	case err != nil && !exists(filepath.Join(dir, runFile)):
		return r, usage(err, "name the folder that was given as --out")
	case err == nil && len(r.Args) == 0:
		return r, usage(errors.New(filepath.Join(dir, runFile)+": it names no command"), "start the run again")
	}
	return r, err
}
