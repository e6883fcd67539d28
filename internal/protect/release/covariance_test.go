package release_test

import (
	"bytes"
	"context"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tattle/internal/engine/nn"
	"tattle/internal/engine/nn/zoo"
	"tattle/internal/engine/onnx"
	"tattle/internal/must"
	"tattle/internal/npy"
	"tattle/internal/protect/release"
)

// gram returns AᵀA + ridge·I of a random A, [rows, n]: of rank min(rows, n) without a ridge.
func gram(rows, n int, ridge float64) []float64 {
	r := rand.New(rand.NewPCG(5, uint64(rows)))
	a := make([]float64, rows*n)
	for i := range a {
		a[i] = r.NormFloat64()
	}
	c := make([]float64, n*n)
	for i := range n {
		for j := range n {
			for k := range rows {
				c[i*n+j] += a[k*n+i] * a[k*n+j]
			}
		}
		c[i*n+i] += ridge
	}
	return c
}

func covariance(t *testing.T, n int, c []float64) *release.Covariance {
	t.Helper()
	return must.Get(release.NewCovariance(n, c))(t)
}

// denseOf returns the weights, [rows, cols], of a node's affine layer.
func denseOf(t *testing.T, g *nn.Graph, name string) (w []float32, rows, cols int) {
	t.Helper()
	for _, n := range g.Nodes {
		if n.Name == name {
			d := n.Op.(*nn.Dense)
			return d.Weight.Data, d.Out, d.In
		}
	}
	t.Fatalf("no node %s", name)
	return nil, 0, 0
}

// With every projection and surface, the head inverts the whitening. Noise with the same
// variance in all directions of the release has the given covariance after the head's first
// layer. Front and head are the same after writing and reading ONNX.
func TestCovariance(t *testing.T) {
	x := normal(6 * 40)
	train := labelled{inputs{P: 6, X: x}, 3}
	for _, s := range []release.Spec{
		{}, {Node: "fc1"}, {Keep: 4}, {Keep: 5}, {Keep: 3, Projection: "principal"},
		{Keep: 2, Projection: "discriminant"}, {Surface: "logits"}, {Surface: "logits", Keep: 2}, {Surface: "probabilities"},
	} {
		front, head := must.Get2(s.Build(context.Background(), smallNet(false), train))(t)
		y := outputs(t, front, x)
		n := len(y) / 40
		c := gram(n, n, .1)
		shaped := s
		shaped.Covariance = covariance(t, n, c)
		shapedFront, shapedHead := must.Get2(shaped.Build(context.Background(), smallNet(false), train))(t, s)
		same(t, "scores", outputs(t, shapedHead, outputs(t, shapedFront, x)), outputs(t, head, y))
		l, _, _ := denseOf(t, shapedHead, "release-unwhiten")
		for i := range n {
			for j := range n {
				var got float64
				for k := range n {
					got += float64(l[i*n+k]) * float64(l[j*n+k])
				}
				if want := c[i*n+j]; math.Abs(got-want) > 1e-5*(1+math.Abs(want)) {
					t.Errorf("%+v: covariance %v at %d, %d, want %v", s, got, i, j, want)
				}
			}
		}
		like, likeHead, err := shaped.BuildLike(context.Background(), smallNet(false), nil, stored(t, shapedFront), stored(t, shapedHead))
		if err != nil {
			t.Errorf("%+v: %v", s, err)
			continue
		}
		same(t, "scores of the release built like it", outputs(t, likeHead, outputs(t, like, x)), outputs(t, head, y))
	}
}

// stored returns a graph that was written and read.
func stored(t *testing.T, g *nn.Graph) *nn.Graph {
	t.Helper()
	b := must.Get(onnx.Encode(g))(t)
	return must.Get(onnx.Decode("release", b))(t)
}

// The distance of two releases, over the noise, is √(zᵀC⁻¹z)/σ: all that a bound for Gaussian
// noise depends on.
func TestCovarianceDistance(t *testing.T) {
	c := []float64{2, 1, 1, 5} // of determinant 9: C⁻¹ = [5, −1; −1, 2]/9
	g := smallNet(false)
	spec := release.Spec{Keep: 2}
	plain, _ := must.Get2(spec.Build(context.Background(), g, nil))(t)
	spec.Covariance = covariance(t, 2, c)
	white, _ := must.Get2(spec.Build(context.Background(), g, nil))(t)
	x := normal(12)
	a, y := outputs(t, plain, x), outputs(t, white, x)
	z := []float64{float64(a[2] - a[0]), float64(a[3] - a[1])}
	d := []float64{float64(y[2] - y[0]), float64(y[3] - y[1])}
	got := release.Gaussian{Sigma: 1.5}.Bound(d, []float64{0, 0})
	want := math.Expm1((5*z[0]*z[0] - 2*z[0]*z[1] + 2*z[1]*z[1]) / 9 / (1.5 * 1.5))
	if math.Abs(got/want-1) > 1e-4 {
		t.Errorf("χ² = %v, want %v", got, want)
	}
}

func TestCovarianceErrs(t *testing.T) {
	nan := gram(3, 3, 1)
	nan[4] = math.NaN()
	skew := gram(3, 3, 1)
	skew[1] += .1
	for _, c := range [][]float64{{1e8, 5e7, 5e7 + 1e4, 1e8}, {1e-8, 5e-9 + 1e-12, 5e-9, 1e-8}, {1, -.5, .5, 1}} {
		must.Fail(t, must.Err(release.NewCovariance(2, c)), "not symmetric")
	}
	covariance(t, 2, []float64{1e-8, 5e-9 + 5e-15, 5e-9, 1e-8}) // to half of what is allowed
	covariance(t, 1, []float64{4})
	must.Fail(t, must.Err(release.NewCovariance(0, nil)), "must be of 1 to 8192")
	for want, c := range map[string][]float64{
		"8 entries of a covariance of 3 numbers; must be 9": make([]float64, 8),
		"NaN at row 1, column 1":                            nan,
		"not symmetric":                                     skew,
		"variance of number 2 is -1":                        {1, 0, 0, 0, 1, 0, 0, 0, -1},
		"(rank 2 of 3)":                                     gram(2, 3, 0),
		"(rank 1 of 3)":                                     {1, 0, 0, 0, 0, 0, 0, 0, 0},
		"(rank 0 of 3)":                                     make([]float64, 9),
		"negative variance in some direction":               {1, 2, 0, 2, 1, 0, 0, 0, 1},
		"too nearly singular":                               {1, 1. / 3, 0, 1. / 3, 1./9 + 1e-12, 0, 0, 0, 1},
	} {
		must.Fail(t, must.Err(release.NewCovariance(3, c)), want)
	}
	must.Fail(t, must.Err(release.NewCovariance(release.MaxCovariance+1, nil)), "must be of 1 to 8192")
	for want, s := range map[string]release.Spec{
		"it is 3 × 3, but 5 numbers are released": {},
		"but 2 numbers are released":              {Keep: 2},
	} {
		s.Covariance = covariance(t, 3, gram(3, 3, 1))
		must.Fail(t, must.Err2(s.Build(context.Background(), smallNet(false), nil)), want)
	}
	s := release.Spec{Node: "conv1", Covariance: covariance(t, 3, gram(3, 3, 1))}
	must.Fail(t, must.Err2(s.Build(context.Background(), zoo.CIFAR10(1), nil)), "flat")
}

// A covariance is read in float32 and float64, and is written as it was read. A singular one is
// refused, also in float32, where rounding makes it only nearly singular.
func TestReadCovariance(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, shape []int, data any) string {
		var b bytes.Buffer
		must.Do(t, npy.Write(&b, shape, data))
		path := filepath.Join(dir, name)
		must.Do(t, os.WriteFile(path, b.Bytes(), 0o666))
		return path
	}
	c := gram(20, 20, .1)
	path := write("double.npy", []int{20, 20}, c)
	v, err := release.ReadCovariance(path)
	must.Do(t, err)
	var b bytes.Buffer
	must.Do(t, v.Write(&b))
	if want, _ := os.ReadFile(path); !bytes.Equal(b.Bytes(), want) {
		t.Error("it is not written as it was read")
	}
	if v, err = release.ReadCovariance(write("single.npy", []int{20, 20}, nn.Float32s(c))); err != nil || v.Dim() != 20 {
		t.Errorf("%v", err)
	}
	for n := 3; n < 200; n *= 2 {
		path := write("singular.npy", []int{n, n}, nn.Float32s(gram(n-1, n, 0)))
		if _, err := release.ReadCovariance(path); err == nil || !strings.Contains(err.Error(), "singular") {
			t.Errorf("%d numbers: error %v", n, err)
		}
	}
	for want, path := range map[string]string{
		"a covariance is a square matrix": write("oblong.npy", []int{4, 5}, make([]float64, 20)),
		"nowhere.npy":                     filepath.Join(dir, "nowhere.npy"),
	} {
		must.Fail(t, must.Err(release.ReadCovariance(path)), want)
	}
}

// A release whose stored layers are not those of its covariance or its projection is
// refused.
func TestBuildLikeErrs(t *testing.T) {
	train := labelled{inputs{P: 6, X: normal(6 * 40)}, 3}
	s := release.Spec{Keep: 2, Projection: "discriminant", Covariance: covariance(t, 2, []float64{2, 1, 1, 5})}
	// A way back that is off by a hundredth is refused, by a ten-thousandth not, whatever the unit.
	for _, unit := range []float64{1e-3, 1e3} {
		scaled := release.Spec{Keep: 2, Covariance: covariance(t, 2, []float64{2 * unit * unit, unit * unit, unit * unit, 5 * unit * unit})}
		for _, part := range []float64{-.01, .01, -1e-4, 1e-4} {
			front, head := must.Get2(scaled.Build(context.Background(), smallNet(false), nil))(t)
			w, _, _ := denseOf(t, head, "release-unwhiten")
			w[0] += float32(part * math.Sqrt2 * unit)
			if err := must.Err2(scaled.BuildLike(context.Background(), smallNet(false), nil, front, head)); (err == nil) != (math.Abs(part) < .001) {
				t.Errorf("unit %v, off by %v: %v", unit, part, err)
			}
		}
	}
	build := func() (front, head *nn.Graph) {
		front, head = must.Get2(s.Build(context.Background(), smallNet(false), train))(t)
		return front, head
	}
	for _, c := range []struct {
		side string
		node string
		at   int
		by   float32
		want string
	}{
		{"front", "release-whiten", 2, .5, "another covariance: row 1, column 0"},
		{"head", "release-unwhiten", 0, .5, "the head does not undo it"},
		{"front", "release-project", 3, .5, "the head does not undo it"},
		{"front", "release-project", 8, -.5, "the head does not undo it: rows 1 and 0"},
		{"head", "release-unproject", 3, .5, "the head does not undo it"},
	} {
		front, head := build()
		g := front
		if c.side == "head" {
			g = head
		}
		w, _, _ := denseOf(t, g, c.node)
		w[c.at] += c.by
		must.Fail(t, must.Err2(s.BuildLike(context.Background(), smallNet(false), nil, front, head)), c.want)
	}
	for _, by := range []float32{.01, -.01} {
		front, head := build()
		for _, n := range front.Nodes {
			if n.Name == "release-project" {
				n.Op.(*nn.Dense).Bias.Data[1] += by
			}
		}
		must.Fail(t, must.Err2(s.BuildLike(context.Background(), smallNet(false), nil, front, head)), "its bias 1 is not that of the mean")
	}
	front, head := build()
	other := s
	other.Covariance = covariance(t, 2, []float64{2, 0, 0, 5})
	must.Fail(t, must.Err2(other.BuildLike(context.Background(), smallNet(false), nil, front, head)), "covariance")
	front.Nodes = slices.DeleteFunc(front.Nodes, func(n *nn.Node) bool { return n.Name == "release-whiten" })
	front.Output = "relu1"
	must.Fail(t, must.Err2(s.BuildLike(context.Background(), smallNet(false), nil, front, head)), "no affine layer")
}
