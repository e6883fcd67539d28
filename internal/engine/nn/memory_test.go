package nn

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"tattle/internal/shared"
)

// memoryNets has each kernel that says what it does not need, with what would show
// it: fans, several inputs, and chains of those that write over their input.
func memoryNets() map[string]*Graph {
	r := rand.New(rand.NewPCG(31, 31))
	nets := testNets()
	for name, c := range simplifyCases() {
		nets[name] = c.g
	}
	for name, g := range wideNets() {
		nets["wide "+name] = g
	}
	nets["deep"] = deepNet(1, 3, 6)
	nets["swin"] = zooNet("swin kept")
	mixed := chain([]int{2, 4, 3}, &LayerNorm{}, &Unary{Function: "Gelu"}, with("Mul", testParam(r, "c", 4, 1)), &Reduce{Function: "Max", Axes: []int{1}, Keep: true}, &Unary{Function: "Exp"})
	mixed.node("b", &Binary{Operator: "Div"}, "x", "n4")
	mixed.node("c", &Binary{Operator: "Sub"}, "b", "n2")
	mixed.node("d", &MatMul{TransB: true}, "c", "n1")
	mixed.node("e", &Softmax{}, "d")
	mixed.node("f", &Binary{Operator: "Greater"}, "e", "d")
	mixed.node("g", &Where{}, "f", "e", "d")
	mixed.node("h", &Concat{Axis: 2}, "g", "c")
	mixed.node("i", &LayerNorm{}, "h")
	mixed.node("k", &Reduce{Function: "Mean", Axes: []int{0, 2}}, "i")
	nets["mixed"] = mixed
	return nets
}

// allProducts returns a Jacobian's, and which outputs are active, of k vectors for each
// of the examples.
func allProducts[T Float](lin Linearization[T], r *rand.Rand, batch, k, p, n int) [][]T {
	v, u := randomSlice[T](r, batch*k*p, 1), randomSlice[T](r, batch*k*n, 1)
	out := [][]T{make([]T, len(u)), make([]T, len(v)), make([]T, batch*n)}
	lin.JVP(out[0], v)
	lin.VJP(out[1], u)
	active := make([]bool, batch*n)
	lin.(Activity).Active(active)
	for i, a := range active {
		if a {
			out[2][i] = 1
		}
	}
	return append(out, slices.Clone(lin.Features()))
}

// TestKept spoils everything that a linearisation has not kept.
func TestKept(t *testing.T) {
	for name, g := range memoryNets() {
		testKept(t, name+", float32", run32(mustNet(t, g)))
		testKept(t, name+", float64", run64(mustNet(t, g)))
	}
}

func testKept[T Float](t *testing.T, name string, e *engine[T]) {
	t.Helper()
	const batch, k = 3, 2
	p, n := e.sizes[0], e.sizes[e.output]
	x := randomSlice[T](rand.New(rand.NewPCG(32, 32)), batch*p, 1)
	run := func(spoil bool) [][]T {
		mine := slices.Clone(x)
		lin := e.linearize(mine, batch)
		if spoil {
			for _, b := range append(e.pool, mine) {
				fillNaN(b)
			}
		}
		return allProducts(Linearization[T](lin), rand.New(rand.NewPCG(33, 33)), batch, k, p, n)
	}
	want := run(false)
	for i, got := range run(true) {
		closeTo(t, name, got, want[i], 0)
	}
}

func fillNaN[T Float](x []T) {
	for i := range x {
		x[i] = T(math.NaN())
	}
}

// TestBudget holds that products are the same, to the byte, under any budget.
func TestBudget(t *testing.T) {
	for name, g := range memoryNets() {
		const batch, k = 5, 3
		net := mustNet(t, g)
		p, n := net.Dims()
		x := randomSlice[float32](rand.New(rand.NewPCG(34, 34)), batch*p, 1)
		run := func() [][]float32 {
			lin := net.Linearize(x)
			allProducts(lin, rand.New(rand.NewPCG(36, 36)), batch, 1, p, n)
			return allProducts(lin, rand.New(rand.NewPCG(35, 35)), batch, k, p, n)
		}
		want := run()
		one := net.Memory(1, 1)
		for _, budget := range []int64{1, one, 4 * one} {
			net.SetMemory(budget)
			for i, got := range run() {
				closeTo(t, name, got, want[i], 0)
			}
			if got := net.Memory(1000, 10); name != "none" && got > 2*max(budget, one)+int64(slack*1000*4*float64(p+n)) {
				t.Errorf("%s: %d bytes for a budget of %d", name, got, budget)
			}
		}
		net.SetMemory(0)
		for i, got := range run() {
			closeTo(t, name, got, want[i], 0)
		}
	}
}

// TestMemory holds the estimate to what is allocated beyond the first example's.
func TestMemory(t *testing.T) {
	shared.Long(t, "what nets allocate")
	for name, g := range map[string]*Graph{"deep": deepNet(2, 16, 32), "swin": zooNet("swin memory")} {
		net := mustNet(t, g)
		p, n := net.Dims()
		use := func(examples, vectors int) int64 {
			x := make([]float32, examples*p)
			out := [][]float32{make([]float32, examples*vectors*p), make([]float32, examples*vectors*n)}
			before := heap()
			lin := net.Linearize(x)
			lin.JVP(out[1], out[0])
			lin.VJP(out[0], out[1])
			used := heap() - before
			runtime.KeepAlive(out)
			runtime.KeepAlive(x)
			return used
		}
		use(1, 1)
		most := net.Memory(16, 4)
		got := use(16, 4) + net.Memory(1, 1)
		t.Logf("%s: %d bytes an example kept of %d computed, estimate %d for 16 and 4 vectors each, %d allocated", name, 4*run32(net).exampleSize(), 4*sum(run32(net).sizes), most, got)
		if got > most || got < most/2 {
			t.Errorf("%s: estimate of %d bytes, %d allocated", name, most, got)
		}
	}
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func sum(x []int) (s int) {
	for _, v := range x {
		s += v
	}
	return s
}
