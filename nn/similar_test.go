package nn

import (
	"slices"
	"testing"
)

// TestSimilar: a slip of the pen finds what was meant, and so does part of a name.
func TestSimilar(t *testing.T) {
	t.Parallel()
	g := new(Graph)
	for _, name := range []string{"conv1", "layer3.2.relu1", "layer3.2.relu2", "linear"} {
		g.Nodes = append(g.Nodes, &Node{Name: name, Op: &ReLU{}, Output: name + ".out"})
	}
	for wrong, want := range map[string]string{"layer3.2.relu3": `"layer3.2.relu2"`, "Linear": `"linear"`} {
		if got := g.similar(wrong); len(got) != suggestions || !slices.Contains(got, want) {
			t.Errorf("%q: %q", wrong, got)
		}
	}
	for _, x := range []struct {
		a, b string
		far  int
	}{{"", "abc", 3}, {"kitten", "sitting", 3}, {"abc", "abc", 0}, {"abc", "", 3}} {
		if got := editDistance(x.a, x.b); got != x.far {
			t.Errorf("%q, %q: %d edits", x.a, x.b, got)
		}
	}
}
