package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"tattle/cluster"
	"tattle/internal/file"
	"tattle/report"
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
	return printRuns(e, c.JSON, runs, folderRow)
}

// printRuns writes runs as JSON, or as a table with a row for each.
func printRuns[T any](e *env, asJSON bool, runs []T, row func(T) runRow) error {
	if asJSON {
		return writeJSON(e.stdout, runs)
	}
	rows := make([]runRow, len(runs))
	for i, r := range runs {
		rows[i] = row(r)
	}
	return writeRuns(e.stdout, rows)
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
	return printRuns(e, c.JSON, runs, clusterRow)
}

func writeJSON[T any](w io.Writer, all []T) error {
	if all == nil {
		all = []T{}
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(all)
}

// runRow is a run in the list: a line, and what is to be said below it.
type runRow struct {
	name, state, shards, command string
	notes                        []string
}

// mostFailures of a stage are listed; --json has more.
const mostFailures = 10

// folderRow is a run that a folder holds.
func folderRow(r run.State) runRow {
	row := runRow{name: file.Name(r.Dir), state: r.State}
	if r.Submitted && r.State == run.Interrupted {
		row.state += ", submitted"
	}
	if r.Record != nil {
		row.command = commandLine(r.Record.Args)
	}
	if r.Problem != "" {
		row.notes = append(row.notes, r.Problem)
	}
	done, shards := 0, 0
	for _, s := range r.Stages {
		done, shards = done+s.Done, shards+s.Shards
		if s.Problem != "" {
			row.notes = append(row.notes, "stage "+file.Name(s.Name)+": "+s.Problem)
		}
		row.fail(s.Name, s.Failed, s.Failures)
	}
	row.count(done, shards)
	return row
}

// clusterRow is a run that a cluster knows.
func clusterRow(r cluster.RunState) runRow {
	row := runRow{name: file.Name(r.Job.ID), state: r.State, command: commandLine(r.Job.Args)}
	done, shards, workers := 0, 0, 0
	for _, s := range r.Stages {
		done, shards = done+s.Committed, shards+s.Shards
		row.fail(s.Name, len(s.Failures), s.Failures)
	}
	row.count(done, shards)
	for _, w := range r.Workers {
		if w.Refused == "" {
			if !w.Gone {
				workers++
			}
			continue
		}
		row.notes = append(row.notes, "worker "+file.Name(w.Name)+" takes no part: "+file.Line(w.Refused))
	}
	if workers > 0 {
		row.state = fmt.Sprintf("%s, %s", row.state, report.Count(workers, "worker"))
	}
	return row
}

func (r *runRow) count(done, shards int) {
	if shards > 0 {
		r.shards = fmt.Sprintf("%d of %d", done, shards)
	}
}

// fail notes the shards of a stage that were set aside.
func (r *runRow) fail(stage string, n int, failures []run.Failure) {
	if n == 0 {
		return
	}
	r.notes = append(r.notes, fmt.Sprintf("stage %s: %s set aside", file.Name(stage), report.Count(n, "shard")))
	for _, f := range failures[:min(len(failures), mostFailures)] {
		r.notes = append(r.notes, "  "+file.Line(f.Name)+": "+f.Cause())
	}
	if n > mostFailures {
		r.notes = append(r.notes, fmt.Sprintf("  and %d more", n-mostFailures))
	}
}

// commandLine is a command line on one line.
func commandLine(args []string) string { return file.Line("tattle " + quoted(args)) }

// writeRuns writes the list as text.
func writeRuns(w io.Writer, rows []runRow) error {
	if len(rows) == 0 {
		_, err := fmt.Fprintln(w, "no runs")
		return err
	}
	var b strings.Builder
	head := runRow{"run", "state", "shards", "command", nil}
	name, state, shards := head.widths(0, 0, 0)
	for _, r := range rows {
		name, state, shards = r.widths(name, state, shards)
	}
	for _, r := range append([]runRow{head}, rows...) {
		line := fmt.Sprintf("%-*s  %-*s  %*s  %s", name, r.name, state, r.state, shards, r.shards, r.command)
		fmt.Fprintln(&b, strings.TrimRight(line, " "))
		for _, note := range r.notes {
			fmt.Fprintln(&b, "  "+note)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// widths widens columns to what the row needs; a name beyond the most stands out.
func (r runRow) widths(name, state, shards int) (int, int, int) {
	n := utf8.RuneCountInString
	return max(name, min(n(r.name), mostName)), max(state, n(r.state)), max(shards, n(r.shards))
}

const mostName = 60
