package cli

import (
	"context"
	"slices"

	"tattle/audit"
	"tattle/dataset"
	"tattle/run"
)

// audited is a release with everything that its audit's figures depend on, and where
// that is from.
type audited struct {
	sample *audit.Sample
	audit.Comparison
	options audit.Options

	model    *model         // nil but for a model's file
	url      string         // of an endpoint
	inputs   []int          // shape of its pictures, where it says which
	examples *examples      // that were asked about; nil of a file of outputs
	training *dataset.Parts // of the references; nil where none were trained
	path     string         // of a file of outputs
	hash     string         // of that file
	notes    []string

	trainings []trainingJob // what is to be trained
	shards    *run.Folder   // what was trained; nil for nothing
	settled   *settings     // of a submitted run, where this is a worker's part of it
}

// measure runs the audit.
func (d *audited) measure(ctx context.Context) (*audit.Result, error) {
	res, notes, err := audit.Complete(ctx, d.sample, d.Comparison, d.options)
	for _, n := range notes {
		if !slices.Contains(d.notes, n) { // verify has those that the audit kept
			d.notes = append(d.notes, n)
		}
	}
	return res, err
}
