package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"tattle/report"
	"tattle/run"
)

const (
	reportJSON = "report.json"
	reportHTML = "report.html"
	arraysFile = "arrays.npz"
	modelFile  = "model.onnx"
)

// output is what every command that computes has in common.
type output struct {
	Seed uint64 `help:"Seed of everything random: the same seed gives the same bytes." default:"1"`
	JSON bool   `name:"json" help:"Print the report as JSON on standard output, and nothing else there."`
	Out  string `help:"Folder for the results (default: a new folder named after the command)." placeholder:"DIR"`
}

// folder makes the run's folder. An existing one is taken only where it holds
// no finished run, or where the run is to be resumed.
func (o output) folder(command string, resume bool) (string, error) {
	if o.Out == "" {
		if resume {
			return "", usage(errors.New("--resume needs --out, the folder of the run to go on with"), "")
		}
		return newFolder("tattle-" + command)
	}
	_, err := os.Stat(filepath.Join(o.Out, reportJSON))
	if err == nil && !resume {
		return "", usage(fmt.Errorf("--out %s: holds a finished run already", o.Out), "choose another folder")
	}
	if err := os.MkdirAll(o.Out, 0o777); err != nil {
		return "", hinted(fmt.Errorf("--out: %w", err), "choose a folder that can be written with --out")
	}
	if err := writable(o.Out); err != nil {
		return "", hinted(fmt.Errorf("--out: %w", err), "choose a folder that can be written with --out")
	}
	return o.Out, nil
}

// newFolder makes name, or name-2, name-3, … where it is taken.
func newFolder(name string) (string, error) {
	for i := 1; ; i++ {
		dir := name
		if i > 1 {
			dir = fmt.Sprintf("%s-%d", name, i)
		}
		err := os.Mkdir(dir, 0o777)
		if err == nil {
			return dir, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return "", hinted(err, "choose a folder that can be written with --out")
		}
	}
}

// writable fails early where the folder takes no files, so that no hour of work
// is lost for it.
func writable(dir string) error {
	f, err := os.CreateTemp(dir, ".tattle-*")
	if err != nil {
		return err
	}
	f.Close()
	return os.Remove(f.Name())
}

// finish writes the report's files and prints the summary, or the JSON.
func (o output) finish(e *env, dir string, r *report.Report) error {
	if err := o.save(dir, r); err != nil {
		return err
	}
	if o.JSON {
		return r.WriteJSON(e.stdout)
	}
	if err := r.WriteText(e.stdout); err != nil {
		return err
	}
	_, err := fmt.Fprintf(e.stdout, "\nopen %s\n", filepath.Join(dir, reportHTML))
	return err
}

// save writes report.html and report.json, the latter last: it is what marks a
// run as finished.
func (o output) save(dir string, r *report.Report) error {
	err := run.WriteFile(filepath.Join(dir, reportHTML), func(w io.Writer) error { return r.WriteHTML(w, dir) })
	if err != nil {
		return err
	}
	return run.WriteFile(filepath.Join(dir, reportJSON), r.WriteJSON)
}
