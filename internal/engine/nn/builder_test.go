package nn

import (
	"fmt"
	"testing"
)

// ZooNets are small and published nets of package zoo, which imports this package;
// zoo_test.go, of package nn_test, fills it.
var ZooNets = map[string]func() *Graph{}

// TrainStep, filled as ZooNets is, returns a function that makes a step of Adam on
// the cross entropy.
var TrainStep func(g *Graph) func(x []float32, labels []int)

func zooNet(name string) *Graph { return ZooNets[name]() }

// initialised draws the parameters of a test's net.
func initialised(b *Builder, seed uint64) *Graph {
	b.Graph.Init(seed)
	return b.Graph
}

// residualBlocks has three kinds of shortcut: none, a slice with padding, and a
// convolution.
func residualBlocks(side int) *Graph {
	b := NewBuilder("residuals", 3, side, side)
	b.Conv("", 4, 3, 1, 1, false)
	for i, c := range []struct{ out, stride int }{{4, 1}, {8, 2}, {12, 2}} {
		x, in := b.Graph.Output, b.Last()
		b.Conv("", c.out, 3, c.stride, 1, false)
		b.BatchNorm("")
		b.Add("", &ReLU{})
		b.Conv("", c.out, 3, 1, 1, false)
		b.BatchNorm("")
		y := b.Graph.Output
		switch i {
		case 1:
			b.Join("slice", &Slice{Starts: []int{0, 0, 0}, Steps: []int{1, 2, 2}, Counts: []int{in[0], (in[1] + 1) / 2, (in[2] + 1) / 2}}, x)
			b.Add("pad", &Pad{Before: []int{2, 0, 0}, After: []int{2, 0, 0}})
			x = b.Graph.Output
		case 2:
			b.Graph.Output = x
			b.Conv("", c.out, 1, 2, 0, false)
			b.BatchNorm("")
			x = b.Graph.Output
		}
		b.Join(fmt.Sprintf("add%d", i), &Binary{Operator: "Add"}, y, x)
		b.Add("", &ReLU{})
	}
	b.Add("", &Reduce{Function: "Mean", Axes: []int{1, 2}, Keep: true})
	b.Add("", Flatten())
	b.Dense("fc", 3, true)
	return initialised(b, 1)
}

// TestBuilderRefuses holds that an operator that does not fit is named.
func TestBuilderRefuses(t *testing.T) {
	defer func() {
		if want := `nn: net "bad", node "fc1"`; fmt.Sprint(recover())[:len(want)] != want {
			t.Error("no panic that names the node")
		}
	}()
	b := NewBuilder("bad", 3, 4)
	b.Join("fc1", &Dense{In: 7, Out: 2}, "input")
}
