package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"tattle/internal/file"
	"tattle/internal/report"
	"tattle/internal/reveal/curious/training"
	"tattle/internal/run"
)

// The files of a run's folder, and the folders that are there until the run is finished.
const (
	reportJSON   = report.FileJSON
	reportHTML   = report.FileHTML
	arraysFile   = "arrays.npz"
	modelFile    = "model.onnx"
	manifestFile = run.ManifestName
	shardsDir    = "shards"
	searchDir    = "search"
)

// output is what every command that computes has in common.
type output struct {
	Seed    uint64 `help:"The same seed gives the same bytes." default:"1"`
	Details bool   `help:"Print all sections of the report, not only its summary." more:""`
	JSON    bool   `name:"json" help:"Print the report as JSON, and nothing else."`
	Out     string `help:"Folder for the results (default: a new folder)." placeholder:"DIR" writes:"folder"`
}

// A maker computes the report of a run in its folder. A report of work that is unfinished, or does
// not hold, comes with an error that says so.
type maker func(dir string) (*report.Report, error)

// compute makes the run's folder, has its report made there, writes it and prints its summary, or
// the JSON. Where that fails with nothing to keep, the folder goes again.
func (o output) compute(ctx context.Context, e *env, command string, work maker) error {
	return resumable{output: o}.compute(ctx, e, command, work)
}

// compute is that of output, and goes on with an interrupted run.
func (o resumable) compute(ctx context.Context, e *env, command string, work maker) error {
	dir, made, err := o.folder(command, e.args[0])
	if err != nil {
		return err
	}
	if e.files, err = file.OpenDir(dir); err != nil {
		return hinted(fmt.Errorf("--out: %w", err), "choose a folder that can be written with --out")
	}
	defer e.files.Close()
	if o.Resume && !file.Locked(dir) {
		if err := e.files.Sweep(dir); err != nil {
			return err
		}
	}
	err = e.lead(ctx, dir, o.Resume, func() error {
		started := time.Now()
		r, err := work(dir)
		if r == nil {
			return err
		}
		r.Timing["total"] = time.Since(started).Seconds()
		if err := r.Save(e.files, dir); err != nil {
			return err
		}
		for _, name := range []string{shardsDir, searchDir, training.TrainingFolder, training.UnfinishedFolder} { // what an interrupted run goes on with
			if err := e.files.RemoveAll(filepath.Join(dir, name)); err != nil {
				return err
			}
		}
		return cmp.Or(o.show(e, dir, r), err)
	})
	if err != nil && made {
		os.Remove(dir) // does nothing unless it is empty
	}
	return err
}

// folder makes the run's folder, or takes an existing one that holds no finished
// run.
func (o resumable) folder(command, subcommand string) (dir string, made bool, err error) {
	if o.Out == "" {
		if o.Resume {
			return "", false, usage(errors.New("--resume needs --out, the folder of the run to go on with"), "")
		}
		if dir, err = file.NewFolder("tattle-" + command); err != nil {
			err = hinted(err, "choose a folder that can be written with --out")
		}
		return dir, true, err
	}
	o.Out = filepath.Clean(o.Out) // a/../b is b, also where a is a link
	if !o.Extends && exists(filepath.Join(o.Out, reportJSON)) {
		return "", false, usage(fmt.Errorf("--out %s: holds a finished run already", o.Out), "choose another folder")
	}
	made = !exists(o.Out)
	if made && o.Resume {
		return "", false, usage(fmt.Errorf("--resume: the folder %s does not exist", o.Out), "leave --resume out to start a run there")
	}
	resume := o.Resume && exists(filepath.Join(o.Out, runFile))
	if was, err := run.ReadRecord(o.Out); resume && (err != nil || len(was.Args) == 0 || was.Args[0] != subcommand) {
		return "", false, usage(fmt.Errorf("--out %s: holds no run of tattle %s that can be resumed", o.Out, subcommand), "choose another folder")
	}
	if err := o.spare(resume); err != nil {
		return "", false, err
	}
	if err = os.MkdirAll(o.Out, 0o777); err == nil {
		err = (*file.Dir)(nil).Room(o.Out, 0) // now, so that no hour of work is lost for it
	}
	if err != nil {
		return "", false, hinted(fmt.Errorf("--out: %w", err), "choose a folder that can be written with --out")
	}
	return o.Out, made, nil
}

// spare refuses a folder where a run would replace files of others, or of an interrupted run unless
// that is resumed: one that is not empty, and one with a symbolic link in it, which could lead
// elsewhere. Hidden files do not count.
func (o output) spare(resume bool) error {
	if info, err := os.Stat(o.Out); err != nil || !info.IsDir() {
		return nil // there is nothing to spare
	}
	if !resume && exists(filepath.Join(o.Out, runFile)) {
		if run.SeemsLed(o.Out) {
			return usage(fmt.Errorf("--out %s: another process works on a run there", o.Out), "tattle runs says how far it is; choose another folder")
		}
		return usage(fmt.Errorf("--out %s: holds an interrupted run", o.Out), "continue it with --resume, or choose another folder")
	}
	top := o.Out + string(filepath.Separator) // the folder itself, where the user names a link to one
	return filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return hinted(fmt.Errorf("--out: %w", err), "choose a folder that can be read and written with --out")
		case d.Type()&fs.ModeSymlink != 0:
			return usage(fmt.Errorf("--out %s: %s is a symbolic link, and a run writes no files through links", o.Out, path), "remove the link, or choose another folder")
		case !d.IsDir() && !d.Type().IsRegular():
			return usage(fmt.Errorf("--out %s: %s is neither a file nor a folder", o.Out, path), "remove it, or choose another folder")
		case !resume && !d.IsDir() && d.Name()[0] != '.':
			return usage(fmt.Errorf("--out %s: the folder is not empty and holds no run of tattle", o.Out), "choose a new or an empty folder")
		}
		return nil
	})
}

// show prints a report that is written.
func (o output) show(e *env, dir string, r *report.Report) error {
	e.bars.Close()
	if o.JSON {
		return r.WriteJSON(e.stdout)
	}
	if err := r.WriteText(e.stdout, o.Details); err != nil {
		return err
	}
	return e.print("\nopen %s\n", file.Quote(filepath.Join(dir, reportHTML)))
}

// resumable are the flags of commands whose run can be resumed.
type resumable struct {
	Resume bool `help:"Continue the interrupted run in --out."`
	output
	Extends bool `kong:"-"` // with Resume, a finished run is gone on with
}

func (f *resumable) resumes() {}

// sharedRun are the flags of commands whose run can be resumed, and whose shards several processes
// can compute.
type sharedRun struct {
	resumable
	Prepare bool `help:"Compute nothing: prepare the run in --out, for tattle worker." group:"Runs over several machines"`
}

func (f *sharedRun) shared() *sharedRun { return f }

// sharedOf returns these flags of a command, nil if it has none.
func sharedOf(k *kong.Context) *sharedRun {
	if s, ok := k.Selected().Target.Addr().Interface().(interface{ shared() *sharedRun }); ok {
		return s.shared()
	}
	return nil
}

// asideFlags say where a run is kept, who computes it and how much of it is printed, not what it
// is; true for those with a value.
var asideFlags = map[string]bool{"out": true, "resume": false, "details": false, "prepare": false}

// withoutAside leaves out of a command line what it says about where the run is kept
// and who computes it.
func withoutAside(args []string) []string {
	var kept []string
	for i := 0; i < len(args); i++ {
		if args[i] == "--" {
			return append(kept, args[i:]...)
		}
		name, _, given := strings.Cut(strings.TrimPrefix(args[i], "--"), "=")
		value, left := asideFlags[name]
		switch {
		case !strings.HasPrefix(args[i], "--") || !left:
			kept = append(kept, args[i])
		case value && !given:
			i++
		}
	}
	return kept
}

// withFlags adds flags to a command line.
func withFlags(args []string, flags ...string) []string {
	for i, a := range args {
		if a == "--" {
			return append(append(append([]string{}, args[:i]...), flags...), args[i:]...)
		}
	}
	return append(append([]string{}, args...), flags...)
}
