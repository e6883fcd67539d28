package measure

import (
	"math"
	"strconv"

	"tattle/internal/engine/nn"
)

// A model that takes more than costly multiply-adds for an input is applied to fewer inputs by default, and its bounds are
// searched for less.
const costly = 1e8

// Costly reports whether a model is applied to fewer inputs by default.
func Costly(g *nn.Graph) bool {
	sum, err := g.MultiplyAdds()
	return err == nil && sum > costly // else the net says later what is wrong
}

// affordable returns to how many inputs a model is applied with about so many multiply-adds, and to how many at least. A model
// that is not costly is applied to all.
func affordable(g *nn.Graph, work float64, least, all int) int {
	if g == nil || !Costly(g) {
		return all
	}
	sum, _ := g.MultiplyAdds()
	return min(all, max(least, int(work/float64(sum))))
}

// Affordable returns how many inputs of each part a costly model is applied to, at most, with that choice of candidates
// (see [Inputs.Lists]).
func Affordable(g *nn.Graph, candidates string) int {
	n, err := strconv.Atoi(candidates)
	if err != nil {
		n = affordable(g, candidatesWork, leastScaling, math.MaxInt32)
	}
	return max(n, leastLookups, affordable(g, lookupWork, leastLookups, mostDatabase))
}

// Multiply-adds of float32 take about two seconds for 2³⁵ on one core, those of float64 twice as long.
const (
	scalingWork    = 1 << 37 // from which the strength of the noise is computed
	fitWork        = 1 << 36 // of the examples that Fits classifies
	lookupWork     = 1 << 37 // of the vectors of a database
	sampleWork     = 1 << 37 // of a sample, in float64
	lessonWork     = 1 << 37 // of what attacks learn from
	candidatesWork = 1 << 39 // of the candidates, in float64

	leastScaling = 500
	leastLookups = 1000
)
