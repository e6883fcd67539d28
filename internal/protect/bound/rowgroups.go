package bound

import (
	"cmp"
	"slices"

	"tattle/internal/engine/nn"
)

// rowGroupSize is how many points are linearised together, of similar numbers of
// rows: products are made of as many for each as the one with most has.
const rowGroupSize = 8

// A rowGroup are points, by their places, and the most rows that J has at one of them.
type rowGroup struct {
	at   []int
	rows int
}

// groupByRows divides points, of whose features on, [points, n], are active, into
// groups of similar numbers of rows, size points at most. None has points with up to
// farDirect rows and with more: which way a step is found depends on its own point
// alone.
func groupByRows(on []bool, n, size int) (groups []rowGroup) {
	rows, order := activeCounts(on, n), nn.Indices(len(on)/n)
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(rows[a], rows[b]) })
	for _, k := range order {
		g := len(groups) - 1
		if g < 0 || len(groups[g].at) == size || (rows[k] > farDirect) != (groups[g].rows > farDirect) {
			groups, g = append(groups, rowGroup{}), g+1
		}
		groups[g] = rowGroup{append(groups[g].at, k), rows[k]}
	}
	return groups
}

// activeCounts counts, at every point, the active features, on being [points, n].
func activeCounts(on []bool, n int) []int {
	rows := make([]int, len(on)/n)
	for k := range rows {
		rows[k] = len(trues(rowOf(on, k, n)))
	}
	return rows
}

// trues returns the places of what is true.
func trues(on []bool) (at []int) {
	for k, yes := range on {
		if yes {
			at = append(at, k)
		}
	}
	return at
}

// activity returns for each of so many features whether its row of J may be nonzero. A
// feature with such a row is called active.
func activity[T nn.Float](lin nn.Linearization[T], features int) []bool {
	on := make([]bool, features)
	if a, ok := lin.(nn.Activity); ok {
		a.Active(on)
		return on
	}
	for i := range on {
		on[i] = true
	}
	return on
}
