package nn

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"tattle/internal/shared"
)

// randomImages strings operators on images together at random: convolutions that are
// joined with what follows or share weights, read each other's inputs, or whose outputs
// are read twice.
func randomImages(r *rand.Rand) *Graph {
	g := &Graph{Name: "images", Input: "x", InputShape: []int{[]int{2, 3, 16, 18}[r.IntN(4)], 4 + r.IntN(4), 4 + r.IntN(4)}, Output: "x"}
	shapes := map[string][]int{"x": g.InputShape}
	names := []string{"x"}
	like := func(shape []int) string {
		for {
			if name := names[r.IntN(len(names))]; slices.Equal(shapes[name], shape) {
				return name
			}
		}
	}
	for i := range 2 + r.IntN(8) {
		name, in := fmt.Sprint("n", i), names[max(r.IntN(len(names)), r.IntN(len(names)))]
		inputs := []string{in}
		op := randomImageOp(r, shapes[in], g)
		switch op := op.(type) {
		case *Binary:
			if op.Constant != nil {
				break
			}
			inputs = append(inputs, like(shapes[in]))
			r.Shuffle(2, func(i, j int) { inputs[i], inputs[j] = inputs[j], inputs[i] })
		case *Concat:
			inputs = append(inputs, in)
		}
		in0 := shapes[inputs[0]]
		out, err := op.Shape(slices.Repeat([][]int{in0}, len(inputs))...)
		if err != nil {
			panic(err)
		}
		g.node(name, op, inputs...)
		shapes[name], names = out, append(names, name)
	}
	return g
}

func randomImageOp(r *rand.Rand, in []int, g *Graph) Op {
	c := in[0]
	switch r.IntN(16) {
	case 0, 1, 2:
		k := []int{1, 3}[r.IntN(2)]
		return smallConv(c, []int{c, 16, 4}[r.IntN(3)], k, k/2)
	case 3: // a weight that another has
		for _, n := range g.Nodes {
			if w, ok := n.Op.(*Conv2D); ok && w.InChannels == c {
				shared := *w
				if r.IntN(2) == 0 {
					shared.Bias = nil
				}
				return &shared
			}
		}
	case 4:
		depthwise := smallConv(1, c, 3, 1)
		depthwise.InChannels, depthwise.Groups = c, c
		return depthwise
	case 5:
		return testBatchNorm(c)
	case 6:
		return &ReLU{[]float64{.2, -.3, 0, 1.5}[r.IntN(4)]}
	case 7, 8, 9:
		return &Binary{Operator: "Add"}
	case 10:
		return &Concat{}
	case 11:
		return &Gather{Indices: []int{0, c - 1, 0}, Dims: []int{3}}
	case 12:
		return &Transpose{Perm: []int{0, 2, 1}}
	case 13:
		return &Binary{Operator: []string{"Add", "Mul"}[r.IntN(2)], Constant: testParam(r, "constant", c, 1, 1)}
	}
	return &ReLU{}
}

// TestRandomImages is TestRandomNets of images, also under the least memory.
func TestRandomImages(t *testing.T) {
	shared.Long(t, "random nets of images")
	for seed := range uint64(120) {
		r := rand.New(rand.NewPCG(seed, 77))
		g := randomImages(r)
		net := mustNet(t, g)
		switch r.IntN(3) {
		case 0:
			run32(net).limit, run64(net).limit = 1+r.IntN(5), 1+r.IntN(5)
		case 1:
			net.SetMemory(1)
		}
		testCalls(t, fmt.Sprint("seed ", seed, kinds(g), g.InputShape), g, net, r, 1e-4, 1e-12)
	}
}

// TestNetIgnoresBatch holds that what a net makes of an example is the same bytes alone
// and in a batch, on any number of cores.
func TestNetIgnoresBatch(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	graphs := []*Graph{zooNet("swin"), residualBlocks(9), zooNet("mnist")}
	for seed := range uint64(8) {
		graphs = append(graphs, randomImages(rand.New(rand.NewPCG(seed, 78))))
	}
	deep := convCase{in: 300, out: 3, kernel: [2]int{2, 2}, height: 3, width: 4} // summed in several parts
	for _, c := range slices.Concat([]convCase{deep}, convCases, winogradCases) {
		graphs = append(graphs, chain(c.shape(), c.op()))
	}
	for i, g := range graphs {
		const k = 2
		batch := 7
		if g.Name == "mnist" {
			batch = 70
		}
		net := mustNet(t, g)
		p, n := net.Dims()
		x := randomSlice[float32](rand.New(rand.NewPCG(1, 1)), batch*p, 1)
		v := randomSlice[float32](rand.New(rand.NewPCG(2, 2)), batch*k*p, 1)
		u := randomSlice[float32](rand.New(rand.NewPCG(3, 3)), batch*k*n, 1)
		products := func(lo, hi int) [][]float32 {
			b := hi - lo
			y, jv, ju := make([]float32, b*n), make([]float32, b*k*n), make([]float32, b*k*p)
			net.Forward(y, x[lo*p:hi*p])
			l := net.Linearize(x[lo*p : hi*p])
			l.JVP(jv, v[lo*k*p:hi*k*p])
			l.VJP(ju, u[lo*k*n:hi*k*n])
			return [][]float32{y, jv, ju}
		}
		want := make([][]float32, 3)
		for e := range batch {
			for j, one := range products(e, e+1) {
				want[j] = append(want[j], one...)
			}
		}
		for _, cores := range []int{1, 2, 3, 8} {
			runtime.GOMAXPROCS(cores)
			sameArrays(t, fmt.Sprintf("net %d, %s, on %d cores", i, g.Name, cores), products(0, batch), want)
		}
	}
}
