package release_test

import (
	"context"
	"slices"
	"testing"

	"tattle/internal/engine/nn"
	"tattle/internal/engine/onnx"
	"tattle/internal/must"
	"tattle/internal/protect/release"
)

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

// A release that is built like one that was written and read gives the same scores, and has the same features.
func TestBuildLike(t *testing.T) {
	x := normal(6 * 40)
	train := labelled{inputs{P: 6, X: x}, 3}
	for _, s := range []release.Spec{
		{Keep: 4}, {Keep: 5, Projection: "random", Seed: 4}, {Keep: 3, Projection: "principal"}, {Keep: 2, Projection: "discriminant"},
		{Surface: "logits", Temperature: 2, Keep: 2, Projection: "random"},
	} {
		front, head := must.Get2(s.Build(context.Background(), smallNet(false), train))(t)
		like, likeHead := must.Get2(s.BuildLike(context.Background(), smallNet(false), nil, stored(t, front), stored(t, head)))(t)
		same(t, "features of the release built like it", outputs(t, like, x), outputs(t, front, x))
		same(t, "scores of the release built like it", outputs(t, likeHead, outputs(t, like, x)), outputs(t, head, outputs(t, front, x)))
	}
}

// stored returns a graph that was written and read.
func stored(t *testing.T, g *nn.Graph) *nn.Graph {
	t.Helper()
	b := must.Get(onnx.Encode(g))(t)
	return must.Get(onnx.Decode("release", b))(t)
}

// A release whose stored layers are not those of its projection is refused.
func TestBuildLikeErrs(t *testing.T) {
	train := labelled{inputs{P: 6, X: normal(6 * 40)}, 3}
	s := release.Spec{Keep: 2, Projection: "discriminant"}
	for _, of := range []string{"project", "unproject"} {
		front, head := must.Get2(s.Build(context.Background(), smallNet(false), train))(t)
		g := front
		if of == "unproject" {
			g = head
		}
		w, _, _ := denseOf(t, g, "release-"+of)
		w[3] += .5
		must.Fail(t, must.Err2(s.BuildLike(context.Background(), smallNet(false), nil, front, head)), "the head does not undo it")
	}
	front, head := must.Get2(s.Build(context.Background(), smallNet(false), train))(t)
	front.Nodes = slices.DeleteFunc(front.Nodes, func(n *nn.Node) bool { return n.Name == "release-project" })
	front.Output = "relu1"
	must.Fail(t, must.Err2(s.BuildLike(context.Background(), smallNet(false), nil, front, head)), "no affine layer")
}
