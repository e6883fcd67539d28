package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/alecthomas/kong"

	"tattle/internal/file"
	"tattle/internal/progress"
	"tattle/internal/run"
)

// newEnv returns the environment of the command that was parsed.
func newEnv(ctx context.Context, k *kong.Context, args []string, stdout, stderr io.Writer) *env {
	shared := sharedOf(k)
	e := &env{
		stdout: stdout, stderr: stderr, args: withoutAside(args), given: args,
		keeps: shared != nil, prepare: shared != nil && shared.Prepare,
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
