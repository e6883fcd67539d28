package cli

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"tattle/internal/protect/measure"
	"tattle/internal/protect/release"
)

// releaseFlags choose what leaves the device.
type releaseFlags struct {
	Surface     string  `help:"What leaves: features, logits, probabilities or label (class of the largest noisy logit)." enum:"features,logits,probabilities,label" default:"features"`
	Features    string  `help:"Node (or tensor) whose output is released (default: the input of the last affine layer or convolution)." placeholder:"NODE"`
	Keep        int     `help:"Number of features to release, chosen by --projection (default: all)." placeholder:"K" more:"" range:"[1,)"`
	Projection  string  `help:"What --keep keeps: the first features, or directions: random, principal or discriminant (the last two learned from training data)." enum:"first,random,principal,discriminant" default:"first" more:""`
	Temperature float64 `help:"Divisor of the logits before the softmax (default: 1)." default:"1" placeholder:"T" more:"" range:"(0,1000000)"`

	Noise      string  `help:"gaussian, laplace, isotropic-laplace, table:FILE, lattice (what tattle guard adds) or none (default: gaussian)." default:"gaussian" placeholder:"FAMILY" input:"table"`
	Covariance string  `help:"Covariance matrix C of the noise, an .npy file; the noise is Gaussian of covariance σ²C, σ from --sigma." placeholder:"FILE" input:"file" more:""`
	Sigma      float64 `help:"Standard deviation of the noise on each feature (with --covariance: σ, default 1)." placeholder:"X" range:"(0,)"`
	SigmaScale float64 `help:"Or: multiple of the root mean square of the features of the training part, else of --data (default: 1)." placeholder:"X" range:"(0,)"`
	Delta      float64 `help:"With --noise lattice: the released numbers are multiples of this power of two (default: the largest one up to sigma/64)." placeholder:"X" more:"" range:"(0,)"`
	Clip       float64 `help:"With --noise lattice: features are limited to -X to X, a multiple of --delta (default: the smallest power of two that no feature of the training part, or of --data, exceeds)." placeholder:"X" more:"" range:"(0,)"`
	ClipNorm   float64 `help:"Limit the norm (after whitening) of what is released about the training mean: limits hold whatever the data." placeholder:"R" range:"(0,)"`
	Queries    int     `help:"Times that the same input is released, with independent noise (default: 1)." default:"1" placeholder:"N" range:"[1,1073741824]"`

	Round int `help:"Round noisy features to D decimals (default: 0, no rounding)." default:"0" placeholder:"D" more:"" range:"[0,12]"`
	TopK  int `help:"Release only the K largest noisy features (default: 0, all)." default:"0" placeholder:"K" more:"" range:"[0,)"`
}

// release checks the flags.
func (f releaseFlags) release(seed uint64) (measure.Release, error) {
	l := measure.Release{Family: f.Noise, Queries: f.Queries, Post: release.Post{Digits: f.Round, TopK: f.TopK}}
	l.Spec = release.Spec{Surface: f.Surface, Node: f.Features, Seed: seed}
	tempered, silent := f.Temperature != defaultTemperature, f.Noise == measure.NoNoise
	if tempered {
		l.Spec.Temperature = f.Temperature
	}
	if err := cmp.Or(
		requires(f.Keep == 0 && f.Projection != "first", "--projection "+f.Projection, "--keep"),
		requires(f.Surface != "features" && f.Features != "", "--features", "--surface features, not "+f.Surface),
		requires(tempered && f.Surface == "features", "--temperature", "--surface logits or probabilities"),
		requires(silent && (f.Sigma > 0 || f.SigmaScale > 0), "--sigma or --sigma-scale", "noise, not --noise none"),
		requires(silent && f.Queries > 1, "--queries", "noise: without it all releases of an input are the same"),
		requires(f.Noise != "lattice" && (f.Delta != 0 || f.Clip != 0), "--delta and --clip", "--noise lattice"),
		requires(f.ClipNorm > 0 && !release.Shapeable(f.Noise), "--clip-norm", "--noise gaussian or lattice, not "+f.Noise),
		refused(f.ClipNorm > 0 && (f.Clip > 0 || strings.Count(f.Noise, ":") > 1), "", "--clip and --clip-norm are mutually exclusive"),
		requires(f.Covariance != "" && !release.Shapeable(f.Noise), "--covariance", "--noise gaussian or lattice, not "+f.Noise),
		requires(f.Covariance != "" && f.Surface == "label", "--covariance", "--surface features, logits or probabilities, not label"),
		refused(f.Sigma > 0 && f.SigmaScale > 0, "", "--sigma and --sigma-scale are mutually exclusive"),
	); err != nil {
		return l, err
	}
	if f.Noise != measure.NoNoise && !strings.HasPrefix(f.Noise, "lattice") { // whose steps are judged beside the strength
		if _, err := release.ParseNoise(f.Noise, 1, 1); err != nil {
			return l, usage(fmt.Errorf("--noise: %w", err), "")
		}
	}
	if f.Keep > 0 {
		l.Spec.Keep, l.Spec.Projection = f.Keep, f.Projection
	}
	if f.Surface == "label" {
		l.Spec.Surface, l.Post.Label = "logits", true
	}
	if l.Family == measure.NoNoise {
		return l, nil
	}
	if f.Delta != 0 || f.Clip != 0 {
		l.Family += ":" + optional(f.Delta) + ":" + optional(f.Clip)
	}
	l.Spec.ClipNorm = f.ClipNorm
	l.Family = release.ClippedNorm(l.Family, f.ClipNorm)
	if f.Covariance != "" {
		var err error
		if l.Spec.Covariance, err = release.ReadCovariance(f.Covariance); err != nil {
			return l, usage(fmt.Errorf("--covariance: %w", err), "")
		}
	}
	switch {
	case f.Sigma > 0:
		l.Sigma = f.Sigma
	case f.SigmaScale > 0:
		l.Scale = f.SigmaScale
	case f.Covariance != "":
		l.Sigma = 1
	default:
		l.Scale = defaultSigmaScale
	}
	return l, nil
}

// optional prints a number, and nothing for 0.
func optional(v float64) string {
	if v == 0 {
		return ""
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

const (
	defaultTemperature = 1
	// defaultSigmaScale makes the noise as strong as the features, as A does for
	// MNIST (section 3).
	defaultSigmaScale = 1
)
