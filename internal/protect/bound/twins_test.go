package bound

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"tattle/internal/engine/nn"
	"tattle/internal/must"
	"tattle/internal/protect/release"
	"tattle/internal/shared"
)

// greyMNIST is how many grey levels a unit of the MNIST net's inputs is worth.
const greyMNIST = 255 * .3081

func cube(p int, half float64) Domain { return boxOf(p, -half, half) }

func find(t *testing.T, g *nn.Graph, d Domain, theta, target []float32) ([]float64, [2]bool) {
	t.Helper()
	f := must.Get(newTwinFinder(g, d))(t)
	eps := make([]float64, 2*len(theta))
	found := must.Get(f.find(context.Background(), eps, theta, target))(t)
	return eps, found
}

func twinsAre(t *testing.T, eps []float64, want ...float64) {
	t.Helper()
	if floats.Distance(eps, want, math.Inf(1)) > 2e-3 {
		t.Errorf("twins %v, want %v", eps, want)
	}
}

// Of two inputs the unit x + y is on and x − y − 1.3 off: twins lie on a line, from
// which the limit of x and the unit that is off cut a piece.
func TestTwinsInThePlane(t *testing.T) {
	c := constraints{p: 2}
	if c.add([]float64{8, 0}, 16, -1); !slices.Equal(c.rows, []float64{-1, 0}) || !slices.Equal(c.right, []float64{2}) {
		t.Errorf("a constraint of %v, %v", c.rows, c.right)
	}
	g := chain([]int{2}, weights(2, 2, 1, 1, 1, -1, 0, -1.3), &nn.ReLU{}, weights(1, 2, 1, 1))
	eps, found := find(t, g, cube(2, 1), []float32{.25, .5}, []float32{1, 0})
	if found != [2]bool{true, true} {
		t.Fatal(found)
	}
	// On x + y = 0.75: y ≤ 1 from (−0.25, 1), and x − y ≤ 1.3 as float32 up to
	// (1.025, −0.275), as far as 1.025 > 1 lets it: (1, −0.25).
	twinsAre(t, eps, .75, -.75, .625, -.625)
	// A unit 2x − 2y − 1 that is off stops it at x − y = 1/2, so (−0.25, 1) is
	// farther, and (0.625, 0.125) nearest to the target.
	g = chain([]int{2}, weights(2, 2, 1, 1, 2, -2, 0, -1), &nn.ReLU{})
	eps, _ = find(t, g, cube(2, 1), []float32{.25, .5}, []float32{1, 0})
	twinsAre(t, eps, -.5, .5, .375, -.375)
	// A unit of exactly 0 is off, here x − y: twins are beyond the margin, up to (0, 1).
	g = chain([]int{2}, weights(2, 2, 1, 1, 1, -1, 0, 0), &nn.ReLU{})
	eps, _ = find(t, g, cube(2, 1), []float32{.5, .5}, nil)
	twinsAre(t, eps, -.5, .5, 0, 0)
}

// Nets of every kind that there are levels for: units on of the first ReLU fewer
// than inputs; more, so that a later ReLU or an affine layer is the level, with
// leaky ReLUs, convolutions and a softmax around it. All twins found are legal and
// their features equal up to rounding; and the same bytes come in any order.
func TestTwinsOfEveryLevel(t *testing.T) {
	shared.Long(t, "twins of every kind of net")
	r := rand.New(rand.NewPCG(31, 1))
	const p = 36
	conv := &nn.Conv2D{InChannels: 1, OutChannels: 2, Kernel: [2]int{3, 3},
		Weight: &nn.Param{Name: "w", Shape: []int{2, 1, 3, 3}, Data: drawn(r, 2, 9).Weight.Data}}
	for name, g := range map[string]*nn.Graph{
		"first":  chain([]int{p}, drawn(r, 40, p), &nn.ReLU{}, drawn(r, 30, 40), &nn.ReLU{}),
		"second": chain([]int{p}, drawn(r, 150, p), &nn.ReLU{}, drawn(r, 30, 150), &nn.ReLU{}, drawn(r, 9, 30), &nn.Softmax{}),
		"affine": chain([]int{p}, drawn(r, 90, p), &nn.ReLU{Slope: .1}, drawn(r, 10, 90), &nn.Softmax{}),
		"linear": chain([]int{p}, drawn(r, 10, p)),
		"conv":   chain([]int{1, 6, 6}, conv, &nn.ReLU{}, &nn.MaxPool{Kernel: [2]int{2, 2}}, nn.Flatten(), drawn(r, 7, 18)),
		"norm": chain([]int{1, 6, 6}, conv, &nn.BatchNorm{Channels: 2, Scale: ones(2, 1.5), Shift: ones(2, -.2), Mean: ones(2, .1), Variance: ones(2, .7)},
			&nn.ReLU{}, &nn.MaxPool{Kernel: [2]int{2, 2}, Stride: [2]int{2, 2}}, nn.Flatten(), drawn(r, 7, 8)),
		"dead":    chain([]int{p}, weights(5, p, slices.Concat(drawn(r, 5, p).Weight.Data, slices.Repeat([]float32{-1000}, 5))...), &nn.ReLU{}),
		"dropout": chain([]int{p}, &nn.Dropout{P: .5}, drawn(r, 50, p), &nn.Identity{}, &nn.ReLU{}),
	} {
		t.Run(name, func(t *testing.T) { twinsOf(t, g) })
	}
}

// ones returns n parameters of one value.
func ones(n int, v float32) *nn.Param {
	return &nn.Param{Name: "v", Shape: []int{n}, Data: slices.Repeat([]float32{v}, n)}
}

// Of a net with no unit on every input in the box is a twin: the farthest is a
// corner, and the nearest to a target the target itself, unless it is θ.
func TestTwinsOfADeadNet(t *testing.T) {
	g := chain([]int{3}, weights(2, 3, 1, 0, 0, 0, 1, 0, -9, -9), &nn.ReLU{})
	theta := []float32{.5, -.25, 1}
	eps, found := find(t, g, cube(3, 1), theta, []float32{0, .5, -.5})
	twinsAre(t, eps, -1.5, 1.25, -2, -.5, .75, -1.5)
	if found != [2]bool{true, true} {
		t.Error(found)
	}
	if eps, found = find(t, g, cube(3, 1), theta, theta); found != [2]bool{true, false} || square(eps[3:]) != 0 {
		t.Errorf("found %v: an input as its own twin, %g away", found, math.Sqrt(square(eps[3:])))
	}
}

// twinsOf checks the twins of some inputs of a net.
func twinsOf(t *testing.T, g *nn.Graph) {
	const p, count = 36, 12
	r := rand.New(rand.NewPCG(32, 1))
	d := cube(p, 1.5)
	x := make([]float32, count*p)
	for i := range x {
		x[i] = float32(min(max(r.NormFloat64(), -1.5), 1.5))
	}
	clear(x[:p]) // in the middle of the range
	f := must.Get(newTwinFinder(g, d))(t)
	net := must.Get(nn.NewNet(g))(t)
	search := func(i int) []float64 {
		eps := make([]float64, 2*p)
		if _, err := f.find(context.Background(), eps, x[i*p:(i+1)*p], x[(i+1)%count*p:][:p]); err != nil {
			t.Error(err)
		}
		return eps
	}
	all, tried := make([][]float64, count), 0
	parallel(count, func(i int) { all[i] = search(i) })
	c := Certifier{Net: net, Noise: release.Gaussian{Sigma: 1}, Domain: d}
	for i, eps := range all {
		if i < 3 && !slices.Equal(eps, search(i)) {
			t.Errorf("input %d: other twins the second time", i)
		}
		for k, v := range c.divergencesFloat64(t.Context(), x[i*p:(i+1)*p], eps) {
			if square(eps[k*p:(k+1)*p]) == 0 {
				continue
			}
			tried++
			if v.Status != AllRounding || v.Std(.1, 0) < 1e9 {
				t.Errorf("input %d, twin %d: %v, features %g apart, allowance %g", i, k, v.Status, v.ZNorm, v.Allowance)
			}
		}
	}
	if tried < count {
		t.Errorf("%d twins of %d inputs: too few", tried, count)
	}
}

func TestTwinsRefused(t *testing.T) {
	r := rand.New(rand.NewPCG(33, 1))
	g := chain([]int{4}, drawn(r, 3, 4), &nn.ReLU{})
	wide := chain([]int{4}, drawn(r, mostRows+1, 4), &nn.ReLU{})
	two := func(operator string) *nn.Graph { // of an affine layer and the input
		g := chain([]int{4}, drawn(r, 4, 4))
		g.Nodes = append(g.Nodes, &nn.Node{Name: "two", Op: &nn.Binary{Operator: operator}, Inputs: []string{g.Output, "x"}, Output: "two"},
			&nn.Node{Name: "last", Op: drawn(r, 3, 4), Inputs: []string{"two"}, Output: "last"})
		g.Output = "last"
		return g
	}
	reduced := func(function string) *nn.Graph {
		return chain([]int{4}, drawn(r, 4, 4), &nn.Reduce{Function: function})
	}
	for _, g := range []*nn.Graph{two("Add"), reduced("Mean"), reduced("Sum")} {
		must.Get(newTwinFinder(g, cube(4, 1)))(t)
	}
	for name, err := range map[string]error{
		"largest": must.Err(newTwinFinder(reduced("Max"), cube(4, 1))),
		"product": must.Err(newTwinFinder(two("Mul"), cube(4, 1))), "large": must.Err(newTwinFinder(wide, cube(4, 1))),
		"smooth": must.Err(newTwinFinder(chain([]int{4}, &nn.Softmax{}, drawn(r, 3, 4)), cube(4, 1))),
		"square": must.Err(newTwinFinder(chain([]int{4}, drawn(r, 4, 4)), cube(4, 1))),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if eps, found := find(t, g, cube(4, 1), []float32{0, 0, 0, 2}, nil); found != [2]bool{} || square(eps) != 0 {
		t.Error("twins of an input that is not legal")
	}
	nan := float32(math.NaN())
	if _, found := find(t, g, cube(4, 1), []float32{0, 0, nan, 0}, nil); found != [2]bool{} {
		t.Error("twins of an input that is no number")
	}
	if _, found := find(t, g, cube(4, 1), make([]float32, 4), []float32{0, 0, nan, 0}); found[1] {
		t.Error("a twin toward what is no number")
	}
	for name, bad := range map[string]*nn.Dense{"weight": drawn(r, 3, 4), "bias": drawn(r, 3, 4), "infinite": drawn(r, 3, 4)} {
		switch name {
		case "weight":
			bad.Weight.Data[5] = nan
		case "bias":
			bad.Bias.Data[1] = nan
		case "infinite":
			bad.Weight.Data[5] = float32(math.Inf(1))
		}
		f := must.Get(newTwinFinder(chain([]int{4}, bad, &nn.ReLU{}), cube(4, 1)))(t)
		if _, err := f.find(context.Background(), make([]float64, 8), []float32{0, 1, 1, 0}, nil); err == nil || !strings.Contains(err.Error(), "not finite") {
			t.Errorf("%s: error %v", name, err)
		}
	}
	one := chain([]int{1}, weights(1, 1, 1, 5), &nn.ReLU{}, weights(1, 1, 1))
	if _, found := find(t, one, cube(1, 1), []float32{.5}, []float32{0}); found != [2]bool{} {
		t.Error("twins of a net that hides nothing")
	}
	f, _ := newTwinFinder(g, cube(4, 1))
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	must.Fail(t, must.Err(f.find(ended, make([]float64, 8), make([]float32, 4), nil))) // a context that has ended
	same := nn.Rows{X: make([]float32, 12), P: 4, Labels: []int{1, 1, 1}}
	if (TwinOptions{}).targetIndex(same, 0, 1) >= 0 || (TwinOptions{}).targetIndex(same, 0, 2) < 0 {
		t.Error("a target of the example's own label, or none where there is one")
	}
}
