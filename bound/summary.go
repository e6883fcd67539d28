package bound

import (
	"math"
	"slices"
	"strconv"

	"tattle/stat"
)

// The methods a Summary may name.
const (
	MethodHCR                = "hcr"                  // one-witness Hammersley-Chapman-Robbins bound, A eqs. (5), (12)
	MethodMeanSquare         = "hcr-mean-square"      // its mean-square form, A eq. (6), as a root mean square per input
	MethodBarankin           = "barankin"             // several witnesses combined, McAulay and Hofstetter's form; nowhere below the best of them by itself
	MethodBarankinMeanSquare = "barankin-mean-square" // its sum over an orthonormal basis
	MethodPair               = "pair"                 // floor for every adversary, biased or not, on average over an input and a witness
	MethodPairMeanSquare     = "pair-mean-square"     // of the whole input, as a root mean square per input
	MethodCramerRaoAxis      = "cramer-rao-axis"      // A eq. (28)
	MethodCramerRao          = "cramer-rao"           // of the identifiable part of each coordinate
)

// The searches a Summary may name beside those of SearchOptions.
const (
	SearchFar   = "far"   // FarOptions
	SearchTwins = "twins" // TwinOptions
	SearchPairs = "pairs" // PairOptions
)

// The standings of a figure, from the strongest down.
const (
	StatusCertified = "certified" // each value has a witness stored with it
	StatusEstimated = "estimated" // linear algebra in floating point, with no witness
)

// QuantileLevels are the quantiles a Summary gives.
var QuantileLevels = []float64{0.05, 0.25, 0.5, 0.75, 0.95}

// A Summary is one entry of a report's bounds: lower bounds on the standard
// deviation of unbiased estimators, over examples and coordinates. Those of MethodPair and
// MethodPairMeanSquare are lower bounds on the root mean square errors of all estimators.
type Summary struct {
	Method      string  `json:"method"`
	Search      string  `json:"search,omitempty"`
	Coordinates string  `json:"coordinates"`
	Band        string  `json:"band"` // "all", or the low band as "8x8"
	Domain      string  `json:"domain,omitempty"`
	Size        float64 `json:"size,omitempty"`     // of the perturbation, A section 3: ‖z‖ ≈ size·σ
	Examples    int     `json:"examples,omitempty"` // that were tried; 0 where the row is not about examples
	Values      int     `json:"values"`             // how many bounds the quantiles are over

	// StdQuantiles maps "0.05", "0.25", … to quantiles; nil stands for unbounded.
	StdQuantiles      map[string]*float64 `json:"std_quantiles"`
	UnboundedFraction float64             `json:"unbounded_fraction"`
	Status            string              `json:"status"`
	AbovePrior        *bool               `json:"above_prior,omitempty"` // whether the median is above what guessing the mean of the training data errs by, which makes it vacuous for who knows them; nil where that was not compared
	Notes             []Note              `json:"notes,omitempty"`
	Vacuous           *Note               `json:"vacuous,omitempty"` // why the bound says nothing, where it does not
}

// Pair reports whether a row is about pairs of inputs: it binds every adversary, biased or
// not, on average over both.
func (s Summary) Pair() bool { return s.Method == MethodPair || s.Method == MethodPairMeanSquare }

// summarize fills the quantiles of std, in which +Inf stands for unbounded. It
// sorts std.
func (s Summary) summarize(std []float64) Summary {
	slices.Sort(std)
	s.Values = len(std)
	s.StdQuantiles = map[string]*float64{}
	if len(std) == 0 {
		return s
	}
	finite, _ := slices.BinarySearch(std, math.Inf(1))
	s.UnboundedFraction = float64(len(std)-finite) / float64(len(std))
	for _, q := range QuantileLevels {
		key := strconv.FormatFloat(q, 'g', -1, 64)
		s.StdQuantiles[key] = nil
		if int(math.Ceil(q*float64(len(std)-1))) < finite {
			v := stat.Quantile(std, q)
			s.StdQuantiles[key] = &v
		}
	}
	return s
}

// Quantile returns the quantile of that level, +Inf if it is unbounded, NaN
// where the Summary has none of that level.
func (s Summary) Quantile(level float64) float64 {
	v, ok := s.StdQuantiles[strconv.FormatFloat(level, 'g', -1, 64)]
	switch {
	case !ok:
		return math.NaN()
	case v == nil:
		return math.Inf(1)
	}
	return *v
}
