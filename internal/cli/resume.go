package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"tattle/internal/file"
	"tattle/run"
)

// What a run leaves in its folder besides its results: the shards of the bounds
// while they are computed, and then what they were of.
const (
	shardsDir    = "shards"
	manifestFile = run.ManifestName
)

// begun says whether a folder holds bounds, or some of them, but no report.
func begun(dir string) bool {
	return exists(filepath.Join(dir, shardsDir)) || exists(filepath.Join(dir, manifestFile))
}

// underway says whether a folder holds shards of any stage of a run, or what they were
// merged into.
func underway(dir string) bool {
	return begun(dir) || file.Holds(dir, func(path string) bool { return filepath.Base(path) == manifestFile })
}

// unfinished adds to what stopped a run in dir how to go on with it.
func (e *env) unfinished(err error, dir string) error {
	var s *statusError
	if err == nil || errors.As(err, &s) || e.isPrepared() || !underway(dir) || exists(filepath.Join(dir, reportJSON)) {
		return err
	}
	var other *run.MismatchError
	if errors.As(err, &other) {
		return hinted(err, "give the flags of the run that was interrupted, or another --out")
	}
	var changed *run.ChangedError
	if errors.As(err, &changed) {
		return err // which says how to fix it
	}
	var failed *run.FailedError
	if errors.As(err, &failed) {
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

func exists(path string) bool {
	return file.Exists(path)
}
