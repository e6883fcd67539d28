package cli

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"tattle/nn"
	"tattle/release"
	"tattle/report"
)

// releaseFlags choose what leaves the device.
type releaseFlags struct {
	Surface     string  `help:"What leaves the device: features, logits, probabilities, or label (the largest of the dithered logits, by its place alone)." enum:"features,logits,probabilities,label" default:"features"`
	Features    string  `help:"Node (or tensor) whose output is released (default: the input of the last affine layer)." placeholder:"NODE"`
	Keep        *int    `help:"Release so many numbers only, by --projection (default: all)." placeholder:"K"`
	Projection  string  `help:"Which numbers --keep keeps: the first, random orthonormal directions, or the principal ones of the training data's features." enum:"first,random,principal" default:"first"`
	Temperature float64 `help:"Divides the logits, before softmax where probabilities are released." default:"1" placeholder:"T"`

	Noise      string   `help:"Its family: gaussian, laplace, logistic, student-t or student-t:DEGREES (default 5), isotropic-laplace, table:FILE (a density, CSV of x,density or [k, 2]), or none (no bound holds then: accuracy and attacks alone)." default:"gaussian" placeholder:"FAMILY" input:"table"`
	Sigma      *float64 `help:"Standard deviation of the noise on every number released." placeholder:"X"`
	SigmaScale *float64 `help:"The same, as a multiple of these numbers' root mean square (default: 1)." placeholder:"X"`
	Queries    int      `help:"Releases of each input that an adversary sees, with fresh noise each." default:"1" placeholder:"N"`

	Round int `help:"Round the dithered numbers to so many decimals (0: leave them)." default:"0" placeholder:"D"`
	TopK  int `help:"Release only the so many largest of them (0: all)." default:"0" placeholder:"K"`
}

// released is what the flags say leaves the device.
type released struct {
	spec    release.Spec
	family  string  // of the noise, as release.ParseNoise reads it, or none
	sigma   float64 // zero: scale times the RMS of what is dithered
	scale   float64
	queries int
	post    release.Post
}

// The most that is believed to be meant.
const (
	mostDecimals = 12
	mostQueries  = 1 << 30
)

// released checks the flags.
func (f releaseFlags) released(seed uint64) (released, error) {
	l := released{family: f.Noise, queries: f.Queries, post: release.Post{Digits: f.Round, TopK: f.TopK}}
	l.spec = release.Spec{Surface: f.Surface, Node: f.Features, Seed: seed}
	if f.Temperature != defaultTemperature {
		l.spec.Temperature = f.Temperature
	}
	switch {
	case f.Keep != nil && *f.Keep < 1:
		return l, usage(fmt.Errorf("--keep: %d numbers cannot be kept", *f.Keep), "leave --keep out to release all")
	case f.Keep == nil && f.Projection != "first":
		return l, usage(fmt.Errorf("--projection %s needs --keep, how many numbers to keep", f.Projection), "")
	case f.Surface != "features" && f.Features != "":
		return l, usage(fmt.Errorf("--features names features, but --surface %s is released", f.Surface), "")
	case !(f.Temperature > 0 && f.Temperature < 1e6):
		return l, usage(fmt.Errorf("--temperature: %g is not above 0 and below a million", f.Temperature), "")
	case f.Temperature != defaultTemperature && f.Surface == "features":
		return l, usage(errors.New("--temperature is for logits, and features are released"), "choose --surface logits or probabilities")
	case f.Noise == noNoise && (f.Sigma != nil || f.SigmaScale != nil):
		return l, usage(errors.New("--sigma and --sigma-scale are of noise, and --noise none adds none"), "")
	case f.Noise == noNoise && f.Queries > 1:
		return l, usage(errors.New("--queries: without noise, all releases of an input are the same"), "")
	case f.Queries < 1 || f.Queries > mostQueries:
		return l, usage(fmt.Errorf("--queries: %d is not between 1 and %d", f.Queries, mostQueries), "")
	case f.Round < 0 || f.Round > mostDecimals:
		return l, usage(fmt.Errorf("--round: %d decimals, expected 0 to %d", f.Round, mostDecimals), "")
	case f.TopK < 0:
		return l, usage(fmt.Errorf("--top-k: %d is negative", f.TopK), "")
	case f.Noise == "uniform":
		_, err := release.ParseNoise(f.Noise, 1, 1)
		return l, usage(fmt.Errorf("--noise: %w", err), "choose a family whose density is positive everywhere, such as gaussian or laplace")
	}
	if f.Keep != nil {
		l.spec.Keep, l.spec.Projection = *f.Keep, f.Projection
	}
	if f.Surface == "label" {
		l.spec.Surface, l.post.Label = "logits", true
	}
	if l.family == noNoise {
		return l, nil
	}
	var err error
	l.sigma, l.scale, err = f.strength()
	return l, err
}

const defaultTemperature = 1

// strength returns σ, or zero and the multiple of the features' RMS that it is.
func (f releaseFlags) strength() (sigma, scale float64, err error) {
	switch {
	case f.Sigma != nil && f.SigmaScale != nil:
		return 0, 0, usage(errors.New("--sigma and --sigma-scale exclude each other"), "")
	case f.Sigma != nil && !(*f.Sigma > 0):
		return 0, 0, usage(fmt.Errorf("--sigma %g: the noise must be positive, or nothing is hidden", *f.Sigma), "")
	case f.SigmaScale != nil && !(*f.SigmaScale > 0):
		return 0, 0, usage(fmt.Errorf("--sigma-scale %g: the noise must be positive, or nothing is hidden", *f.SigmaScale), "")
	case f.Sigma != nil:
		return *f.Sigma, 0, nil
	case f.SigmaScale != nil:
		return 0, *f.SigmaScale, nil
	}
	return 0, defaultSigmaScale, nil
}

// defaultSigmaScale makes the noise as strong as the features, as A does for
// MNIST (section 3).
const defaultSigmaScale = 1

// bare tells whether the release is the model's features as they are: the model's
// own file, cut in two.
func (l released) bare() bool {
	return (l.spec.Surface == "" || l.spec.Surface == "features") && l.spec.Keep == 0
}

// surface names what leaves.
func (l released) surface() string {
	switch {
	case l.post.Label:
		return "label"
	case l.spec.Surface == "":
		return "features"
	}
	return l.spec.Surface
}

// String lists all that decides what leaves, but the noise's strength.
func (l released) String() string {
	s := l.surface()
	if l.spec.Node != "" {
		s += " of " + l.spec.Node
	}
	if l.spec.Keep > 0 {
		s += fmt.Sprintf(", %s %d", l.spec.Projection, l.spec.Keep)
	}
	if l.spec.Temperature > 0 {
		s += fmt.Sprintf(", temperature %g", l.spec.Temperature)
	}
	if l.post.Digits > 0 {
		s += fmt.Sprintf(", %d decimals", l.post.Digits)
	}
	if l.post.TopK > 0 {
		s += fmt.Sprintf(", top %d", l.post.TopK)
	}
	return s
}

// describe fills in the report's account of the release, all but the noise.
func (l released) describe(r *report.Report) {
	r.Release.Surface = l.surface()
	r.Release.Temperature = l.spec.Temperature
	if l.spec.Keep > 0 {
		r.Release.Projection = &report.Projection{Kind: l.spec.Projection, Keep: l.spec.Keep}
	}
	if l.post != (release.Post{}) {
		r.Release.Post = &report.Post{Digits: l.post.Digits, TopK: l.post.TopK, Label: l.post.Label}
	}
	if l.queries > 1 {
		r.Release.Queries = l.queries
	}
}

// recorded reads back what describe and the settings say.
func recorded(r *report.Report) released {
	l := released{sigma: r.Release.Noise.Sigma, queries: max(1, r.Release.Queries), family: r.Release.Noise.Spec}
	l.spec = release.Spec{Surface: r.Release.Surface, Temperature: r.Release.Temperature, Seed: r.Seed}
	if p := r.Release.Projection; p != nil {
		l.spec.Projection, l.spec.Keep = p.Kind, p.Keep
	}
	if p := r.Release.Post; p != nil {
		l.post = release.Post{Digits: p.Digits, TopK: p.TopK, Label: p.Label}
	}
	if l.post.Label {
		l.spec.Surface = "logits"
	}
	return l
}

// noNoise is the family of a release without any.
const noNoise = "none"

// holds tells whether bounds hold on the release with that noise, and says why not, or
// what a reader must know of why they do.
func (l released) holds(noise release.Noise) (ok bool, reason string) {
	spec := l.spec
	if l.family == noNoise && l.post.Label {
		spec.Surface = release.SurfaceLabel
	}
	return spec.Holds(noise, l.post)
}

// tablePrefix begins a family that is read from a file.
const tablePrefix = "table:"

// dither makes the noise for n numbers; a table's file is looked for in dir where
// its name is no path.
func (l released) dither(sigma float64, n int, dir string) (release.Noise, error) {
	family := l.family
	if family == noNoise {
		return release.None{}, nil
	}
	if file, ok := strings.CutPrefix(family, tablePrefix); ok && dir != "" {
		family = tablePrefix + filepath.Join(dir, file)
	}
	return release.ParseNoise(family, sigma, n)
}

// describeNoise says what the noise is; rms is that of what it is added to.
func (l released) describeNoise(n release.Noise, rms float64) report.Noise {
	family, settings, _ := strings.Cut(l.family, ":")
	switch {
	case family == "student-t":
		_, degrees, _ := strings.Cut(n.String(), ":")
		settings = degrees + " degrees of freedom"
	case family == "table":
		settings = filepath.Base(settings)
	}
	return report.Noise{Family: family, Settings: settings, Spec: l.family, Sigma: n.Std(), Scale: report.Number(n.Std() / rms), Estimated: !n.Certain()}
}

// top errs where more is kept than there is to keep.
func (l released) top(front nn.Model) error {
	if _, n := front.Dims(); l.post.TopK > n {
		return usage(fmt.Errorf("--top-k: %d of %d numbers cannot be kept", l.post.TopK, n), "")
	}
	return nil
}
