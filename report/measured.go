package report

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"time"

	"tattle/bound"
	"tattle/dataset"
	"tattle/internal/simd"
	"tattle/measure"
	"tattle/release"
)

// New starts the report of a command.
func New(title, command string, seed uint64) *Report {
	return &Report{
		Schema:         Schema,
		Version:        ProgramVersion(),
		Title:          title,
		Command:        command,
		Seed:           seed,
		Settings:       map[string]string{"kernels": simd.Accelerated()},
		Timing:         map[string]Number{},
		Warnings:       []string{},
		Reconstruction: Reconstruction{Bounds: []bound.Summary{}},
	}
}

// An Origin says where the model and the data of a measurement came from, and how they were
// read.
type Origin struct {
	Model   Model // Path and SHA256
	Data    Data
	Reading Reading
	Learned Arrays  // the training data
	Vectors *Arrays // the file of the coordinates; nil for built-in ones
}

// ReadingOf returns how model and data were read. m may be nil: read with no options.
func ReadingOf(m *measure.Model, in measure.Inputs) Reading {
	in.Path, in.Split, in.Seed = "", "", 0
	l := Reading{Inputs: in}
	if m == nil {
		return l
	}
	if l.ModelOptions, l.Beside = m.Options, m.Beside; m.Preprocess.IsZero() {
		l.Preprocess = ""
	}
	return l
}

// OfModel returns the options with which the model was read.
func (l Reading) OfModel() measure.ModelOptions {
	o := l.ModelOptions
	if o.Preprocess == "" {
		o.Preprocess = "none" // whatever is beside the model now
	}
	return o
}

// OfInputs returns what was read of data at the path.
func (l Reading) OfInputs(path, split string, seed uint64) measure.Inputs {
	in := l.Inputs
	in.Path, in.Split, in.Seed = path, split, seed
	return in
}

// ReleaseTitle is the title of the report on a release of the model at a path.
func ReleaseTitle(l measure.Release, model string) string {
	give := "give"
	if l.Post.Label {
		give = "gives"
	}
	return fmt.Sprintf("What the %s of %s %s away", l.Surface(), filepath.Base(model), give)
}

// SetSubject reports what was measured: model, data and release, with the accuracy.
func (r *Report) SetSubject(q *measure.Request, m *measure.Measured, from Origin) {
	p, n := m.Split.Front.Dims()
	r.Model, r.Data, r.Reading, r.Learned = from.Model, from.Data, from.Reading, from.Learned
	r.Model.Inputs, r.Model.Features, r.Model.FeatureNode = p, n, m.Split.Node
	r.setRelease(q.Release, q.Experiment.Noise, m.RMS)
	r.Release.Noise.FromTraining = q.Scaling != nil
	if q.Data != nil {
		r.setUtility(m.Utility)
	}
}

// SetResults reports bounds and attacks, and concludes. vectors is the file of the
// coordinates, nil for built-in ones; q.Data is nil if the data are absent.
func (r *Report) SetResults(q *measure.Request, m *measure.Measured, vectors *Arrays) error {
	c, band, examples := q.Experiment.Coordinates, q.Experiment.Band, 0
	r.Data.Examples = len(q.Indices)
	if m.Bounds != nil {
		r.setBounds(m.Bounds, q.Data, vectors)
	}
	var attacks *measure.Attacks
	if learned := m.Learned; learned != nil {
		attacks, r.Lists = learned.Attacks, learned.Listed
		for _, why := range learned.LeftOut {
			r.warn("Left out: %s.", why)
		}
		r.AddAttacks(attacks, c, band)
		r.addTiming(learned.Timing)
	}
	for _, f := range m.Files {
		r.Arrays = append(r.Arrays, Arrays{File: f.Name, SHA256: f.SHA256})
	}
	if err := r.setMidRange(m.Bounds); err != nil {
		return err
	}
	r.SetFloorsAndCeilings(m.Bounds, attacks, c)
	if q.Data != nil {
		examples = q.Data.Len()
		if err := r.setGallery(*q, m.Bounds, attacks); err != nil {
			return err
		}
	}
	if q.Adversaries != nil && q.Adversaries.LeftOut != "" {
		r.warn("%s", q.Adversaries.LeftOut)
	}
	r.addTiming(m.Timing)
	r.warnFit(q.Data)
	r.concludeRelease(m.Bounds, examples)
	return nil
}

// addTiming adds how long parts of the work took.
func (r *Report) addTiming(took map[string]time.Duration) {
	for part, d := range took {
		r.Timing[part] = Number(d.Seconds())
	}
}

// DataOf describes a data set, read from a path.
func DataOf(s *dataset.Set, path, split string) Data {
	levels := 0.
	for _, v := range s.Std {
		levels += 255 * float64(v) / float64(len(s.Std))
	}
	return Data{Name: s.Name, Path: path, Split: split, Shape: s.Shape, SHA256: s.SHA256, Examples: s.Len(), GreyLevels: Number(levels), Columns: columnsOf(s)}
}

// unknownUtility is that of examples without labels.
func unknownUtility() Utility {
	nan := Number(math.NaN())
	return Utility{CleanAccuracy: nan, CleanInterval: [2]float64{0, 1}, ReleasedAccuracy: nan, ReleasedInterval: [2]float64{0, 1}}
}

// UtilityOf reports accuracies.
func UtilityOf(u release.Utility) Utility {
	return Utility{
		CleanAccuracy: Number(u.Clean.Fraction), CleanInterval: [2]float64{u.Clean.Interval.Low, u.Clean.Interval.High},
		ReleasedAccuracy: Number(u.Released.Fraction), ReleasedInterval: [2]float64{u.Released.Interval.Low, u.Released.Interval.High},
		Examples: u.Examples, Draws: u.Draws,
	}
}

// setUtility reports accuracies; nil stands for data without labels.
func (r *Report) setUtility(u *release.Utility) {
	if r.Utility = unknownUtility(); u != nil {
		r.Utility = UtilityOf(*u)
	}
}

// setRelease describes a release with that noise. rms is the root mean square of the numbers
// that the noise is added to, NaN if it is not known.
func (r *Report) setRelease(l measure.Release, noise release.Noise, rms float64) {
	r.Release.Noise = describeNoise(l.Family, noise, rms)
	if l.Spec.Covariance != nil {
		r.Release.Noise.Covariance = measure.CovarianceFile
	}
	r.setSurface(l)
	if ok, reason := l.Holds(noise); ok {
		r.Release.Note = reason
	} else {
		r.Release.NoBounds = reason
	}
}

// setSurface describes a release without its noise.
func (r *Report) setSurface(l measure.Release) {
	r.Release.Surface = l.Surface()
	r.Release.Temperature = l.Spec.Temperature
	if l.Spec.Keep > 0 {
		r.Release.Projection = &Projection{Kind: l.Spec.Projection, Keep: l.Spec.Keep}
	}
	if l.Post != (release.Post{}) {
		r.Release.Post = &l.Post
	}
	if l.Queries > 1 {
		r.Release.Queries = l.Queries
	}
}

// describeNoise describes noise of a family; rms is that of what it is added to.
func describeNoise(spec string, n release.Noise, rms float64) Noise {
	family, settings, _ := strings.Cut(spec, ":")
	switch family {
	case "lattice":
		if l, ok := n.(release.Lattice); ok {
			settings = fmt.Sprintf("on multiples of %v, to which the features are rounded after clipping to ±%v", l.Delta, l.Clip)
		}
	case "table":
		settings = filepath.Base(settings)
	}
	return Noise{Family: family, Settings: settings, Spec: spec, Sigma: n.Std(), Scale: Number(n.Std() / rms), Estimated: !n.Certain()}
}

// MeasuredRelease is the release that the report describes.
func (r *Report) MeasuredRelease() measure.Release {
	l := measure.Release{Sigma: r.Release.Noise.Sigma, Queries: max(1, r.Release.Queries), Family: r.Release.Noise.Spec}
	l.Spec = release.Spec{Surface: r.Release.Surface, Temperature: r.Release.Temperature, Seed: r.Seed}
	if p := r.Release.Projection; p != nil {
		l.Spec.Projection, l.Spec.Keep = p.Kind, p.Keep
	}
	if p := r.Release.Post; p != nil {
		l.Post = *p
	}
	if l.Post.Label {
		l.Spec.Surface = release.SurfaceLogits
	}
	return l
}
