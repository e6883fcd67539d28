package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
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

// Failure is a shard that was set aside.
type Failure struct {
	Shard  int      `json:"shard"`
	Name   string   `json:"name"`            // what the shard is
	Causes []string `json:"causes"`          // of each attempt, in order
	Stack  string   `json:"stack,omitempty"` // of the last panic
}

// Cause returns the last cause, as a line that prints.
func (f Failure) Cause() string {
	if len(f.Causes) == 0 {
		return "no cause is known"
	}
	return file.Line(f.Causes[len(f.Causes)-1])
}

// failureSize is the most that the file of a failure may hold.
const failureSize = 1 << 20

// SetAside notes that a shard failed for good.
func (f *Folder) SetAside(failure Failure) error {
	if err := f.has(failure.Shard); err != nil {
		return err
	}
	data, err := json.MarshalIndent(failure, "", "  ")
	if err != nil {
		return fmt.Errorf("shard %d: %w", failure.Shard, err)
	}
	err = f.files.WriteBytes(f.failedPath(failure.Shard), append(data, '\n'))
	if err != nil {
		return &StoreError{f.dir, err}
	}
	return nil
}

// retryAll forgets which shards were set aside.
func (f *Folder) retryAll() error {
	n, err := list(f.dir)
	if err != nil {
		return &StoreError{f.dir, err}
	}
	for i := range n.failed {
		if err := f.files.Remove(f.failedPath(i)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return &StoreError{f.dir, err}
		}
	}
	return nil
}

// Failures returns the shards that were set aside and are not done, in order.
func (f *Folder) Failures() ([]Failure, error) {
	names, err := list(f.dir)
	if err != nil {
		return nil, err
	}
	var all []Failure
	for _, i := range slices.Sorted(maps.Keys(names.failed)) {
		if i < f.Len() && !f.Done(i) {
			all = append(all, readFailure(f.failedPath(i), i))
		}
	}
	return all, nil
}

// readFailure reads the file of a failure; what is damaged says so itself.
func readFailure(path string, i int) Failure {
	data, err := readSmall(path, failureSize)
	failure := Failure{Shard: i}
	if err == nil {
		err = json.Unmarshal(data, &failure)
	}
	if err != nil {
		return Failure{Shard: i, Name: fmt.Sprintf("shard %d", i), Causes: []string{fmt.Sprintf("%s cannot be read: %v", filepath.Base(path), err)}}
	}
	failure.Shard = i
	if failure.Name = file.Line(failure.Name); failure.Name == "" {
		failure.Name = fmt.Sprintf("shard %d", i)
	}
	return failure
}
