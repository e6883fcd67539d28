package measure

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strings"

	"tattle/internal/protect/release"
)

// A Release says what leaves the device: which numbers of the model, the noise that is
// added to them, and the post-processing.
type Release struct {
	release.Spec
	Family        string  `json:"noise"` // of the noise, as release.ParseNoise reads it, or NoNoise
	Sigma         float64 `json:"sigma"` // standard deviation of the noise; 0: Scale times the numbers' root mean square
	Scale         float64 `json:"-"`
	FromTraining  bool    `json:"noise_from_training,omitempty"` // strength or clip were computed from the features of training data
	HasCovariance bool    `json:"covariance,omitempty"`          // in a report: the noise has that of CovarianceFile, times sigma squared
	Label         bool    `json:"label,omitempty"`               // only the label of the features with noise leaves
	Queries       int     `json:"queries,omitempty"`             // releases of each input that an adversary has; 0 is 1
}

const (
	// NoNoise is the family of a release without noise.
	NoNoise = "none"
	// TablePrefix begins a family whose density is read from a file.
	TablePrefix = "table:"
)

// AsIs reports whether the model's features are released without projection or clip of their norm, with noise that
// is the same in all directions: both sides of the noise are then the model's own file, cut in
// two.
func (r Release) AsIs() bool {
	return r.ofFeatures() && r.Spec.Keep == 0 && r.Spec.Covariance == nil && r.Spec.ClipNorm == 0
}

func (r Release) ofFeatures() bool {
	return r.Spec.Surface == "" || r.Spec.Surface == release.SurfaceFeatures
}

// Surface names what leaves, one of release.Surfaces.
func (r Release) Surface() string {
	if r.Label {
		return release.SurfaceLabel
	}
	return cmp.Or(r.Spec.Surface, release.SurfaceFeatures)
}

// String lists everything that decides what leaves, except the strength of the noise.
func (r Release) String() string {
	s := r.Surface()
	say := func(holds bool, format string, args ...any) {
		if holds {
			s += fmt.Sprintf(format, args...)
		}
	}
	say(r.Spec.Node != "", " of %s", r.Spec.Node)
	say(r.Spec.Keep > 0, ", %s %d", r.Spec.Projection, r.Spec.Keep)
	say(r.Spec.Covariance != nil, ", with a covariance")
	say(r.Spec.ClipNorm > 0, ", norm at most %v", r.Spec.ClipNorm)
	return s
}

// Holds reports whether bounds hold on the release with that noise. The reason says why
// not, or why post-processing does not change it.
func (r Release) Holds(noise release.Noise) (ok bool, reason string) {
	spec := r.Spec
	if r.Family == NoNoise && r.Label {
		spec.Surface = release.SurfaceLabel
	}
	return spec.Holds(noise, r.Label)
}

// Table returns the file of a tabulated density, if that is the noise.
func (r Release) Table() (file string, ok bool) { return strings.CutPrefix(r.Family, TablePrefix) }

// Noise makes the noise for n numbers, of standard deviation sigma. A relative path of a
// table is looked up in dir. A lattice that clips the norm must be that of a front which does: all figures but those of guard
// are of what the front gives.
func (r Release) Noise(sigma float64, n int, dir string) (release.Noise, error) {
	if r.Family == NoNoise {
		return release.None{}, nil
	}
	family := r.Family
	if file, ok := r.Table(); ok && dir != "" {
		family = TablePrefix + filepath.Join(dir, file)
	}
	noise, err := release.ParseNoise(family, sigma, n)
	if l, ok := noise.(release.Lattice); ok && l.Ball && l.Clip != r.Spec.ClipNorm {
		return nil, fmt.Errorf("noise %q clips the norm to %v: the features must be clipped to it, too (--clip-norm)", family, l.Clip)
	}
	return noise, err
}
