package bayes

import (
	"context"
	"math"
	"slices"
	"testing"

	"tattle/internal/must"
)

// TestPartition compares with the posterior of a release without noise.
func TestPartition(t *testing.T) {
	const count, dim, classes, alpha = blockCandidates + 300, 2, 2, 1e-6
	list := table{dim, normal(count*dim, 1)}
	for i, v := range list.a {
		list.a[i] = math.Round(2 * v) // some are −0
	}
	a := Attribute{Classes: classes, Class: make([]int, count), Target: make([]int, count)}
	for j := range a.Class {
		a.Class[j], a.Target[j] = j*j%3%classes, j%3
	}
	ctx := context.Background()
	exact := must.Get(Partition(ctx, list, []Attribute{a}))(t)
	g := exact.Groups
	drawn := must.Get(Run(ctx, list, Certain{}, []Attribute{a}, Options{Draws: 300, Seed: 2}))(t)
	for b, want := range drawn.Draws {
		have := exact.Draws[want.Truth]
		if !slices.Contains(g.Members[g.Of[want.Truth]], want.Other) {
			t.Fatalf("draw %d: candidate %d has another release than %d", b, want.Other, want.Truth)
		}
		if math.Abs(have.Top-want.Top) > 1e-12 || math.Abs(have.Ten-want.Ten) > 1e-12 || have.Rank != want.Rank || math.Abs(have.Entropy-want.Entropy) > 1e-12 {
			t.Errorf("draw %d: %+v, want %+v", b, have, want)
		}
		in, out := exact.Attributes[0][want.Truth], drawn.Attributes[0][b]
		if math.Abs(in.Best-out.Best) > 1e-12 || math.Abs(in.Entropy-out.Entropy) > 1e-12 || math.Abs(in.GivenBest-out.GivenBest) > 1e-12 ||
			math.Abs(in.GivenEntropy-out.GivenEntropy) > 1e-12 || math.Abs(in.Score[1]-out.Score[1]) > 1e-12 {
			t.Errorf("draw %d: %+v, want %+v", b, in, out)
		}
	}
	named, _ := exact.Identified(alpha)
	if want := float64(len(g.Members)) / count; math.Abs(named.Mean-want) > 1e-12 {
		t.Errorf("named %v, want distinct releases by candidates, %v", named.Mean, want)
	}
	var left float64
	for _, m := range g.Members {
		left += float64(len(m)) / count * math.Log2(float64(len(m)))
	}
	if bits := exact.Bits(alpha); math.Abs(bits.Mean-(math.Log2(count)-left)) > 1e-9 {
		t.Errorf("%v bits, want %v", bits.Mean, math.Log2(count)-left)
	}
}

func TestPartitionErrors(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	must.Fail(t, must.Err(Partition(ctx, table{1, nil}, nil)))                                                    // no candidates
	must.Fail(t, must.Err(Partition(ctx, table{1, []float64{1, math.NaN()}}, nil)))                               // not finite
	must.Fail(t, must.Err(Partition(ctx, table{1, []float64{1, 2}}, []Attribute{{Classes: 2, Class: []int{0}}}))) // classes missing
	cancel()
	must.Fail(t, must.Err(Partition(ctx, table{1, []float64{1, 2}}, nil))) // cancelled
}
