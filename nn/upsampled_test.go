package nn

import (
	"slices"
	"testing"

	"tattle/internal/must"
)

func TestUpsampled(t *testing.T) {
	g := chain([]int{1, 2, 3}, &Flatten{}, testDense(6, 2, true))
	up := must.Get(g.Upsampled("linear", 1, 2))(t)
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
		must.Fail(t, must.Err(bad()))
	}
	if twice, err := up.Upsampled("cubic", 1); err != nil {
		t.Error(err)
	} else if _, err := NewNet(twice); err != nil {
		t.Error(err)
	}
}
