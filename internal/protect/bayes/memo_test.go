package bayes

import (
	"context"
	"math"
	"slices"
	"testing"

	"tattle/internal/engine/nn"
	"tattle/internal/must"
)

// readings is a source that counts how often each of its inputs is read.
type readings struct {
	x    []float32 // [inputs, 2]
	read []int
}

func (c *readings) Len() int      { return len(c.read) }
func (c *readings) Label(int) int { return 0 }
func (c *readings) Examples(x []float32, indices []int) {
	for k, i := range indices {
		copy(x[2*k:2*k+2], c.x[2*i:])
		c.read[i]++
	}
}

// TestMemo compares features with those computed anew, to the bit. Lists with one Memo read each
// input once.
func TestMemo(t *testing.T) {
	const inputs, dim = 200, 3
	data := &readings{read: make([]int, inputs)}
	for _, v := range normal(2*inputs, 1) {
		data.x = append(data.x, float32(v))
	}
	weight := &nn.Param{Name: "w", Shape: []int{dim, 2}, Data: []float32{1, -.5, .3, .7, -1.1, .2}}
	net := must.Get(nn.NewNet(&nn.Graph{Name: "g", Input: "x", InputShape: []int{2}, Output: "y", Nodes: []*nn.Node{
		{Name: "y", Op: &nn.Dense{In: 2, Out: dim, Weight: weight}, Inputs: []string{"x"}, Output: "y"},
	}}))(t)
	even, all := make([]int, inputs/2), make([]int, inputs)
	for i := range all {
		all[i] = (7 * i) % inputs
		even[i/2] = i / 2 * 2
	}
	memo := NewMemo(inputs, dim)
	for _, rows := range [][]int{even, all, even} {
		of := make([]int, len(rows))
		for i := range of {
			of[i] = len(of) - 1 - i
		}
		want, got := make([]float64, len(of)*dim), make([]float64, len(of)*dim)
		must.Do(t, (Inputs{Front: net, Data: data, Indices: rows}).Features(t.Context(), want, of))
		clear(data.read)
		known := slices.Clone(memo.known)
		must.Do(t, (Inputs{Front: net, Data: data, Indices: rows, Memo: memo}).Features(t.Context(), got, of))
		for i, v := range want {
			if math.Float64bits(v) != math.Float64bits(got[i]) {
				t.Fatalf("feature %d is %g with a memo, %g without", i, got[i], v)
			}
		}
		for i, n := range data.read {
			if known[i] && n > 0 || n > 1 {
				t.Fatalf("input %d was read %d times; known: %v", i, n, known[i])
			}
		}
	}
	known, computed := make([]float32, 2*dim), make([]float64, 2*dim)
	must.Do(t, (Inputs{Front: net, Data: data, Indices: []int{9, 4}}).Features(t.Context(), computed, []int{0, 1}))
	if !memo.Known(known, []int{9, 4}) || !slices.Equal(known, nn.Float32s(computed)) {
		t.Errorf("known features %v, want %v", known, computed)
	}
	if NewMemo(inputs, dim).Known(known, []int{0}) || (*Memo)(nil).Known(known, []int{0}) {
		t.Error("features are known before they are computed")
	}
	clear(data.read)
	of, some := nn.ChosenFrom(nn.Choose(data, []int{7, 3}))
	want, got := make([]float64, dim), make([]float64, dim)
	must.Do(t, (Inputs{Front: net, Data: of, Indices: []int{3}, Memo: memo}).Features(t.Context(), want, []int{0}))
	must.Do(t, (Inputs{Front: net, Data: nn.Choose(of, some), Indices: []int{1}, Memo: memo.Chosen(some)}).Features(t.Context(), got, []int{0}))
	if !slices.Equal(got, want) || slices.Max(data.read) > 0 {
		t.Errorf("of chosen inputs %v, want %v; read %d times", got, want, slices.Max(data.read))
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	must.Fail(t, (Inputs{Front: net, Data: data, Indices: all, Memo: NewMemo(inputs, dim)}).Features(ctx, make([]float64, dim), []int{0})) // a cancelled context
}
