package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"

	"tattle/cluster"
	"tattle/run"
)

type runsCmd struct {
	Dir string `arg:"" optional:"" help:"Folder in which runs are searched, with the folders below it (default: the current one)."`
	dialFlags
	Remove string `help:"Remove this run from the cluster; its folder stays." placeholder:"ID"`
	JSON   bool   `name:"json" help:"Print JSON."`
}

func (runsCmd) Help() string {
	return `Examples:
  tattle runs results
  tattle runs --cluster nats://127.0.0.1:4222

Lists runs: their state, how many of their shards are done, and which shards were set aside after they failed three times, with the cause. Shards are counted by their file names; only --resume checks their contents.

States: running (in a process on this machine), finished, interrupted or prepared (--resume continues), failed (shards were set aside; --resume tries them again), and in a cluster submitted (no worker has started).`
}

// Run lists runs.
func (c *runsCmd) Run(ctx context.Context, e *env) error {
	switch {
	case c.Remove != "" && c.Cluster == "":
		return usage(errors.New("--remove requires --cluster; to remove a folder, delete it"), "")
	case c.Remove != "" && c.Dir != "":
		return usage(errors.New("--remove and a folder are mutually exclusive"), "")
	case c.Cluster != "" && c.Dir == "":
		return c.inCluster(ctx, e)
	}
	runs, err := run.Scan(ctx, cmp.Or(c.Dir, "."))
	if err != nil {
		return err
	}
	return printRuns(e, c.JSON, runs, run.State.Row)
}

// printRuns writes runs as JSON, or as a table with a row for each.
func printRuns[T any](e *env, asJSON bool, runs []T, row func(T) run.Row) error {
	if asJSON {
		return writeJSON(e.stdout, runs)
	}
	rows := make([]run.Row, len(runs))
	for i, r := range runs {
		rows[i] = row(r)
	}
	return run.WriteRows(e.stdout, rows)
}

// inCluster lists the runs of a cluster, or removes one.
func (c *runsCmd) inCluster(ctx context.Context, e *env) error {
	conn, err := cluster.Connect(ctx, c.dial(e))
	if err != nil {
		return err
	}
	defer conn.Close()
	if c.Remove != "" {
		return conn.Remove(ctx, c.Remove)
	}
	runs, err := conn.Runs(ctx)
	if err != nil {
		return err
	}
	return printRuns(e, c.JSON, runs, cluster.RunState.Row)
}

func writeJSON[T any](w io.Writer, all []T) error {
	if all == nil {
		all = []T{}
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(all)
}
