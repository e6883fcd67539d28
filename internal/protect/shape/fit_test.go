package shape

import (
	"context"
	"math"
	"runtime"
	"slices"
	"testing"

	"tattle/internal/engine/nn"
	"tattle/internal/engine/nn/train"
	"tattle/internal/must"
)

// TestJoin joins graphs with equal names: the names of the result are unique, and it computes
// one after the other.
func TestJoin(t *testing.T) {
	layer := func(name, in, out string, factor float32) (*nn.Node, nn.Op) {
		d := nn.NewDense(name, 2, 2)
		d.Weight.Data[0], d.Weight.Data[3], d.Bias.Data[0] = factor, 2, 1
		return &nn.Node{Name: name, Op: d, Inputs: []string{in}, Output: out}, d
	}
	graph := func(in string, names ...[2]string) *nn.Graph {
		g := &nn.Graph{Name: "g", Input: in, InputShape: []int{2}, Output: in}
		for i, n := range names {
			node, _ := layer(n[0], g.Output, n[1], float32(2+i))
			g.Nodes, g.Output = append(g.Nodes, node), n[1]
		}
		return g
	}
	for _, c := range []struct {
		name          string
		first, second *nn.Graph
	}{
		{"equal names", graph("x", [2]string{"a", "a"}, [2]string{"b", "b"}), graph("x", [2]string{"a", "a"}, [2]string{"b", "b"})},
		{"a longer name is there", graph("x", [2]string{"a", "a"}), graph("y", [2]string{"a", "a"}, [2]string{"a-", "a-"})},
		{"a longer name comes first", graph("x", [2]string{"a", "a"}), graph("y", [2]string{"a-", "a-"}, [2]string{"a", "a"})},
		{"first has the longer name", graph("x", [2]string{"a", "a"}, [2]string{"a-", "a-"}), graph("y", [2]string{"a", "a"})},
		{"tensors named like nodes", graph("x", [2]string{"a", "t"}), graph("t", [2]string{"t", "a"}, [2]string{"b", "x"})},
		{"the second's input is named like the first's node", graph("x", [2]string{"a", "b"}), graph("a", [2]string{"c", "b"}, [2]string{"a", "d"})},
		{"nothing second", graph("x", [2]string{"a", "a"}), graph("y")},
		{"nothing first", graph("x"), graph("y", [2]string{"a", "x"})},
	} {
		t.Run(c.name, func(t *testing.T) {
			run := func(g *nn.Graph, x []float32) []float32 {
				if len(g.Nodes) == 0 {
					return x
				}
				net := must.Get(nn.NewNet(g))(t)
				y := make([]float32, 2)
				net.Forward(y, x)
				return y
			}
			g := Join(c.first, c.second)
			must.Get(g.Shapes())(t)
			x := []float32{3, 5}
			if got, want := run(g, x), run(c.second, run(c.first, x)); !slices.Equal(got, want) {
				t.Errorf("%v, want %v", got, want)
			}
			if len(g.Nodes) != len(c.first.Nodes)+len(c.second.Nodes) {
				t.Errorf("%d nodes", len(g.Nodes))
			}
		})
	}
}

// learned fits a release of random rows and returns its parameters.
func learned(t *testing.T, cores int, o Options) []float32 {
	t.Helper()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
	s := fitted(t, randomRows(120, 6, 3), o)
	var all []float32
	for _, g := range []*nn.Graph{s.Layer, s.Head} {
		for _, p := range g.Params() {
			all = append(all, p.Data...)
		}
	}
	return all
}

func fitted(t *testing.T, d nn.Rows, o Options) *Shape {
	t.Helper()
	ctx := context.Background()
	m := must.Get(NewMoments(ctx, d, d.P, 3))(t)
	return must.Get(Fit(ctx, d, m, []train.Task{{Name: "y", Classes: 3, Labels: d.Labels}}, o))(t)
}

// TestFitIsReproducible holds that equal seeds give equal bytes on any number of cores.
func TestFitIsReproducible(t *testing.T) {
	protect := []Protected{{classesOf(120, 2, 4), 1}}
	o := Options{Weight: 1, Protect: protect, Epochs: 3, Batch: 50, Seed: 1}
	want := learned(t, 1, o)
	if !slices.Equal(learned(t, 2, o), want) {
		t.Error("two cores give other weights than one")
	}
	o.Seed = 2
	if slices.Equal(learned(t, 1, o), want) {
		t.Error("another seed gives the same weights")
	}
}

// TestFitFewFeatures releases more numbers than there are features, and fewer features than
// classes.
func TestFitFewFeatures(t *testing.T) {
	s := fitted(t, randomRows(60, 1, 3), Options{Epochs: 1})
	if _, n := mustDims(t, s.Layer); n != 3-1+LinearExtra {
		t.Errorf("%d numbers are released", n)
	}
}

func mustDims(t *testing.T, g *nn.Graph) (p, n int) {
	t.Helper()
	net := must.Get(nn.NewNet(g))(t)
	return net.Dims()
}

func TestFitRefuses(t *testing.T) {
	ctx, d := context.Background(), randomRows(90, 4, 3)
	m := must.Get(NewMoments(ctx, d, 4, 3))(t)
	task := []train.Task{{Name: "y", Classes: 3, Labels: d.Labels}}
	for _, c := range []struct {
		tasks []train.Task
		o     Options
		want  string
	}{
		{task, Options{Sigma: math.NaN()}, "standard deviation NaN"},
		{[]train.Task{{Name: "y", Classes: 2, Labels: d.Labels}}, Options{}, "label 2"},
	} {
		must.Fail(t, must.Err(Fit(ctx, d, m, c.tasks, c.o)), c.want)
	}
}
