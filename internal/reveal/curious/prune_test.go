package curious

import (
	"math"
	"slices"
	"testing"

	"tattle/internal/engine/nn"
	"tattle/internal/engine/nn/zoo"
	"tattle/internal/must"
)

func zeros(x []float32) (n int) {
	for _, v := range x {
		if v == 0 {
			n++
		}
	}
	return n
}

// TestPruneCounts holds the numbers of zeros, and which they are, to those of torch
// 1.13's l1_unstructured.
func TestPruneCounts(t *testing.T) {
	fractions := []float64{0, .05, .1, .25, .3, .5, .7, .75, .9, 1}
	for n, want := range map[int][]int{
		1:    {0, 0, 0, 0, 0, 0, 1, 1, 1, 1},
		3:    {0, 0, 0, 1, 1, 2, 2, 2, 3, 3},
		5:    {0, 0, 0, 1, 2, 2, 4, 4, 4, 5},
		10:   {0, 0, 1, 2, 3, 5, 7, 8, 9, 10},
		25:   {0, 1, 2, 6, 8, 12, 18, 19, 22, 25},
		101:  {0, 5, 10, 25, 30, 50, 71, 76, 91, 101},
		1501: {0, 75, 150, 375, 450, 750, 1051, 1126, 1351, 1501},
	} {
		g := newGraph("row", n)
		w := param("w", 1, n)
		copy(w.Data, normals(uint64(n), n))
		appendNode(g, "row", &nn.Dense{In: n, Out: 1, Weight: w}, g.Input)
		for i, f := range fractions {
			c := must.Get(Prune(g, f))(t)
			if got := zeros(weights(c)[0].Data); got != want[i] {
				t.Errorf("%v of %d: %d zeros, want %d", f, n, got, want[i])
			}
		}
	}
	g := newGraph("torch", 7)
	w := param("w", 3, 7)
	for i := range w.Data {
		w.Data[i] = float32((float64(i*11%21) - 10.3) / 7)
	}
	appendNode(g, "fc", &nn.Dense{In: 7, Out: 3, Weight: w}, g.Input)
	c := must.Get(Prune(g, .4))(t)
	var at []int
	for i, v := range weights(c)[0].Data {
		if v == 0 {
			at = append(at, i)
		}
	}
	if want := []int{1, 3, 5, 7, 14, 16, 18, 20}; !slices.Equal(at, want) {
		t.Errorf("zeros at %v, want %v", at, want)
	}
}

// weights returns the tensors that are pruned.
func weights(g *nn.Graph) (ws []*nn.Param) {
	for _, n := range g.Nodes {
		switch op := n.Op.(type) {
		case *nn.Dense:
			ws = append(ws, op.Weight)
		case *nn.Conv2D:
			ws = append(ws, op.Weight)
		}
	}
	return ws
}

// TestPrune holds that the largest weights stay as they are, and everything else of
// the graph and the graph that was given, too.
func TestPrune(t *testing.T) {
	g := zoo.Curious(zoo.CuriousOptions{Classes: 3, Side: 16, Widths: [5]int{8, 8, 8, 8, 16}}, 1)
	g.Metadata = map[string]string{"a": "b"}
	before := zoo.Curious(zoo.CuriousOptions{Classes: 3, Side: 16, Widths: [5]int{8, 8, 8, 8, 16}}, 1)
	c := must.Get(Prune(g, .6))(t)
	for i, w := range weights(c) {
		was := weights(before)[i]
		kept, dropped := math.Inf(1), 0.0
		for j, v := range w.Data {
			size := math.Abs(float64(was.Data[j]))
			switch v {
			case 0:
				dropped = max(dropped, size)
			case was.Data[j]:
				kept = min(kept, size)
			default:
				t.Fatalf("%s: weight %v became %v", w.Name, was.Data[j], v)
			}
		}
		if dropped > kept {
			t.Errorf("%s: %v is zero and %v is not", w.Name, dropped, kept)
		}
		if want := int(math.RoundToEven(.6 * float64(len(w.Data)))); zeros(w.Data) != want {
			t.Errorf("%s: %d zeros of %d, want %d", w.Name, zeros(w.Data), len(w.Data), want)
		}
	}
	if c.Metadata["a"] != "b" || c.Metadata[metaPruned] != "0.6" || len(g.Metadata) != 1 {
		t.Errorf("metadata %v from %v", c.Metadata, g.Metadata)
	}
	ws := weights(before)
	for i, p := range state(g) {
		if was := state(before)[i]; !slices.Equal(p.Data, was.Data) {
			t.Errorf("%s of the graph that was given has changed", p.Name)
		}
	}
	for i, p := range state(c) {
		if was := state(before)[i]; !slices.Contains(ws, was) && !slices.Equal(p.Data, was.Data) {
			t.Errorf("%s is no weight and has changed", p.Name)
		}
	}
	for _, f := range []float64{-.1, 1.1, math.NaN()} {
		if _, err := Prune(g, f); err == nil {
			t.Errorf("the fraction %v is pruned", f)
		}
	}
}

// TestPruneTies holds that of equal weights the first go, and that a weight of two
// layers is pruned once.
func TestPruneTies(t *testing.T) {
	g := newGraph("ties", 2)
	w := param("w", 2, 2)
	copy(w.Data, []float32{1, -1, 1, -1})
	appendNode(g, "a", &nn.Dense{In: 2, Out: 2, Weight: w}, g.Input)
	appendNode(g, "b", &nn.Dense{In: 2, Out: 2, Weight: w}, "a")
	c := must.Get(Prune(g, .5))(t)
	a, b := c.Nodes[0].Op.(*nn.Dense).Weight, c.Nodes[1].Op.(*nn.Dense).Weight
	if a != b || !slices.Equal(a.Data, []float32{0, 0, 1, -1}) {
		t.Errorf("%v and %v", a.Data, b.Data)
	}
}
