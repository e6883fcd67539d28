package bound

import (
	"context"
	"fmt"
	"log"
	"reflect"
	"slices"
	"testing"

	"tattle/internal/engine/nn"
	"tattle/internal/must"
	"tattle/internal/protect/release"
)

// Certify gives the same figures as Run for a data set of that input, with its witnesses.
func TestCertifyIsRun(t *testing.T) {
	m, data, e := small(t)
	box := cube(24, 4)
	e.Far, e.Barankin, e.Twins = FarOptions{Starts: 3, Domain: box}, BarankinOptions{Witnesses: 8}, TwinOptions{Examples: 1, Domain: box}
	theta := data.X[:24]
	got := must.Get(Certify(t.Context(), m, theta, e))(t)
	want := mustRun(t, m, nn.Rows{P: 24, X: theta}, []int{0}, e)
	for i, pair := range [][2]*Bounds{{got.Kinds[0], want.Kinds[0]}, {got.Kind(SearchFar), want.Kind(SearchFar)}, {got.Kind(SearchCombined), want.Kind(SearchCombined)}, {got.Kind(SearchTwins), want.Kind(SearchTwins)}} {
		if !slices.Equal(pair[0].Std, pair[1].Std) {
			t.Errorf("bounds %d: %v, want %v", i, pair[0], pair[1])
		}
		a, err := got.Witnesses(pair[0], 0)
		b, err2 := want.Witnesses(pair[1], 0)
		if err != nil || err2 != nil || !slices.Equal(a, b) {
			t.Errorf("bounds %d: witnesses differ: %v, %v", i, err, err2)
		}
	}
	if !reflect.DeepEqual(got.Summaries, want.Summaries) {
		t.Errorf("summaries %v, want %v", got.Summaries, want.Summaries)
	}
}

func TestCertifyErrs(t *testing.T) {
	m, data, e := small(t)
	must.Fail(t, must.Err(Certify(t.Context(), m, data.X[:23], e))) // an input of the wrong length
	e.Coordinates = nil
	if r, err := Certify(t.Context(), m, data.X[:24], e); err != nil || r.Experiment.Coordinates.Name() != "pixels" {
		t.Errorf("coordinates by default: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	must.Fail(t, must.Err(Certify(ctx, m, data.X[:24], e)))
}

// Two features, x₁ + x₂ and 2x₂, are released with noise of standard deviation 0.1. No
// unbiased estimator of an input can have a smaller standard deviation than this.
func ExampleCertify() {
	g := &nn.Graph{Input: "x", InputShape: []int{2}, Output: "a", Nodes: []*nn.Node{{
		Name: "a", Inputs: []string{"x"}, Output: "a", Op: &nn.Dense{In: 2, Out: 2,
			Weight: &nn.Param{Shape: []int{2, 2}, Data: []float32{1, 1, 0, 2}}, Bias: &nn.Param{Shape: []int{2}, Data: []float32{0, 0}}},
	}}}
	net, err := nn.NewNet(g)
	if err != nil {
		log.Fatal(err)
	}
	result, err := Certify(context.Background(), net, []float32{.3, .7}, Experiment{
		Noise:    release.Gaussian{Sigma: .1},
		Settings: Settings{Barankin: BarankinOptions{Witnesses: 2}, Runtime: RealArithmetic},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.4f\n", result.Kind(SearchCombined).Std)
	// Output: [0.1118 0.0500]
}
