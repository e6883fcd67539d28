package inspect

import (
	"strings"
	"testing"

	"tattle/internal/engine/nn"
	"tattle/internal/engine/nn/zoo"
	"tattle/internal/must"
)

// TestCandidates: of every node inspect says what Cut says, and names a way past those
// that are none.
func TestCandidates(t *testing.T) {
	t.Parallel()
	g := zoo.ResNet20(10, 1)
	all := must.Get(candidates(g))(t)
	if len(all) != len(g.Nodes) {
		t.Errorf("%d of %d nodes", len(all), len(g.Nodes))
	}
	byDefault := 0
	for _, c := range all {
		_, _, err := g.Cut(c.Node)
		if c.Cuts != (err == nil) || c.Cuts == (c.Bypass != "") {
			t.Errorf("%s: cuts %v, past it %q, and Cut says %v", c.Node, c.Cuts, c.Bypass, err)
		}
		if strings.HasPrefix(c.Node, "layer2.1.") && !c.Cuts && !strings.HasPrefix(c.Join, "layer2.1.") {
			t.Errorf("%s: joined at %s", c.Node, c.Join)
		}
		if c.Default {
			byDefault++
		}
	}
	last := all[len(all)-1]
	total := int64(0)
	for _, p := range g.Params() {
		total += int64(nn.Size(p.Shape))
	}
	if byDefault != 1 || last.Parameters != total || last.MultiplyAdds < 40e6 || last.MultiplyAdds > 42e6 {
		t.Errorf("%d defaults; %d parameters of %d, %d multiply-adds", byDefault, last.Parameters, total, last.MultiplyAdds)
	}
}
