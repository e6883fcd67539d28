package nn

import (
	"testing"

	"tattle/internal/must"
	"tattle/internal/shared"
)

// The multiply-adds of paper A's nets, counted by hand from their layers.
func TestCosts(t *testing.T) {
	shared.Long(t, "builds the largest nets")
	for _, c := range []struct {
		name string
		g    *Graph
		want int64
	}{
		{"mnist", zooNet("mnist"), 784*784 + 784*784 + 784*10},
		{"cifar10", zooNet("cifar10"), 30*30*32*27 + 11*11*1024*800 + 3072*9216 + 3072*3072 + 3072*10},
	} {
		costs := must.Get(c.g.Costs())(t)
		var sum int64
		for _, v := range costs {
			sum += v
		}
		if sum != c.want {
			t.Errorf("%s takes %d multiply-adds, want %d", c.name, sum, c.want)
		}
	}
}
