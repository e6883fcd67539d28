package nn

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func allParams(g *Graph) int {
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
		g        *Graph
		params   int
		features string
		shape    []int // of paper A's features
		pooled   int   // features by default
	}
	nets := []published{{ResNet20(10, 1), 269_722, ResNet20Features, []int{64, 8, 8}, 64}}
	if !testing.Short() {
		nets = append(nets,
			published{ResNet18(1000, 1), 11_689_512, ResNet18Features, []int{512, 7, 7}, 512},
			published{SwinT(1000, 1), 28_288_354, SwinTFeatures, []int{7, 7, 768}, 768})
	}
	for _, c := range nets {
		shapes, err := c.g.Shapes()
		if err != nil {
			t.Fatal(err)
		}
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
func smallSwin(seed uint64) *Graph {
	return Swin(SwinOptions{Classes: 5, Side: 20, Embed: 8, Depths: []int{2, 2}, Heads: []int{2, 4}, Window: 3}, seed)
}

// TestSwinShapes holds the tensors between the parts to the stages' sizes.
func TestSwinShapes(t *testing.T) {
	shapes, err := smallSwin(1).Shapes()
	if err != nil {
		t.Fatal(err)
	}
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
	b := &swin{newBuilder("mask", 1), SwinOptions{Window: s}}
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

// TestSwinProducts holds whole nets of the operators together to the adjoint identity
// and differences, and the float64 net's bound to the float32 outputs.
func TestSwinProducts(t *testing.T) {
	for _, g := range []*Graph{smallSwin(2), smallResNet(t)} {
		net := mustNet(t, g)
		p, n := net.Dims()
		r := rand.New(rand.NewPCG(3, 3))
		x, v, u := randomSlice[float64](r, 2*p, 1), randomSlice[float64](r, 4*p, 1), randomSlice[float64](r, 4*n, 1)
		l := net.Linearize64(x)
		jv, ju := make([]float64, 4*n), make([]float64, 4*p)
		l.JVP(jv, v)
		l.VJP(ju, u)
		if a, b := dot64(jv, u), dot64(v, ju); !(math.Abs(a-b) <= 1e-12*norm64(jv)*norm64(u)) {
			t.Errorf("%s: ⟨Jv, u⟩ = %v, ⟨v, Jᵀu⟩ = %v", g.Name, a, b)
		}
		const h = 1e-6
		up, down := make([]float64, 2*n), make([]float64, 2*n)
		d := make([]float64, 2*p) // the first of each example's two vectors
		for e := range 2 {
			copy(d[e*p:(e+1)*p], v[2*e*p:])
		}
		net.Forward64(up, moved([][]float64{x}, [][]float64{d}, h)[0])
		net.Forward64(down, moved([][]float64{x}, [][]float64{d}, -h)[0])
		for i := range up {
			got, want := jv[i/n*2*n+i%n], (up[i]-down[i])/(2*h)
			if !(math.Abs(got-want) <= 1e-6*(1+math.Abs(want))) {
				t.Errorf("%s: output %d moves by %v, want %v", g.Name, i, got, want)
			}
		}
		y32, y64, bound := make([]float32, 2*n), make([]float64, 2*n), make([]float64, 2*n)
		net.Forward(y32, narrow([][]float64{x})[0])
		net.ForwardError64(y64, bound, wide(narrow([][]float64{x})[0]), nil)
		for i, y := range y64 {
			if !(math.Abs(float64(y32[i])-y) <= 1e-4*(1+math.Abs(y))) || math.IsInf(bound[i], 0) {
				t.Errorf("%s: output %d is %v in float32, %v ± %v in float64", g.Name, i, y32[i], y, bound[i])
			}
		}
	}
}

// smallResNet has both kinds of shortcut.
func smallResNet(t *testing.T) *Graph {
	t.Helper()
	b := newBuilder("residuals", 3, 9, 9)
	b.convAs("conv", 4, 3, 1, 1)
	b.residual("a", 4, 1, nil)
	b.residual("b", 8, 2, b.padded)
	b.residual("c", 12, 2, b.projected)
	g, err := b.pooled("pool", "fc", 3, 1, true).Upsampled("linear", 5)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// TestSwinTrains holds that every parameter of a Swin transformer learns: the tables
// of biases too.
func TestSwinTrains(t *testing.T) {
	g := smallSwin(4)
	tr, err := NewTrainer(g, NewAdam(g.Params(), AdamOptions{}), 1)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(6, 6))
	x, y := randomSlice[float32](r, 10*3*20*20, 1), []int{0, 1, 2, 3, 4, 0, 1, 2, 3, 4}
	first, _ := tr.Step(x, y)
	for _, p := range g.Params() {
		if norm64(p.Grad) == 0 && len(p.Data) > 1 {
			t.Errorf("%s has no gradient", p.Name)
		}
	}
	last := first
	for range 40 {
		last, _ = tr.Step(x, y)
	}
	if !(last < .7*first) {
		t.Errorf("loss %v became %v", first, last)
	}
}

func TestUpsampled(t *testing.T) {
	g := chain([]int{1, 2, 3}, &Flatten{}, testDense(6, 2, true))
	up, err := g.Upsampled("linear", 1, 2)
	if err != nil {
		t.Fatal(err)
	}
	if up.Params()[0] != g.Params()[0] || !slices.Equal(up.InputShape, []int{1, 1, 2}) || len(g.Nodes) != 2 {
		t.Error("not the same parameters, or not that input")
	}
	y, want := make([]float64, 2), make([]float64, 2)
	mustNet(t, up).Forward64(y, []float64{1, 3})
	mustNet(t, g).Forward64(want, []float64{1, 2, 3, 1, 2, 3}) // at 2/3·(i + ½) − ½ = −1/6, ½, 7/6
	closeTo(t, "enlarged", y, want, 1e-15)
	for _, bad := range []func() (*Graph, error){
		func() (*Graph, error) { return g.Upsampled("lanczos", 2) },
		func() (*Graph, error) { return g.Upsampled("nearest", 2) },
		func() (*Graph, error) { return g.Upsampled("linear", 0) },
		func() (*Graph, error) { return g.Upsampled("linear", 1, 2, 3) },
		func() (*Graph, error) { return g.Upsampled("linear") },
		func() (*Graph, error) { return chain([]int{4}, &ReLU{}).Upsampled("linear", 2) },
	} {
		if _, err := bad(); err == nil {
			t.Error("no error")
		}
	}
	if twice, err := up.Upsampled("cubic", 1); err != nil {
		t.Error(err)
	} else if _, err := NewNet(twice); err != nil {
		t.Error(err)
	}
}
