package nn

import (
	"maps"
	"math"
	"slices"
	"testing"
)

// masks are operators after which entries of the last dimension of [2, 4] are −far,
// some before and some behind the rest.
func masks(far float64) map[string][]Op {
	p := func(x ...float64) *Param {
		q := &Param{Name: "mask", Shape: []int{len(x)}}
		for _, v := range x {
			q.Data = append(q.Data, float32(v))
		}
		return q
	}
	return map[string][]Op{
		"Add":            {&Binary{Operator: "Add", Constant: p(0, -far, 0, -far)}},
		"Add of one":     {&Pad{Before: []int{0, 0}, After: []int{0, 1}}, &Binary{Operator: "Add", Constant: &Param{Name: "mask", Shape: []int{2, 1}, Data: []float32{0, 0}}}, &Binary{Operator: "Add", Constant: p(0, -far, 0, 0, 0)}, &Slice{Starts: []int{0, 0}, Steps: []int{1, 1}, Counts: []int{2, 4}}},
		"Add, first":     {&Binary{Operator: "Add", ConstantFirst: true, Constant: p(-far, -far, 0, 0)}},
		"Sub":            {&Binary{Operator: "Sub", Constant: p(0, far, 0, far)}},
		"Min":            {&Binary{Operator: "Min", Constant: p(-far, far, -far, far)}},
		"Where":          {&Where{Condition: p(0, 1, 0, 1), Then: p(-far)}},
		"Where, else":    {&Where{Condition: p(0, 1, 0, 1), Else: &Param{Name: "mask", Shape: []int{}, Data: []float32{float32(-far)}}}},
		"twice":          {&Binary{Operator: "Add", Constant: p(0, -far, 0, -far)}, &Binary{Operator: "Add", Constant: p(-far, -far, 0, 0)}},
		"Pad":            {&Pad{Before: []int{0, 0}, After: []int{0, 2}, Value: -far}, &Slice{Starts: []int{0, 2}, Steps: []int{1, 1}, Counts: []int{2, 4}}},
		"and rearranged": {&Where{Condition: p(0, 1, 0, 1), Then: p(-far)}, &Transpose{Perm: []int{1, 0}}, &Gather{Axis: 0, Indices: []int{3, 2, 1, 0}, Dims: []int{4}}, &Transpose{Perm: []int{1, 0}}},
	}
}

// finites are operators whose results are finite where some entries are −∞.
var finites = map[string][]Op{
	"Softmax":           {&Softmax{}},
	"Max":               {&Binary{Operator: "Max", Constant: &Param{Shape: []int{}, Data: []float32{-8}}}, &Softmax{}},
	"Exp":               {&Unary{Function: "Exp"}, &Reduce{Function: "Sum", Axes: []int{1}}},
	"Clip":              {&Unary{Function: "Clip", Alpha: -4, Beta: 4}},
	"Sigmoid":           {&Unary{Function: "Sigmoid"}},
	"Tanh":              {&Unary{Function: "Tanh"}},
	"ReLU":              {&ReLU{}},
	"MaxPool":           {&Reshape{To: []int{1, 2, 4}}, &MaxPool{Kernel: [2]int{2, 3}}},
	"Softmax of halves": {&Unary{Function: "Clip", Alpha: math.Inf(-1), Beta: 2}, &Softmax{}},
	"ReduceMax":         {&Reduce{Function: "Max", Axes: []int{0, 1}, Keep: true}},
}

// Entries of −∞ are those so far away that nothing is left of them: whatever is
// computed, in both precisions, is what it is with −1000, and the bounds are no wider.
func TestInfiniteMasks(t *testing.T) {
	far, near := masks(math.Inf(1)), masks(1000)
	for _, mask := range slices.Sorted(maps.Keys(far)) {
		for _, name := range slices.Sorted(maps.Keys(finites)) {
			t.Run(mask+", "+name, func(t *testing.T) {
				a := mustNet(t, chain([]int{2, 4}, append(slices.Clone(far[mask]), finites[name]...)...))
				b := mustNet(t, chain([]int{2, 4}, append(slices.Clone(near[mask]), finites[name]...)...))
				x, d := []float64{.3, -.2, 1.1, .7, 2, .1, -.4, -1}, []float64{.5, 2, -.25, -3, 1, 1, .125, 0}
				holdAlike(t, a.Linearize64(x), b.Linearize64(x), d, 1e-15)
				x32 := narrow([][]float64{x, d})
				holdAlike(t, a.Linearize(x32[0]), b.Linearize(x32[0]), x32[1], 1e-6)
				holdBoundsAlike(t, a, b, x)
			})
		}
	}
}

// holdAlike holds the products of two nets to one another.
func holdAlike[T Float](t *testing.T, a, b Linearization[T], d []T, limit float64) {
	t.Helper()
	n := len(a.Features())
	y, z := make([]T, n), make([]T, n)
	hold := func(what string, y, z []T) {
		t.Helper()
		for i := range y {
			if !(math.Abs(float64(y[i]-z[i])) <= limit) {
				t.Errorf("%s %d is %v, want %v", what, i, y[i], z[i])
			}
		}
	}
	hold("output", a.Features(), b.Features())
	a.JVP(y, d)
	b.JVP(z, d)
	hold("JVP", y, z)
	v := make([]T, n)
	for i := range v {
		v[i] = T(i%3) - .5
	}
	y, z = make([]T, len(d)), make([]T, len(d))
	a.VJP(y, v)
	b.VJP(z, v)
	hold("VJP", y, z)
}

// holdBoundsAlike: −∞ is exact, which −1000 and what is added to it are not.
func holdBoundsAlike(t *testing.T, a, b *Net, x []float64) {
	t.Helper()
	_, n := a.Dims()
	e := slices.Repeat([]float64{1e-9}, len(x))
	y, ey, z, ez := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	if a.ForwardError64(y, ey, x, e); run64(a).proof.missing {
		return
	}
	b.ForwardError64(z, ez, x, e)
	for i := range ey {
		if !(ey[i] <= ez[i] && ez[i] < 1e-6) {
			t.Errorf("output %d is %v ± %v, want ± %v", i, y[i], ey[i], ez[i])
		}
	}
}
