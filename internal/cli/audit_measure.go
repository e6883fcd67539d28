package cli

import (
	"path/filepath"

	"tattle/audit"
	"tattle/dataset"
	"tattle/internal/file"
	"tattle/measure"
	"tattle/run"
)

// audited is what is audited, with where it is from.
type audited struct {
	audit.Record
	options audit.Options

	model    *measure.Model // nil but for a model's file
	url      string         // of an endpoint
	inputs   []int          // shape of its pictures, where it says which
	examples *examples      // that were asked about; nil of a file of outputs
	training *dataset.Parts // of the references; nil where none were trained
	path     string         // of a file of outputs
	hash     string         // of that file

	shards  *run.Folder             // what was trained; nil for nothing
	settled *audit.TrainingSettings // of another process's audit, where this is a worker's part of it
}

// unasked takes the labels of the examples, where another process asks for the outputs.
func (d *audited) unasked() {
	d.Sample = audit.Unasked(d.examples.set, d.settled.Outputs, d.settled.Classes)
}

// discard removes what an interrupted audit would have gone on with; what is left of it
// harms nobody.
func (d *audited) discard(dir string) {
	file.RemoveAll(filepath.Join(dir, shardsDir, answersDir))
	if d.shards != nil {
		d.shards.Discard()
	}
	file.Remove(filepath.Join(dir, shardsDir)) // unless it is of use to other processes
}
