package main

import (
	"context"
	"slices"

	"tattle/audit"
	"tattle/dataset"
)

// audited is a release with everything that its audit's figures depend on, and where
// that is from.
type audited struct {
	sample     *audit.Sample
	references []*audit.Sample // of honest classifiers; nil for none
	unpaired   bool            // these are of other examples
	planted    *audit.Planted  // nil where there is nothing to audit
	released   []audit.Released
	defences   bool
	options    audit.Options

	model    *model         // nil but for a model's file
	url      string         // of an endpoint
	examples *examples      // that were asked about; nil of a file of outputs
	training *dataset.Parts // of the references; nil where none were trained
	path     string         // of a file of outputs
	hash     string         // of that file
	notes    []string
}

// measure runs the audit.
func (d *audited) measure(ctx context.Context) (*audit.Result, error) {
	o := d.options
	o.References, o.Unpaired = d.references, d.unpaired
	res, err := audit.Run(ctx, d.sample, o)
	if err != nil || !hopeful(d.sample) || allUnusable(res) {
		return res, err
	}
	if d.planted != nil {
		control, err := audit.Positive(ctx, d.planted, d.alike(), staged(o, "the planted model: "))
		if err != nil {
			return nil, err
		}
		res.Controls = append(res.Controls, control)
	}
	if d.defences {
		res.Defences, res.Recommendation, err = audit.Defend(ctx, d.sample, audit.DefenceOptions{Options: o, Released: d.released})
		if err != nil {
			return nil, err
		}
	}
	res.Conclude()
	return res, nil
}

// alike are the references on the planted model's examples: none where that is of
// another task.
func (d *audited) alike() []*audit.Sample {
	if d.planted.Rows == nil {
		return nil
	}
	return d.references
}

// staged puts words in front of the stages that an audit reports.
func staged(o audit.Options, words string) audit.Options {
	if report := o.Progress; report != nil {
		o.Progress = func(stage string, done, total int) { report(words+stage, done, total) }
	}
	return o
}

// hopeful says whether any attribute has something to tell apart.
func hopeful(s *audit.Sample) bool {
	return slices.ContainsFunc(s.Sensitive, func(a audit.Attribute) bool {
		return a.Numeric() || slices.ContainsFunc(a.Labels, func(l int) bool { return l != a.Labels[0] })
	})
}

func allUnusable(r *audit.Result) bool {
	return !slices.ContainsFunc(r.Findings, func(f audit.Finding) bool { return f.Unusable == "" })
}
