package report

import (
	"math"

	"tattle/attack"
	"tattle/bound"
	"tattle/internal/simd"
	"tattle/measure"
	"tattle/stat"
)

// SetFloorsAndCeilings sets floors and ceilings on one axis, band by band. It uses the arrays
// alone, so that verify can repeat it. res and c may be nil: no bounds, no attacks.
func (r *Report) SetFloorsAndCeilings(res *bound.Result, c *measure.Attacks, coordinates bound.Coordinates) {
	var rows []bound.Summary
	var attacks []Attack
	var bands []markedBand
	m := coordinates.Len()
	for _, band := range bound.Octaves(coordinates) {
		for _, of := range r.Bounds {
			if x := boundValues(of, res, c); of.Band == bound.AllBand && x != nil {
				rows = append(rows, summaryIn(band, of, x, res, m))
			}
		}
		b := markedBand{Name: band.Name, Of: coordinates.Name(), Coordinates: m}
		if band.Keep != nil {
			b.Coordinates = len(band.Keep)
		}
		if c != nil {
			attacks = append(attacks, attacksIn(band, c)...)
			b.Prior = priorIn(band, c)
			b.VanTrees = rootMeanSquare(band.Of(c.VanTrees, m))
		}
		bands = append(bands, b)
	}
	r.FloorsAndCeilings = newFloorsAndCeilings(rows, attacks, bands)
}

// boundValues are the bounds of a row, [examples, m]; nil if the row is not about
// coordinates.
func boundValues(of bound.Summary, res *bound.Result, c *measure.Attacks) []float64 {
	if of.Method == bound.MethodVanTrees && c != nil {
		return c.VanTrees
	}
	switch {
	case of.Method == bound.MethodHCR && of.Search == bound.SearchFar:
		return res.Far.Std
	case of.Method == bound.MethodHCR && of.Search == bound.SearchTwins:
		return res.Twins.Std[:res.Twins.Tried*res.Experiment.Coordinates.Len()]
	case of.Method == bound.MethodBarankin:
		return res.Barankin.Std
	case of.Method == bound.MethodCramerRaoAxis:
		return res.CramerRao.Axis
	case of.Method == bound.MethodCramerRao:
		return res.CramerRao.Full
	case of.Method == bound.MethodHCR:
		for _, s := range res.Sizes {
			if s.Size == of.Size {
				return s.Std
			}
		}
	}
	return nil
}

// summaryIn is a row of the report, for this band alone.
func summaryIn(b bound.Band, of bound.Summary, x []float64, res *bound.Result, m int) bound.Summary {
	x = b.Of(x, m)
	median := stat.Quantile(x, .5)
	of.Band, of.Values, of.StdQuantiles = b.Name, len(x), map[string]*float64{"0.5": &median}
	if math.IsInf(median, 1) {
		of.StdQuantiles["0.5"] = nil
	}
	count := func(x []float64, unbounded func(float64) bool) float64 {
		n := 0
		for _, v := range x {
			if unbounded(v) {
				n++
			}
		}
		return float64(n) / float64(max(1, len(x)))
	}
	of.UnboundedFraction = count(x, func(v float64) bool { return math.IsInf(v, 1) })
	if of.Method == bound.MethodCramerRao {
		of.UnboundedFraction = count(b.Of(res.CramerRao.Seen, m), func(v float64) bool { return v < 1-bound.SeenTolerance })
	}
	return of
}

// attacksIn are the attacks' errors in a band: the root mean square over its
// coordinates, examples and draws.
func attacksIn(b bound.Band, c *measure.Attacks) []Attack {
	var rows []Attack
	for _, a := range c.Results {
		rows = append(rows, attackIn(b, c, a))
	}
	return rows
}

// priorIn is the error of the prior alone in a band, nil if it was not measured.
func priorIn(b bound.Band, c *measure.Attacks) *Attack {
	if c.PriorAlone == nil {
		return nil
	}
	a := attackIn(b, c, c.PriorAlone)
	median := stat.Quantile(b.Of(c.PriorAlone.RMS, len(c.PriorAlone.RMS)/len(c.PriorAlone.MeanSquare)), .5)
	a.RMSQuantiles = map[string]*float64{"0.5": &median}
	return &a
}

func attackIn(b bound.Band, c *measure.Attacks, a *attack.Result) Attack {
	return Attack{Name: a.Attack, Band: b.Name, MeanSquare: Number(a.BandMeanSquare(b.Keep)), Gain: attackGain(c, a, b.Keep), Examples: len(a.MeanSquare)}
}

// rootMeanSquare is that of all values, zero if there are none.
func rootMeanSquare(x []float64) float64 {
	return math.Sqrt(simd.SumSquares(x) / float64(max(1, len(x))))
}
