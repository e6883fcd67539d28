package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"tattle/internal/file"
	"tattle/internal/run"
)

// keeps says whether anything lies in dir that a run can go on with, or its results.
func keeps(dir string) bool {
	return file.Holds(dir, func(path string) bool {
		return path != filepath.Join(dir, runFile) && filepath.Base(path)[0] != '.'
	})
}

// unfinished adds to what stopped a run in dir how to go on with it.
func (e *env) unfinished(err error, dir string) error {
	err = worded(err)
	var s *statusError
	if err == nil || errors.As(err, &s) || !keeps(dir) || exists(filepath.Join(dir, reportJSON)) {
		return err
	}
	var other *run.MismatchError
	var changed *run.ChangedError
	var failed *run.FailedError
	switch {
	case errors.As(err, &other):
		return hinted(err, "give the flags of the run that was interrupted, or another --out")
	case errors.As(err, &changed):
		return err // which says how to fix it
	case errors.As(err, &failed):
		return hinted(err, "tattle runs "+file.Quote(dir)+" shows all that failed and why; it is tried again with: "+e.goOn(dir))
	}
	return hinted(withKept(err, dir), "go on with: "+e.goOn(dir))
}

// withKept adds to an interruption how many shards are kept, where it does not say what is.
func withKept(err error, dir string) error {
	if _, said := errors.AsType[*run.InterruptedError](err); said || !errors.Is(err, context.Canceled) {
		return err
	}
	switch done, shards := run.Kept(dir); {
	case shards == 0:
		return err
	case done == shards:
		return &run.InterruptedError{Kept: "what is finished is kept", Cause: err}
	default:
		return &run.InterruptedError{Kept: fmt.Sprintf("%d of %d shards are finished and kept", done, shards), Cause: err}
	}
}

// goOn is the command line that goes on with the run in dir.
func (e *env) goOn(dir string) string { return "tattle " + file.CommandLine(resumeArgs(e.given, dir)) }

// resumeArgs is the command line that goes on with the run in dir.
func resumeArgs(args []string, dir string) []string {
	if !slices.ContainsFunc(args, func(a string) bool { return a == "--out" || strings.HasPrefix(a, "--out=") }) {
		args = withFlags(args, "--out", dir)
	}
	if !slices.Contains(args, "--resume") {
		args = withFlags(args, "--resume")
	}
	return args
}

func exists(path string) bool { return file.Exists(path) }
