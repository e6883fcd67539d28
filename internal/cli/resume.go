package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"tattle/cluster"
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
	return begun(dir) || holds(dir, func(path string, d fs.DirEntry) bool { return d.Name() == manifestFile })
}

// holds says whether a file below dir is such.
func holds(dir string, such func(path string, d fs.DirEntry) bool) bool {
	found := errors.New("found")
	return found == filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && such(path, d) {
			return found
		}
		return nil
	})
}

// unfinished adds to what stopped a run in dir how to go on with it.
func (e *env) unfinished(err error, dir string) error {
	var s *statusError
	if err == nil || errors.As(err, &s) || errors.Is(err, run.ErrServed) || !underway(dir) || exists(filepath.Join(dir, reportJSON)) {
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
	if lie, ok := errors.AsType[*cluster.LieError](err); ok && lie.Earlier {
		return err // the run must be begun again
	}
	var failed *run.FailedError
	if errors.As(err, &failed) {
		return hinted(err, "tattle runs "+quote(dir)+" shows all that failed and why; it is tried again with: "+e.goOn(dir))
	}
	return hinted(withKept(err, dir), "go on with: "+e.goOn(dir))
}

// withKept adds to an interruption how many shards are kept, where it does not say that.
func withKept(err error, dir string) error {
	if !errors.Is(err, context.Canceled) || strings.Contains(err.Error(), "kept") {
		return err
	}
	done, shards := 0, 0
	runs, _ := run.Scan(context.Background(), dir) // what cannot be read is not counted
	for _, r := range runs {
		for _, s := range r.Stages {
			done, shards = done+s.Done, shards+s.Shards
		}
	}
	if shards == 0 {
		return err
	}
	return fmt.Errorf("%w: %d of %d shards are finished and kept", err, done, shards)
}

// goOn is the command line that goes on with the run in dir.
func (e *env) goOn(dir string) string { return "tattle " + quoted(resumeArgs(e.given, dir)) }

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

// quoted writes arguments as a shell reads them.
func quoted(args []string) string {
	words := make([]string, len(args))
	for i, a := range args {
		words[i] = quote(a)
	}
	return strings.Join(words, " ")
}

// shown writes a command line for a reader who is in the present folder: absolute paths near that
// are relative.
func shown(args []string) string {
	here, err := os.Getwd()
	if err != nil {
		return quoted(args)
	}
	out := make([]string, len(args))
	for i, a := range args {
		out[i] = near(here, a)
	}
	return quoted(out)
}

// near is an absolute path relative to a folder, if they have more in common than the root; other
// texts stay.
func near(folder, path string) string {
	if !filepath.IsAbs(path) {
		return path
	}
	relative, err := filepath.Rel(folder, path)
	first := func(p string) string { return strings.Split(filepath.ToSlash(p)+"//", "/")[1] }
	if err != nil || first(folder) != first(path) || len(relative) >= len(path) {
		return path
	}
	return relative
}

// quote writes one argument as a shell reads it.
func quote(a string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r > 127 || strings.ContainsRune("_-./:=,@%+", r)
	}
	if a != "" && strings.IndexFunc(a, func(r rune) bool { return !plain(r) }) < 0 {
		return a
	}
	return "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
}

func exists(path string) bool {
	return file.Exists(path)
}
