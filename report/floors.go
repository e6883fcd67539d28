package report

import (
	"math"

	"tattle/attack"
	"tattle/bound"
	"tattle/measure"
	"tattle/stat"
)

// FloorsAndCeilings sets floors and ceilings of the adversary's error beside one another: what
// no unbiased reconstruction can go below, and what an attack has reached, beside what
// is reached without the release.
type FloorsAndCeilings struct {
	Bands []BandMarks `json:"bands"`
}

// BandMarks has the floors and ceilings of one band of coordinates; nil if there is none.
type BandMarks struct {
	Name        string `json:"name"` // "all", or the band
	Of          string `json:"of"`   // dct, pixels or the name of vectors
	Coordinates int    `json:"coordinates"`
	Near        *Mark  `json:"near,omitempty"` // floor by witnesses near the input: certified rather than estimated, of those the largest
	Far         *Mark  `json:"far,omitempty"`
	Twins       *Mark  `json:"twins,omitempty"`
	Attack      *Mark  `json:"attack,omitempty"` // the nearest one
	Prior       *Mark  `json:"prior,omitempty"`  // guessing the mean of the training data, without the release
}

// Mark is the error that is proved, or reached, in a band: for floors of unbiased
// reconstructions the median over coordinates and examples, for the attack and the prior alone
// the root mean square over them.
type Mark struct {
	Name              string       `json:"name,omitempty"`   // of an attack
	Domain            string       `json:"domain,omitempty"` // of bound.Summary
	Status            string       `json:"status"`
	Examples          int          `json:"examples,omitempty"`    // that it is about; 0 where it is not about examples
	Error             Number       `json:"error"`                 // null where unbounded
	Interval          *[2]float64  `json:"interval,omitempty"`    // of an attack: 95 %, over inputs like its examples
	Gain              *attack.Gain `json:"gain,omitempty"`        // of an attack over the prior alone
	AbovePrior        *bool        `json:"above_prior,omitempty"` // of a floor for unbiased estimators: whether its median is above the prior's; nil where that was not compared
	Unbounded         bool         `json:"unbounded,omitempty"`
	UnboundedFraction Number       `json:"unbounded_fraction,omitempty"` // of twins: share of coordinates without a limit
}

// unbounded reports whether a mark is unbounded, also if it was read from JSON.
func (m *Mark) unbounded() bool { return m.Unbounded || math.IsInf(float64(m.Error), 1) }

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
	return m.unbounded() || !other.unbounded() && m.Error > other.Error
}

// addFloor adds a bound for unbiased estimators by witnesses, of which are given the median in
// the band and the share of coordinates without a limit.
func (b *BandMarks) addFloor(of bound.Summary, median, unbounded float64) {
	m := &Mark{Domain: of.Domain, Status: of.Status, Examples: of.Examples, Error: Number(median), Unbounded: math.IsInf(median, 1)}
	switch {
	case of.Search == bound.SearchFar:
		b.Far = m
	case of.Search == bound.SearchTwins:
		m.UnboundedFraction = Number(unbounded)
		b.Twins = m
	case m.above(b.Near):
		b.Near = m
	}
}

// addAttack adds an attack unless another one comes nearer.
func (b *BandMarks) addAttack(m *Mark) {
	if b.Attack == nil || m.Error < b.Attack.Error {
		b.Attack = m
	}
}

// addPrior adds the prior alone, and compares its median with those of the floors.
func (b *BandMarks) addPrior(m *Mark, median float64) {
	b.Prior = m
	for _, floor := range []*Mark{b.Near, b.Far, b.Twins} {
		if floor != nil && floor.unbounded() {
			floor.AbovePrior = compareFloor(math.Inf(1), median)
		} else if floor != nil {
			floor.AbovePrior = compareFloor(float64(floor.Error), median)
		}
	}
}

// SetFloorsAndCeilings sets floors and ceilings, band by band. It uses the arrays alone, so
// that verify can repeat it. res and c may be nil: no bounds, no attacks.
func (r *Report) SetFloorsAndCeilings(res *bound.Result, c *measure.Attacks, coordinates bound.Coordinates) {
	f, m := &FloorsAndCeilings{}, coordinates.Len()
	for _, band := range bound.Octaves(coordinates) {
		b := BandMarks{Name: band.Name, Of: coordinates.Name(), Coordinates: m}
		if band.Keep != nil {
			b.Coordinates = len(band.Keep)
		}
		for _, of := range r.Bounds {
			if x := witnessed(of, res); x != nil && of.Band == bound.AllBand {
				x = band.Of(x, m)
				b.addFloor(of, stat.Quantile(x, .5), shareOfInfinite(x))
			}
		}
		if c != nil {
			b.addAttacks(c, band, m)
		}
		f.Bands = append(f.Bands, b)
	}
	r.FloorsAndCeilings = f
}

// addAttacks adds what attacks and the prior alone reach.
func (b *BandMarks) addAttacks(c *measure.Attacks, band bound.Band, coordinates int) {
	mark := func(name string, meanSquare float64, examples int) *Mark {
		return &Mark{Name: name, Status: StatusDemonstrated, Examples: examples, Error: Number(math.Sqrt(meanSquare))}
	}
	for _, a := range c.Results {
		m := mark(a.Attack, a.BandMeanSquare(band.Keep), len(a.MeanSquare))
		m.Gain = c.Gain(a, band.Keep)
		if x := a.Interval(band.Keep); x != nil {
			m.Interval = &[2]float64{math.Sqrt(x[0]), math.Sqrt(x[1])}
		}
		b.addAttack(m)
	}
	if p := c.PriorAlone; p != nil {
		b.addPrior(mark("", p.BandMeanSquare(band.Keep), len(p.MeanSquare)), stat.Quantile(band.Of(p.RMS, coordinates), .5))
	}
}

// witnessed returns the bounds of a row that witnesses prove, [examples, m]; nil for other rows.
func witnessed(of bound.Summary, res *bound.Result) []float64 {
	switch {
	case of.Method == bound.MethodBarankin:
		return res.Barankin.Std
	case of.Method != bound.MethodHCR:
		return nil
	case of.Search == bound.SearchFar:
		return res.Far.Std
	case of.Search == bound.SearchTwins:
		return res.Twins.Std[:res.Twins.Tried*res.Experiment.Coordinates.Len()]
	}
	for _, s := range res.Sizes {
		if s.Size == of.Size {
			return s.Std
		}
	}
	return nil
}

// shareOfInfinite returns the share of values that are infinite.
func shareOfInfinite(x []float64) float64 {
	n := 0
	for _, v := range x {
		if math.IsInf(v, 1) {
			n++
		}
	}
	return float64(n) / float64(max(1, len(x)))
}
