package cli

import (
	"math"

	"tattle/attack"
	"tattle/bound"
	"tattle/internal/simd"
	"tattle/measure"
	"tattle/report"
)

// allBand is the band of all coordinates.
const allBand = bound.AllBand

// bracket sets floors and ceilings on one axis, band by band. It is made of the
// arrays alone, so that verify makes it again. res, where there are no bounds, and c
// may be nil.
func bracket(r *report.Report, res *bound.Result, c *measure.Attacks, coordinates bound.Coordinates) *report.Bracket {
	var rows []bound.Summary
	var attacks []report.Attack
	var bands []report.Band
	m := coordinates.Len()
	for _, band := range bound.Octaves(coordinates) {
		for _, of := range r.Bounds {
			if x := values(of, res, c); of.Band == allBand && x != nil {
				rows = append(rows, rowOf(band, of, x, res, m))
			}
		}
		b := report.Band{Name: band.Name, Of: coordinates.Name(), Coordinates: m}
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
	return report.NewBracket(rows, attacks, bands)
}

// values are the bounds of a row, [examples, m]; nil where the row is not about
// coordinates.
func values(of bound.Summary, res *bound.Result, c *measure.Attacks) []float64 {
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

// rowOf is a row of the report, for this band alone.
func rowOf(b bound.Band, of bound.Summary, x []float64, res *bound.Result, m int) bound.Summary {
	x = b.Of(x, m)
	median := median(x)
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
func attacksIn(b bound.Band, c *measure.Attacks) []report.Attack {
	var rows []report.Attack
	for _, a := range c.Results {
		rows = append(rows, attackIn(b, c, a))
	}
	return rows
}

// priorIn is the error of the prior alone in a band, nil where it was not measured.
func priorIn(b bound.Band, c *measure.Attacks) *report.Attack {
	if c.PriorAlone == nil {
		return nil
	}
	a := attackIn(b, c, c.PriorAlone)
	median := median(b.Of(c.PriorAlone.RMS, len(c.PriorAlone.RMS)/len(c.PriorAlone.MeanSquare)))
	a.RMSQuantiles = map[string]*float64{"0.5": &median}
	return &a
}

func attackIn(b bound.Band, c *measure.Attacks, a *attack.Result) report.Attack {
	return report.Attack{Name: a.Attack, Band: b.Name, MeanSquare: report.Number(a.BandMeanSquare(b.Keep)), Gain: gainOf(c, a, b.Keep), Examples: len(a.MeanSquare)}
}

// rootMeanSquare is that of all values, zero where there are none.
func rootMeanSquare(x []float64) float64 {
	return math.Sqrt(simd.SumSquares(x) / float64(max(1, len(x))))
}
