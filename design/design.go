// Package design searches for the cheapest release that meets a target: which noise, how
// strong, on how many features, so that an adversary resolves no more than the target allows
// and accuracy drops by no more than a limit.
//
// A line is one family of noise on one projection; only the strength σ varies along it.
// What a line gives away falls with σ and follows from the singular values of the Jacobian:
// the noise of a family is one density, scaled, and small changes of the features depend on
// its Fisher information alone, as under Gaussian noise of standard deviation 1/√Fisher.
// Accuracy is measured with the same draws at every σ, so that it is nearly monotone too.
//
// The figures of a Point are estimates by linear algebra on a sample of examples. The answer is
// confirmed: accuracy by fresh noise, the median standard deviation by a certificate on the same
// sample, and the linear attack runs on what it releases: directions and medians bound unbiased
// adversaries alone, and it is none. Where the certificate falls short of a target, σ is raised
// until it does not, and the Answer says so.
package design

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"tattle/attack"
	"tattle/bound"
	"tattle/measure"
	"tattle/release"
)

// Target says what an adversary must not be able to do. Fields that are zero set no
// target.
type Target struct {
	// Of the median example at most Directions may be resolved to within a standard
	// deviation of Within, in the model's units. Within zero sets no target;
	// Directions zero with a Within allows no direction.
	Directions int
	Within     float64
	// MedianStd is the least median, over examples and coordinates, of the certified
	// standard deviation of unbiased estimators.
	MedianStd float64
	// AttackMSE is the least mean-square error of the linear attack, over examples and
	// entries of the input.
	AttackMSE float64
}

// ParseResolvable reads "10@0.5": at most 10 directions within 0.5.
func ParseResolvable(s string) (directions int, within float64, err error) {
	wrong := func() (int, float64, error) {
		return 0, 0, fmt.Errorf("resolvable %q: give a number of directions and a standard deviation, such as 10@0.5", s)
	}
	count, level, ok := strings.Cut(s, "@")
	if !ok {
		return wrong()
	}
	if directions, err = strconv.Atoi(count); err != nil || directions < 0 {
		return wrong()
	}
	if within, err = strconv.ParseFloat(level, 64); err != nil || !(within > 0) || math.IsInf(within, 0) {
		return wrong()
	}
	return directions, within, nil
}

// empty reports whether the target has no requirement.
func (t Target) empty() bool { return t.Within == 0 && t.MedianStd == 0 && t.AttackMSE == 0 }

// String describes the target.
func (t Target) String() string {
	var parts []string
	if t.Within > 0 {
		parts = append(parts, fmt.Sprintf("at most %d directions within %.4g", t.Directions, t.Within))
	}
	if t.MedianStd > 0 {
		parts = append(parts, fmt.Sprintf("a median standard deviation of %.4g", t.MedianStd))
	}
	if t.AttackMSE > 0 {
		parts = append(parts, fmt.Sprintf("a mean-square error of the linear attack of %.4g", t.AttackMSE))
	}
	if parts == nil {
		return "as few directions for unbiased estimators as the drop allows"
	}
	return strings.Join(parts, " and ")
}

// Point is one release that was tried.
type Point struct {
	Spec       release.Spec // what is dithered, for Spec.Build
	Family     string       // of the noise, as release.ParseNoise reads it
	Projection string       // "" if all features are kept
	Keep       int          // numbers that leave the device
	Sigma      float64
	Scale      float64 // σ over the RMS of what is dithered
	Accuracy   release.Accuracy
	Drop       release.Drop // from the net without defence, projection included, example by example
	// Directions is the median over examples of those resolved to within
	// Target.Within, or DefaultWithin.
	Directions float64
	// MedianStd is the median over examples and coordinates, by Cramér-Rao, of what
	// holds of the part of a coordinate that the features see. The fewer features are
	// kept, the less that part is, and the bound with it: compare it along a line, and
	// across numbers of features only as what can be certified this way.
	MedianStd float64
	AttackMSE float64 // of the linear attack, expected from training data; NaN if no target asks for it
	Meets     bool    // the target, by these estimates
	Keeps     bool    // to MaxDrop, by the interval's upper limit
}

// Confirmation is the best point measured again.
type Confirmation struct {
	Seed     uint64           // of the fresh noise
	Accuracy release.Accuracy // by fresh noise
	Drop     release.Drop     // by fresh noise, of more draws than the search's
	Keeps    bool             // the drop as measured again, not its upper limit, is at most MaxDrop
	// MedianStd is the median of the bounds for Examples, by Method of package bound;
	// Status is "certified", or "estimated" where the noise allows no proof: then a
	// target for it is not met.
	MedianStd      float64
	Method, Status string
	Examples       int
	Estimate       float64         // of MedianStd, before it was certified
	Raised         float64         // by what factor σ was raised because the certificate fell short; 1 if it did not
	Bounds         []bound.Summary // all that was proved or estimated for Examples
	// AttackMSE is the linear attack's on test examples, fitted to all training data and
	// adapted to the noise. NaN if there are none to learn from.
	AttackMSE  float64
	Attacks    *measure.Attacks   // the linear attack's errors, and those of guessing the mean of the training data, in the coordinates of Bounds; nil if there are no training data
	Identified *attack.Identified // which of a list of inputs of the test data a release is of: how often the likeliest is the right one
	Note       string
}

// Answer is what a Search found.
type Answer struct {
	Best *Point // nil if no strength of noise on any line will do
	Met  bool   // Best meets the target and keeps to MaxDrop, confirmed
	// Within is the level at which Directions are counted, of the median of Examples.
	Within   float64
	Examples int
	Features int              // there are, before any projection
	Clean    release.Accuracy // without defence
	// Near says how near the search came where Met is false; "" if it is true.
	Near      string
	Confirmed *Confirmation
	Frontier  []Point  // along σ for each line, line after line
	Left      []string // lines that were given up, and why
	// Evaluations counts measurements of accuracy.
	Evaluations int
}
