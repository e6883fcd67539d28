package verify

import (
	"context"
	"os"
	"path/filepath"
	"slices"

	"tattle/bound"
	"tattle/dataset"
	"tattle/internal/file"
	"tattle/internal/report"
	"tattle/measure"
	"tattle/nn"
	"tattle/release"
	"tattle/run"
)

// A request is a measure.Request as a report describes it, with the files that were found.
type request struct {
	measure.Request
	setup  *measure.Setup // as the report has it
	arrays report.File    // of the bounds
	read   *measure.Model // nil if the model is absent
	train  *dataset.Set   // the training data, if something was computed from them; nil if they are absent
	notes  []string       // on how the data were read
}

// open finds the model and the data of a report; the data are nil if they are absent.
func (o *Options) open(ctx context.Context, dir string, r *report.Report, setup *measure.Setup) (q *request, s *measure.Split, err error) {
	q = &request{Request: measure.Request{Release: setup.Release.Of(r.Seed), Seed: r.Seed, Draws: setup.Draws, Memory: o.memory()}, setup: setup, arrays: r.Files[0]}
	if q.read, err = o.model(dir, r, setup); err != nil {
		return nil, nil, err
	}
	if q.read != nil {
		q.Graph = q.read.Graph
	}
	if err := q.covariance(dir, r); err != nil {
		return nil, nil, err
	}
	if err := o.training(ctx, r, q); err != nil {
		return nil, nil, err
	}
	front, head, err := q.graphs(ctx, dir, r)
	if err != nil {
		return nil, nil, err
	}
	if s, err = q.split(r, front, head); err != nil {
		return nil, nil, err
	}
	if q.Data, err = o.data(ctx, r, q, front); err != nil {
		return nil, nil, err
	}
	noise, err := q.noise(dir, r, s.Front)
	if err != nil {
		return nil, nil, err
	}
	q.Experiment, err = o.experiment(r, q, front.InputShape)
	_, n := s.Front.Dims()
	q.Experiment.Noise, q.Experiment.Queries = noise, q.Queries
	q.Experiment.Memory, q.Experiment.Features = q.Memory, n
	return q, s, err
}

// split joins both sides of the release.
func (q *request) split(r *report.Report, front, head *nn.Graph) (s *measure.Split, err error) {
	node, whole := q.setup.Node, q.Graph
	if q.Graph != nil && q.Spec.Surface != release.SurfaceFeatures {
		if node, err = q.NodeOf(q.Graph); err != nil {
			return nil, err
		}
	}
	if q.AsIs() {
		whole = nil
	}
	if s, err = measure.NewSplit(node, front, head, whole); err != nil {
		return nil, err
	}
	s.LimitMemory(q.Memory)
	return s, nil
}

// covariance reads the covariance of the noise, if it has one, from the file of the run.
func (q *request) covariance(dir string, r *report.Report) (err error) {
	const name = measure.CovarianceFile
	if !q.setup.Release.Covariance {
		return nil
	}
	if !release.Shapeable(q.Family) {
		return mismatch("%s: the report lists a covariance of %s noise; only gaussian and lattice noise can have one", dir, q.Family)
	}
	if err := unchangedFile(dir, r, name); err != nil {
		return err
	}
	if q.Spec.Covariance, err = release.ReadCovariance(filepath.Join(dir, name)); err != nil {
		return mismatch("%w", err)
	}
	return nil
}

// noise makes the noise again. If it is a table, its file must be the run's.
func (q *request) noise(dir string, r *report.Report, front *nn.Net) (release.Noise, error) {
	if file, ok := q.Table(); ok {
		if err := unchangedFile(dir, r, file); err != nil {
			return nil, err
		}
	}
	_, n := front.Dims()
	noise, err := q.Noise(q.Sigma, n, dir)
	if err != nil {
		return nil, mismatch("%s: %w", dir, err)
	}
	return noise, nil
}

// model opens the model that the report names: nil, with a warning, if it is absent and the
// run kept the release.
func (o *Options) model(dir string, r *report.Report, s *measure.Setup) (*measure.Model, error) {
	path := o.Model
	if path == "" {
		path = r.Model.Path
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
	}
	if _, kept := keptFile(r, measure.FrontFile); kept && o.Model == "" && !file.Exists(path) {
		o.warn("the model is not at %s: its accuracy is taken from the report as it is", path)
		return nil, nil
	}
	m, err := measure.OpenModel(path, s.Reading.OfModel())
	if err != nil {
		return nil, unread("Model", "name the model with --model", err)
	}
	if m.SHA256 != r.Model.SHA256 {
		return nil, unlike(path, m.SHA256, r.Model.SHA256, "name the right model with --model")
	}
	return m, nil
}

// reader returns the model for which inputs are read.
func (q *request) reader(front *nn.Graph) (*measure.Model, error) {
	read := q.read
	if read == nil { // the run kept the release
		var err error
		if read, err = measure.ModelOf(front, q.setup.Reading.OfModel()); err != nil {
			return nil, err
		}
	}
	read.Beside = q.setup.Reading.Beside
	return read, nil
}

// data opens the data to compare inputs with: nil, with a warning, if they are absent.
func (o *Options) data(ctx context.Context, r *report.Report, q *request, front *nn.Graph) (*dataset.Set, error) {
	path := o.Data
	if path == "" {
		path = r.Data.Path
		if _, err := os.Stat(path); err != nil && path != dataset.KindGlyphs {
			o.warn("the data set is not at %s: inputs are taken from the run as they are", path)
			return nil, nil
		}
	}
	read, err := q.reader(front)
	if err != nil {
		return nil, err
	}
	in := q.setup.Reading.OfInputs(path, r.Data.Part, r.Seed)
	if o.Labels != "" {
		in.Labels = o.Labels
	}
	set, notes, err := in.Open(ctx, read, o.progress("reading the data"))
	if err != nil {
		return nil, unread("Data", "", err)
	}
	if set.SHA256 != r.Data.SHA256 {
		return nil, unlike(path, set.SHA256, r.Data.SHA256, "name the right data with --data")
	}
	q.notes = append(read.Notes(), notes...)
	return set, nil
}

// training opens the training data of a learned projection or of the noise, if the model is there: it
// leaves q.train nil if the data are absent.
func (o *Options) training(ctx context.Context, r *report.Report, q *request) error {
	path, hash, scaling := q.setup.Learned.Name, q.setup.Learned.SHA256, q.setup.Release.FromTraining
	if (scaling || q.Spec.Learned()) && hash == "" {
		return mismatch("the report says that the noise or the projection was computed from training data, and names none")
	}
	if !q.Spec.Learned() && !scaling || q.read == nil || hash == "" {
		return nil
	}
	set, err := o.openLearned(ctx, o.learned(r, q.setup, path), q.read, hash, "training data", "the training data are not at %s: what was computed from them is taken from the run as it is")
	if set == nil {
		return err
	}
	q.train = set
	if scaling {
		q.ScaleBy(set)
	}
	return nil
}

// openLearned opens training data or candidates: nil, with a warning, if they are absent.
func (o *Options) openLearned(ctx context.Context, in measure.Inputs, read *measure.Model, hash, what, absent string) (*dataset.Set, error) {
	set, _, err := in.Open(ctx, read, o.progress("reading the data"))
	switch {
	case err != nil && o.TrainingData == "" && ctx.Err() == nil:
		o.warn(absent, file.Name(in.Path))
		return nil, nil
	case err != nil:
		return nil, unread("TrainingData", "", err)
	case set.SHA256 != hash:
		return nil, unlike(in.Path, set.SHA256, hash, "name the right "+what+" with --training-data")
	}
	return set, nil
}

// learned returns where the training data or the candidates that were at the path are now, and how they are read.
func (o *Options) learned(r *report.Report, s *measure.Setup, path string) measure.Inputs {
	switch {
	case o.TrainingData != "":
		path = o.TrainingData
	case o.Data != "" && path == r.Data.Path: // another part of the data
		path = o.Data
	}
	in := s.Reading.OfInputs(path, "", r.Seed).Learned()
	if o.Labels != "" {
		in.Labels = o.Labels
	}
	return in
}

// experiment makes the experiment again that the report describes.
func (o *Options) experiment(r *report.Report, q *request, shape []int) (e bound.Experiment, err error) {
	shape = inputShape(r, shape)
	var of bound.Coordinates
	if v := q.setup.Bounds.Vectors; v != nil {
		of, err = o.vectors(v, nn.Size(shape))
	} else {
		of, err = measure.OpenCoordinates(q.setup.Bounds.Coordinates, shape, q.setup.Data.BoundColumns())
	}
	if err != nil {
		return e, err
	}
	if e, err = q.setup.Experiment(of, q.Data, shape, r.Data.Examples, r.Seed); err != nil {
		return e, &MismatchError{Err: err}
	}
	return e, nil
}

// inputShape returns the shape of the data, because a model may take its inputs, of the
// given shape, as a plain vector.
func inputShape(r *report.Report, model []int) []int {
	if s := r.Data.Shape; len(s) > 0 && len(s) <= 3 && slices.Min(s) > 0 && slices.Max(s) <= nn.Size(model) && nn.Size(s) == nn.Size(model) {
		return s
	}
	return model
}

// vectors reads the vectors to be reconstructed, which must be the run's.
func (o *Options) vectors(recorded *report.File, p int) (bound.Coordinates, error) {
	path := o.Coordinates
	if path == "" {
		path = recorded.Name
	}
	hash, err := run.Digest(path)
	if err != nil {
		return nil, unread("Coordinates", "name the vectors with --coordinates", err)
	}
	if hash != recorded.SHA256 {
		return nil, unlike(path, hash, recorded.SHA256, "name the right vectors with --coordinates")
	}
	return measure.OpenVectors(path, filepath.Base(recorded.Name), p)
}
