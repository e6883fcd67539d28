package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"tattle/audit"
	"tattle/curious"
	"tattle/dataset"
	"tattle/nn"
	"tattle/nn/zoo"
)

// prepare trains what the figures are compared with and checked by: references, a
// planted curious model and, where the model is at hand, its distilled version; the
// pruned ones need no training. What an interrupted run has trained is taken as it is.
func (c *auditCmd) prepare(ctx context.Context, e *env, dir string, d *audited) error {
	if !d.sample.Varied() {
		return nil
	}
	if err := c.openTraining(ctx, e, d); err != nil {
		return err
	}
	for _, step := range []func(*audited) error{c.references, c.plant, c.plantTask, c.student} {
		if err := step(d); err != nil {
			return err
		}
	}
	if err := c.train(ctx, e, dir, d); err != nil {
		return err
	}
	return c.prune(ctx, e, d)
}

// trainingJob is a training, and what is done with what comes of it.
type trainingJob struct {
	audit.Training
	take func(t *audit.Trained) error
}

// learn adds a training to the audit's list; take gets its result.
func (d *audited) learn(t audit.Training, take func(t *audit.Trained) error) {
	d.trainings = append(d.trainings, trainingJob{t, take})
}

// train does what is on the list, wherever that is done, and takes what comes of it.
func (c *auditCmd) train(ctx context.Context, e *env, dir string, d *audited) error {
	settings, hashes := c.trainings(d)
	var all []audit.Training
	for _, l := range d.trainings {
		all = append(all, l.Training)
		settings.Trainings = append(settings.Trainings, l.Name)
	}
	if len(all) == 0 {
		return nil
	}
	bar := newMeter(e.stderr, fmt.Sprintf("training %d classifiers, thousandths", len(all)), 0, false)
	defer bar.close()
	trained, kept, err := audit.Train(ctx, filepath.Join(dir, shardsDir), all, audit.TrainOptions{
		Settings: settings, Hashes: hashes, Pool: e.pool, Resume: c.Resume,
		Progress: func(done, total int) { bar.set(int64(done), int64(total)) },
	})
	if err != nil {
		return err
	}
	d.shards = kept
	for i, l := range d.trainings {
		if err := l.take(trained[i]); err != nil {
			return err
		}
	}
	return d.coherent()
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
			d.notes = append(d.notes, "The references learned from some of the audited examples: --part test keeps them apart.")
		}
		return nil
	}
	src := &dataSource{Path: absoluteData(c.Reference), Seed: c.Seed}
	if c.Reference == glyphsName {
		src.Kind = dataset.KindGlyphs
	}
	c.settle(src)
	if x != nil && c.Labels != "" && !c.sameData(x.source) {
		src.Labels = "" // those are of --data
	}
	c.sameTask(src, d)
	_, parts, err := src.open(ctx, e)
	if err != nil {
		return c.renamed(err)
	}
	d.training = parts
	if x == nil || x.parts == nil {
		d.Unpaired = true
	} else if parts.Train.Values != nil {
		d.notes = append(d.notes, "Inputs of both tables are standardised by their own training parts: a reference sees the audited rows through the other table's scale.")
	}
	return nil
}

// sameTask completes how the training data are read by what is known of the audited.
func (c *auditCmd) sameTask(src *dataSource, d *audited) {
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

// referenceEpochs returns for how many epochs a reference is trained: as the flag says, else
// as the audited model's file records, else audit.DefaultReferenceEpochs.
func (c *auditCmd) referenceEpochs(d *audited) int {
	switch {
	case c.ReferenceEpochs != nil:
		return *c.ReferenceEpochs
	case d.settled != nil:
		return d.settled.Epochs
	case d.model != nil && curious.EpochsOf(d.model.graph) > 0:
		return min(curious.EpochsOf(d.model.graph), mostEpochs)
	}
	return audit.DefaultReferenceEpochs
}

// auxiliaryEpochs returns for how many epochs the planted model and the student are trained,
// 0 for the defaults of package audit: they need not be of the audited model's recipe.
func (c *auditCmd) auxiliaryEpochs() int {
	if c.ReferenceEpochs != nil {
		return *c.ReferenceEpochs
	}
	return 0
}

// net makes classifiers as the audited one is where that is known, or as the flag
// says; nil leaves the choice to the inputs' shape.
func (c *auditCmd) net(d *audited) (func(classes int, seed uint64) *nn.Graph, error) {
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

// askedOf are the examples that references and a planted model are asked: those of
// their own data's test part where the audited ones are not at hand.
func (d *audited) askedOf() *dataset.Set {
	if d.Unpaired || d.examples == nil {
		return d.training.Test
	}
	return d.examples.set
}

// references are to be trained: the honest classifiers.
func (c *auditCmd) references(d *audited) error {
	if d.training == nil {
		return nil
	}
	if err := d.checkTraining(); err != nil {
		return err
	}
	net, err := c.net(d)
	if err != nil {
		return err
	}
	p, asked := d.training, d.askedOf()
	o := audit.ReferenceOptions{Seed: c.Seed, Epochs: c.referenceEpochs(d), Outputs: d.sample.Kind, Net: net}
	if err := o.Check(p, asked); err != nil {
		return usage(fmt.Errorf("--reference: %w", err), "")
	}
	if c.ReferenceEpochs == nil && (d.model == nil || curious.EpochsOf(d.model.graph) == 0) {
		d.notes = append(d.notes, fmt.Sprintf("It is not known for how many epochs the audited model was trained. The references are trained for %d (--reference-epochs).", o.Epochs))
	}
	var raw []*audit.Sample
	for i := range c.References {
		d.learn(audit.ReferenceTraining(p, asked, i, o), func(t *audit.Trained) error {
			if raw = append(raw, t.Sample); len(raw) < c.References {
				return nil
			}
			d.notes = append(d.notes, raw[0].Notes...) // all were trained as long
			if err := c.compareRecipe(d, len(raw[0].Notes) > 0); err != nil {
				return err
			}
			return d.takeReferences(raw)
		})
	}
	return nil
}

// plant is to train the model of the positive control.
func (c *auditCmd) plant(d *audited) error {
	like, o := d.sample, audit.PlantOptions{Seed: c.Seed, Epochs: c.auxiliaryEpochs()}
	if d.training != nil {
		var err error
		if o.Net, err = c.net(d); err != nil {
			return err
		}
		o.Audited = d.askedOf()
		like = audit.Unasked(o.Audited, d.sample.Kind, 0) // by the training data's own names
	}
	p, n := d.training, d.sample.Len()
	d.learn(audit.PlantTraining("planted", p, like, n, o), func(t *audit.Trained) error {
		d.Planted = t.Planted
		return nil
	})
	return nil
}

// plantTask adds the training of a model that hides an attribute in the audited task, if
// that has no training data of its own.
func (c *auditCmd) plantTask(d *audited) error {
	if d.examples == nil || c.Reference != "" {
		return nil
	}
	t, note := audit.TaskTraining(d.sample, d.examples.set, c.Seed)
	if note != "" {
		d.notes = append(d.notes, note)
	}
	if t == nil {
		return nil
	}
	d.learn(*t, func(t *audit.Trained) error {
		if t.Planted.Rows == nil { // it was planted on glyphs instead
			d.notes = append(d.notes, t.Planted.Note)
			return nil
		}
		d.Task = t.Planted
		d.Task.Rows = nil // only references would be selected by them
		return nil
	})
	return nil
}

// student is to be trained where a defence needs it.
func (c *auditCmd) student(d *audited) error {
	if !d.defends() || d.oneOutput() || d.training == nil || d.Unpaired {
		return nil
	}
	o := audit.StudentOptions{Seed: c.Seed, Epochs: c.auxiliaryEpochs()}
	d.learn(audit.StudentTraining(d.model.graph, d.training, d.examples.set, o), func(t *audit.Trained) error {
		if t.Sample == nil {
			d.notes = append(d.notes, t.Skipped)
			return nil
		}
		d.Released = append(d.Released, audit.Released{Name: t.Sample.Name, Sample: t.Sample})
		d.notes = append(d.notes, t.Sample.Notes...)
		return nil
	})
	return nil
}

// defends says whether a model's own versions are tried as defences.
func (d *audited) defends() bool { return d.Defences && d.model != nil }

// prune makes what other defences need the model for, before the student.
func (c *auditCmd) prune(ctx context.Context, e *env, d *audited) error {
	switch {
	case !d.defends():
		return nil
	case d.oneOutput():
		d.notes = append(d.notes, "Pruning and a student were not tried: the model has a single output.")
		return nil
	}
	pruned, err := audit.Pruned(ctx, d.model.graph, d.examples.set)
	if err != nil {
		return err
	}
	d.Released = append(pruned, d.Released...)
	d.settleReleases()
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
	all := d.Released
	d.Released = nil
	for _, x := range all {
		x.Sample.Classes, x.Sample.Kind = d.sample.Classes, d.sample.Kind
		if x.Sample.Check() != nil { // with weights gone, probabilities need not add up to one
			x.Sample.Kind = curious.Raw
		}
		if err := x.Sample.Check(); err != nil {
			d.notes = append(d.notes, fmt.Sprintf("The defence %s was not tried: %v.", x.Name, err))
			continue
		}
		d.Released = append(d.Released, x)
	}
}
