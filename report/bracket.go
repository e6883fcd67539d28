package report

import (
	"math"

	"tattle/bound"
)

// The marks of a bracket that are no bound.Summary.
const (
	MarkAttack = "attack" // Name says which
	MarkPrior  = "prior"  // what is left to an adversary who sees nothing but knows the data's covariance
)

// Bracket sets floors and ceilings of the adversary's error on one axis: what
// no unbiased reconstruction can go below, and what an attack has reached.
type Bracket struct {
	Bands []BracketBand `json:"bands"`
}

// BracketBand is the bracket of one band of coordinates.
type BracketBand struct {
	Name        string `json:"name"` // "all", or the low band as "8x8"
	Of          string `json:"of"`   // dct, pixels or the name of vectors
	Coordinates int    `json:"coordinates"`
	Marks       []Mark `json:"marks"` // floors as they climb, then ceilings
}

// Mark is the median error that one method proves, or reaches, in a band.
type Mark struct {
	Method            string `json:"method"` // of bound.Summary, or MarkAttack or MarkPrior
	Name              string `json:"name,omitempty"`
	Search            string `json:"search,omitempty"`
	Status            string `json:"status"`
	Median            Number `json:"median"` // null where unbounded
	Unbounded         bool   `json:"unbounded,omitempty"`
	UnboundedFraction Number `json:"unbounded_fraction"`
}

// Band names a band of coordinates, and what an adversary who sees no release
// still knows of it.
type Band struct {
	Name        string
	Of          string
	Coordinates int
	PriorStd    float64 // median over coordinates of √(wᵀΣw); zero where no prior was taken
}

// NewBracket collects the marks of each band: of every kind of bound the row
// with the largest median, every attack, and the prior.
func NewBracket(bounds []bound.Summary, attacks []Attack, bands []Band) *Bracket {
	b := &Bracket{}
	for _, of := range bands {
		band := BracketBand{Name: of.Name, Of: of.Of, Coordinates: of.Coordinates, Marks: floors(bounds, of.Name)}
		for _, a := range attacks {
			if a.Band == of.Name {
				band.Marks = append(band.Marks, Mark{Method: MarkAttack, Name: a.Name, Status: StatusDemonstrated, Median: Number(a.Quantile(.5))})
			}
		}
		if of.PriorStd > 0 {
			band.Marks = append(band.Marks, Mark{Method: MarkPrior, Status: bound.StatusAssumed, Median: Number(of.PriorStd)})
		}
		b.Bands = append(b.Bands, band)
	}
	return b
}

// A digest is what a row of a figure says of a band: one mark of each sort, nil
// where there is none.
type digest struct {
	floor    *Mark // the largest of witnesses near the input, certified where any is
	far      *Mark
	twins    *Mark
	vanTrees *Mark
	attack   *Mark // the nearest
	prior    *Mark
}

// digest picks the marks of a band that a row has room for.
func (b BracketBand) digest() digest {
	var d digest
	for i := range b.Marks {
		m := &b.Marks[i]
		switch kind := newRung(m.Method, m.Search); {
		case m.Method == MarkAttack:
			if d.attack == nil || m.Median < d.attack.Median {
				d.attack = m
			}
		case m.Method == MarkPrior:
			d.prior = m
		case m.Method == bound.MethodVanTrees:
			d.vanTrees = m
		case kind.search == bound.SearchFar:
			d.far = m
		case kind.search == bound.SearchTwins:
			d.twins = m
		case witnessed(m.Method) && m.above(d.floor):
			d.floor = m
		}
	}
	return d
}

// witnessed tells whether a method proves with witnesses.
func witnessed(method string) bool {
	return method == bound.MethodHCR || method == bound.MethodBarankin
}

// above tells whether m says more than other: what is certified goes before what
// is estimated, then the larger goes before the smaller.
func (m *Mark) above(other *Mark) bool {
	if other == nil {
		return true
	}
	mine, its := m.Status == bound.StatusCertified, other.Status == bound.StatusCertified
	if mine != its {
		return mine
	}
	return m.unbounded() || !other.unbounded() && m.Median > other.Median
}

// rung is a kind of bound per coordinate.
type rung struct{ method, search string }

// rungs are the kinds in the order in which a figure shows them.
var rungs = []rung{
	{bound.MethodCramerRaoAxis, ""}, {bound.MethodHCR, ""}, {bound.MethodCramerRao, ""},
	{bound.MethodBarankin, ""}, {bound.MethodHCR, bound.SearchFar}, {bound.MethodHCR, bound.SearchTwins}, {bound.MethodVanTrees, ""},
}

// kindOf tells which rung a row belongs to: how tiny witnesses were searched
// for makes no rung of its own.
func kindOf(b bound.Summary) rung { return newRung(b.Method, b.Search) }

func newRung(method, search string) rung {
	one := method == bound.MethodHCR || method == bound.MethodMeanSquare
	if one && (search == bound.SearchFar || search == bound.SearchTwins) {
		return rung{method, search}
	}
	return rung{method, ""}
}

// floors are the bounds' marks in a band.
func floors(bounds []bound.Summary, band string) []Mark {
	var marks []Mark
	for _, kind := range rungs {
		var best *bound.Summary
		for i := range bounds {
			b := &bounds[i]
			if b.Band == band && kindOf(*b) == kind && (best == nil || b.Quantile(.5) > best.Quantile(.5)) {
				best = b
			}
		}
		if best != nil {
			m := best.Quantile(.5)
			marks = append(marks, Mark{Method: best.Method, Search: best.Search, Status: best.Status,
				Median: Number(m), Unbounded: math.IsInf(m, 1), UnboundedFraction: Number(best.UnboundedFraction)})
		}
	}
	return marks
}
