package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"tattle/measure"
	"tattle/release"
)

// releaseFlags choose what leaves the device.
type releaseFlags struct {
	Surface     string  `help:"What leaves the device: features, logits, probabilities or label (class of the largest noisy logit)." enum:"features,logits,probabilities,label" default:"features"`
	Features    string  `help:"Node (or tensor) whose output is released (default: the input of the last affine layer or convolution)." placeholder:"NODE"`
	Keep        *int    `help:"Number of features to release, chosen by --projection (default: all)." placeholder:"K" more:""`
	Projection  string  `help:"What --keep keeps: the first features, or directions: random, principal or discriminant (the last two learned from training data)." enum:"first,random,principal,discriminant" default:"first" more:""`
	Temperature float64 `help:"Divisor of the logits before the softmax (default: 1)." default:"1" placeholder:"T" more:""`

	Noise      string   `help:"gaussian, laplace, logistic, student-t[:DEGREES], table:FILE, lattice (what tattle guard adds) or none (default: gaussian)." default:"gaussian" placeholder:"FAMILY" input:"table"`
	Covariance string   `help:"Covariance matrix C of the noise, an .npy file; the noise is Gaussian of covariance σ²C, σ from --sigma." placeholder:"FILE" input:"file" more:""`
	Sigma      *float64 `help:"Standard deviation of the noise on each feature (with --covariance: σ, default 1)." placeholder:"X"`
	SigmaScale *float64 `help:"Or: the noise as a multiple of the root mean square of the features of the training part, or of --data if there is none (default: 1)." placeholder:"X"`
	Delta      *float64 `help:"With --noise lattice: the released numbers are multiples of this power of two (default: the largest one up to sigma/64)." placeholder:"X" more:""`
	Clip       *float64 `help:"With --noise lattice: features are limited to -X to X, a multiple of --delta (default: the smallest power of two that no feature of the training part, or of --data, exceeds)." placeholder:"X" more:""`
	Queries    int      `help:"Times that the same input is released, with independent noise (default: 1)." default:"1" placeholder:"N"`

	Round int `help:"Round noisy features to D decimals (default: 0, no rounding)." default:"0" placeholder:"D" more:""`
	TopK  int `help:"Release only the K largest noisy features (default: 0, all)." default:"0" placeholder:"K" more:""`
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
		return l, usage(fmt.Errorf("--keep %d: must be at least 1", *f.Keep), "leave --keep out to release all features")
	case f.Keep == nil && f.Projection != "first":
		return l, usage(fmt.Errorf("--projection %s requires --keep", f.Projection), "")
	case f.Surface != "features" && f.Features != "":
		return l, usage(fmt.Errorf("--features requires --surface features, not %s", f.Surface), "")
	case !(f.Temperature > 0 && f.Temperature < 1e6):
		return l, usage(fmt.Errorf("--temperature %g: must be above 0 and below 1000000", f.Temperature), "")
	case f.Temperature != defaultTemperature && f.Surface == "features":
		return l, usage(errors.New("--temperature requires --surface logits or probabilities"), "")
	case f.Noise == measure.NoNoise && (f.Sigma != nil || f.SigmaScale != nil):
		return l, usage(errors.New("--sigma and --sigma-scale require noise, not --noise none"), "")
	case f.Noise == measure.NoNoise && f.Queries > 1:
		return l, usage(errors.New("--queries requires noise: without it all releases of an input are the same"), "")
	case f.Queries < 1 || f.Queries > mostQueries:
		return l, usage(fmt.Errorf("--queries %d: must be between 1 and %d", f.Queries, mostQueries), "")
	case f.Round < 0 || f.Round > mostDecimals:
		return l, usage(fmt.Errorf("--round %d: must be between 0 and %d", f.Round, mostDecimals), "")
	case f.TopK < 0:
		return l, usage(fmt.Errorf("--top-k %d: must not be negative", f.TopK), "")
	case f.Noise != "lattice" && (f.Delta != nil || f.Clip != nil):
		return l, usage(errors.New("--delta and --clip require --noise lattice"), "")
	case f.Covariance != "" && !release.Shapeable(f.Noise):
		return l, usage(fmt.Errorf("--covariance requires --noise gaussian or lattice, not %s", f.Noise), "")
	case f.Covariance != "" && f.Surface == "label":
		return l, usage(errors.New("--covariance requires --surface features, logits or probabilities, not label"), "")
	}
	if f.Noise != measure.NoNoise && !strings.HasPrefix(f.Noise, "lattice") { // whose steps are judged beside the strength
		if _, err := release.ParseNoise(f.Noise, 1, 1); err != nil {
			return l, usage(fmt.Errorf("--noise: %w", err), "")
		}
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
	if f.Delta != nil || f.Clip != nil {
		l.Family += ":" + optional(f.Delta) + ":" + optional(f.Clip)
	}
	var err error
	if f.Covariance != "" {
		if l.Spec.Covariance, err = release.ReadCovariance(f.Covariance); err != nil {
			return l, usage(fmt.Errorf("--covariance: %w", err), "")
		}
	}
	l.Sigma, l.Scale, err = f.strength()
	return l, err
}

// optional prints a number that may be absent.
func optional(v *float64) string {
	if v == nil {
		return ""
	}
	return strconv.FormatFloat(*v, 'g', -1, 64)
}

const defaultTemperature = 1

// strength returns σ, or zero and the multiple of the features' RMS that it is.
func (f releaseFlags) strength() (sigma, scale float64, err error) {
	switch {
	case f.Sigma != nil && f.SigmaScale != nil:
		return 0, 0, usage(errors.New("--sigma and --sigma-scale are mutually exclusive"), "")
	case f.Sigma != nil && !(*f.Sigma > 0):
		return 0, 0, usage(fmt.Errorf("--sigma %g: must be positive", *f.Sigma), "")
	case f.SigmaScale != nil && !(*f.SigmaScale > 0):
		return 0, 0, usage(fmt.Errorf("--sigma-scale %g: must be positive", *f.SigmaScale), "")
	case f.Sigma != nil:
		return *f.Sigma, 0, nil
	case f.SigmaScale != nil:
		return 0, *f.SigmaScale, nil
	case f.Covariance != "":
		return 1, 0, nil
	}
	return 0, defaultSigmaScale, nil
}

// defaultSigmaScale makes the noise as strong as the features, as A does for
// MNIST (section 3).
const defaultSigmaScale = 1
