package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/alecthomas/kong"

	"tattle/internal/file"
	"tattle/internal/run"
)

type workerCmd struct {
	Dir     string `arg:"" help:"The run's folder, as given to its command with --out."`
	Scratch string `help:"Folder for temporary files (default: the system's)." placeholder:"DIR"`
}

func (workerCmd) Help() string {
	return `Example:
  tattle bound --model net.onnx --data glyphs --out run --prepare
  tattle worker run

Helps to compute a run, until it is complete. Any number of workers may start and end at any time, on any machine where the folder and the run's inputs have the same paths. Each takes shards that nobody else computes. One of them leads: it begins the stages and writes the report. If the leader ends early, another worker continues. Ctrl-C gives the shard back.

Exit status: 0 the run is complete, or that of its command for the worker that completes it; 2 wrong usage; 3 stopped or failed.`
}

// workerPoll is how often a worker that waits looks at the run; a variable for tests.
var workerPoll = 300 * time.Millisecond

// Run helps until the run is complete.
func (c *workerCmd) Run(ctx context.Context, e *env) error {
	begun, err := readRunFile(c.Dir)
	if err != nil {
		return err
	}
	w := &worker{workerCmd: c, env: e, begun: begun}
	if err := w.sameProgram(); err != nil {
		return err
	}
	back, err := w.goTo(begun.Cwd)
	if err != nil {
		return err
	}
	defer back()
	if w.files, err = file.OpenDir(w.Dir); err != nil {
		return err
	}
	defer w.files.Close()
	lead := run.NewLead(w.files, w.Dir)
	defer lead.Close()
	for {
		err := lead.Take()
		switch {
		case exists(filepath.Join(w.Dir, reportJSON)):
			e.say("%s: the run is complete", file.Quote(w.Dir))
			return nil
		case err == nil:
			return w.lead(ctx)
		case !errors.Is(err, run.ErrLed):
			return err
		}
		waits, err := run.Waits(ctx, w.Dir)
		if err == nil && waits {
			err = w.follow(ctx, lead)
		}
		if err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(workerPoll):
		}
	}
}

// A worker helps with the run in its folder.
type worker struct {
	*workerCmd
	env        *env
	begun      run.Record
	files      *file.Dir // changes the files of the run
	mismatched bool      // the last stage was not the one that its folder had
}

// sameProgram returns an error if another program began the run: it may give other bytes.
func (w *worker) sameProgram() error {
	ours, theirs := program(), w.begun.Program
	if !ours.Definite() && theirs.Executable == "" && ours.Version == theirs.Version {
		return usage(errors.New("this is a development build, and the run does not say which one began it"), "begin the run with --prepare")
	}
	ours, err := ours.Exact()
	if err != nil {
		return err
	}
	if ours.Version != theirs.Version || !ours.Definite() && ours.Executable != theirs.Executable {
		return usage(fmt.Errorf("%s: the run was begun by tattle %s, another build than this one, %s", filepath.Join(w.Dir, runFile), theirs.Version, ours.Version), "use the same program for the run and its workers")
	}
	return nil
}

// goTo changes to the folder where the run was begun, which paths on its command line may be
// relative to.
func (w *worker) goTo(cwd string) (back func(), err error) {
	here, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	w.Dir = absolute(w.Dir)
	if rel, err := filepath.Rel(cwd, w.Dir); err == nil && filepath.IsLocal(rel) {
		w.Dir = rel // as its command was given it, so that messages are the same
	}
	if w.Scratch != "" {
		w.Scratch = absolute(w.Scratch)
	}
	if err := os.Chdir(cwd); err != nil {
		return nil, hinted(fmt.Errorf("the run was begun in %s, which its paths may be relative to: %w", cwd, err), "start the worker where that folder is")
	}
	return func() { os.Chdir(here) }, nil
}

// lead goes on with the run as its command with --resume would.
func (w *worker) lead(ctx context.Context) error {
	k, args, err := w.parse(w.Dir, w.env.stdout, w.env.stderr)
	if err != nil {
		return err
	}
	if err := checkDestinations(k); err != nil {
		return err
	}
	e := newEnv(ctx, k, args, w.env.stdout, w.env.stderr)
	e.pool = paced(run.Leader{Files: w.files, KeepFailed: true})
	return runParsed(k, e)
}

// parse reads the run's command line for the folder out.
func (w *worker) parse(out string, stdout, stderr io.Writer) (*kong.Context, []string, error) {
	args := withFlags(w.begun.Args, "--out", out, "--resume")
	k, err := parse(args, stdout, stderr)
	if err == nil {
		switch s := sharedOf(k); {
		case s == nil:
			err = fmt.Errorf("tattle %s has no shards that workers compute", k.Selected().Name)
		case s.Out != out || !s.Resume:
			err = errors.New("--out or --resume is not as this worker set it")
		}
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%s: the run's command line: %w", filepath.Join(w.Dir, runFile), err)
	}
	return k, args, nil
}

// errFollowed ends the command that a worker carries out, once its part of a stage is done.
var errFollowed = errors.New("no shard of this stage is left")

// follow computes shards of the stage under way: it carries out the run's command in a
// temporary copy of the folder, up to that stage.
func (w *worker) follow(ctx context.Context, lead run.Lead) error {
	scratch, err := os.MkdirTemp(w.Scratch, "tattle-worker-*")
	if err != nil {
		return hinted(err, "choose a folder that can be written with --scratch")
	}
	defer os.RemoveAll(scratch)
	root := absolute(w.Dir)
	copied := filepath.Join(scratch, "run")
	if err := run.Copy(ctx, root, copied); err != nil {
		return err
	}
	if exists(filepath.Join(copied, reportJSON)) {
		return nil // the run is complete
	}
	k, args, err := w.parse(copied, io.Discard, io.Discard)
	if err != nil {
		return err
	}
	for _, f := range k.Selected().Flags {
		if f.Name != "out" && f.Tag.Get("writes") != "" { // the leader writes these
			f.Target.SetString("")
		}
	}
	e := newEnv(ctx, k, args, io.Discard, io.Discard)
	e.pool = paced(run.Follower{Root: root, Scratch: copied, Files: w.files, Log: w.env.say, Stop: func() { e.stop(errFollowed) }})
	go watch(e, lead, root)
	err = runParsed(k, e)
	if cause := context.Cause(e.ctx); cause == errFollowed || err == nil {
		w.mismatched = false
		return ctx.Err()
	}
	if gone, ok := errors.AsType[*fs.PathError](err); ok && errors.Is(gone, fs.ErrNotExist) && within(gone.Path, root) {
		return nil // the leader merged the stage meanwhile
	}
	if _, ok := errors.AsType[*run.MismatchError](err); ok && !w.mismatched {
		w.mismatched = true // the leader went on to another stage meanwhile, unless it happens again
		return nil
	}
	if s, ok := errors.AsType[*statusError](err); ok {
		s.hint = "" // it is for the run's command
	}
	return err
}

// watch ends a follower's command when the run is complete or has lost its leader.
func watch(e *env, lead run.Lead, root string) {
	for e.ctx.Err() == nil {
		time.Sleep(workerPoll)
		if exists(filepath.Join(root, reportJSON)) || !lead.Taken() {
			e.stop(errFollowed)
		}
	}
}
