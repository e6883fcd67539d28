package verify

import "tattle/internal/report"

// For leaves_test.go, which makes runs with the command line and so cannot be in this package.

type Recomputed = recomputed

var (
	Recompute = (*Options).recompute
	Again     = func(v *recomputed) (again *report.Report, absent string) { return v.report, v.absence() }
)
