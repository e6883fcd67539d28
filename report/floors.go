package report

import (
	"math"

	"tattle/bound"
)

// The marks that are not a bound.Summary.
const (
	markAttack = "attack" // Name says which
	markPrior  = "prior"  // what guessing the mean of the training data errs by, without the release
)

// FloorsAndCeilings sets floors and ceilings of the adversary's error on one axis: what
// no unbiased reconstruction can go below, and what an attack has reached, beside what
// is reached without the release.
type FloorsAndCeilings struct {
	Bands []BandMarks `json:"bands"`
}

// BandMarks has the floors and ceilings of one band of coordinates.
type BandMarks struct {
	Name        string `json:"name"` // "all", or the low band as "8x8"
	Of          string `json:"of"`   // dct, pixels or the name of vectors
	Coordinates int    `json:"coordinates"`
	Marks       []Mark `json:"marks"` // floors as they climb, then ceilings
}

// Mark is the error that one method proves, or reaches, in a band: for floors of
// unbiased reconstructions the median over coordinates and examples, for attacks, the
// prior alone and van Trees the root mean square over them.
type Mark struct {
	Method            string `json:"method"` // of bound.Summary, or markAttack or markPrior
	Name              string `json:"name,omitempty"`
	Search            string `json:"search,omitempty"`
	Domain            string `json:"domain,omitempty"` // of bound.Summary
	Status            string `json:"status"`
	Examples          int    `json:"examples,omitempty"` // that it is about; 0 where it is not about examples
	Median            Number `json:"median"`             // null where unbounded or RMS stands instead
	RMS               Number `json:"rms,omitempty"`
	Gain              *Gain  `json:"gain,omitempty"`        // of an attack over the prior alone
	AbovePrior        *bool  `json:"above_prior,omitempty"` // of a floor: whether its median is above the prior's; nil where that was not compared
	Unbounded         bool   `json:"unbounded,omitempty"`
	UnboundedFraction Number `json:"unbounded_fraction"`
}

// level is the figure at which the mark stands.
func (m Mark) level() Number {
	if m.Method == markAttack || m.Method == markPrior || m.Method == bound.MethodVanTrees {
		return m.RMS
	}
	return m.Median
}

// markedBand names a band of coordinates. Prior is the row of guessing the mean without the
// release, nil if that was not measured; VanTrees is the root mean square of van
// Trees' bound, zero if there is none.
type markedBand struct {
	Name        string
	Of          string
	Coordinates int
	Prior       *Attack // with its median
	VanTrees    float64
}

// newFloorsAndCeilings collects the marks of each band: of every kind of bound the row
// with the largest median, every attack, and the prior alone.
func newFloorsAndCeilings(bounds []bound.Summary, attacks []Attack, bands []markedBand) *FloorsAndCeilings {
	b := &FloorsAndCeilings{}
	for _, of := range bands {
		band := BandMarks{Name: of.Name, Of: of.Of, Coordinates: of.Coordinates, Marks: floors(bounds, of)}
		for _, a := range attacks {
			if a.Band == of.Name {
				band.Marks = append(band.Marks, a.mark(markAttack))
			}
		}
		if of.Prior != nil {
			band.comparePrior(of.Prior)
			band.Marks = append(band.Marks, of.Prior.mark(markPrior))
		}
		b.Bands = append(b.Bands, band)
	}
	return b
}

// comparePrior marks the floors of unbiased estimators that are above the prior alone.
func (b *BandMarks) comparePrior(prior *Attack) {
	for i := range b.Marks {
		if m := &b.Marks[i]; m.everyInput() {
			floor := float64(m.Median)
			if m.unbounded() {
				floor = math.Inf(1)
			}
			m.AbovePrior = compareFloor(floor, prior.Quantile(.5))
		}
	}
}

func (a Attack) mark(method string) Mark {
	m := Mark{Method: method, Status: StatusDemonstrated, Examples: a.Examples, Median: Number(math.NaN()), RMS: Number(a.rms()), Gain: a.Gain}
	if method == markAttack {
		m.Name = a.Name
	} else {
		m.Median = Number(a.Quantile(.5))
	}
	return m
}

// unbounded reports whether a mark is unbounded, also if it was read from JSON.
func (m Mark) unbounded() bool { return m.Unbounded || math.IsInf(float64(m.level()), 1) }

// floor reports whether a mark is a lower bound.
func (m Mark) floor() bool { return m.Method != markAttack && m.Method != markPrior }

// everyInput reports whether a mark is a floor that leans on no prior.
func (m Mark) everyInput() bool { return m.floor() && m.Method != bound.MethodVanTrees }

// A digest is what a row of the table says of a band: one mark of each sort, nil
// if there is none.
type digest struct {
	floor    *Mark // the largest of witnesses near the input, certified where any is
	far      *Mark
	twins    *Mark
	vanTrees *Mark
	attack   *Mark // the nearest of those that are shown to come closer than the prior alone
	prior    *Mark
	tried    *Mark // the nearest attack, closer than the prior alone or not
}

// digest picks the marks of a band that a row has room for.
func (b BandMarks) digest() digest {
	var d digest
	for i := range b.Marks {
		m := &b.Marks[i]
		switch kind := newBoundKind(m.Method, m.Search); {
		case m.Method == markAttack:
			if d.tried == nil || m.RMS < d.tried.RMS {
				d.tried = m
			}
			if m.Gain.closer() && (d.attack == nil || m.RMS < d.attack.RMS) {
				d.attack = m
			}
		case m.Method == markPrior:
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

// witnessed reports whether a method proves with witnesses.
func witnessed(method string) bool {
	return method == bound.MethodHCR || method == bound.MethodBarankin
}

// above reports whether m says more than other: what is certified goes before what
// is estimated, then the larger goes before the smaller.
func (m *Mark) above(other *Mark) bool {
	if other == nil {
		return true
	}
	mine, its := m.Status == bound.StatusCertified, other.Status == bound.StatusCertified
	if mine != its {
		return mine
	}
	return m.unbounded() || !other.unbounded() && m.level() > other.level()
}

// boundKind is a kind of bound per coordinate.
type boundKind struct{ method, search string }

// boundKinds are the kinds in the order in which a figure shows them.
var boundKinds = []boundKind{
	{bound.MethodCramerRaoAxis, ""}, {bound.MethodHCR, ""}, {bound.MethodCramerRao, ""},
	{bound.MethodBarankin, ""}, {bound.MethodHCR, bound.SearchFar}, {bound.MethodHCR, bound.SearchTwins}, {bound.MethodVanTrees, ""},
}

// kindOf returns the kind of a row. The different searches for near witnesses are one kind.
func kindOf(b bound.Summary) boundKind { return newBoundKind(b.Method, b.Search) }

func newBoundKind(method, search string) boundKind {
	one := method == bound.MethodHCR || method == bound.MethodMeanSquare
	if one && (search == bound.SearchFar || search == bound.SearchTwins) {
		return boundKind{method, search}
	}
	return boundKind{method, ""}
}

// floors are the bounds' marks in a band.
func floors(bounds []bound.Summary, band markedBand) []Mark {
	var marks []Mark
	for _, kind := range boundKinds {
		var best *bound.Summary
		for i := range bounds {
			b := &bounds[i]
			if b.Band == band.Name && kindOf(*b) == kind && (best == nil || b.Quantile(.5) > best.Quantile(.5)) {
				best = b
			}
		}
		if best != nil {
			m := best.Quantile(.5)
			mark := Mark{Method: best.Method, Search: best.Search, Domain: best.Domain, Status: best.Status, Examples: best.Examples,
				Median: Number(m), Unbounded: math.IsInf(m, 1), UnboundedFraction: Number(best.UnboundedFraction)}
			if best.Method == bound.MethodVanTrees {
				mark.Median, mark.RMS = Number(math.NaN()), Number(band.VanTrees)
			}
			marks = append(marks, mark)
		}
	}
	return marks
}
