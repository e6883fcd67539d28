package bound

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Every point is in one group, with no fewer rows than it has; no group is too large,
// and none has points on both sides of farDirect.
func TestGroupByRows(t *testing.T) {
	const points, n, size = 50, 300, 8
	r := rand.New(rand.NewPCG(1, 1))
	on, rows := make([]bool, points*n), make([]int, points)
	for k := range rows {
		rows[k] = farDirect - 20 + r.IntN(40)
		for _, j := range r.Perm(n)[:rows[k]] {
			on[k*n+j] = true
		}
	}
	var all []int
	for _, g := range groupByRows(on, n, size) {
		if len(g.at) > size {
			t.Errorf("a group of %d points", len(g.at))
		}
		most := 0
		for _, k := range g.at {
			most = max(most, rows[k])
			if (rows[k] > farDirect) != (g.rows > farDirect) {
				t.Errorf("point %d of %d rows in a group of %d", k, rows[k], g.rows)
			}
		}
		if most != g.rows {
			t.Errorf("a group of %d rows has a point of %d", g.rows, most)
		}
		all = append(all, g.at...)
	}
	if slices.Sort(all); !slices.Equal(all, upTo(points)) {
		t.Errorf("the groups' points are %v", all)
	}
}
