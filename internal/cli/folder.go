package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"tattle/internal/file"
	"tattle/internal/report"
	"tattle/run"
)

const (
	reportJSON = report.FileJSON
	reportHTML = report.FileHTML
	arraysFile = "arrays.npz"
	modelFile  = "model.onnx"
)

// output is what every command that computes has in common.
type output struct {
	Seed    uint64 `help:"The same seed gives the same bytes." default:"1"`
	Details bool   `help:"Print all sections of the report, not only its summary." more:""`
	JSON    bool   `name:"json" help:"Print the report as JSON, and nothing else."`
	Out     string `help:"Folder for the results (default: a new folder)." placeholder:"DIR" writes:"folder"`
}

// in makes the run's folder, settles who computes the run, and does the work. Where
// that fails with nothing to keep, the folder goes again.
func (o output) in(ctx context.Context, e *env, command string, resume bool, work func(dir string) error) error {
	dir, made, err := o.folder(command, resume)
	if err != nil {
		return err
	}
	release, err := file.Confine(dir)
	if err != nil {
		return hinted(fmt.Errorf("--out: %w", err), "choose a folder that can be written with --out")
	}
	defer release()
	if resume && !file.Locked(dir) {
		if err := file.Sweep(dir); err != nil {
			return err
		}
	}
	err = e.compute(ctx, dir, resume, func() error { return work(dir) })
	if err != nil && made {
		file.Remove(dir) // does nothing unless it is empty
	}
	return err
}

// folder makes the run's folder, or takes an existing one that holds no finished
// run.
func (o output) folder(command string, resume bool) (dir string, made bool, err error) {
	if o.Out == "" {
		if resume {
			return "", false, usage(errors.New("--resume needs --out, the folder of the run to go on with"), "")
		}
		if dir, err = file.NewFolder("tattle-" + command); err != nil {
			err = hinted(err, "choose a folder that can be written with --out")
		}
		return dir, true, err
	}
	if exists(filepath.Join(o.Out, reportJSON)) {
		return "", false, usage(fmt.Errorf("--out %s: holds a finished run already", o.Out), "choose another folder")
	}
	made = !exists(o.Out)
	if made && resume {
		return "", false, usage(fmt.Errorf("--resume: there is no folder %s", o.Out), "leave --resume out to start a run there")
	}
	if err := o.spare(resume); err != nil {
		return "", false, err
	}
	if err = file.MkdirAll(o.Out); err == nil {
		err = file.Room(o.Out, 0) // now, so that no hour of work is lost for it
	}
	if err != nil {
		return "", false, hinted(fmt.Errorf("--out: %w", err), "choose a folder that can be written with --out")
	}
	return o.Out, made, nil
}

// spare refuses a folder where a run would replace files of others: one that is not empty
// and holds no run, and one with a symbolic link in it, which could lead elsewhere. Hidden
// files do not count.
func (o output) spare(resume bool) error {
	if info, err := os.Stat(o.Out); err != nil || !info.IsDir() {
		return nil // there is nothing to spare
	}
	ours := resume || exists(filepath.Join(o.Out, run.RecordName))
	top := o.Out + string(filepath.Separator) // the folder itself, where the user names a link to one
	return filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return hinted(fmt.Errorf("--out: %w", err), "choose a folder that can be read and written with --out")
		case d.Type()&fs.ModeSymlink != 0:
			return usage(fmt.Errorf("--out %s: %s is a symbolic link, and a run writes no files through links", o.Out, path), "remove the link, or choose another folder")
		case !d.IsDir() && !d.Type().IsRegular():
			return usage(fmt.Errorf("--out %s: %s is neither a file nor a folder", o.Out, path), "remove it, or choose another folder")
		case !ours && path != top && d.Name()[0] != '.':
			return usage(fmt.Errorf("--out %s: the folder is not empty and holds no run of tattle", o.Out), "choose a new or an empty folder")
		}
		return nil
	})
}

// finish writes the report's files and prints the summary, or the JSON.
func (o output) finish(e *env, dir string, r *report.Report) error {
	if err := r.Save(dir); err != nil {
		return err
	}
	return o.show(e, dir, r)
}

// show prints a report that is written.
func (o output) show(e *env, dir string, r *report.Report) error {
	if o.JSON {
		return r.WriteJSON(e.stdout)
	}
	_, tone, _ := r.Lead()
	if err := e.writeColoured(tone, func(w io.Writer) error { return r.WriteText(w, o.Details) }); err != nil {
		return err
	}
	_, err := fmt.Fprintf(e.stdout, "\nopen %s\n", file.Quote(filepath.Join(dir, reportHTML)))
	return err
}
