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
	sample     *audit.Sample
	references []*audit.Sample // of honest classifiers; nil for none
	unpaired   bool            // these are of other examples
	recipe     audit.Recipe    // how it is known to be the audited model's
	planted    *audit.Planted  // nil where there is nothing to audit
	task       *audit.Planted  // on the audited task, beside one on glyphs; nil for none
	released   []audit.Released
	defences   bool
	options    audit.Options

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
	o := d.options
	o.References, o.Unpaired, o.Recipe = d.references, d.unpaired, d.recipe
	res, err := audit.Run(ctx, d.sample, o)
	if err != nil || !hopeful(d.sample) || allUnusable(res) {
		return res, err
	}
	if err := d.control(ctx, res, o); err != nil {
		return nil, err
	}
	if d.defences {
		res.Defences, res.Recommendation, err = audit.Defend(ctx, d.sample, audit.DefenceOptions{Options: o, Released: d.released})
		if err != nil {
			return nil, err
		}
	}
	res.Conclude()
	d.nameControls(res)
	return res, nil
}

// control adds what came of the planted models. The learning loss is that of the first,
// which is the same at every door.
func (d *audited) control(ctx context.Context, res *audit.Result, o audit.Options) error {
	if d.planted == nil {
		return nil
	}
	positive, err := audit.Positive(ctx, d.planted, d.alike(), staged(o, "the planted model: "))
	if err != nil {
		return err
	}
	res.Controls = append(res.Controls, positive)
	loss := 0.
	if positive.LearningLoss != nil {
		loss = *positive.LearningLoss
	}
	task, err := d.taskPositive(ctx, loss)
	if err == nil && task != nil {
		res.Controls = append(res.Controls, *task)
	}
	return err
}

// nameControls gives each positive control its own name, now that the reasons are there,
// which tell them by where they were planted.
func (d *audited) nameControls(res *audit.Result) {
	first := true
	for i := range res.Controls {
		switch k := &res.Controls[i]; {
		case k.Name != audit.PositiveControl:
		case first:
			first = false
		default:
			k.Name = taskControl
		}
	}
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
