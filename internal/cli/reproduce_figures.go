package cli

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"

	"tattle/internal/data/dataset"
	"tattle/internal/file"
	"tattle/internal/paper"
	"tattle/internal/protect/attack"
	"tattle/internal/protect/bound"
	"tattle/internal/protect/measure"
	"tattle/internal/report"
	"tattle/internal/reveal/curious/training"
	"tattle/internal/run"
)

// checkFigure refuses flags that do not go together.
func (c *reproduceCmd) checkFigure(f paper.Figure) error {
	switch {
	case c.Data == "":
		hint := ""
		if f.Trained {
			hint = "tattle data get " + f.Net + " fetches it"
		}
		return usage(fmt.Errorf("reproduce %s needs --data, %s", c.Experiment, f.Data), hint)
	case c.Model == "" && !f.Trained:
		return usage(fmt.Errorf("reproduce %s needs --model, a trained %s as ONNX", c.Experiment, f.Net),
			"docs/models.md exports torchvision's, or: tattle model "+f.Net+" --weights FILE.npz")
	case c.Model == "" && c.readFlags != readFlags{}:
		return usage(fmt.Errorf("--input-shape, --model-output and --preprocess are about a model, and reproduce %s trains its own", c.Experiment), "name one with --model")
	}
	return nil
}

// start opens the data of the figure, as inputs of the model if one is given.
func (c *reproduceCmd) start(ctx context.Context, e *env, f paper.Figure) (*measurement, error) {
	m := &measurement{
		Request: measure.Request{Release: measure.Release{Family: "gaussian", Scale: f.Scale}, Seed: c.Seed, Memory: c.bytes()},
		resume:  c.Resume, name: c.Experiment + ": bounding",
	}
	m.Spec.Node = c.Features
	examples := cmp.Or(c.Examples, f.Examples)
	read := partFlags{Part: string(dataset.Test)}
	if f.Small { // these alone are read, as A does
		if err := read.Limit.UnmarshalText([]byte(examples)); err != nil {
			return nil, usage(fmt.Errorf("--examples %w", err), "")
		}
		examples = "all"
	}
	flags := inputFlags{Labels: c.Labels, Target: c.Target, skipFlag: c.skipFlag}
	if err := c.open(ctx, e, m, f, flags.of(c.Data, read, c.Seed)); err != nil {
		return nil, err
	}
	var err error
	if m.Indices, err = measure.ChooseExamples("Examples", examples, m.Data.Len(), c.Seed); err != nil {
		return nil, err
	}
	m.Experiment = f.Experiment(m.Data.Shape, c.Seed, c.Restarts)
	if f.Name == paper.Comparison {
		return m, c.compareAll(m)
	}
	return m, nil
}

// compareAll adds every further bound and attack.
func (c *reproduceCmd) compareAll(m *measurement) (err error) {
	f := furtherFlags{Barankin: &demoSize.further.Barankin, Far: &demoSize.further.Far, Twins: c.Twins, Attack: measure.AttackNames, AttackDraws: attack.DefaultDraws, Candidates: measure.CandidatesNone}
	if err := f.check(); err != nil {
		return err
	}
	if err := f.extend(&m.Experiment, m.Data, len(m.Indices), c.Seed); err != nil {
		return err
	}
	m.Adversaries, err = f.adversaries(measure.Inputs{Path: c.Data, Seed: c.Seed}, "", false, m.Data, openAlone)
	return err
}

// open reads the data. If a model is given it is read first, because it determines the inputs.
func (c *reproduceCmd) open(ctx context.Context, e *env, m *measurement, f paper.Figure, in measure.Inputs) (err error) {
	if c.Model == "" {
		if m.Data, err = openAlone(in); err == nil {
			m.origin.Data = measure.DataOf(m.Data, absolute(c.Data), in.Part)
		}
		return err
	}
	read := c.readFlags
	if f.Small && read.Preprocess == "" {
		read.Preprocess = paper.SmallPreprocess
	}
	net, err := read.open(c.Model)
	if err != nil {
		return err
	}
	m.Graph = net.Graph
	if f.Small && m.Spec.Node == "" {
		m.Spec.Node = paper.PooledFeatures(m.Graph)
	}
	var notes []string
	if m.Data, notes, err = openInputs(ctx, e, in, net); err == nil {
		m.origin = originOf(net, in, m.Data, notes)
	}
	return err
}

// figure makes the figure in dir: first the stages that workers can share (the net and the bounds
// of every run), then the attacks and the reports.
func (c *reproduceCmd) figure(ctx context.Context, e *env, m *measurement, f paper.Figure, dir string) (*report.Report, error) {
	if err := c.model(ctx, e, m, f, dir); err != nil {
		return nil, err
	}
	ours, err := m.bounded(ctx, e, dir)
	if err != nil {
		return nil, err
	}
	further := f.Further(m.Experiment, c.Published > 0)
	others, err := c.others(ctx, e, m, further, dir)
	if err != nil {
		return nil, err
	}
	return c.conclude(ctx, e, f, ours, others, further)
}

// others computes the bounds of the figure's further runs, each in a folder within dir.
func (c *reproduceCmd) others(ctx context.Context, e *env, m *measurement, further []paper.Further, dir string) (all []*measured, err error) {
	for _, f := range further {
		if err := e.files.MkdirAll(f.In(dir)); err != nil {
			return nil, err
		}
		b, err := m.further(f, c.Published).bounded(ctx, e, f.In(dir))
		if err != nil {
			return nil, err
		}
		all = append(all, b)
	}
	return all, nil
}

// further is a further run of the measurement in a folder within its own: the authors'
// procedure is run on the first examples only, as many as given.
func (m *measurement) further(f paper.Further, authors int) *measurement {
	p := *m
	p.name, p.Experiment = f.Folder+": bounding", f.Experiment
	if path := p.origin.Model.Path; !filepath.IsAbs(path) {
		p.origin.Model.Path = filepath.Join("..", path)
	}
	if f.Authors() {
		p.Adversaries = nil
		p.Indices = m.Indices[:min(authors, len(m.Indices))]
	}
	return &p
}

// conclude makes the reports of all runs, saves those of the others, and compares ours with
// the paper.
func (c *reproduceCmd) conclude(ctx context.Context, e *env, f paper.Figure, ours *measured, others []*measured, further []paper.Further) (*report.Report, error) {
	var reports []*report.Report
	for _, b := range append([]*measured{ours}, others...) {
		r, err := b.conclude(ctx, e)
		if err == nil && f.Pictures {
			err = r.SavePictures(e.files, b.options.Dir)
		}
		if err != nil {
			return nil, err
		}
		reports = append(reports, r)
	}
	first, all, theirs := reports[0], []*bound.Result{ours.Bounds}, (*bound.Result)(nil)
	for i, b := range others {
		if err := reports[i+1].Save(e.files, b.options.Dir); err != nil {
			return nil, err
		}
		if further[i].Authors() {
			theirs = b.Bounds
			first.Timing["as published"] = reports[i+1].Timing["bounds"]
			continue
		}
		all = append(all, b.Bounds)
		if path := filepath.Join(b.options.Dir, reportHTML); !c.JSON {
			if err := e.print("open %s (s = %s)\n", file.Quote(path), measure.Fraction(b.Experiment.Sizes[0])); err != nil {
				return nil, err
			}
		}
	}
	first.Title = f.TitleOf(c.Model)
	_, outputs := ours.Split.Head.Dims()
	f.Warn(first, len(ours.Data.YNames), outputs, c.Examples == "", c.Model == "")
	if err := f.Compare(first, all, theirs); err != nil {
		return nil, err
	}
	return first, nil
}

// model trains the net where none is given, before the data are bounded.
func (c *reproduceCmd) model(ctx context.Context, e *env, m *measurement, f paper.Figure, dir string) error {
	if c.Model != "" {
		return nil // it was read before the data
	}
	data, err := openAlone(measure.Inputs{Path: c.Data, Part: string(dataset.Train), Seed: c.Seed})
	if err != nil {
		return err
	}
	recipe, _ := training.RecipeOf(f.Net)
	recipe.Epochs, recipe.Seed, recipe.Files = cmp.Or(c.Epochs, recipe.Epochs), c.Seed, e.files
	if _, err := recipe.Build(data.Shape); err != nil {
		return usage(fmt.Errorf("--data %s: %w", c.Data, err), "")
	}
	trained, err := e.pool.Run(ctx, recipe.Stage(dir, data, c.Resume, func(ctx context.Context, r training.Recipe) (*training.Fitted, error) {
		return fit(ctx, e, dir, r, data, m.Data)
	}))
	switch {
	case err != nil && ctx.Err() != nil && exists(filepath.Join(dir, training.UnfinishedFolder)):
		return &run.InterruptedError{Kept: training.KeptEpochs, Cause: ctx.Err()}
	case err != nil:
		return err
	}
	path, err := training.Unpack(e.files, trained, dir)
	if err != nil {
		return err
	}
	net, err := readFlags{Preprocess: "none"}.open(path)
	if err == nil {
		m.Graph = net.Graph
		m.origin.Model = report.Model{Path: modelFile, SHA256: net.SHA256} // beside the report
	}
	return err
}
