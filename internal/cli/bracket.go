package cli

import (
	"fmt"
	"math"
	"slices"

	"tattle/attack"
	"tattle/bound"
	"tattle/internal/simd"
	"tattle/measure"
	"tattle/report"
)

// allBand is the band of all coordinates.
const allBand = "all"

// bracketBand is a band of coordinates; keep nil stands for all.
type bracketBand struct {
	name string
	keep []int
}

// octaves are the bands of a bracket: all coordinates, and for cosine modes those
// from 2^i to 2^(i+1) − 1 by the larger of their two numbers.
func octaves(c bound.Coordinates) []bracketBand {
	bands := []bracketBand{{name: allBand}}
	within := c.Band(1)
	if len(within) == 0 || len(within) == c.Len() {
		return bands
	}
	bands = append(bands, bracketBand{"mode 0", within})
	for size := 2; len(within) < c.Len() && size <= mostOctave; size *= 2 {
		wider := c.Band(size)
		name := fmt.Sprintf("modes %d–%d", size/2, size-1)
		if size == 2 {
			name = "mode 1"
		}
		if size == mostOctave || len(wider) <= len(within) || len(wider) == c.Len() {
			wider, name = firstIndices(c.Len()), fmt.Sprintf("modes from %d", size/2)
		}
		bands = append(bands, bracketBand{name, without(wider, within)})
		within = wider
	}
	return bands
}

// mostOctave ends the octaves: modes from half of it on are one band.
const mostOctave = 1 << 10

// without returns what a has and b has not.
func without(a, b []int) []int {
	has := make(map[int]bool, len(b))
	for _, i := range b {
		has[i] = true
	}
	return slices.DeleteFunc(slices.Clone(a), func(i int) bool { return has[i] })
}

// bracket sets floors and ceilings on one axis, band by band. It is made of the
// arrays alone, so that verify makes it again. res, where there are no bounds, and c
// may be nil.
func bracket(r *report.Report, res *bound.Result, c *measure.Attacks, coordinates bound.Coordinates) *report.Bracket {
	var rows []bound.Summary
	var attacks []report.Attack
	var bands []report.Band
	m := coordinates.Len()
	for _, band := range octaves(coordinates) {
		for _, of := range r.Bounds {
			if x := values(of, res, c); of.Band == allBand && x != nil {
				rows = append(rows, band.row(of, x, res, m))
			}
		}
		b := report.Band{Name: band.name, Of: coordinates.Name(), Coordinates: m}
		if band.keep != nil {
			b.Coordinates = len(band.keep)
		}
		if c != nil {
			attacks = append(attacks, band.attacks(c)...)
			b.Prior = band.prior(c)
			b.VanTrees = rootMeanSquare(band.of(c.VanTrees, m))
		}
		bands = append(bands, b)
	}
	return report.NewBracket(rows, attacks, bands)
}

// of are the band's columns of x, [rows, m].
func (b bracketBand) of(x []float64, m int) []float64 {
	if b.keep == nil {
		return x
	}
	return pick(x, b.keep, m)
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

// row is a row of the report, for this band alone.
func (b bracketBand) row(of bound.Summary, x []float64, res *bound.Result, m int) bound.Summary {
	x = b.of(x, m)
	median := median(x)
	of.Band, of.Values, of.StdQuantiles = b.name, len(x), map[string]*float64{"0.5": &median}
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
		of.UnboundedFraction = count(b.of(res.CramerRao.Seen, m), func(v float64) bool { return v < 1-bound.SeenTolerance })
	}
	return of
}

// attacks are the attacks' errors in this band: the root mean square over its
// coordinates, examples and draws.
func (b bracketBand) attacks(c *measure.Attacks) []report.Attack {
	var rows []report.Attack
	for _, a := range c.Results {
		rows = append(rows, b.attack(c, a))
	}
	return rows
}

// prior is the error of the prior alone in this band, nil where it was not measured.
func (b bracketBand) prior(c *measure.Attacks) *report.Attack {
	if c.PriorAlone == nil {
		return nil
	}
	a := b.attack(c, c.PriorAlone)
	median := median(b.of(c.PriorAlone.RMS, len(c.PriorAlone.RMS)/len(c.PriorAlone.MeanSquare)))
	a.RMSQuantiles = map[string]*float64{"0.5": &median}
	return &a
}

func (b bracketBand) attack(c *measure.Attacks, a *attack.Result) report.Attack {
	return report.Attack{Name: a.Attack, Band: b.name, MeanSquare: report.Number(a.BandMeanSquare(b.keep)), Gain: gainOf(c, a, b.keep), Examples: len(a.MeanSquare)}
}

// rootMeanSquare is that of all values, zero where there are none.
func rootMeanSquare(x []float64) float64 {
	return math.Sqrt(simd.SumSquares(x) / float64(max(1, len(x))))
}
