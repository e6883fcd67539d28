package nn

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// chainNets are nets with a BatchNorm followed by each kind of chain.
func chainNets() map[string]*Graph {
	nets := map[string]*Graph{}
	for name, ops := range map[string][]Op{
		"leaky dropout": {&LeakyReLU{Slope: .1}, &Dropout{P: .3}},
		"relu dropout":  {&ReLU{}, &Dropout{P: .3}},
		"relu":          {&ReLU{}},
		"leaky":         {&LeakyReLU{Slope: .2}},
		"dropout":       {&Dropout{P: .5}},
		"dropout relu":  {&Dropout{P: .5}, &ReLU{}},
		"none":          {},
	} {
		b := newBuilder(name, 3, 9, 9)
		b.conv(6, 2, 1)
		for range 2 {
			b.batchNorm()
			for _, op := range ops {
				b.add(op)
			}
			b.conv(5, 3, 2)
		}
		b.add(&Flatten{})
		b.batchNorm()
		for _, op := range ops {
			b.add(op)
		}
		b.dense(4)
		nets[name] = b.graph(1)
	}
	return nets
}

// TestChainEqualsOperators trains each net with and without the joining of
// operators and wants the same bytes.
func TestChainEqualsOperators(t *testing.T) {
	const batch = 7
	for name, g := range chainNets() {
		var want [][]float32
		for _, join := range []func(*program[float32]){fuse, func(*program[float32]) {}} {
			g.Init(1)
			tr, err := newTrainer(g, NewAdam(g.Params(), AdamOptions{}), 3, join)
			if err != nil {
				t.Fatal(err)
			}
			r := rand.New(rand.NewPCG(1, 1))
			for range 3 {
				x, y := randomSlice[float32](r, batch*3*9*9, 1), make([]int, batch)
				for i := range y {
					y[i] = r.IntN(4)
				}
				tr.Step(x, y)
			}
			x, dx := randomSlice[float32](r, batch*3*9*9, 1), make([]float32, batch*3*9*9)
			out := slices.Clone(tr.Forward(x))
			tr.Backward(dx, randomSlice[float32](r, len(out), 1))
			got := [][]float32{out, dx}
			for _, p := range g.Params() {
				got = append(got, slices.Clone(p.Data), slices.Clone(p.Grad))
			}
			for _, n := range g.Nodes {
				if b, ok := n.Op.(*BatchNorm); ok {
					got = append(got, slices.Clone(b.Mean.Data), slices.Clone(b.Variance.Data))
				}
			}
			if want == nil {
				want = got
				continue
			}
			for i := range got {
				if !slices.Equal(got[i], want[i]) {
					t.Errorf("%s: array %d differs", name, i)
				}
			}
		}
	}
}

// TestChainProducts holds a chain's training products to differences, several
// vectors at a time.
func TestChainProducts(t *testing.T) {
	for _, ops := range [][]Op{
		{&LeakyReLU{Slope: .1}, &Dropout{P: .3}}, {&ReLU{}, &Dropout{P: .3}}, {&ReLU{}}, {&Dropout{P: .5}},
	} {
		t.Run(fmt.Sprint(len(ops)), func(t *testing.T) {
			const batch, size = 6, 4 * 3 * 3
			norm := testBatchNorm(4)
			k := &normChain{batchNorm: newBatchNorm[float32](norm, []int{4, 3, 3})}
			for _, op := range ops {
				if !k.extend(op.kernel32([]int{4, 3, 3})) {
					t.Fatal("does not extend the chain")
				}
			}
			k.bind()
			r := rand.New(rand.NewPCG(2, 2))
			x, v, u := randomSlice[float32](r, batch*size, 1), randomSlice[float32](r, 2*batch*size, 1), randomSlice[float32](r, 2*batch*size, 1)
			f := &frame[float32]{batch: batch, x: [][]float32{x}, y: make([]float32, len(x)), train: true, seed: 9}
			k.forward(f)
			dy, dx := make([]float32, len(v)), make([]float32, len(u))
			k.jvp(f, dy, [][]float32{v}, 2)
			k.vjp(f, [][]float32{dx}, u, 2)
			if left, right := dot64(dy, u), dot64(v, dx); !(abs(left-right) <= 1e-5*norm64(dy)*norm64(u)) {
				t.Errorf("⟨Jv, u⟩ = %v, ⟨v, Jᵀu⟩ = %v", left, right)
			}
			const h = 1.0 / (1 << 12)
			for j := range 2 {
				rows := func(x []float32) (out []float32) {
					for e := range batch {
						out = append(out, x[(e*2+j)*size:][:size]...)
					}
					return out
				}
				at := func(h float32) []float32 {
					g := &frame[float32]{batch: batch, x: moved([][]float32{x}, [][]float32{rows(v)}, h), y: make([]float32, len(x)), train: true, seed: 9}
					k.forward(g)
					return g.y
				}
				up, down, weights := at(h), at(-h), randomSlice[float32](r, len(x), 1)
				got := dot64(rows(dy), weights)
				want := (dot64(up, weights) - dot64(down, weights)) / (2 * h)
				if !(abs(got-want) <= .02*norm64(rows(dy))*norm64(weights)/10) {
					t.Errorf("jvp %v, differences %v", got, want)
				}
			}
		})
	}
}

func abs(x float64) float64 { return max(x, -x) }
