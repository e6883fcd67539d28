package cluster

import (
	"fmt"

	"tattle/internal/file"
	"tattle/run"
)

// Row returns the run as a row of a list.
func (s RunState) Row() run.Row {
	r := run.State{Dir: s.Job.ID, State: s.State, Record: &run.Record{Args: s.Job.Args}, Stages: s.Stages}.Row()
	workers := 0
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
