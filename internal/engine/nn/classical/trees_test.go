package classical

import (
	"math"
	"math/rand/v2"
	"testing"

	"tattle/internal/engine/nn"
	"tattle/internal/must"
)

// random returns an ensemble of full trees with thresholds on a grid, of every mode.
func random(r *rand.Rand, aggregate Aggregate, trees, depth, features, outputs int) *Trees {
	t := &Trees{Operator: "Trees", Outputs: outputs, Aggregate: aggregate, Members: [][]float64{{-1, .5, 2}}}
	var grow func(depth int) int32
	grow = func(depth int) int32 {
		if depth == 0 {
			t.Leaves = append(t.Leaves, []Vote{{int32(r.IntN(outputs)), r.NormFloat64()}})
			return ^int32(len(t.Leaves) - 1)
		}
		i := len(t.Branches)
		t.Branches = append(t.Branches, Branch{Value: float64(r.IntN(9)-4) / 2, Input: int32(r.IntN(features)), Mode: Mode(r.IntN(7)), MissingTrue: r.IntN(2) == 0})
		a, b := grow(depth-1), grow(depth-1)
		t.Branches[i].True, t.Branches[i].False = a, b
		return int32(i)
	}
	for range trees {
		t.Roots = append(t.Roots, grow(depth))
	}
	return t
}

// Bounds hold: no input within its error moves an output by more, and where all are exact
// the bound is that of rounding.
func TestTreesBound(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	open, kept := 0, 0
	for trial := range 300 {
		trees := random(r, Aggregate(trial%4), 1+r.IntN(5), 3, 4, 2)
		must.Do(t, trees.Check())
		x, ex, y, ey := make([]float64, 4), make([]float64, 4), make([]float64, 2), make([]float64, 2)
		for i := range x {
			x[i] = float64(r.IntN(17)-8)/4 + .01*r.NormFloat64()
			if r.IntN(3) == 0 {
				ex[i] = .05 * r.Float64()
			}
		}
		row(trees, y, x)
		trees.bound(ey, y, x, ex)
		if math.IsInf(ey[0], 1) {
			open++
			continue
		}
		kept++
		near, at := make([]float64, 4), make([]float64, 2)
		for range 50 {
			for i := range near {
				near[i] = x[i] + ex[i]*(2*r.Float64()-1)
			}
			row(trees, at, near)
			for i := range at {
				if d := math.Abs(at[i] - y[i]); d > ey[i] || ey[i] > 1e-13 {
					t.Fatalf("an output moves by %v, the bound is %v", d, ey[i])
				}
			}
		}
	}
	if open < 20 || kept < 100 {
		t.Errorf("%d without a bound and %d with one: the test is idle", open, kept)
	}
}

// A net of trees is within its bounds in float32, too, away from thresholds.
func TestTreesForwardError32(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	trees := random(r, Sum, 40, 4, 3, 2)
	g := &nn.Graph{Name: "g", Input: "x", InputShape: []int{3}, Output: "y", Nodes: []*nn.Node{{Name: "y", Op: trees.Opaque(), Inputs: []string{"x"}, Output: "y"}}}
	m := must.Get(nn.NewNet(g))(t)
	const rows = 200
	x, narrow := make([]float64, 3*rows), make([]float32, 3*rows)
	for i := range x {
		narrow[i] = float32(2 * r.NormFloat64())
		x[i] = float64(narrow[i])
	}
	y, bound, y32 := make([]float64, 2*rows), make([]float64, 2*rows), make([]float32, 2*rows)
	m.ForwardError32(y, bound, x)
	m.Forward(y32, narrow)
	for i, v := range y {
		if d := math.Abs(float64(y32[i]) - v); d > bound[i] || bound[i] > 1e-3 {
			t.Fatalf("float32 is %v away, the bound is %v", d, bound[i])
		}
	}
}

// What contradicts itself is refused, cycles among it.
func TestTreesCheck(t *testing.T) {
	leaf := [][]Vote{{{0, 1}}}
	for want, trees := range map[string]*Trees{
		"there are no trees":    {Outputs: 1, Leaves: leaf},
		"leads back to itself":  {Outputs: 1, Leaves: leaf, Roots: []int32{0}, Branches: []Branch{{True: 1, False: ^0}, {True: 2, False: ^0}, {True: ^0, False: 1}}},
		"a root is node":        {Outputs: 1, Leaves: leaf, Roots: []int32{^4}},
		"node that does not ex": {Outputs: 1, Leaves: leaf, Roots: []int32{0}, Branches: []Branch{{True: 3, False: ^0}}},
		"reads input -1":        {Outputs: 1, Leaves: leaf, Roots: []int32{0}, Branches: []Branch{{True: ^0, False: ^0, Input: -1}}},
		"unknown mode":          {Outputs: 1, Leaves: leaf, Roots: []int32{0}, Branches: []Branch{{True: ^0, False: ^0, Mode: Member}}},
		"votes for output 1":    {Outputs: 1, Leaves: [][]Vote{{{1, 1}}}, Roots: []int32{^0}},
		"has the weight NaN":    {Outputs: 1, Leaves: [][]Vote{{{0, math.NaN()}}}, Roots: []int32{^0}},
		"2 base values for 1 o": {Outputs: 1, Base: []float64{1, 2}, Leaves: leaf, Roots: []int32{^0}},
	} {
		must.Fail(t, trees.Check(), want)
	}
	deep := &Trees{Outputs: 1, Leaves: leaf, Roots: []int32{0}}
	for i := range int32(100000) {
		deep.Branches = append(deep.Branches, Branch{True: i + 1, False: ^0, Value: math.Inf(1)})
	}
	deep.Branches[len(deep.Branches)-1].True = ^0
	must.Do(t, deep.Check())
	y := []float64{0}
	row(deep, y, []float64{1})
	if y[0] != 1 {
		t.Error(y)
	}
}

// Coupled probabilities are distributions, and those of consistent pairs come back.
func TestCoupling(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 100 {
		p, sum := make([]float64, 4), 0.
		for i := range p {
			p[i] = .05 + r.Float64()
			sum += p[i]
		}
		var pairs []float64
		for i := range p {
			p[i] /= sum
		}
		for i := range p {
			for j := i + 1; j < 4; j++ {
				pairs = append(pairs, p[i]/(p[i]+p[j]))
			}
		}
		y, total := make([]float64, 4), 0.
		Coupling(4).Row(y, pairs)
		for i, v := range y {
			total += v
			if math.Abs(v-p[i]) > .02 { // the rule stops at 0.005/4
				t.Fatalf("%v, want %v", y, p)
			}
		}
		if math.Abs(total-1) > 1e-12 {
			t.Fatalf("sum %v", total)
		}
	}
}
