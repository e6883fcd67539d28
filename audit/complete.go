package audit

import (
	"context"
	"fmt"
	"slices"
)

// Comparison holds the references and the controls of an audit.
type Comparison struct {
	References []*Sample // outputs of honest classifiers; nil for none
	Unpaired   bool      // References are of other examples
	Recipe     Recipe    // of the references
	Planted    *Planted  // a model that must be found; nil for none
	Task       *Planted  // a second one, planted on the audited task; nil for none
	Defences   bool      // try defences
	Released   []Released
}

// complete audits a sample as Run does, then the planted models, and tries defences. The
// notes list what could not be done. The references, their recipe and whether they are paired
// are those of c; those of o are ignored.
func complete(ctx context.Context, s *Sample, c Comparison, o Options) (r *Result, notes []string, err error) {
	o.References, o.Unpaired, o.Recipe = c.References, c.Unpaired, c.Recipe
	r, err = Run(ctx, s, o)
	if err != nil || r.usable() == 0 {
		return r, nil, err
	}
	if c.Planted != nil {
		if notes, err = r.plantedControls(ctx, c, o.withDefaults()); err != nil {
			return nil, nil, err
		}
	}
	if c.Defences {
		s, _ := s.tamed()
		if r.Defences, err = defend(ctx, s, c.Released, o); err != nil {
			return nil, nil, err
		}
	}
	r.Conclude()
	r.nameControls()
	return r, notes, nil
}

// plantedControls audits the planted models. The learning loss is that of the first, which
// does not depend on how the release was reached.
func (r *Result) plantedControls(ctx context.Context, c Comparison, o Options) (notes []string, err error) {
	var references []*Sample
	if c.Planted.Rows != nil { // planted on the references' task
		references = c.References
	}
	positive, err := c.Planted.Control(ctx, references, o.staged("the planted model: "))
	if err != nil {
		return nil, err
	}
	r.Controls = append(r.Controls, positive)
	if c.Task == nil {
		return nil, nil
	}
	needed := o.certain(c.Task.Sample.Len())
	if positive.LearningLoss != nil {
		needed += *positive.LearningLoss
	}
	if c.Task.TrueExcess < needed {
		return []string{fmt.Sprintf("A curious model planted on the audited task reveals %.1f points of %q, but only %.1f or more are certain to be found with %d examples. Only the one planted on glyphs counts.",
			100*c.Task.TrueExcess, c.Task.Sample.Sensitive[0].Name, 100*needed, c.Task.Sample.Len())}, nil
	}
	control, err := c.Task.Control(ctx, nil, o.staged("the planted model of the same task: "))
	r.Controls = append(r.Controls, control)
	return nil, err
}

// nameControls gives the second positive control its own name. It comes after Conclude,
// whose sentences distinguish the two by where they were planted.
func (r *Result) nameControls() {
	first := true
	for i := range r.Controls {
		switch k := &r.Controls[i]; {
		case k.Name != PositiveControl:
		case first:
			first = false
		default:
			k.Name = TaskControl
		}
	}
}

// staged returns options with a prefix for the names of the stages that Progress reports.
func (o Options) staged(words string) Options {
	if report := o.Progress; report != nil {
		o.Progress = func(stage string, done, total int) { report(words+stage, done, total) }
	}
	return o
}

// varied reports whether any attribute of s has two values or more: without one there is
// nothing to audit.
func (s *Sample) varied() bool {
	return slices.ContainsFunc(s.Sensitive, func(a Attribute) bool { return a.Numeric() || !constant(&a) })
}

// constant reports whether all labels are of one class.
func constant(a *Attribute) bool {
	return !slices.ContainsFunc(a.Labels, func(l int) bool { return l != a.Labels[0] })
}
