package cli

import (
	"cmp"
	"context"

	"tattle/internal/file"
	"tattle/run"
)

type runsCmd struct {
	Dir   string `arg:"" optional:"" help:"Folder in which runs are searched, with the folders below it (default: the current one)."`
	Index bool   `help:"Write a page, index.html, into the folder that links to the reports."`
	JSON  bool   `name:"json" help:"Print JSON."`
}

func (runsCmd) Help() string {
	return `Example: tattle runs results

Example: tattle runs --index results

Lists runs: their state, how many of their shards are done, and which shards were set aside after they failed three times, with the cause. Shards are counted by their file names; only --resume checks their contents.

States: running, finished, interrupted or prepared (--resume or tattle worker continues), failed (shards were set aside; --resume tries them again).`
}

// Run lists runs.
func (c *runsCmd) Run(ctx context.Context, e *env) error {
	runs, err := run.Scan(ctx, cmp.Or(c.Dir, "."))
	if err != nil {
		return err
	}
	if c.Index {
		page, err := writeIndex(cmp.Or(c.Dir, "."), runs)
		if err != nil {
			return err
		}
		return e.print("open %s\n", file.Quote(page))
	}
	if c.JSON {
		if runs == nil {
			runs = []run.State{}
		}
		return e.printJSON(runs)
	}
	return run.WriteRuns(e.stdout, runs)
}
