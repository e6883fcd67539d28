package main

import (
	"context"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/alecthomas/kong"

	"tattle/run"
)

// newEnv is what the command that was parsed works with.
func newEnv(ctx context.Context, k *kong.Context, args []string, stdout, stderr io.Writer) *env {
	return &env{
		ctx: ctx, stdout: stdout, stderr: stderr, args: withoutAside(args), given: args,
		keeps: slices.ContainsFunc(k.Flags(), func(f *kong.Flag) bool { return f.Name == "resume" }),
		ships: spreadOf(k),
	}
}

// compute does the work of a run in dir, its shards wherever the flags say.
func (e *env) compute(dir string, resume bool, work func() error) error {
	if e.pool != nil { // a worker's
		return work()
	}
	if e.keeps {
		if err := writeRunFile(dir, e.args); err != nil {
			return err
		}
	}
	e.pool = run.Alone{}
	err := work()
	if err != nil && e.keeps && !keeps(dir) {
		os.Remove(filepath.Join(dir, runFile))
	}
	return err
}

// keeps says whether anything lies in dir that a run can go on with, or its results.
func keeps(dir string) bool {
	return holds(dir, func(path string, _ fs.DirEntry) bool { return path != filepath.Join(dir, runFile) })
}
