// Package verify recomputes the report of a run from its settings, the model, the data and
// the files of the run, and compares every value in report.json. It finds altered files, a
// search whose witnesses prove less than is recorded, and other inputs or models.
//
// [Run] does all of this. The request of a report, which is what was measured, on what and how,
// decides what is recomputed: reports on bounds (bounds.go, release.go and figures.go),
// audits (audit.go), and other runs, of which only the files are compared (files.go). inputs.go
// finds the model and the data.
package verify
