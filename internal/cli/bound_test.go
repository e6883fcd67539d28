package cli

import (
	"math"
	"strings"
	"testing"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/nn"
	"tattle/internal/engine/nn/zoo"
	"tattle/internal/protect/measure"
)

// A flag that is given counts; of the others, a costly model gets few searches, and each is named.
func TestFewerSearches(t *testing.T) {
	usual := boundCmd{}
	if notes := usual.complete(false); len(notes) > 0 || usual.Examples != "100" || *usual.Restarts != 25 || *usual.Barankin != 64 || *usual.Far != 8 || usual.Twins != "6" {
		t.Errorf("%+v, %v", usual, notes)
	}
	few := boundCmd{Examples: "all"}
	few.Far = new(3)
	if notes := few.complete(true); len(notes) != 1 || strings.Count(notes[0], "instead of") != 4 || few.Examples != "all" || *few.Restarts != 2 || *few.Barankin != 0 || *few.Far != 3 || few.Twins != "0" {
		t.Errorf("%+v, %v", few, notes)
	}
}

// bound reads no more examples than a costly model is applied to, unless a flag says how many.
func TestReadFewer(t *testing.T) {
	b := nn.NewBuilder("large", 16, 256, 256)
	b.Conv("", 16, 3, 1, 1, true)
	large := b.Graph
	vectors := sourceFlags{useFlags: useFlags{Utility: "recall@10"}}
	everything := vectors
	everything.Limit.Most = math.MaxInt
	listed := furtherFlags{Candidates: "1500"}
	for _, c := range []struct {
		cmd  boundCmd
		g    *nn.Graph
		want int
	}{
		{boundCmd{sourceFlags: vectors, furtherFlags: listed}, large, 1500},
		{boundCmd{sourceFlags: vectors, furtherFlags: listed}, zoo.Vectors(9), 0},
		{boundCmd{sourceFlags: vectors, furtherFlags: furtherFlags{Candidates: "all"}}, large, 0},
		{boundCmd{sourceFlags: everything}, large, 0},
		{boundCmd{furtherFlags: listed}, large, 1500},
		{boundCmd{}, large, measure.Affordable(large, "")},
		{boundCmd{Examples: "2"}, large, measure.Affordable(large, "")},
		{boundCmd{Examples: "1000000"}, large, 1000000},
		{boundCmd{Examples: "all"}, large, 0},
		{boundCmd{Examples: "some.npy"}, large, 0},
		{boundCmd{}, zoo.Vectors(9), 0},
	} {
		var in measure.Inputs
		if notes := c.cmd.readFewer(c.g, &in); in.Limit != (dataset.Limit{Most: c.want}) || len(notes) != min(1, c.want) {
			t.Errorf("limit %v, notes %q; want %d", in.Limit, notes, c.want)
		}
	}
}
