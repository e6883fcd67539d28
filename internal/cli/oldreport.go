package cli

import (
	"time"

	"tattle/report"
)

// newReport starts the report of a command.
func newReport(e *env, title string, seed uint64) *report.Report {
	return report.New(title, e.command(), seed)
}

func seconds(since time.Time) report.Number { return report.Number(time.Since(since).Seconds()) }

// timed returns a function that records how long the work since has taken.
func timed(r *report.Report, what string) func() {
	started := time.Now()
	return func() { r.Timing[what] = seconds(started) }
}
