package verify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/nn"
	"tattle/internal/file"
	"tattle/internal/protect/bound"
	"tattle/internal/protect/measure"
	"tattle/internal/protect/release"
	"tattle/internal/report"
	"tattle/internal/run"
)

// A request is a measure.Request as a report describes it, with the files that were found.
type request struct {
	measure.Request
	*recomputed
	setup  *measure.Setup // as the report has it
	read   *measure.Model // nil if the model is absent
	reader *measure.Model // for which inputs are read
	train  *dataset.Set   // the training data, if something was computed from them; nil if they are absent
}

// bounds makes a report on a release again.
func (v *recomputed) bounds(ctx context.Context) error {
	s, err := measure.SetupOf(v.was)
	if err != nil || s.Bounds == nil {
		return mismatch("%s: request: the report does not say what was bounded", v.dir)
	}
	if err := v.complete(s); err != nil {
		return err
	}
	limit := &s.Reading.Limit.Indices
	if *limit != "" && !file.Exists(*limit) { // it may have moved with the run
		moved := filepath.Join(v.dir, filepath.Base(*limit))
		if !file.Exists(moved) {
			return &file.NotFoundError{Path: *limit, Give: "put the indices of the measured examples back, or into the folder of the run"}
		}
		*limit = moved
	}
	q := &request{Request: measure.Request{Release: s.Release.Again(), Seed: v.was.Seed, Draws: s.Draws, Memory: cmp.Or(v.Memory, bound.DefaultMemory)}, recomputed: v, setup: s}
	split, err := q.open(ctx)
	if err != nil {
		return err
	}
	v.release = &Release{v.was, s, split.Front.Graph(), split.Head.Graph(), q.Experiment.Noise}
	m := &measure.Measured{Split: split}
	if q.Data != nil {
		if m.Utility, err = q.SetUtility(ctx, split, v.dir, v.Progress); err != nil {
			return err
		}
	}
	if q.read == nil { // the original model answers too
		m.Utility = nil
	}
	if err := q.certificates(ctx, split); err != nil || len(v.found) > 0 {
		return err
	}
	lists, err := q.limits(ctx, split)
	if err != nil {
		return err
	}
	if err := q.derive(m, lists); err != nil {
		return err
	}
	_, err = run.Interruptible(ctx, func() (struct{}, error) { return struct{}{}, q.remake(ctx, m) })
	q.standing()
	return err
}

// complete returns an error if a report on bounds lacks what is recomputed from, or a file of the run is not as it says.
func (v *recomputed) complete(s *measure.Setup) error {
	if len(v.was.Files) == 0 || v.was.Files[0].Name != bound.ArraysFile {
		return mismatch("%s: files: the first must be %s", v.dir, bound.ArraysFile)
	}
	if _, err := s.Release.Again().Noise(1, 1, v.dir); errors.Is(err, release.ErrFamily) {
		return fmt.Errorf("%s: written by tattle %s, and this version has %w: use that version, or run the command again", filepath.Join(v.dir, report.FileJSON), v.was.Version, err)
	}
	if part := v.was.Data.Part; part != string(dataset.Train) && part != string(dataset.Test) {
		return mismatch("%s: data.part is %q; it must be %s or %s", v.dir, part, dataset.Train, dataset.Test)
	}
	return v.unchanged(v.was.Files[1:]) // the arrays are compared with the certificates
}

// open finds the model and the data of a report, builds the release and makes the experiment again.
func (q *request) open(ctx context.Context) (s *measure.Split, err error) {
	if q.read, err = q.model(q.setup); err != nil {
		return nil, err
	}
	if q.read != nil {
		q.Graph = q.read.Graph
	}
	if q.setup.Release.HasCovariance {
		if !release.Shapeable(q.Family) {
			return nil, mismatch("%s: the report lists a covariance of %s noise; only gaussian and lattice noise can have one", q.dir, q.Family)
		}
		if q.Spec.Covariance, err = release.ReadCovariance(filepath.Join(q.dir, measure.CovarianceFile)); err != nil {
			return nil, &MismatchError{Err: err}
		}
	}
	if err := q.training(ctx); err != nil {
		return nil, err
	}
	front, head, err := q.graphs(ctx)
	if err != nil {
		return nil, err
	}
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
	if q.reader = q.read; q.read == nil { // the run kept the release
		if q.reader, err = measure.ModelOf(front, q.setup.Reading.OfModel()); err != nil {
			return nil, err
		}
	}
	q.reader.Beside = q.setup.Reading.Beside
	in := q.setup.Reading.OfInputs(q.was.Data.Path, q.was.Data.Part, q.Seed)
	if q.Data, err = q.data(ctx, theData, q.Options.Data, in, q.reader, q.was.Data.SHA256); err != nil {
		return nil, err
	}
	q.OfVectors = q.read != nil && q.read.OfVectors()
	if q.Use = q.setup.Use; q.Use != nil {
		if err := q.views(ctx, in); err != nil {
			return nil, err
		}
	}
	_, n := s.Front.Dims()
	noise, err := q.Noise(q.Sigma, n, q.dir)
	if err != nil {
		return nil, mismatch("%s: %w", q.dir, err)
	}
	q.Experiment, err = q.experiment(front.InputShape)
	q.Experiment.Noise, q.Experiment.Queries = noise, q.Queries
	q.Experiment.Memory, q.Experiment.Features = q.Memory, n
	return s, err
}

// views opens other views of the data, if the report has some. What vectors are used for is not looked at without the model,
// the data or these.
func (q *request) views(ctx context.Context, in measure.Inputs) error {
	if err := q.Use.Check(); err != nil {
		return mismatch("request.use: %w", err)
	}
	if q.read == nil || q.Data == nil {
		q.Use = nil
		return nil
	}
	in.Path = q.was.Data.Path
	views, err := measure.OpenViews(q.Use, in, q.Data, func(in measure.Inputs) (*dataset.Set, error) {
		set, _, err := in.Open(ctx, q.read, q.Progress.Of("reading the views"))
		return set, err
	})
	path := q.Use.Views
	switch {
	case err != nil && ctx.Err() == nil && path != release.ViewsMirror && path != "" && !file.Exists(path):
		q.absent = append(q.absent, q.missing(theViews, path))
		q.Use = nil
		return nil
	case err != nil:
		return &MismatchError{Err: err}
	}
	q.Views = views
	return nil
}

// training opens the training data of a learned projection or of the noise, if the model is there.
func (q *request) training(ctx context.Context) (err error) {
	from, scaling := q.setup.Learned, q.setup.Release.FromTraining
	switch {
	case !scaling && !q.Spec.Learned():
		return nil
	case from.SHA256 == "":
		return mismatch("the report says that the noise or the projection was computed from training data, and names none")
	case q.read == nil:
		q.absent = append(q.absent, theTraining.gone())
	default:
		q.train, err = q.data(ctx, theTraining, q.TrainingData, q.learned(q.setup, from.Name), q.read, from.SHA256)
	}
	switch {
	case scaling && q.train != nil:
		q.ScaleBy(q.train)
	case scaling:
		q.take("THE NOISE: that its strength was computed from training data", q.absence())
	}
	return err
}

// experiment makes the experiment again that the report describes.
func (q *request) experiment(shape []int) (e bound.Experiment, err error) {
	shape = inputShape(q.was, shape)
	var of bound.Coordinates
	if r := q.setup.Bounds.Vectors; r != nil {
		var path string
		if path, err = theVectors.file(r.Name, q.Coordinates, r.SHA256); err == nil {
			of, err = measure.OpenVectors(path, filepath.Base(r.Name), nn.Size(shape))
		}
	} else {
		of, err = measure.OpenCoordinates(q.setup.Bounds.Coordinates, shape, q.setup.Data.Columns)
	}
	if err != nil {
		return e, err
	}
	if e, err = q.setup.Experiment(of, q.Data, shape, q.was.Data.Examples, q.Seed); err != nil {
		err = &MismatchError{Err: err}
	}
	return e, err
}

// inputShape returns the shape of the data, because a model may take its inputs, of the
// given shape, as a plain vector.
func inputShape(r *report.Report, model []int) []int {
	if s := r.Data.Shape; len(s) > 0 && len(s) <= 3 && slices.Min(s) > 0 && slices.Max(s) <= nn.Size(model) && nn.Size(s) == nn.Size(model) {
		return s
	}
	return model
}
