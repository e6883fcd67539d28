package bound

import (
	"fmt"
	"math"
	"slices"

	"tattle/internal/math/stat"
	"tattle/internal/report"
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

	SearchCombined = "" // several together, of BarankinOptions
)

// The standings of a figure, from the strongest down.
const (
	StatusCertified = "certified" // each value has a witness stored with it
	StatusEstimated = "estimated" // linear algebra in floating point, with no witness
)

// QuantileLevels are the quantiles a Summary gives.
var QuantileLevels = []float64{0.05, 0.25, 0.5, 0.75, 0.95}

// A Summary is one row about bounds: lower bounds on the standard deviation of unbiased estimators,
// over examples and coordinates. Those of MethodPair and MethodPairMeanSquare are lower bounds on
// the root mean square errors of all estimators.
type Summary struct {
	Method   string
	Search   string // for the witnesses
	Band     string // "all", or the low band as "8x8"
	Domain   string
	Size     float64 // of the perturbation, A section 3: ‖z‖ ≈ size·σ
	Examples int     // that were tried
	Values   int     // how many bounds the quantiles are over

	Quantiles         []float64 // at QuantileLevels, +Inf for unbounded; nil without values
	UnboundedFraction float64
	Status            string
	Vacuous           string // why the bound says nothing; empty where it says something
}

// Pair reports whether a row is about pairs of inputs: it binds every adversary, biased or
// not, on average over both.
func (s Summary) Pair() bool { return s.Method == MethodPair || s.Method == MethodPairMeanSquare }

// Quantile returns the quantile of that level, +Inf if it is unbounded, NaN
// where the Summary has none of that level.
func (s Summary) Quantile(level float64) float64 {
	if i := slices.Index(QuantileLevels, level); i >= 0 && s.Quantiles != nil {
		return s.Quantiles[i]
	}
	return math.NaN()
}

// summarize fills in the quantiles of std, in which +Inf stands for unbounded. It sorts std.
func (s Summary) summarize(std []float64) Summary {
	slices.Sort(std)
	s.Values = len(std)
	if len(std) == 0 {
		return s
	}
	finite, _ := slices.BinarySearch(std, math.Inf(1))
	s.UnboundedFraction = float64(len(std)-finite) / float64(len(std))
	for _, q := range QuantileLevels {
		v := math.Inf(1)
		if int(math.Ceil(q*float64(len(std)-1))) < finite {
			v = stat.Quantile(std, q)
		}
		s.Quantiles = append(s.Quantiles, v)
	}
	return s
}

// summaries returns the summaries of a result: for each kind of witness the bounds in each
// band and the mean square bounds, then the floors on pairs, then the Cramér-Rao figures.
func (e Experiment) summaries(r *Result) []Summary {
	m, bands := e.Coordinates.Len(), Bands(e.Coordinates, e.Band)
	var todo []func() Summary // run in parallel: each sorts all its values
	witnessed := func(b *Bounds, method string, std, squares []float64) {
		status, _ := e.Standing()
		of := Summary{Method: method, Search: b.Search, Size: b.Size, Examples: b.Tried, Domain: b.domain.String(), Status: status}
		for _, band := range bands {
			of := of
			of.Band = band.Name
			todo = append(todo, func() Summary { return of.summarize(band.Of(std[:b.Tried*m], m)) })
		}
		todo = append(todo, func() Summary {
			of.Method, of.Band = method+"-mean-square", AllBand
			roots := make([]float64, b.Tried)
			for i := range roots {
				roots[i] = math.Sqrt(squares[i])
			}
			return of.summarize(roots)
		})
	}
	for _, b := range r.Kinds {
		switch b.Search {
		case SearchPairs:
		case SearchCombined:
			witnessed(b, MethodBarankin, b.Std, b.MeanSquare)
		default:
			witnessed(b, MethodHCR, b.Std, b.MeanSquare)
		}
	}
	for _, b := range r.Kinds {
		if !b.joint() {
			witnessed(b, MethodPair, b.Pair.Std, b.Pair.MeanSquare)
		}
	}
	if c := r.CramerRao; c != nil {
		for _, band := range bands {
			of := Summary{Method: MethodCramerRaoAxis, Band: band.Name, Examples: len(r.Indices), Status: StatusEstimated}
			todo = append(todo, func() Summary { return of.summarize(band.Of(c.Axis, m)) }, func() Summary {
				full := of
				full.Method = MethodCramerRao
				full = full.summarize(band.Of(c.Full, m))
				full.UnboundedFraction = hidden(band.Of(c.Seen, m))
				return full
			})
		}
	}
	out := make([]Summary, len(todo))
	parallel(len(todo), func(i int) {
		out[i] = todo[i]()
		out[i].Vacuous = e.vacuous(out[i])
	})
	return out
}

// hidden returns the share of coordinates that the features do not see in full.
func hidden(seen []float64) float64 {
	count := 0
	for _, v := range seen {
		if v < 1-SeenTolerance {
			count++
		}
	}
	return float64(count) / float64(max(1, len(seen)))
}

// Standing returns the status of bounds with a witness, and what it rests on.
func (e Experiment) Standing() (status, basis string) {
	basis = "features in real arithmetic"
	if e.lattice() && e.Runtime.Error > 0 {
		basis = fmt.Sprintf("each feature may lie %g off real arithmetic (%s)", e.Runtime.Error, e.Runtime.From)
	}
	switch {
	case e.Rounding == RoundingMeasured:
		return StatusEstimated, basis + "; each value has a witness, but the rounding of this net's float64 pass is measured, not proved: a thousand times what its distance from a float32 pass says is allowed for"
	case e.Rounding != RoundingProved && e.Rounding != RoundingPairs: // the experiment is not resolved
		return StatusEstimated, basis + "; each value has a witness, but nothing says how the rounding of its features was bounded"
	case e.Noise.Certain():
		return StatusCertified, basis
	}
	return StatusEstimated, fmt.Sprintf("%s; each value has a witness, but the divergence of %s noise is a confidence limit by Monte Carlo (99.9999 %%), not proved", basis, noiseName(e.Noise))
}

// vacuous returns the reason why a summary's bound is vacuous, "" if it is not: the noise has
// no finite divergence, the witnesses prove nothing, there are fewer features than inputs, or
// most coordinates are not identifiable.
func (e Experiment) vacuous(s Summary) string {
	p, n := 0, e.Features
	if e.Coordinates != nil {
		p = e.Coordinates.Inputs()
	}
	switch {
	case s.Values == 0:
		return ""
	case s.Quantile(topLevel) == 0 && !s.Pair() && e.divergent():
		return fmt.Sprintf("zero: under %s noise the χ² of every change of the features is infinite, so no bound of this kind can say anything", noiseName(e.Noise))
	case s.Quantile(topLevel) == 0:
		return fmt.Sprintf("zero for %g %% of the values and more: the witnesses prove nothing, where rounding to the domain leaves no other input, inputs lie outside it, or the features overflow or may err by too much", 100*topLevel)
	case s.Method == MethodCramerRaoAxis, s.Pair():
		return "" // about one unknown only, or about all estimators
	case n > 0 && n < p:
		return fmt.Sprintf("%s features cannot determine %s inputs: in real arithmetic, among any real inputs, no estimator of w outside the row space is unbiased; says nothing about adversaries with a prior", report.Grouped(n), report.Grouped(p))
	case s.Method == MethodCramerRao && s.UnboundedFraction >= .5:
		return fmt.Sprintf("not identifiable: %.4g %% of the coordinates have a part that does not change the features, so no estimator of them is unbiased, in real arithmetic and among any real inputs; this does not limit adversaries with a prior", math.Floor(1000*s.UnboundedFraction+1e-9)/10)
	}
	return ""
}

// topLevel is the highest quantile of a summary.
const topLevel = 0.95

// divergent reports whether the divergence of the noise is infinite even for a small change.
func (e Experiment) divergent() bool {
	n := max(1, e.Features)
	z := make([]float64, n)
	z[0] = e.Noise.Std() / 1024
	return math.IsInf(e.Noise.Bound(z, make([]float64, n)), 1)
}
