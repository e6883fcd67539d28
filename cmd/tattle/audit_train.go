package main

import (
	"fmt"
	"slices"

	"tattle/audit"
	"tattle/curious"
	"tattle/dataset"
	"tattle/nn"
)

// prepare trains what the figures are compared with and checked by: references, a
// planted curious model, and where the model is at hand its pruned and distilled
// versions. What an interrupted run has trained is taken as it is.
func (c *auditCmd) prepare(e *env, dir string, d *audited) error {
	if !hopeful(d.sample) {
		return nil
	}
	if err := c.openTraining(e, d); err != nil {
		return err
	}
	t := c.training(d)
	if c.Resume && t.load(e, dir, d) {
		return nil
	}
	for _, step := range []func(*env, *audited, *training) error{c.trainReferences, c.plant, c.plantTask, c.defend} {
		if err := step(e, d, t); err != nil {
			return err
		}
	}
	return t.save(dir, d)
}

// openTraining reads the data of --reference.
func (c *auditCmd) openTraining(e *env, d *audited) error {
	if c.Reference == "" {
		return nil
	}
	x := d.examples
	if x != nil && x.parts != nil && c.sameData(x.source) {
		d.training = x.parts
		if x.part == allParts || x.part == string(dataset.Train) {
			d.notes = append(d.notes, "The references learned from some of the audited examples: --part test keeps them apart.")
		}
		return nil
	}
	src := &opened{Path: absoluteData(c.Reference), Seed: c.Seed}
	if c.Reference == glyphsName {
		src.Kind = dataset.KindGlyphs
	}
	c.settle(src)
	if x != nil && c.Labels != "" && !c.sameData(x.source) {
		src.Labels = "" // those are of --data
	}
	c.sameTask(src, d)
	_, parts, err := src.open(e)
	if err != nil {
		return c.renamed(err)
	}
	d.training = parts
	if x == nil || x.parts == nil {
		d.unpaired = true
	} else if parts.Train.Values != nil {
		d.notes = append(d.notes, "Inputs of both tables are standardised by their own training parts: a reference sees the audited rows through the other table's scale.")
	}
	return nil
}

// sameTask completes how the training data are read by what is known of the audited.
func (c *auditCmd) sameTask(src *opened, d *audited) {
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
	} else if src.Target == "" && !slices.Contains([]string{"y", "target", "label", "labels"}, d.sample.Target) {
		src.Target = d.sample.Target
	}
	if len(c.ReferenceSensitive) > 0 {
		src.Sensitive = c.ReferenceSensitive
	} else if len(src.Sensitive) == 0 {
		for _, a := range d.sample.Sensitive {
			src.Sensitive = append(src.Sensitive, a.Name)
		}
	}
}

// net makes classifiers as the audited one is where that is known, or as the flag
// says; nil leaves the choice to the inputs' shape.
func (c *auditCmd) net(shape []int) (func(classes int, seed uint64) *nn.Graph, error) {
	text := c.ReferenceWidths
	if own := c.ownResult(); text == "" && own != nil {
		text = own.Settings["widths"]
	}
	widths, err := parseWidths("reference-widths", text)
	if err != nil || widths == [5]int{} {
		return nil, err
	}
	if len(shape) != 3 || shape[1] != shape[2] || shape[1]%16 != 0 {
		if c.ReferenceWidths == "" {
			return nil, nil
		}
		return nil, usage(fmt.Errorf("--reference-widths: they are of Table 12's net, which takes square pictures whose side is a multiple of 16, not inputs of shape %v", shape), "leave them out")
	}
	return curiousNet(shape, widths), nil
}

// asked are the examples that references and a planted model are asked: nil for those
// of their own data's test part.
func (d *audited) askedOf() *dataset.Set {
	if d.unpaired || d.examples == nil {
		return nil
	}
	return d.examples.set
}

// trainReferences trains the honest classifiers.
func (c *auditCmd) trainReferences(e *env, d *audited, t *training) error {
	if d.training == nil {
		return nil
	}
	if err := d.checkTraining(); err != nil {
		return err
	}
	net, err := c.net(d.training.Train.Shape)
	if err != nil {
		return err
	}
	bar := newMeter(e.stderr, fmt.Sprintf("training %d honest classifiers", c.References), 0, false)
	defer bar.close()
	raw, err := audit.Reference(e.ctx, d.training, d.askedOf(), audit.ReferenceOptions{
		Count: c.References, Seed: c.Seed, Epochs: c.ReferenceEpochs, Outputs: d.sample.Kind, Net: net,
		Progress: func(done, total int) { bar.set(int64(done), int64(total)) },
	})
	if err != nil {
		if e.ctx.Err() != nil {
			return err
		}
		return usage(fmt.Errorf("--reference: %w", err), "")
	}
	t.like = raw[0]
	d.notes = append(d.notes, raw[0].Notes...) // all were trained as long
	return d.takeReferences(raw)
}

// plant trains the model of the positive control.
func (c *auditCmd) plant(e *env, d *audited, t *training) error {
	like, o := d.sample, audit.PlantOptions{Seed: c.Seed, Epochs: c.ReferenceEpochs}
	if d.training != nil {
		net, err := c.net(d.training.Train.Shape)
		if err != nil {
			return err
		}
		like, o.Net, o.Audited = t.like, net, d.askedOf()
	}
	bar := newMeter(e.stderr, "planting a curious classifier", 0, false)
	defer bar.close()
	o.Progress = func(done, total int) { bar.set(int64(done), int64(total)) }
	planted, err := audit.Plant(e.ctx, d.training, like, d.sample.Len(), o)
	d.planted = planted
	return err
}

// defend makes what defences need the model for.
func (c *auditCmd) defend(e *env, d *audited, _ *training) error {
	if !d.defences || d.model == nil {
		return nil
	}
	if d.oneOutput() {
		d.notes = append(d.notes, "Pruning and a student were not tried: the model has a single output.")
		return nil
	}
	var err error
	if d.released, err = audit.Pruned(e.ctx, d.model.graph, d.examples.set); err != nil {
		return err
	}
	defer d.settleReleases()
	if d.training == nil || d.unpaired {
		return nil
	}
	bar := newMeter(e.stderr, "training a student", 0, false)
	defer bar.close()
	student, err := audit.Student(e.ctx, d.model.graph, d.training, d.examples.set, audit.StudentOptions{
		Seed: c.Seed, Epochs: c.ReferenceEpochs, Progress: func(done, total int) { bar.set(int64(done), int64(total)) },
	})
	switch {
	case e.ctx.Err() != nil:
		return err
	case err != nil:
		d.notes = append(d.notes, fmt.Sprintf("A student was not tried: %v.", err))
	default:
		d.released = append(d.released, student)
		d.notes = append(d.notes, student.Sample.Notes...)
	}
	return nil
}

// oneOutput says whether the model has one output a row, of which reading it made two.
func (d *audited) oneOutput() bool {
	shapes, err := d.model.graph.Shapes()
	return err != nil || nn.Size(shapes[d.model.graph.Output]) != len(d.sample.Classes)
}

// settleReleases gives what defences release the audited classes, and leaves out what no
// audit takes.
func (d *audited) settleReleases() {
	all := d.released
	d.released = nil
	for _, x := range all {
		x.Sample.Classes, x.Sample.Kind = d.sample.Classes, d.sample.Kind
		if x.Sample.Check() != nil { // with weights gone, probabilities need not add up to one
			x.Sample.Kind = curious.Raw
		}
		if err := x.Sample.Check(); err != nil {
			d.notes = append(d.notes, fmt.Sprintf("The defence %s was not tried: %v.", x.Name, err))
			continue
		}
		d.released = append(d.released, x)
	}
}
