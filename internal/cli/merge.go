package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"tattle/internal/file"
	"tattle/run"
)

type mergeCmd struct {
	Dir   string `arg:"" help:"The run's folder, as given as --out to the command with --prepare."`
	Retry bool   `help:"Let workers try again the shards that were set aside."`
}

func (mergeCmd) Help() string {
	return `Example: tattle merge figure5

Merges the shards that tattle worker --folder computed. Then it writes the report, or prepares the next stage of the run for the workers. It computes no shard itself.

Exit status: that of the run's command; 3 if shards are missing or the next stage waits for workers.`
}

// Run carries out the command that began the run.
func (c *mergeCmd) Run(ctx context.Context, e *env) error {
	begun, err := readRunFile(c.Dir)
	if err != nil {
		return err
	}
	dir, back, err := goTo(begun.Cwd, c.Dir)
	if err != nil {
		return err
	}
	defer back()
	args := withFlags(begun.Args, "--out", dir, "--resume")
	k, err := parse(args, e.stdout, e.stderr)
	if err != nil {
		return fmt.Errorf("%s: %w", runFile, err)
	}
	if err := checkDestinations(k); err != nil {
		return err
	}
	pool := &run.Merge{Root: dir, Retry: c.Retry}
	again := newEnv(k, args, e.stdout, e.stderr)
	again.pool = pool
	err = runParsed(ctx, k, again)
	if err != nil && !exists(filepath.Join(dir, reportJSON)) { // where a finding ends it, it is there
		return c.explain(err)
	}
	if finish := pool.Finish(); err == nil {
		err = finish
	}
	return err
}

// explain says how to go on where the run is not done.
func (c *mergeCmd) explain(err error) error {
	var prepared *run.PreparedError
	if errors.As(err, &prepared) {
		return hinted(prepared, howToWork(c.Dir))
	}
	var missing *run.MissingError
	if !errors.As(err, &missing) {
		return err
	}
	if len(missing.Failures) > 0 && len(missing.Failures) == len(missing.Missing) {
		return hinted(missing, fmt.Sprintf("all causes: tattle runs %s; to have them tried again: tattle merge --retry %[1]s", file.Quote(c.Dir)))
	}
	return hinted(missing, "workers that ended early are to be started again: "+howToWork(c.Dir))
}

// howToWork says how the shards of a prepared stage are computed.
func howToWork(dir string) string {
	dir = file.Quote(dir)
	return fmt.Sprintf("tattle worker --folder %s --index I --of N, for I from 0 to N-1; then tattle merge %[1]s", dir)
}

// goTo changes to the folder where a run was begun, which paths on its command line may
// be relative to, and returns the run's own as it is called from there.
func goTo(cwd, dir string) (from string, back func(), err error) {
	here, err := os.Getwd()
	if err != nil {
		return "", nil, err
	}
	if cwd == here {
		return dir, func() {}, nil
	}
	dir = absolute(dir)
	if err := os.Chdir(cwd); err != nil {
		return "", nil, hinted(fmt.Errorf("the run was begun in %s, which its paths may be relative to: %w", cwd, err), "merge where that folder is")
	}
	return dir, func() { os.Chdir(here) }, nil
}
