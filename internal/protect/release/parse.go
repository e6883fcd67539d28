package release

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tattle/internal/protect/lattice"
)

// Families lists what ParseNoise reads.
var Families = []string{"gaussian", "laplace", isotropicFamily, "table:FILE", "lattice[:DELTA[:CLIP]]"}

// Shapeable reports whether noise of that spec may have a covariance: a bijection of the features,
// such as Spec.Build's, then gives noise of any other covariance.
func Shapeable(spec string) bool {
	family, _, _ := strings.Cut(spec, ":")
	return family == "gaussian" || family == latticeFamily
}

// ErrVacuous is the refusal of uniform noise.
var ErrVacuous = errors.New("uniform noise proves nothing: where the supports of two releases do not cover each other, χ² is infinite and every bound is 0 (vacuous); choose gaussian or laplace")

// ErrFamily is the cause of an error about a family of noise that ParseNoise does not know.
var ErrFamily = errors.New("no noise family")

var errNoTable = errors.New("noise table: name its file, as table:FILE")

// ParseNoise returns the noise that spec names, of standard deviation sigma on each of n
// features: gaussian, laplace, isotropic-laplace, table:FILE (see ReadTable), or lattice:Δ:CLIP. There Δ is by default defaultDelta, and
// CLIP as large as the lattice allows; norm after it makes it the radius of a ball. For any other it returns an error; for uniform, ErrVacuous.
func ParseNoise(spec string, sigma float64, n int) (Noise, error) {
	name, setting, has := strings.Cut(spec, ":")
	if has && name != "table" && name != latticeFamily && name != "uniform" {
		if !slices.Contains(Families, name) {
			return nil, unknownFamily(spec)
		}
		return nil, fmt.Errorf("noise %q: %s takes no setting: leave it out", spec, name)
	}
	switch name {
	case "gaussian":
		return noiseOf(NewGaussian(sigma))
	case "laplace":
		return noiseOf(NewLaplace(sigma))
	case isotropicFamily:
		return noiseOf(NewIsotropicLaplace(sigma, n))
	case latticeFamily:
		return parseLattice(setting, sigma, n)
	case "table":
		if setting == "" {
			return nil, errNoTable
		}
		return noiseOf(ReadTable(setting, sigma))
	case "uniform":
		return nil, ErrVacuous
	}
	return nil, unknownFamily(spec)
}

// noiseOf keeps a failed constructor from giving a Noise that is not nil.
func noiseOf[N Noise](noise N, err error) (Noise, error) {
	if err != nil {
		return nil, err
	}
	return noise, nil
}

func parseLattice(settings string, sigma float64, n int) (Noise, error) {
	l := lattice.Lattice{Delta: defaultDelta(sigma), Sigma: sigma, Dim: n}
	delta, clip, _ := strings.Cut(settings, ":")
	clip, l.Ball = strings.CutSuffix(clip, ball)
	for _, x := range []struct {
		text string
		to   *float64
	}{{delta, &l.Delta}, {clip, &l.Clip}} {
		if x.text == "" {
			continue
		}
		v, err := strconv.ParseFloat(x.text, 64)
		if err != nil || !(v > 0) {
			return nil, fmt.Errorf("noise %q: delta and clip must be positive numbers, as in lattice:0.03125:64", "lattice:"+settings)
		}
		*x.to = v
	}
	if clip == "" && !l.Ball {
		l.Clip = l.Delta * lattice.MaxPoints
	}
	return noiseOf(NewLattice(l))
}

func unknownFamily(spec string) error {
	if name, _, _ := strings.Cut(spec, ":"); name == "logistic" || name == "student-t" {
		return fmt.Errorf("%w %q any more: give its density as table:FILE", ErrFamily, spec)
	}
	return fmt.Errorf("%w %q; there are %s", ErrFamily, spec, strings.Join(Families, ", "))
}
