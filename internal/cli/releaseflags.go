package cli

import (
	"errors"
	"fmt"

	"tattle/measure"
	"tattle/release"
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

// Upper limits.
const (
	mostDecimals = 12
	mostQueries  = 1 << 30
)

// release checks the flags.
func (f releaseFlags) release(seed uint64) (measure.Release, error) {
	l := measure.Release{Family: f.Noise, Queries: f.Queries, Post: release.Post{Digits: f.Round, TopK: f.TopK}}
	l.Spec = release.Spec{Surface: f.Surface, Node: f.Features, Seed: seed}
	if f.Temperature != defaultTemperature {
		l.Spec.Temperature = f.Temperature
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
	case f.Noise == measure.NoNoise && (f.Sigma != nil || f.SigmaScale != nil):
		return l, usage(errors.New("--sigma and --sigma-scale are of noise, and --noise none adds none"), "")
	case f.Noise == measure.NoNoise && f.Queries > 1:
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
		l.Spec.Keep, l.Spec.Projection = *f.Keep, f.Projection
	}
	if f.Surface == "label" {
		l.Spec.Surface, l.Post.Label = "logits", true
	}
	if l.Family == measure.NoNoise {
		return l, nil
	}
	var err error
	l.Sigma, l.Scale, err = f.strength()
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
