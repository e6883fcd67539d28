package measure

import (
	"tattle/internal/data/dataset"
	"tattle/internal/engine/nn"
	"tattle/internal/protect/bound"
)

// LegalDomain is the box of the data's range: every input has the range of its channel.
func LegalDomain(set *dataset.Set) (bound.Domain, error) { return bound.Legal(legalRange(set)) }

func legalRange(set *dataset.Set) (low, high []float64) {
	return inputRanges(rangeOf(set), nn.Size(set.Shape))
}

// inputRanges returns the range of each of n inputs, from those of their channels.
func inputRanges(channels [][2]float64, n int) (low, high []float64) {
	for _, c := range channels {
		for range n / len(channels) {
			low, high = append(low, c[0]), append(high, c[1])
		}
	}
	return low, high
}

// DomainOf returns the domain of that name (bound.DomainFree, …) for the inputs of a set.
func DomainOf(set *dataset.Set, name string) (bound.Domain, error) {
	switch name {
	case bound.DomainFree:
		return bound.Free, nil
	case bound.DomainLegal:
		return LegalDomain(set)
	}
	low, high := legalRange(set)
	columns, _ := set.Grid()
	grid := make([]bound.Values, len(columns))
	for i, c := range columns {
		grid[i] = bound.Values{Width: c.Width, List: c.Values}
	}
	return bound.Stored(low, high, grid)
}

// farDomain names the domain of far witnesses and twins, for near witnesses in the domain
// of that name: the same, except that free becomes stored where the grid of the data is
// known, and legal where it is not.
func farDomain(set *dataset.Set, near string) string {
	if near != bound.DomainFree {
		return near
	}
	if _, known := set.Grid(); known {
		return bound.DomainStored
	}
	return bound.DomainLegal
}

// MaxWitnesses is the largest number of Barankin witnesses, or far witnesses, of an input.
const MaxWitnesses = 4096

// Further are the bounds beyond one near witness for each example.
type Further struct {
	Barankin int // witnesses that Barankin's bound combines
	Far      int // starts from which far witnesses are searched, and those of pair floors with them
	Twins    int // examples for which twins are searched
}

// AddTo adds the bounds to an experiment on the examples of a set.
func (f Further) AddTo(x *bound.Experiment, set *dataset.Set, seed uint64) error {
	var domain bound.Domain
	if f.Far > 0 || f.Twins > 0 {
		var err error
		if domain, err = DomainOf(set, farDomain(set, x.Domain.String())); err != nil {
			return err
		}
	}
	f.AddIn(x, domain, seed)
	return nil
}

// AddIn is AddTo for far witnesses and twins in a given domain.
func (f Further) AddIn(x *bound.Experiment, far bound.Domain, seed uint64) {
	// Barankin's bound leaves out the far witnesses, which have a bound of their own. On a
	// grid, where mostly no near witness exists, it combines all.
	if f.Barankin > 0 {
		x.Barankin = bound.BarankinOptions{Witnesses: f.Barankin, Near: x.Domain.Grid == nil}
	}
	if f.Far > 0 {
		x.Far = bound.FarOptions{Starts: f.Far, Domain: far, Seed: seed}
		x.Pairs = bound.PairOptions{Witnesses: bound.MostPairs, Groups: bound.MostPairGroups, Domain: far}
	}
	if f.Twins > 0 {
		x.Twins = bound.TwinOptions{Examples: f.Twins, Domain: far, Seed: seed}
	}
}

// Low bands, summarised apart: A's Figures 1 and 3, and Figures 5 and 6 for pictures of 64
// pixels a side and more.
const (
	lowBand      = 8
	lowBandLarge = 32
)

// LowBand is the size of the low band of cosine modes for inputs of that shape.
func LowBand(shape []int) int {
	if len(shape) == 3 && min(shape[1], shape[2]) >= 2*lowBandLarge {
		return lowBandLarge
	}
	return lowBand
}
