package nn

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// kinds lists the operators of a graph.
func kinds(g *Graph) []string {
	var ks []string
	for _, n := range g.Nodes {
		ks = append(ks, n.Op.Kind())
	}
	return ks
}

// sameFunction holds a net, in both precisions, to the slow evaluation of its graph.
func sameFunction(t *testing.T, name string, net *Net, g *Graph) {
	t.Helper()
	const batch = 3
	p, n := net.Dims()
	x := randomSlice[float32](rand.New(rand.NewPCG(6, 6)), batch*p, 1)
	y, y64 := make([]float32, batch*n), make([]float64, batch*n)
	net.Forward(y, x)
	net.Forward64(y64, wide(x))
	want := slowly(t, g, wide(x), batch, Op.kernel64).output()
	closeTo(t, name+" in float64", y64, want, 1e-14)
	closeTo(t, name, wide(y), want, 1e-5)
	closeTo(t, name+", features", net.Linearize(x).Features(), y, 1e-6)
}

func constantOf(r *rand.Rand, shape ...int) *Constant {
	return &Constant{Value: testParam(r, "constant", shape...)}
}

// simplifyCases are graphs, and the operators that are left of each in float32.
func simplifyCases() map[string]struct {
	g    *Graph
	want []string
} {
	r := rand.New(rand.NewPCG(1, 2))
	image := []int{3, 3, 3}
	up := &ConvTranspose{InChannels: 4, OutChannels: 6, Groups: 2, Kernel: [2]int{3, 2}, Weight: testParam(r, "weight", 4, 3, 3, 2)}
	twice := chain(image, smallConv(3, 4, 1, 0), testBatchNorm(4))
	twice.node("sum", &Binary{Operator: "Add"}, "n0", "n1")
	output := chain(image, smallConv(3, 4, 1, 0))
	output.node("aside", testBatchNorm(4), "n0")
	output.Output = "n0"
	constant := chain([]int{2, 3})
	constant.node("c", constantOf(r, 3, 2))
	constant.node("t", &Transpose{Perm: []int{1, 0}}, "c")
	constant.node("r", &ReLU{.5}, "t")
	constant.node("y", &Binary{Operator: "Add"}, "x", "r")
	padded := func(value float64, pads ...int) *Graph { // above and right, left and below by so much, and then by 1
		after := []int{pads[0], pads[2], pads[1]}
		return chain(image, &Pad{Before: pads, After: after, Value: value}, smallConv(3, 4, 3, 1))
	}
	seen := padded(0, 0, 1, 2)
	seen.node("aside", &Slice{Starts: []int{0, 0, 0}, Counts: []int{1, 6, 6}}, "n0")
	seen.node("sum", &Binary{Operator: "Add"}, "n1", "aside")
	half := chain([]int{4})
	half.node("c", constantOf(r, 4))
	half.node("s", &Binary{Operator: "Add"}, "x", "c")
	half.node("y", &Softmax{}, "s")
	return map[string]struct {
		g    *Graph
		want []string
	}{
		"conv":       {chain(image, smallConv(3, 4, 3, 1), testBatchNorm(4), &ReLU{}), []string{"Conv", "Relu"}},
		"transposed": {chain([]int{4, 3, 3}, up, testBatchNorm(6)), []string{"ConvTranspose"}},
		"dense":      {chain([]int{5}, testDense(5, 4, false), testBatchNorm(4), testBatchNorm(4)), []string{"Gemm"}},
		"dropout":    {chain(image, smallConv(3, 4, 3, 1), &Dropout{P: .5}, testBatchNorm(4)), []string{"Conv"}},
		"twice":      {twice, []string{"Conv", "BatchNormalization", "Add"}},
		"output":     {output, []string{"Conv"}},
		"between":    {chain(image, smallConv(3, 4, 1, 0), &ReLU{}, testBatchNorm(4)), []string{"Conv", "Relu", "BatchNormalization"}},
		"first":      {chain(image, testBatchNorm(3), smallConv(3, 4, 1, 0)), []string{"BatchNormalization", "Conv"}},
		"views":      {chain([]int{2, 6}, &Reshape{To: []int{3, 4}}, &Reshape{To: []int{4, 3}}, &Reshape{To: []int{2, 6}}, &ReLU{}), []string{"Relu"}},
		"whole":      {chain([]int{2, 6}, &Slice{Starts: []int{0, 0}, Counts: []int{2, 6}}, &Pad{Before: []int{0, 0}, After: []int{0, 0}}, &Concat{}, &ReLU{}), []string{"Relu"}},
		"turned":     {chain([]int{3}, &Slice{Starts: []int{2}, Steps: []int{-1}, Counts: []int{3}}, &Pad{Before: []int{1}, After: []int{-1}}, &ReLU{}), []string{"Slice", "Pad", "Relu"}},
		"named":      {chain([]int{4}, &ReLU{}, &Identity{}), []string{"Relu", "Identity"}},
		"transposes": {chain([]int{2, 3, 4}, &Transpose{Perm: []int{1, 2, 0}}, &Transpose{Perm: []int{1, 2, 0}}, &ReLU{}), []string{"Transpose", "Relu"}},
		"round":      {chain([]int{2, 3, 4}, &Transpose{Perm: []int{1, 2, 0}}, &Transpose{Perm: []int{2, 0, 1}}, &ReLU{}), []string{"Relu"}},
		"padded":     {padded(0, 0, 1, 2), []string{"Conv"}},
		"filled":     {padded(1, 0, 1, 2), []string{"Pad", "Conv"}},
		"cut":        {padded(0, 0, 1, -1), []string{"Pad", "Conv"}},
		"seen":       {seen, []string{"Pad", "Conv", "Slice", "Add"}},
		"constant":   {constant, []string{"Constant", "LeakyRelu", "Add"}},
		"half":       {half, []string{"Add", "Softmax"}},
	}
}

// TestSimplify holds that the passes leave each function as it is and apply where
// they may, and nowhere else.
func TestSimplify(t *testing.T) {
	for name, c := range simplifyCases() {
		before := kinds(c.g)
		if got := kinds(simplified(c.g)); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v is left of %v, want %v", name, got, before, c.want)
		}
		sameFunction(t, name, mustNet(t, c.g), c.g)
		sameFunction(t, name+", simplified before", mustNet(t, simplified(c.g)), simplified(c.g))
		if got := kinds(c.g); !slices.Equal(got, before) {
			t.Errorf("%s: the graph itself is now %v", name, got)
		}
	}
}

// TestTidy holds that float64 nets keep what folding would round.
func TestTidy(t *testing.T) {
	for name, want := range map[string][]string{
		"conv":     {"Conv", "BatchNormalization", "Relu"},
		"constant": {"Constant", "LeakyRelu", "Add"},
		"views":    {"Relu"},
	} {
		if got := kinds(tidy(simplifyCases()[name].g)); !slices.Equal(got, want) {
			t.Errorf("%s: %v is left, want %v", name, got, want)
		}
	}
}

// TestFoldedFollow changes every parameter of nets that have folded them, also
// through clones.
func TestFoldedFollow(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for name, c := range simplifyCases() {
		net := mustNet(t, c.g)
		sameFunction(t, name, net, c.g)
		clone := net.Clone()
		for _, n := range c.g.Nodes {
			for _, p := range operands(n.Op) {
				for i := range p.Data {
					p.Data[i] *= 1 + r.Float32()
				}
				p.Changed()
				sameFunction(t, name+", changed "+p.Name, clone, c.g)
			}
		}
		sameFunction(t, name+", changed", net, c.g)
	}
}

// TestFoldedOverflow leaves a BatchNorm alone that cannot be folded in float32.
func TestFoldedOverflow(t *testing.T) {
	norm, d := testBatchNorm(2), testDense(3, 2, true)
	norm.Variance.Fill(0)
	norm.Epsilon = 1e-60
	norm.Scale.Fill(1e10)
	g := chain([]int{3}, d, norm)
	if got, want := kinds(simplified(g)), kinds(g); !slices.Equal(got, want) {
		t.Errorf("%v is left, want %v", got, want)
	}
}
