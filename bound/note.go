package bound

import (
	"fmt"
	"math"
	"strings"
)

// A Note is a remark on a Summary: what its figures are about, why they are not certified,
// or why they say nothing. The fields that its Kind does not name are zero.
type Note struct {
	Kind     NoteKind `json:"kind"`
	Noise    string   `json:"noise,omitempty"`
	Error    float64  `json:"error,omitempty"`            // of the runtime
	From     string   `json:"from,omitempty"`             // how Error is known
	RMS      bool     `json:"root_mean_square,omitempty"` // Error is that of all features together
	Examples int      `json:"examples,omitempty"`
	Of       int      `json:"of,omitempty"` // features come from this many of the Examples
	Features int      `json:"features,omitempty"`
	Inputs   int      `json:"inputs,omitempty"`
	Fraction float64  `json:"fraction,omitempty"` // of coordinates or values
}

// A NoteKind says what a Note is about.
type NoteKind string

// The kinds of notes on how figures were computed, with the fields that they use.
const (
	NoteRealArithmetic  NoteKind = "real-arithmetic"     // the features are those of real arithmetic
	NoteRuntimeError    NoteKind = "runtime-error"       // Error, From, RMS
	NoteMeasured        NoteKind = "rounding-measured"   // not proved
	NoteUnknownRounding NoteKind = "rounding-unknown"    // the experiment is not resolved
	NoteNumerical       NoteKind = "divergence-computed" // Noise: by quadrature or Monte Carlo
	NoteTwins           NoteKind = "twins-sought"        // for Examples
	NoteFirst           NoteKind = "first-examples"      // Examples, Of
	NoteRoot            NoteKind = "root"                // of a bound on the mean square per input
	NoteOthersKnown     NoteKind = "others-known"        // the adversary knows every other coordinate
	NoteIdentifiable    NoteKind = "identifiable-part"   // of each coordinate
	NotePair            NoteKind = "pair"                // binds every adversary, on average over two inputs
)

// The kinds of notes on why figures say nothing, with the fields that they use.
const (
	VacuousDivergence     NoteKind = "infinite-divergence" // Noise
	VacuousZero           NoteKind = "zero"                // Fraction
	VacuousFewer          NoteKind = "fewer-features"      // Features, Inputs
	VacuousUnidentifiable NoteKind = "not-identifiable"    // Fraction
)

// String returns the note as a clause, without a stop.
func (n Note) String() string {
	switch n.Kind {
	case NoteRealArithmetic:
		return "features in real arithmetic"
	case NoteRuntimeError:
		what := "each feature"
		if n.RMS {
			what = "the features, by their root mean square,"
		}
		return fmt.Sprintf("%s may lie %g off real arithmetic (%s)", what, n.Error, n.From)
	case NoteMeasured:
		return "each value has a witness, but the rounding of this net's float64 pass is measured, not proved: a thousand times what its distance from a float32 pass says is allowed for"
	case NoteUnknownRounding:
		return "each value has a witness, but how the rounding of its features is known is not said"
	case NoteNumerical:
		return fmt.Sprintf("each value has a witness, but for %s noise its divergence is computed by quadrature or Monte Carlo, not proved", n.Noise)
	case NoteTwins:
		return fmt.Sprintf("of the %d examples for which twins were sought", n.Examples)
	case NoteFirst:
		return fmt.Sprintf("on the first %d of the %d examples", n.Examples, n.Of)
	case NoteRoot:
		return "root of the bound on the mean-square error per input"
	case NoteOthersKnown:
		return "for an adversary who knows every other coordinate"
	case NoteIdentifiable:
		return "of the part of each coordinate that the features can see; unbounded_fraction counts coordinates with another part, of which in real arithmetic, among any real inputs, there is no unbiased estimator"
	case NotePair:
		return "binds every adversary, biased or not, on average over the input and another one; vacuous for an adversary who knows which of the two is implausible"
	case VacuousDivergence:
		return fmt.Sprintf("zero: under %s noise the χ² of every change of the features is infinite, so no bound of this kind can say anything", n.Noise)
	case VacuousZero:
		return fmt.Sprintf("zero for %g %% of the values and more: the witnesses prove nothing, where rounding to the domain leaves no other input, inputs lie outside it, or the features overflow or may err by too much", 100*n.Fraction)
	case VacuousFewer:
		return fmt.Sprintf("%s features cannot determine %s inputs: in real arithmetic, among any real inputs, no estimator of w outside the row space is unbiased; says nothing about adversaries with a prior", thousands(n.Features), thousands(n.Inputs))
	case VacuousUnidentifiable:
		return fmt.Sprintf("not identifiable: %.4g %% of the coordinates have a part that does not change the features, so no estimator of them is unbiased, in real arithmetic and among any real inputs; this does not limit adversaries with a prior", math.Floor(1000*n.Fraction+1e-9)/10)
	}
	return string(n.Kind)
}

// JoinNotes returns notes as one clause.
func JoinNotes(notes []Note) string {
	s := make([]string, len(notes))
	for i, n := range notes {
		s[i] = n.String()
	}
	return strings.Join(s, "; ")
}
