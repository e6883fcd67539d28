package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"tattle/internal/file"
	"tattle/internal/progress"
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
	case err != nil && !errors.Is(err, fs.ErrPermission) && !exists(filepath.Join(dir, runFile)):
		return r, hinted(&fs.PathError{Op: "open", Path: filepath.Join(dir, runFile), Err: fs.ErrNotExist}, "name the folder that was given as --out")
	case err == nil && len(r.Args) == 0:
		return r, usage(errors.New(filepath.Join(dir, runFile)+": it names no command"), "start the run again")
	}
	return r, err
}

// newEnv returns the environment of the command that was parsed.
func newEnv(ctx context.Context, k *kong.Context, args []string, stdout, stderr io.Writer) *env {
	shared := sharedOf(k)
	_, resumes := k.Selected().Target.Addr().Interface().(interface{ resumes() })
	e := &env{
		stdout: stdout, stderr: stderr, args: withoutAside(args), given: args,
		keeps: resumes, prepare: shared != nil && shared.Prepare,
	}
	e.bars.W = stderr
	e.ctx, e.stop = context.WithCancelCause(ctx)
	return e
}

// say prints a line on standard error.
func (e *env) say(format string, a ...any) {
	if t := progress.Terminal(e.stderr); t != nil {
		io.WriteString(t, "\r\x1b[K") // erases a progress bar on that line
	}
	fmt.Fprintf(e.stderr, "tattle: "+format+"\n", a...)
}

// print prints on standard output.
func (e *env) print(format string, a ...any) error {
	e.bars.Close()
	_, err := fmt.Fprintf(e.stdout, format, a...)
	return err
}

// printJSON prints a value as JSON on standard output.
func (e *env) printJSON(value any) error {
	j := json.NewEncoder(e.stdout)
	j.SetIndent("", "  ")
	return j.Encode(value)
}

// lead does the work of a run in dir, which this process leads. With --prepare it stops at
// the first shard.
func (e *env) lead(ctx context.Context, dir string, resume bool, work func() error) error {
	if e.pool != nil { // set by tattle worker
		return e.unfinished(work(), dir)
	}
	lead := run.NewLead(e.files, dir)
	defer lead.Close()
	if err := lead.Take(); errors.Is(err, run.ErrLed) {
		return usage(fmt.Errorf("--out %s: %w", dir, err), "tattle worker "+file.Quote(dir)+" helps it; otherwise wait for it, or choose another folder")
	} else if err != nil {
		return err
	}
	var was []byte // how the run began
	if e.keeps {
		was, _ = file.ReadFile(filepath.Join(dir, runFile))
		if err := e.writeRunFile(dir, resume); err != nil {
			return err
		}
	}
	e.pool = paced(run.Leader{Files: e.files})
	if e.prepare {
		e.pool = run.Preparer{Files: e.files, Stop: func() { e.stop(errPrepared) }}
	}
	err := work()
	if other := (*run.MismatchError)(nil); errors.As(err, &other) && was != nil {
		err = errors.Join(err, e.files.WriteBytes(filepath.Join(dir, runFile), was))
	}
	lead.Close()
	switch {
	case err != nil && e.isPrepared():
		e.say("the run is prepared: start any number of: tattle worker %s", file.Quote(dir))
		return nil
	case !e.keeps:
		return err
	case err != nil && !keeps(dir):
		e.files.Remove(filepath.Join(dir, runFile))
	}
	return e.unfinished(err, dir)
}

// errPrepared ends the work of a command with --prepare.
var errPrepared = errors.New("the run is prepared")

// isPrepared reports whether that has happened.
func (e *env) isPrepared() bool { return e.ctx != nil && context.Cause(e.ctx) == errPrepared }

// Tests replace these: the program that is running, and the pool that does the work.
var (
	program = run.Current
	paced   = func(p run.Pool) run.Pool { return p }
)
