package zoo

import (
	"math"
	"slices"
	"testing"

	"tattle/internal/engine/nn"
	"tattle/internal/must"
)

func allParams(g *nn.Graph) int {
	n := 0
	for _, c := range counts(g) {
		n += c
	}
	return n
}

// TestPublishedSizes holds the parameters of the published nets to their numbers in
// torchvision's and Idelbayev's tables, and paper A's features to its text.
func TestPublishedSizes(t *testing.T) {
	type published struct {
		g        *nn.Graph
		params   int
		features string
		shape    []int // of paper A's features
		pooled   int   // features by default
	}
	nets := []published{{ResNet20(10, 1), 269_722, resNet20Features, []int{64, 8, 8}, 64}}
	if testing.Short() {
		t.Run("large", func(t *testing.T) { t.Skip("long: ResNet-18 and Swin-T") })
	} else {
		nets = append(nets,
			published{ResNet18(1000, 1), 11_689_512, ResNet18Features, []int{512, 7, 7}, 512},
			published{SwinT(1000, 1), 28_288_354, SwinTFeatures, []int{7, 7, 768}, 768})
	}
	for _, c := range nets {
		shapes := must.Get(c.g.Shapes())(t)
		if allParams(c.g) != c.params {
			t.Errorf("%s has %d parameters, want %d", c.g.Name, allParams(c.g), c.params)
		}
		if got := shapes[c.g.Node(c.features).Output]; !slices.Equal(got, c.shape) {
			t.Errorf("%s: features have shape %v, want %v", c.g.Name, got, c.shape)
		}
		if _, head, err := c.g.Cut(c.features); err != nil || len(head.Nodes) > 3 {
			t.Errorf("%s: %v; after the features come %v", c.g.Name, err, head)
		}
		if n, err := c.g.FeatureNode(); err != nil || !slices.Equal(shapes[c.g.Node(n).Output], []int{c.pooled}) {
			t.Errorf("%s: features by default %q, %v", c.g.Name, n, err)
		}
	}
}

// smallSwin has every part of a Swin transformer: windows that need padding, shifted
// ones, a stage of a single window, odd sides to be merged.
func smallSwin(seed uint64) *nn.Graph {
	return Swin(SwinOptions{Classes: 5, Side: 20, Embed: 8, Depths: []int{2, 2}, Heads: []int{2, 4}, Window: 3}, seed)
}

// TestSwinShapes holds the tensors between the parts to the stages' sizes.
func TestSwinShapes(t *testing.T) {
	shapes := must.Get(smallSwin(1).Shapes())(t)
	for node, want := range map[string][]int{
		"features.0.2":                {5, 5, 8},
		"features.1.0.attn.pad":       {6, 6, 8},
		"features.1.0.attn.patches":   {4, 9, 8},
		"features.1.1.attn.masked":    {4, 2, 9, 9},
		"features.1.1.attn.unpad":     {5, 5, 8},
		"features.2.join":             {3, 3, 32},
		"features.3.1.attn.positions": {4, 9, 9},
		"norm":                        {3, 3, 16},
		"head":                        {5},
	} {
		if !slices.Equal(shapes[node], want) {
			t.Errorf("%s has shape %v, want %v", node, shapes[node], want)
		}
	}
	if shapes["features.3.1.attn.masked"] != nil {
		t.Error("one window alone needs no mask")
	}
}

// TestSwinMask holds the mask to its purpose: patches attend to those with which they
// were in the image without jumping over its ends.
func TestSwinMask(t *testing.T) {
	const h, w, s = 6, 9, 3
	b := &swin{nn.NewBuilder("mask", 1), SwinOptions{Window: s}}
	p := b.mask("mask", h, w, [2]int{1, 1})
	if !slices.Equal(p.Shape, []int{6, 1, 9, 9}) {
		t.Fatal(p.Shape)
	}
	for i, v := range p.Data {
		window, from, to := i/81, i/9%9, i%9
		place := func(patch int) (row, column int) { // in the image before the roll
			return (window/3*s + patch/s + 1) % h, (window%3*s + patch%s + 1) % w
		}
		r1, c1 := place(from)
		r2, c2 := place(to)
		near := math.Abs(float64(r1-r2)) < s && math.Abs(float64(c1-c2)) < s
		if near != (v == 0) {
			t.Fatalf("patches (%d, %d) and (%d, %d): mask %v", r1, c1, r2, c2, v)
		}
	}
}
