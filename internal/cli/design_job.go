package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/nn"
	"tattle/internal/engine/nn/zoo"
	"tattle/internal/engine/onnx"
	"tattle/internal/file"
	"tattle/internal/npy"
	"tattle/internal/protect/design"
	"tattle/internal/protect/measure"
	"tattle/internal/protect/release"
	"tattle/internal/report"
	"tattle/internal/run"
)

// A designJob is a search whose flags are checked and whose files are open.
type designJob struct {
	*designCmd
	model        *measure.Model
	use          *release.Use
	views        *dataset.Set // of the test data
	learnedViews *dataset.Set // of the training data
	origin       measure.Origin
	in           measure.Inputs
	data         *dataset.Set
	measured     []int64 // of the data without a limit: indices of the inputs of the final measurement; nil: those that are read
	training     *dataset.Set
	options      design.Options
}

// job checks the flags and opens model and data.
func (c *designCmd) job(ctx context.Context, e *env) (*designJob, error) {
	o, err := c.options()
	if err != nil {
		return nil, err
	}
	j := &designJob{designCmd: c}
	if err := j.open(ctx, e, o); err != nil {
		return nil, err
	}
	if _, err := measure.ChooseExamples("Examples", c.Examples, j.data.Len(), c.Seed); err != nil {
		return nil, err
	}
	if err := j.learn(ctx, e); err != nil {
		return nil, err
	}
	if err := j.forPromise(&o); err != nil {
		return nil, err
	}
	if o.Nodes, err = j.nodes(); err != nil {
		return nil, err
	}
	j.options = o
	return j, nil
}

// nodes returns the nodes whose output can be released.
func (j *designJob) nodes() ([]string, error) {
	g := j.model.Graph
	switch {
	case j.model.Vectors():
		return []string{zoo.VectorNode}, nil
	case j.Features == "":
		node, err := g.FeatureNode()
		if err != nil {
			return nil, usage(fmt.Errorf("%s: %w", j.Model, err), "name the node whose output is released with --features")
		}
		return []string{node}, nil
	case j.Features == "all":
		return design.Cuts(g)
	}
	nodes := strings.Split(j.Features, ",")
	for _, node := range nodes {
		if _, _, err := cutAt(g, node); err != nil {
			return nil, err
		}
	}
	return nodes, nil
}

// forPromise adds to the options what a promise needs of the data.
func (j *designJob) forPromise(o *design.Options) error {
	if o.Candidates == 0 {
		o.Candidates = j.training.Len()
	}
	whole := design.Whole(j.training, o.Candidates, o.Seed)
	if whole < 2 {
		return usage(fmt.Errorf("--identify: a list of %d inputs has no room for two people with all of their inputs", o.Candidates), "give more candidates after @")
	}
	o.Candidates = whole
	if levels := measure.GreyLevels(j.data); levels > 0 {
		o.GreyLevels = levels
		o.Floor /= levels
	}
	if o.Identify > 0 {
		if err := j.setApart(o); err != nil {
			return err
		}
	}
	o.Settle(j.training, j.data)
	return nil
}

// open opens model and data.
func (j *designJob) open(ctx context.Context, e *env, o design.Options) (err error) {
	var path string
	if j.model, path, j.use, err = j.sourceFlags.open(); err != nil {
		return err
	}
	if !j.model.Vectors() {
		if err := differentiable(j.model, j.model.Graph); err != nil {
			return err
		}
	}
	j.in = j.inputFlags.of(path, j.partFlags, j.Seed)
	j.in.Vectors, j.in.Columns = j.sourceFlags.Vectors != "", j.Columns
	if len(j.in.Sensitive) == 0 && j.in.Vectors {
		for _, p := range o.Protect {
			j.in.Sensitive = append(j.in.Sensitive, p.Attribute)
		}
		j.inputFlags.Sensitive = j.in.Sensitive
	}
	var notes []string
	if j.data, notes, err = openInputs(ctx, e, j.in, j.model); err != nil {
		return err
	}
	j.origin = originOf(j.model, j.in, j.data, notes)
	if j.use != nil {
		if j.views, err = measure.OpenViews(j.use, j.in, j.data, e.opener(ctx, j.model)); err == nil && j.model.Vectors() {
			err = measure.Purpose{Use: j.use, Data: j.data, Views: j.views}.Check(ctx)
		}
		return err
	}
	if !j.data.Labelled() {
		return usage(fmt.Errorf("%s: the examples have no labels, and design weighs confidentiality against accuracy", j.Data), "name the labels with --labels and --target")
	}
	j.use, err = e.useOf(ctx, j.model, j.in, j.data, true)
	return err
}

// learn opens the training data.
func (j *designJob) learn(ctx context.Context, e *env) (err error) {
	j.training, _, _, err = openTraining(j.TrainingData, "a promise about every adversary", j.in, j.data, e.opener(ctx, j.model))
	if err != nil || j.use == nil || j.use.Views == "" {
		return err
	}
	if j.TrainingData != "" && j.use.Views != release.ViewsMirror {
		return usage(errors.New("--views are of one file of data: leave --training-data out"), "")
	}
	use := *j.use
	use.SHA256 = ""
	j.learnedViews, err = measure.OpenViews(&use, j.in, j.training, e.opener(ctx, j.model))
	return err
}

// hashes are what a resumed search must share besides its settings.
func (j *designJob) hashes() map[string]string {
	return map[string]string{"model": j.model.SHA256, "data": j.data.SHA256, "training data": j.training.SHA256}
}

// apartShare: one test input in so many is for the search; the final measurement is of the others.
const apartShare = 5

// setApart takes inputs for the search from the test data. j.measured are the indices of the others
// in the data without --limit.
func (j *designJob) setApart(o *design.Options) error {
	n := j.data.Len()
	if people := design.People(j.data); people < apartShare {
		have := report.Many(n, "test input")
		if j.data.Group != nil {
			have += fmt.Sprintf(" of %d people", people)
		}
		return usage(fmt.Errorf("--data: %s: some set the strength of the noise, and the others are measured", have), fmt.Sprintf("give at least %d", apartShare))
	}
	order := run.Rand(j.Seed, 0, streamApart).Perm(n)
	apart, rest := order[:n/apartShare], order[n/apartShare:]
	if j.data.Group != nil {
		apart, rest = measure.DividePeople(j.data, apartShare, j.Seed^streamApart)
	}
	slices.Sort(rest)
	for _, i := range rest {
		j.measured = append(j.measured, int64(j.data.InPart[i]))
	}
	o.Fresh, j.data = j.data.Subset(apart), j.data.Subset(rest)
	if j.views != nil {
		j.views = j.views.Subset(rest)
	}
	j.origin.Data.SHA256 = j.data.SHA256
	return nil
}

// streamApart numbers the random stream that sets inputs apart.
const streamApart = 17

// measuredFile has, in the folder of a run, the indices of the inputs of the final measurement.
const measuredFile = "measured.npy"

// keep searches, measures the answer and reports.
func (j *designJob) keep(ctx context.Context, e *env, dir string) (*report.Report, error) {
	o := j.options
	o.Dir, o.Resume, o.Pool, o.Progress = filepath.Join(dir, searchDir), j.Resume, e.pool, e.bars.Set
	o.Hashes, o.Use, o.Views = j.hashes(), j.use, j.learnedViews
	a, err := design.Search(ctx, j.model.Graph, j.training, j.data, o)
	if err != nil {
		return nil, err
	}
	x := design.Run{Options: o, Answer: a, OfVectors: j.model.Vectors()}
	r := report.New("", e.command(), j.Seed)
	r.Model, r.Data = j.origin.Model, j.origin.Data
	if a.Best != nil {
		if r, err = j.measure(ctx, e, dir, &x); err != nil {
			return nil, err
		}
	}
	if err := x.Add(r); err != nil {
		return nil, err
	}
	if !r.Has("promise.none") && !r.Has("limit.missed") && !r.Has("limit.lacks") {
		return r, nil
	}
	return r, finding(errors.New("nothing that was tried keeps the promise"), "promise less, or try other methods, nodes (--features all) and numbers of released values (--keep)")
}

// measure writes the model of the answer into dir, and measures it there as tattle bound does.
func (j *designJob) measure(ctx context.Context, e *env, dir string, p *design.Run) (*report.Report, error) {
	path := filepath.Join(dir, modelFile)
	g := p.Answer.Model
	if of := j.model.Graph.Metadata[dataset.TrainedOn]; of != "" {
		g.Metadata = map[string]string{dataset.TrainedOn: of}
	}
	if g.Metadata = dataset.RecordTraining(g.Metadata, j.training); j.model.Vectors() {
		measure.RecordVectors(g)
	}
	if err := onnx.WriteIn(e.files, path, g); err != nil {
		return nil, err
	}
	limit := j.in.Limit
	if len(j.measured) > 0 {
		limit.Indices = absolute(filepath.Join(dir, measuredFile))
		err := e.files.Write(limit.Indices, func(w io.Writer) error { return npy.Write(w, []int{len(j.measured)}, j.measured) })
		if err != nil {
			return nil, err
		}
	}
	b, err := j.answer(absolute(path), limit, p)
	if err != nil {
		return nil, err
	}
	m, err := b.measurement(ctx, e)
	if err != nil {
		return nil, err
	}
	if m, err = m.enough(ctx, e, filepath.Join(dir, searchDir, "look"), *p); err != nil {
		return nil, err
	}
	p.Answer.Best.Sigma, b.Sigma = m.Sigma, m.Sigma
	p.Command = file.NearCommandLine(append([]string{"tattle", "bound"}, flagsOf(b)...))
	if j.onLattice() {
		p.Pack = file.NearCommandLine([]string{"tattle", "guard", "pack", absolute(dir)})
	}
	m.resume = j.Resume
	r, err := m.run(ctx, e, dir)
	if err != nil {
		return nil, err
	}
	return r, j.utility(ctx, dir, r, p)
}

// enough looks at the answer with more and more noise, until the promise is kept. It returns the
// measurement of the first strength that keeps it, or of the first of all if none does. What a look
// writes goes into dir.
func (m *measurement) enough(ctx context.Context, e *env, dir string, p design.Run) (*measurement, error) {
	if err := e.files.MkdirAll(dir); err != nil {
		return nil, err
	}
	strengths := design.Strengths(m.Sigma)
	for k, sigma := range strengths {
		look := m.at(sigma, k+1)
		look.Adversaries.Attacks = nil
		look.Adversaries.Lists.SkipAttacks = true
		r, known, err := look.looked(ctx, e, dir)
		if err != nil {
			return nil, err
		}
		if !p.NeedsNoise(r) {
			kept := m.at(sigma, k+1)
			kept.Adversaries.Lists.Known = known
			return kept, nil
		}
	}
	return m.at(strengths[0], 1), nil
}

// at returns the measurement at a strength of the noise, at the look of this number.
func (m *measurement) at(sigma float64, look int) *measurement {
	x, a, l := *m, *m.Adversaries, *m.Adversaries.Lists
	l.Look = look
	a.Lists, x.Adversaries, x.Sigma = &l, &a, sigma
	return &x
}

// utility measures the accuracy of the answer, whose run is in dir, on the test data with
// fresh noise as r has it, and that of the original model.
func (j *designJob) utility(ctx context.Context, dir string, r *report.Report, p *design.Run) error {
	written, err := onnx.Read(filepath.Join(dir, modelFile))
	if err != nil {
		return err
	}
	split := func(g *nn.Graph) (front, head *nn.Graph, err error) {
		spec := release.Spec{Node: design.Node, ClipNorm: p.Answer.Best.Radius}
		if spec.ClipNorm == 0 {
			return spec.Build(ctx, g, nil)
		}
		if front, err = onnx.Read(filepath.Join(dir, measure.FrontFile)); err != nil {
			return nil, nil, err
		}
		if head, err = onnx.Read(filepath.Join(dir, measure.HeadFile)); err != nil {
			return nil, nil, err
		}
		return spec.BuildLike(ctx, g, nil, front, head)
	}
	s, err := measure.SetupOf(r)
	if err != nil {
		return err
	}
	noise := func(values int) (release.Noise, error) {
		return s.Release.Again().Noise(p.Answer.Best.Sigma, values, "")
	}
	purpose := measure.Purpose{Use: j.use, Data: j.data, Views: j.views}.Measured(j.model.Graph)
	p.Utility, err = p.Answer.Utility(ctx, j.model.Graph, written, split, purpose, p.Options.Tasks, noise, j.Seed)
	return err
}
