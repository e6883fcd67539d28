package cluster

import (
	"fmt"

	"tattle/internal/file"
	"tattle/run"
)

// Row returns the run as a row of a list.
func (s RunState) Row() run.Row {
	r := run.Row{Name: file.Name(s.Job.ID), State: s.State, Command: run.ListedCommand(s.Job.Args)}
	done, shards, workers := 0, 0, 0
	for _, stage := range s.Stages {
		done, shards = done+stage.Committed, shards+stage.Shards
		r.Fail(stage.Name, len(stage.Failures), stage.Failures)
	}
	r.Count(done, shards)
	for _, w := range s.Workers {
		switch {
		case w.Refused != "":
			r.Notes = append(r.Notes, "worker "+file.Name(w.Name)+" takes no part: "+file.Line(w.Refused))
		case !w.Gone:
			workers++
		}
	}
	switch {
	case workers == 1:
		r.State += ", 1 worker"
	case workers > 1:
		r.State += fmt.Sprintf(", %d workers", workers)
	}
	return r
}
