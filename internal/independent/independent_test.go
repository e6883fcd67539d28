package independent_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tattle/internal/engine/nn"
	"tattle/internal/file"
	"tattle/internal/independent"
	"tattle/internal/must"
	"tattle/internal/npy"
	"tattle/internal/protect/bound"
	"tattle/internal/protect/release"
	"tattle/internal/shared"
)

const side = 6

// convNet has every operator that the check computes.
func convNet() *nn.Graph {
	r := rand.New(rand.NewPCG(1, 2))
	param := func(scale float64, shape ...int) *nn.Param {
		x := &nn.Param{Name: "w", Shape: shape, Data: make([]float32, nn.Size(shape))}
		for i := range x.Data {
			x.Data[i] = float32(scale * r.NormFloat64())
		}
		return x
	}
	two := [2]int{2, 2}
	return &nn.Graph{Name: "conv", Input: "x", InputShape: []int{1, side, side}, Output: "sum", Nodes: []*nn.Node{
		{Name: "conv", Op: &nn.Conv2D{InChannels: 1, OutChannels: 4, Kernel: [2]int{3, 3}, Pad: [4]int{1, 1, 1, 1}, Weight: param(.4, 4, 1, 3, 3), Bias: param(.1, 4)}, Inputs: []string{"x"}, Output: "conv"},
		{Name: "relu", Op: &nn.ReLU{}, Inputs: []string{"conv"}, Output: "relu"},
		{Name: "pool", Op: &nn.MaxPool{Kernel: two, Stride: two}, Inputs: []string{"relu"}, Output: "pool"},
		{Name: "depth", Op: &nn.Conv2D{InChannels: 4, OutChannels: 4, Kernel: two, Stride: two, Groups: 4, Pad: [4]int{0, 0, 1, 1}, Weight: param(.5, 4, 1, 2, 2)}, Inputs: []string{"pool"}, Output: "depth"},
		{Name: "flat", Op: nn.Flatten(), Inputs: []string{"depth"}, Output: "flat"},
		{Name: "dense", Op: &nn.Dense{In: 16, Out: 16, Weight: param(.3, 16, 16), Bias: param(.1, 16)}, Inputs: []string{"flat"}, Output: "dense"},
		{Name: "sum", Op: &nn.Binary{Operator: "Add"}, Inputs: []string{"dense", "flat"}, Output: "sum"},
	}}
}

// denseNet has more features than inputs, so that bounds are finite.
func denseNet() *nn.Graph {
	r := rand.New(rand.NewPCG(3, 4))
	w := make([]float32, 40*side*side)
	for i := range w {
		w[i] = float32(.2 * r.NormFloat64())
	}
	return &nn.Graph{Name: "dense", Input: "x", InputShape: []int{side, side}, Output: "relu", Nodes: []*nn.Node{
		{Name: "flat", Op: nn.Flatten(), Inputs: []string{"x"}, Output: "flat"},
		{Name: "dense", Op: &nn.Dense{In: side * side, Out: 40, Weight: &nn.Param{Shape: []int{40, side * side}, Data: w}}, Inputs: []string{"flat"}, Output: "dense"},
		{Name: "relu", Op: &nn.ReLU{}, Inputs: []string{"dense"}, Output: "relu"},
	}}
}

// pictures are uniform inputs.
type pictures int

func (n pictures) Len() int      { return int(n) }
func (pictures) Label(i int) int { return i % 2 }
func (pictures) Examples(x []float32, indices []int) {
	for k, i := range indices {
		r := rand.New(rand.NewPCG(5, uint64(i)))
		for j := range side * side {
			x[k*side*side+j] = r.Float32()
		}
	}
}

// certified runs every kind of bound on two examples, and returns what is to be checked.
func certified(t testing.TB, g *nn.Graph, noise release.Noise, free bool) (independent.Run, string) {
	t.Helper()
	net := must.Get(nn.NewNet(g))(t)
	low, high := make([]float64, side*side), make([]float64, side*side)
	for i := range high {
		high[i] = 1
	}
	box := must.Get(bound.Legal(low, high))(t)
	e := bound.Experiment{Noise: noise, Queries: 2, Coordinates: bound.DCT([]int{side, side}),
		Settings: bound.Settings{Search: bound.SearchOptions{Restarts: 3, Repeats: 3}, Far: bound.FarOptions{Starts: 3, Domain: box}, Barankin: bound.BarankinOptions{Witnesses: 16, Near: true}, Twins: bound.TwinOptions{Examples: 2, Domain: box}, Pairs: bound.PairOptions{Witnesses: 2, Domain: box}},
	}
	_, laplace := noise.(release.Laplace)
	claim := independent.Run{Graph: g, Laplace: laplace, Sigma: noise.Std(), Queries: 2, DCT: []int{side, side}}
	if !free {
		e.Domain, e.Coordinates, claim.DCT = box, bound.Pixels(side*side), nil
	}
	res := must.Get(bound.Run(t.Context(), net, pictures(2), []int{0, 1}, e, bound.RunOptions{Dir: t.TempDir()}))(t)
	near, far := independent.Kind{Name: bound.SizeName(bound.DefaultSize)}, independent.Kind{Name: "far", Runtime: res.Experiment.Runtime.Error, Low: low, High: high}
	if !free {
		near.Low, near.High = low, high
	}
	joint, twin, pair := near, far, far
	joint.Name, twin.Name, pair.Name = "barankin", "twin", "pair"
	claim.Kinds = []independent.Kind{near, far, pair, joint}
	if res.Kind(bound.SearchTwins) != nil {
		claim.Kinds = append(claim.Kinds, twin)
	}
	return claim, res.Path
}

func check(t testing.TB, r independent.Run, path string) (int, []independent.Finding) {
	t.Helper()
	seen := 0
	return must.Get2(independent.Check(t.Context(), r, path, func(done, total int) {
		if seen++; done != seen || done > total {
			t.Errorf("progress %d of %d after %d calls", done, total, seen)
		}
	}))(t)
}

func each(t *testing.T, f func(t *testing.T, g *nn.Graph, noise release.Noise, free bool)) {
	for _, g := range []*nn.Graph{convNet(), denseNet()} {
		for _, noise := range []release.Noise{release.Gaussian{Sigma: .3}, laplace(t)} {
			for _, free := range []bool{true, false} {
				t.Run(fmt.Sprintf("%s/%s/free=%t", g.Name, noise, free), func(t *testing.T) { f(t, g, noise, free) })
			}
		}
	}
}

func laplace(t testing.TB) release.Noise {
	return must.Get(release.NewLaplace(.3))(t)
}

// Both implementations agree: no recorded bound is too large.
func TestBoundsHold(t *testing.T) {
	each(t, func(t *testing.T, g *nn.Graph, noise release.Noise, free bool) {
		r, path := certified(t, g, noise, free)
		n, found := check(t, r, path)
		bounds, floors := 2*(side*side+1)*(len(r.Kinds)-1), 2*(side*side+1)*(len(r.Kinds)-1)
		if want := bounds + floors + 2*witnesses(t, path); n != want {
			t.Errorf("%d bounds were compared, want %d", n, want)
		}
		for _, f := range found {
			t.Error(f)
		}
	})
}

// A certifier that is wrong is found, where bound.Verify, being the same, finds nothing. Here
// it takes the noise for a hundredth of a percent stronger than it is.
func TestWrongCertifierIsFound(t *testing.T) {
	each(t, func(t *testing.T, g *nn.Graph, noise release.Noise, free bool) {
		r, path := certified(t, g, noise, free)
		r.Sigma /= 1.0001
		_, found := check(t, r, path)
		kinds := map[string]bool{}
		for _, f := range found {
			kind, _, _ := strings.Cut(f.Bound, "_")
			kinds[kind] = true
		}
		for _, k := range r.Kinds[:4:4] {
			if !kinds[k.Name] && k.Name != "far" { // far bounds may all be unbounded
				t.Errorf("no finding among the %s bounds", k.Name)
			}
		}
		if !strings.Contains(fmt.Sprint(found), "pair_pair_share of example 0") || !strings.Contains(fmt.Sprint(found), "pair_pair_mean_square") {
			t.Errorf("no finding among the floors: %v", found)
		}
	})
}

// A report that was copied with its bounds multiplied, and one whose witnesses lie outside
// their domain, are found.
func TestForgedArraysAreFound(t *testing.T) {
	r, path := certified(t, denseNet(), release.Gaussian{Sigma: .3}, false)
	forged := filepath.Join(t.TempDir(), "arrays.npz")
	for name, forge := range map[string]func(array string, x []float64){
		"std": func(array string, x []float64) {
			for i := range x {
				x[i] *= 1.001
			}
		},
		"mean_square": func(array string, x []float64) {
			for i := range x {
				x[i] *= 1.001
			}
		},
		"far_pair_floor":       more,
		"far_pair_mean_square": more,
		"far_pair_share":       more,
		"pair_floor":           more,
		"pair_mean_square":     more,
		"pair_share":           more,
		"twin_eps":             func(array string, x []float64) { clear(x) },
		"eps": func(array string, x []float64) {
			for i := range x {
				x[i] += 2
			}
		},
	} {
		rewrite(t, forged, path, name, forge)
		if _, found := check(t, r, forged); len(found) == 0 {
			t.Errorf("forged %s: no finding", name)
		}
	}
}

// more makes floors larger by a tenth of a percent.
func more(_ string, x []float64) {
	for i := range x {
		x[i] *= 1.001
	}
}

// witnesses is the number of witnesses of pairs of an example.
func witnesses(t *testing.T, path string) (n int) {
	t.Helper()
	f := must.Get(npy.Open(path))(t)
	defer f.Close()
	for _, name := range f.Names() {
		if strings.HasSuffix(name, "pair_share") {
			_, shape := must.Get2(f.Float64s(name))(t)
			n += shape[1]
		}
	}
	return n
}

// The h of two inputs whose features the model does not change, with Gaussian noise, is known:
// ¼e^(−d²/8)·E[sech(dZ/2)], whose root is .446, .335 and .131 at d = 1, 2 and 4. One that is
// larger by a millionth is found, and one that is smaller is not, with several releases too.
// For Laplace noise of scale 1 it is at least (1+d/2)²e^(−d)/4.
func TestSharesAreThoseOfClosedForms(t *testing.T) {
	shared.Long(t, "shares against closed forms")
	g := &nn.Graph{Input: "x", InputShape: []int{1}, Output: "y", Nodes: []*nn.Node{{Name: "y", Op: &nn.Identity{}, Inputs: []string{"x"}, Output: "y"}}}
	path := filepath.Join(t.TempDir(), "arrays.npz")
	share := func(d float64) (h float64) {
		const step = 1e-3
		for x := -12.; x < 12; x += step {
			h += step * math.Exp(-x*x/2) / math.Cosh(d*x/2)
		}
		return h * math.Exp(-d*d/8) / 4 / math.Sqrt(2*math.Pi)
	}
	for d, root := range map[float64]float64{0: .5, 1: .446, 2: .335, 4: .131} {
		if math.Abs(math.Sqrt(share(d))-root) > 5e-4 {
			t.Errorf("√h = %g at %g", math.Sqrt(share(d)), d)
		}
	}
	for _, d := range []float64{1e-6, .1, 1, 2.5, 4, 10, 25, 45} {
		for _, c := range []struct {
			run independent.Run
			h   float64
		}{
			{independent.Run{Graph: g, Sigma: 1}, share(d)},
			{independent.Run{Graph: g, Sigma: 2, Queries: 4}, share(d)},
			{independent.Run{Graph: g, Sigma: math.Sqrt2, Laplace: true}, math.Pow(1+d/2, 2) * math.Exp(-d) / 4},
		} {
			c.run.Kinds = []independent.Kind{{Name: "pair"}}
			for _, by := range []float64{1 - 1e-6, 1 + 1e-6} {
				h := c.h * by
				floors := map[string][]float64{"theta": {0}, "pair_eps": {d}, "pair_share": {h}, "pair_floor": {d * math.Sqrt(h)}, "pair_mean_square": {d * d * h}}
				must.Do(t, file.Write(path, func(w io.Writer) error {
					z := npy.NewWriter(w)
					for name, x := range floors {
						if err := z.Add(name, []int{1, 1}, x); err != nil {
							return err
						}
					}
					return z.Close()
				}))
				if n, found := check(t, c.run, path); n != 3 || by < 1 && len(found) != 0 || by > 1 && len(found) != 3 {
					t.Errorf("%+v, d = %g, %g of the floors: %d compared, %v", c.run, d, by, n, found)
				}
			}
		}
	}
}

// rewrite copies an archive, with the arrays whose names end in suffix changed by f.
func rewrite(t *testing.T, to, from, suffix string, f func(array string, x []float64)) {
	t.Helper()
	in := must.Get(npy.Open(from))(t)
	defer in.Close()
	must.Do(t, file.Write(to, func(w io.Writer) error {
		z := npy.NewWriter(w)
		for _, name := range in.Names() {
			a, err := in.Array(name)
			if err != nil {
				return err
			}
			if strings.HasSuffix(name, suffix) {
				x, err := a.Float64s()
				if err != nil {
					return err
				}
				f(name, x)
				a.Data = x
			}
			if err := z.Add(name, a.Shape, a.Data); err != nil {
				return err
			}
		}
		return z.Close()
	}))
}

func TestErrors(t *testing.T) {
	r, path := certified(t, denseNet(), release.Gaussian{Sigma: .3}, true)
	smooth := denseNet()
	smooth.Nodes[2].Op = &nn.Softmax{}
	for name, change := range map[string]func(r *independent.Run){
		"operator": func(r *independent.Run) { r.Graph = smooth },
		"no array": func(r *independent.Run) { r.Kinds = []independent.Kind{{Name: "absent"}} },
		"range":    func(r *independent.Run) { r.Kinds = []independent.Kind{{Name: "far", Low: []float64{0}}} },
	} {
		r := r
		change(&r)
		if _, _, err := independent.Check(t.Context(), r, path, func(int, int) {}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	must.Fail(t, must.Err2(independent.Check(ctx, r, path, func(int, int) {})))
}

// The bound on a net without layers, whose features are the input itself, is σ. Here the
// recorded one is twice that.
func ExampleCheck() {
	path := filepath.Join(os.TempDir(), fmt.Sprintf("tattle-example-%d.npz", os.Getpid()))
	defer os.Remove(path)
	err := file.Write(path, func(w io.Writer) error {
		z := npy.NewWriter(w)
		one := []int{1, 1}
		for name, v := range map[string]float64{"theta": .5, "far_eps": 1e-9, "far_std": 2} {
			if err := z.Add(name, one, []float64{v}); err != nil {
				return err
			}
		}
		if err := z.Add("far_mean_square", []int{1}, []float64{1}); err != nil {
			return err
		}
		return z.Close()
	})
	if err != nil {
		log.Fatal(err)
	}
	g := &nn.Graph{Input: "x", InputShape: []int{1}, Output: "y", Nodes: []*nn.Node{{Name: "y", Op: &nn.Identity{}, Inputs: []string{"x"}, Output: "y"}}}
	n, found, err := independent.Check(context.Background(), independent.Run{Graph: g, Sigma: 1, Kinds: []independent.Kind{{Name: "far"}}}, path, func(int, int) {})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(n, "bounds,", len(found), "too large: recorded", found[0].Recorded, "and proved", math.Round(found[0].Proved))
	// Output: 2 bounds, 1 too large: recorded 2 and proved 1
}
