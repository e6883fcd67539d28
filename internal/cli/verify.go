package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"tattle/bound"
	"tattle/dataset"
	"tattle/internal/file"
	"tattle/measure"
	"tattle/nn"
	"tattle/onnx"
	"tattle/release"
	"tattle/report"
	"tattle/run"
)

type verifyCmd struct {
	Run_         string `arg:"" name:"run" help:"Folder of the run, or its report.json."`
	Model        string `help:"Path of the model, if it has moved." placeholder:"FILE"`
	Data         string `help:"Path of the data, if they have moved." placeholder:"PATH"`
	Labels       string `help:"Path of their labels, if they have moved." placeholder:"FILE"`
	TrainingData string `help:"Path of the training data of a principal projection, if they have moved." placeholder:"PATH"`
	Coordinates  string `help:"Path of the vectors to be reconstructed, if they have moved." placeholder:"FILE"`
	Independent  bool   `help:"Also check bounds with a second implementation (piecewise linear models, Gaussian or Laplace noise)."`
	memoryFlag
}

func (verifyCmd) Help() string {
	return `Example: tattle verify tattle-bound

Recomputes the report from its settings, the model, the data and the files of the run, and compares every value in report.json. Of a run of bounds it builds the release again from the model and compares it with release.onnx and head.onnx, recomputes every certificate from the stored witness (with --independent also by a second implementation, which finds errors of the first), and every other figure and sentence from the certificates. Of an audit it repeats the audit on the outputs that the run kept. Of every other run, such as a training or a table, it compares the run's files with their digests in report.json and recomputes no figure. It renders report.html, and the other formats of an audit, again, and compares the files.

What it cannot recompute it lists by name, with the reason, under "not checked". Searches, attacks and trainings are not repeated. If the model is absent, the list begins with the release: the bounds then hold for release.onnx, whatever it was made from.

Exit status: 0 if every value agrees or is on the list, 1 if one does not agree.`
}

func (c *verifyCmd) Run(ctx context.Context, e *env) error {
	dir := c.Run_
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		dir = filepath.Dir(dir)
	}
	document, err := file.ReadFile(filepath.Join(dir, reportJSON))
	if err != nil {
		return usage(err, "give the folder of a finished run")
	}
	r, err := report.ParseJSON(document)
	if err != nil {
		return fmt.Errorf("%s: %w", filepath.Join(dir, reportJSON), err)
	}
	if err := verifiable(dir, r); err != nil {
		return err
	}
	v, err := c.recompute(ctx, e, dir, claimsOf(r))
	if err != nil {
		return err
	}
	found, left, err := v.compare(document, r)
	if err != nil {
		return finding(fmt.Errorf("%s: %w", filepath.Join(dir, reportJSON), err), "")
	}
	if len(found) == 0 {
		if found, err = renderedOtherwise(dir, r); err != nil {
			return err
		}
	}
	return v.conclude(e, found, left)
}

// verifiable returns an error if a report lacks what verify takes.
func verifiable(dir string, r *report.Report) error {
	switch {
	case r.Audit != nil && len(r.Rendered) == 0:
		return cmp.Or(notEvidence(dir, r), lacking(dir, "rendered"))
	case r.Audit != nil:
		if r.Asked == nil || r.FailOn == nil {
			return lacking(dir, "asked, fail_on")
		}
		return nil
	case r.Asked != nil || r.FailOn != nil:
		return lacking(dir, "audit")
	case !hasBounds(r) && len(r.Rendered) == 0:
		return lacking(dir, "rendered")
	case !hasBounds(r):
		return nil
	case r.Experiment == nil:
		return lacking(dir, "experiment")
	case len(r.Arrays) == 0:
		return lacking(dir, "arrays")
	case r.Release.NoBounds != "":
		return finding(fmt.Errorf("%s: the report has bounds, and says that none holds for this release", dir), "")
	}
	if s := r.Data.Split; s != string(dataset.Train) && s != string(dataset.Test) {
		return finding(fmt.Errorf("%s: data.split is %q; it must be %s or %s", dir, s, dataset.Train, dataset.Test), "")
	}
	for key, lacks := range map[string]bool{"rendered": len(r.Rendered) == 0, "experiment.rounding": r.Experiment.Rounding == "", "experiment.runtime_error": r.Experiment.Runtime.From == "",
		"data.range": r.Data.Range == nil, "data.stored": r.Data.Stored == nil, "release.noise.spec": r.Release.Noise.Spec == ""} {
		if lacks {
			return lacking(dir, key)
		}
	}
	return nil
}

// hasBounds reports whether a report is on bounds, which are recomputed.
func hasBounds(r *report.Report) bool {
	return r.Experiment != nil || r.Design == nil && len(r.Bounds) > 0
}

// lacking says that a report lacks a field.
func lacking(dir, field string) error {
	return finding(fmt.Errorf("%s: the report lacks %s", dir, field), "")
}

// recompute makes the report again from what claims say, the model, the data and the
// files of the run. claims hold what decides the figures and none of the figures, so
// that none can be taken over by mistake.
func (c *verifyCmd) recompute(ctx context.Context, e *env, dir string, claims *report.Report) (*recomputed, error) {
	remake := c.files
	switch {
	case claims.Audit != nil:
		remake = c.audit
	case hasBounds(claims):
		remake = c.bounds
	}
	v, err := remake(ctx, e, dir, claims)
	if v != nil {
		v.dir = dir
	}
	return v, err
}

// notEvidence refuses an evidence pack, whose report lists arrays that stayed in the
// folder of the run.
func notEvidence(dir string, r *report.Report) error {
	if _, err := os.Stat(filepath.Join(dir, evidenceSums)); err != nil {
		return nil
	}
	for _, a := range r.Arrays {
		if _, err := os.Stat(filepath.Join(dir, filepath.Base(a.File))); errors.Is(err, os.ErrNotExist) {
			return usage(fmt.Errorf("%s: an evidence pack holds less than an audit is computed from: there is no %s", dir, file.Name(a.File)), "verify takes the folder of the run; in a pack, sha256sum -c SHA256SUMS checks the bytes")
		}
	}
	return nil
}

// A remeasured is a request as a report describes it, with the files that were found.
type remeasured struct {
	measure.Request
	read  *measure.Model // nil where the model is absent
	notes []string       // on how the data were read
}

// open finds the model and the data of a report; the data are nil where they are
// not there any more.
func (c *verifyCmd) open(ctx context.Context, e *env, dir string, r *report.Report) (m *remeasured, s *measure.Split, err error) {
	m = &remeasured{Request: measure.Request{Release: r.MeasuredRelease(), Seed: r.Seed, Memory: c.bytes()}}
	if m.read, err = c.model(e, dir, r); err != nil {
		return nil, nil, err
	}
	if m.read != nil {
		m.Graph = m.read.Graph
	}
	if err := c.training(ctx, e, r, m); err != nil {
		return nil, nil, err
	}
	front, head, err := c.graphs(ctx, e, dir, r, m)
	if err != nil {
		return nil, nil, err
	}
	node, whole := r.Model.FeatureNode, m.Graph
	if m.Graph != nil && m.Spec.Surface != release.SurfaceFeatures {
		if node, err = m.NodeOf(m.Graph); err != nil {
			return nil, nil, err
		}
	}
	if m.AsIs() {
		whole = nil
	}
	if s, err = measure.NewSplit(node, front, head, whole); err != nil {
		return nil, nil, err
	}
	s.LimitMemory(m.Memory)
	if m.Data, err = c.data(ctx, e, r, m, front); err != nil {
		return nil, nil, err
	}
	if err := c.noise(dir, r, m, s.Front); err != nil {
		return nil, nil, err
	}
	noise := m.Experiment.Noise
	m.Experiment, err = c.experiment(r, m.Data, front.InputShape)
	_, n := s.Front.Dims()
	m.Experiment.Noise, m.Experiment.Queries = noise, m.Queries
	m.Experiment.Memory, m.Experiment.Features = m.Memory, n
	return m, s, err
}

// noise makes the noise again, whose file, where it is of one, must be the run's.
func (c *verifyCmd) noise(dir string, r *report.Report, m *remeasured, front *nn.Net) error {
	if file, ok := m.Table(); ok {
		kept, ok := keptFile(r, file)
		if !ok {
			return finding(fmt.Errorf("%s: the report does not list %s", dir, file), "")
		}
		if err := unchanged(dir, kept); err != nil {
			return err
		}
	}
	_, n := front.Dims()
	noise, err := m.Noise(m.Sigma, n, dir)
	if err != nil {
		return finding(fmt.Errorf("%s: %w", dir, err), "")
	}
	m.Experiment.Noise, m.Experiment.Queries = noise, m.Queries
	return nil
}

// unchanged errs where a file of the run is not what its report says.
func unchanged(dir string, kept report.Arrays) error {
	if !filepath.IsLocal(kept.File) {
		return finding(fmt.Errorf("%s: the report lists %q, which is no file of its folder", dir, kept.File), "")
	}
	path := filepath.Join(dir, kept.File)
	hash, err := run.Digest(path)
	if errors.Is(err, fs.ErrNotExist) {
		return finding(err, "")
	}
	if err != nil {
		return err
	}
	if hash != kept.SHA256 {
		return finding(fmt.Errorf("%s: SHA-256 is %s, the report is about %s", path, hash, kept.SHA256), "")
	}
	return nil
}

// keptGraph reads a graph that the run left beside the report.
func keptGraph(dir string, r *report.Report, name string) (*nn.Graph, error) {
	kept, ok := keptFile(r, name)
	if !ok {
		return nil, finding(fmt.Errorf("%s: the report does not list %s", dir, name), "")
	}
	if err := unchanged(dir, kept); err != nil {
		return nil, err
	}
	return onnx.Read(filepath.Join(dir, name))
}

// keptFile is a file that the run left beside the report.
func keptFile(r *report.Report, name string) (report.Arrays, bool) {
	i := slices.IndexFunc(r.Arrays, func(a report.Arrays) bool { return a.File == name })
	if i < 0 {
		return report.Arrays{}, false
	}
	return r.Arrays[i], true
}

// finding is an error that says of a report that it does not hold.
func finding(err error, hint string) error { return &statusError{statusFinding, err, hint} }

func readReport(dir string) (*report.Report, error) {
	f, err := file.Open(filepath.Join(dir, reportJSON))
	if err != nil {
		return nil, usage(err, "give the folder of a finished run")
	}
	defer f.Close()
	r, err := report.ReadJSON(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name(), err)
	}
	return r, nil
}

// model opens the model that the report names: nil, said aloud, where it is not there
// and the run kept what the bounds are of.
func (c *verifyCmd) model(e *env, dir string, r *report.Report) (*measure.Model, error) {
	path := c.Model
	if path == "" {
		path = r.Model.Path
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
	}
	if _, kept := keptFile(r, measure.FrontFile); kept && c.Model == "" && !exists(path) {
		fmt.Fprintf(e.stderr, "tattle: the model is not at %s: its accuracy is taken from the report as it is\n", path)
		return nil, nil
	}
	m, err := openModel(path, r.Reading.ModelOptions())
	if err != nil {
		return nil, hinted(err, "name the model with --model")
	}
	if m.SHA256 != r.Model.SHA256 {
		return nil, finding(fmt.Errorf("%s: sha256 %s, the report is about %s", path, m.SHA256, r.Model.SHA256), "name the right model with --model")
	}
	return m, nil
}

// reads is the model as inputs are read for it.
func (m *remeasured) reads(r *report.Report, front *nn.Graph) (*measure.Model, error) {
	read := m.read
	if read == nil { // the run kept what the release is of
		var err error
		if read, err = measure.ModelOf(front, r.Reading.ModelOptions()); err != nil {
			return nil, flagged(err, optionFlags)
		}
	}
	read.Beside = r.Reading.Beside
	return read, nil
}

// data opens the data set to compare inputs with: nil, said aloud, where it is
// not there any more.
func (c *verifyCmd) data(ctx context.Context, e *env, r *report.Report, m *remeasured, front *nn.Graph) (*dataset.Set, error) {
	path := c.Data
	if path == "" {
		path = r.Data.Path
		if _, err := os.Stat(path); err != nil && path != glyphsName {
			fmt.Fprintf(e.stderr, "tattle: the data set is not at %s: inputs are taken from the run as they are\n", path)
			return nil, nil
		}
	}
	read, err := m.reads(r, front)
	if err != nil {
		return nil, err
	}
	in := r.Reading.Inputs(path, r.Data.Split, r.Seed)
	if c.Labels != "" {
		in.Labels = c.Labels
	}
	set, notes, err := openInputs(ctx, e, in, read)
	if err != nil {
		return nil, err
	}
	if set.SHA256 != r.Data.SHA256 {
		return nil, finding(fmt.Errorf("%s: sha256 %s, the report is about %s", path, set.SHA256, r.Data.SHA256), "name the right data with --data")
	}
	m.notes = notes
	return set, nil
}

// training opens what a principal projection was learned from, for the model that is
// there to be projected: it leaves m.Adversaries nil where the data are absent.
func (c *verifyCmd) training(ctx context.Context, e *env, r *report.Report, m *remeasured) error {
	path, hash := r.Learned.File, r.Learned.SHA256
	if m.Spec.Projection != release.ProjectionPrincipal || m.read == nil || hash == "" {
		return nil
	}
	if c.TrainingData != "" {
		path = c.TrainingData
	}
	in := r.Reading.Inputs(path, string(dataset.Train), r.Seed)
	in.Limit = ""
	set, err := readInputs(ctx, e, in, m.read)
	if err != nil && c.TrainingData == "" && ctx.Err() == nil {
		fmt.Fprintf(e.stderr, "tattle: the training data are not at %s: the projection is taken from the run as it is\n", path)
		return nil
	}
	if err != nil {
		return err
	}
	if set.SHA256 != hash {
		return finding(fmt.Errorf("%s: sha256 %s, the report is about %s", path, set.SHA256, hash), "name the right training data with --training-data")
	}
	m.Adversaries = &measure.Adversaries{Training: set, TrainingSHA256: set.SHA256}
	return nil
}

// experiment makes the experiment again that the report describes.
func (c *verifyCmd) experiment(r *report.Report, data *dataset.Set, shape []int) (e bound.Experiment, err error) {
	shape = inputShape(r, shape)
	var of bound.Coordinates
	if v := r.Vectors; v != nil {
		of, err = c.vectors(v, nn.Size(shape))
	} else {
		of, _, err = coordinates(r.Coordinates, shape)
	}
	if err != nil {
		return e, err
	}
	if e, err = r.BoundExperiment(of, data, shape); err != nil {
		return e, finding(err, "")
	}
	return e, nil
}

// inputShape is the shape of the data, since a model may take its inputs, of the given
// shape, as a plain vector.
func inputShape(r *report.Report, model []int) []int {
	if s := r.Data.Shape; len(s) > 0 && len(s) <= 3 && slices.Min(s) > 0 && slices.Max(s) <= nn.Size(model) && nn.Size(s) == nn.Size(model) {
		return s
	}
	return model
}

// vectors reads the run's own vectors, which must be those it had.
func (c *verifyCmd) vectors(recorded *report.Arrays, p int) (bound.Coordinates, error) {
	path := c.Coordinates
	if path == "" {
		path = recorded.File
	}
	hash, err := run.Digest(path)
	if err != nil {
		return nil, hinted(err, "name the vectors with --coordinates")
	}
	if hash != recorded.SHA256 {
		return nil, finding(fmt.Errorf("%s: sha256 %s, the report is about %s", path, hash, recorded.SHA256), "name the right vectors with --coordinates")
	}
	of, err := measure.OpenVectors(path, filepath.Base(recorded.File), p)
	return of, flagged(err, optionFlags)
}
