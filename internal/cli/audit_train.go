package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"tattle/audit"
	"tattle/curious/training"
	"tattle/dataset"
	"tattle/internal/progress"
	"tattle/nn"
	"tattle/nn/zoo"
)

// prepare trains what the figures are compared with and checked by. What an interrupted run
// has trained is taken as it is.
func (c *auditCmd) prepare(ctx context.Context, e *env, dir string, d *audited) error {
	if !d.Sample.Varied() {
		return nil
	}
	if err := c.openTraining(ctx, e, d); err != nil {
		return err
	}
	net, err := c.net(d)
	if err != nil {
		return err
	}
	o := c.preparation(d)
	o.Net = net
	o.Recipe = func(shortened bool) (audit.Recipe, string, error) { return c.compareRecipe(d, shortened) }
	p, err := audit.Prepare(&d.Record, o)
	if err != nil {
		return flagged(err, optionFlags)
	}
	settings, hashes := p.Settings()
	settings.Inputs, settings.Widths = d.inputs, c.widths(d)
	if d.model != nil {
		hashes["model"] = d.model.SHA256
	}
	bar := progress.New(e.stderr, fmt.Sprintf("training %d classifiers, thousandths", len(p.Trainings())), 0)
	defer bar.Close()
	d.shards, err = p.Train(ctx, filepath.Join(dir, shardsDir), audit.TrainOptions{
		Settings: settings, Hashes: hashes, Pool: e.pool, Resume: c.Resume,
		Progress: bar.Set,
	})
	return flagged(err, optionFlags)
}

// preparation returns the options of the trainings that do not depend on the nets.
func (c *auditCmd) preparation(d *audited) audit.PrepareOptions {
	o := audit.PrepareOptions{Training: d.training, Seed: c.Seed, References: c.References, MaxEpochs: mostEpochs, Settled: d.settled}
	if d.model != nil {
		o.Model = d.model.Graph
	}
	if d.examples != nil {
		o.Examples = d.examples.set
	}
	if c.ReferenceEpochs != nil {
		o.Epochs = *c.ReferenceEpochs
	}
	return o
}

// openTraining reads the data of --reference.
func (c *auditCmd) openTraining(ctx context.Context, e *env, d *audited) error {
	if c.Reference == "" {
		return nil
	}
	x := d.examples
	if x != nil && x.parts != nil && c.sameData(x.source) {
		d.training = x.parts
		if x.part == allParts || x.part == string(dataset.Train) {
			d.Notes = append(d.Notes, "The references learned from some of the audited examples: --part test keeps them apart.")
		}
		return nil
	}
	src := &training.Source{Path: absoluteData(c.Reference), Seed: c.Seed}
	if c.Reference == glyphsName {
		src.Kind = dataset.KindGlyphs
	}
	c.settle(src)
	if x != nil && c.Labels != "" && !c.sameData(x.source) {
		src.Labels = "" // those are of --data
	}
	c.sameTask(src, d)
	_, parts, err := openSource(ctx, e, src)
	if err != nil {
		return c.renamed(err)
	}
	d.training = parts
	if x == nil || x.parts == nil {
		d.Unpaired = true
	} else if parts.Train.Values != nil {
		d.Notes = append(d.Notes, "Inputs of both tables are standardised by their own training parts: a reference sees the audited rows through the other table's scale.")
	}
	return nil
}

// renamed is what is wrong with reading the training data.
func (c *auditCmd) renamed(err error) error {
	said := errors.New("--reference: " + strings.TrimPrefix(err.Error(), "--data: "))
	s, ok := err.(*statusError)
	switch {
	case !ok && errors.Is(err, context.Canceled):
		return err
	case !ok:
		return said
	case s.hint == "" && c.Outputs != "":
		s.hint = "--reference-target and --reference-sensitive say what is there what the outputs call otherwise"
	}
	return &statusError{s.status, said, s.hint}
}

// sameTask completes how the training data are read by what is known of the audited.
func (c *auditCmd) sameTask(src *training.Source, d *audited) {
	if x := d.examples; x != nil {
		if src.Target == "" {
			src.Target = x.source.Target
		}
		if len(src.Sensitive) == 0 {
			src.Sensitive = x.source.Sensitive
		}
		if s := x.set.Shape; src.Side == 0 && x.parts != nil && len(s) == 3 && s[1] == s[2] {
			src.Side = s[1]
		}
		return
	}
	if c.ReferenceTarget != "" {
		src.Target = c.ReferenceTarget
	} else if src.Target == "" && !slices.Contains([]string{"y", "target", "label", "labels"}, d.Sample.Target) {
		src.Target = d.Sample.Target
	}
	if len(c.ReferenceSensitive) > 0 {
		src.Sensitive = c.ReferenceSensitive
	} else if len(src.Sensitive) == 0 {
		for _, a := range d.Sample.Sensitive {
			src.Sensitive = append(src.Sensitive, a.Name)
		}
	}
}

// widths are those of the audited model, as its run says, or of the flag; "" leaves the
// choice to the inputs' shape.
func (c *auditCmd) widths(d *audited) string {
	own := c.ownResult()
	switch {
	case d.settled != nil:
		return d.settled.Widths
	case c.ReferenceWidths == "" && own != nil:
		return own.Settings["widths"]
	}
	return c.ReferenceWidths
}

// net makes classifiers as the audited one is where that is known, or as the flag
// says; nil leaves the choice to the inputs' shape.
func (c *auditCmd) net(d *audited) (func(classes int, seed uint64) *nn.Graph, error) {
	if d.training == nil {
		return nil, nil
	}
	shape := d.training.Train.Shape
	widths, err := parseWidths("reference-widths", c.widths(d))
	if err != nil || widths == [5]int{} {
		return nil, err
	}
	if len(shape) != 3 || shape[1] != shape[2] || shape[1]%16 != 0 {
		if c.ReferenceWidths == "" {
			return nil, nil
		}
		return nil, usage(fmt.Errorf("--reference-widths: they are of Table 12's net, which takes square pictures whose side is a multiple of 16, not inputs of shape %v", shape), "leave them out")
	}
	return zoo.CuriousOf(shape, widths), nil
}
