package run

import (
	"context"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"tattle/internal/file"
)

// Row is a run in a list: a line, and notes below it.
type Row struct {
	Name, State, Shards, Command string
	Notes                        []string
}

// mostFailures of a stage are listed.
const mostFailures = 10

// Row returns the run that a folder holds as a row of a list.
func (s State) Row() Row {
	r := Row{Name: file.Name(s.Dir), State: s.State}
	if s.Record != nil {
		r.Command = file.Line("tattle " + file.CommandLine(s.Record.Args))
	}
	if s.Problem != "" {
		r.Notes = append(r.Notes, s.Problem)
	}
	for _, stage := range s.Stages {
		if stage.Problem != "" {
			r.Notes = append(r.Notes, "stage "+file.Name(stage.Name)+": "+stage.Problem)
		}
		r.fail(stage.Name, stage.Failed, stage.Failures)
	}
	if done, shards := s.shards(); shards > 0 {
		r.Shards = fmt.Sprintf("%d of %d", done, shards)
	}
	return r
}

// shards returns how many of the run's shards are done, and how many there are.
func (s State) shards() (done, all int) {
	for _, stage := range s.Stages {
		done, all = done+stage.Done, all+stage.Shards
	}
	return done, all
}

// Kept returns how many shards of the runs in a folder are done, and how many there are. What
// cannot be read is not counted.
func Kept(dir string) (done, shards int) {
	runs, _ := Scan(context.Background(), dir)
	for _, r := range runs {
		d, n := r.shards()
		done, shards = done+d, shards+n
	}
	return done, shards
}

// fail notes the shards of a stage that were set aside.
func (r *Row) fail(stage string, n int, failures []Failure) {
	if n == 0 {
		return
	}
	r.Notes = append(r.Notes, fmt.Sprintf("stage %s: %s set aside", file.Name(stage), count(n, "shard")))
	for _, f := range failures[:min(len(failures), mostFailures)] {
		r.Notes = append(r.Notes, "  "+file.Line(f.Name)+": "+f.Cause())
	}
	if n > mostFailures {
		r.Notes = append(r.Notes, fmt.Sprintf("  and %d more", n-mostFailures))
	}
}

// WriteRuns writes a list of runs as text.
func WriteRuns(w io.Writer, runs []State) error {
	if len(runs) == 0 {
		_, err := fmt.Fprintln(w, "no runs")
		return err
	}
	rows := make([]Row, len(runs))
	for i, r := range runs {
		rows[i] = r.Row()
	}
	var b strings.Builder
	head := Row{"run", "state", "shards", "command", nil}
	name, state, shards := head.widths(0, 0, 0)
	for _, r := range rows {
		name, state, shards = r.widths(name, state, shards)
	}
	for _, r := range append([]Row{head}, rows...) {
		line := fmt.Sprintf("%-*s  %-*s  %*s  %s", name, r.Name, state, r.State, shards, r.Shards, r.Command)
		fmt.Fprintln(&b, strings.TrimRight(line, " "))
		for _, note := range r.Notes {
			fmt.Fprintln(&b, "  "+note)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// mostName is the width of the widest name for which the other columns move.
const mostName = 60

// widths widens columns to what the row needs.
func (r Row) widths(name, state, shards int) (int, int, int) {
	n := utf8.RuneCountInString
	return max(name, min(n(r.Name), mostName)), max(state, n(r.State)), max(shards, n(r.Shards))
}

// count is "1 shard" or "2 shards".
func count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}
