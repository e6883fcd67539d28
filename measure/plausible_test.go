package measure

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"tattle/bound"
	"tattle/dataset"
	"tattle/internal/must"
	"tattle/nn"
	"tattle/nn/classical"
	"tattle/release"
)

// normals is a set of n inputs of six numbers, normal, whose scales differ.
func normals(n int, seed uint64) *dataset.Set {
	r := rand.New(rand.NewPCG(seed, 6))
	set := &dataset.Set{Shape: []int{6}, Name: "normals"}
	for range n {
		for k := range 6 {
			set.Values = append(set.Values, float32(r.NormFloat64()*float64(1+k)))
		}
	}
	return set
}

// A plausible partner is at most as surprising as the example by both measures, its floor
// is that of its distance and the features' shift, and a second computation for the same
// pairs gives the same figures, whatever they claim.
func TestPlausiblePairs(t *testing.T) {
	weight := &nn.Param{Name: "w", Shape: []int{1, 6}, Data: []float32{.5, -.2, .3, .1, -.4, .2}}
	net, err := nn.NewNet(&nn.Graph{Name: "line", Input: "x", InputShape: []int{6}, Output: "a", Nodes: []*nn.Node{
		{Name: "a", Op: &nn.Dense{In: 6, Out: 1, Weight: weight, Bias: &nn.Param{Name: "b", Shape: []int{1}, Data: []float32{0}}}, Inputs: []string{"x"}, Output: "a"},
	}})
	must.Do(t, err)
	noise := release.Gaussian{Sigma: .5}
	inputs, candidates := normals(12, 1), normals(500, 2)
	legal := bound.Domain{Low: []float64{-30, -30, -30, -30, -30, -30}, High: []float64{30, 30, 30, 30, 30, 30}}
	target := Target{Front: net, Noise: noise, Data: inputs, Indices: []int{0, 3, 5, 7, 8, 11}, Coordinates: bound.Pixels(6), Legal: legal, Rounding: bound.RoundingProved}
	o := ListOptions{Candidates: &List{Name: "normals", Set: candidates, Most: -1}, Draws: 20, SkipAttacks: true, Seed: 1}
	x := must.Get(o.Run(t.Context(), target))(t)
	found := 0
	for i, p := range x.Plausible {
		if p.Index != target.Indices[i] || p.Status != bound.StatusCertified {
			t.Errorf("pair %d: %+v", i, p)
		}
		if p.Candidate < 0 {
			continue
		}
		found++
		if p.Nearest[1] > p.Nearest[0] || p.Score[1] > p.Score[0] {
			t.Errorf("the partner of %d is more surprising: %+v", p.Index, p)
		}
		var away, moved float64
		for k := range 6 {
			e := float64(candidates.Values[p.Candidate*6+k] - inputs.Values[p.Index*6+k])
			away += e * e
			moved += e * float64(weight.Data[k])
		}
		h := release.GaussianPairShare(math.Abs(moved) / noise.Sigma)
		if want := away / 6 * h; p.MeanSquare > want || p.MeanSquare < want*(1-1e-3) || p.Share > h {
			t.Errorf("pair %d: a floor of %g, want %g", i, p.MeanSquare, want)
		}
	}
	if len(x.Plausible) != 6 || found < 3 {
		t.Errorf("%d pairs, %d of them found", len(x.Plausible), found)
	}
	claimed := ListFigures{Draws: 20, Holder: x.Holder}
	for _, p := range x.Plausible {
		claimed.Plausible = append(claimed.Plausible, PlausiblePair{Index: p.Index, Candidate: p.Candidate, MeanSquare: 99})
	}
	o = claimed.Again(candidates, inputs, 1)
	again := must.Get(o.Run(t.Context(), target))(t)
	if !reflect.DeepEqual(again.Plausible, x.Plausible) {
		t.Errorf("computed again: %+v, want %+v", again.Plausible, x.Plausible)
	}
	claimed.Plausible[0].Candidate = 500
	if again, err = claimed.Again(candidates, inputs, 1).Run(t.Context(), target); err != nil || again.Plausible[0].Candidate != -1 {
		t.Errorf("a candidate that is not there: %+v, %v", again.Plausible[0], err)
	}
	claimed.Plausible[0].Index = 12
	if again, err = claimed.Again(candidates, inputs, 1).Run(t.Context(), target); err == nil {
		t.Errorf("an example that is not there: %+v", again.Plausible[0])
	}
	target.Rounding = ""
	if x, err = o.Run(t.Context(), target); err != nil || len(x.Plausible) > 0 {
		t.Errorf("without certificates: %+v, %v", x.Plausible, err)
	}
}

// A model of trees has no Jacobian: limits from lists and pairs among real inputs need its
// values only, and are certified.
func TestTreesInLists(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	trees := &classical.Trees{Operator: "TreeEnsembleRegressor", Outputs: 2, Aggregate: classical.Sum}
	for i := range int32(60) {
		trees.Roots = append(trees.Roots, i)
		trees.Branches = append(trees.Branches, classical.Branch{Value: r.NormFloat64(), Input: int32(r.IntN(6)), True: ^(2 * i), False: ^(2*i + 1)})
		for range 2 {
			trees.Leaves = append(trees.Leaves, []classical.Vote{{Output: i % 2, Weight: r.NormFloat64() / 10}})
		}
	}
	net := must.Get(nn.NewNet(&nn.Graph{Name: "trees", Input: "x", InputShape: []int{6}, Output: "a", Nodes: []*nn.Node{
		{Name: "a", Op: &nn.Opaque{Function: trees}, Inputs: []string{"x"}, Output: "a"},
	}}))(t)
	noise := release.Gaussian{Sigma: 2}
	inputs, candidates := normals(12, 1), normals(400, 2)
	target := Target{Front: net, Noise: noise, Data: inputs, Indices: []int{0, 3, 5, 7, 8, 11}, Coordinates: bound.Pixels(6), Rounding: bound.RoundingProved}
	o := ListOptions{Candidates: &List{Name: "normals", Set: candidates, Most: -1}, Draws: 20, SkipAttacks: true, Seed: 1}
	x := must.Get(o.Run(t.Context(), target))(t)
	found := 0
	for _, p := range x.Plausible {
		if p.Candidate < 0 {
			continue
		}
		found++
		a, b := make([]float32, 2), make([]float32, 2)
		net.Forward(a, inputs.Values[p.Index*6:p.Index*6+6])
		net.Forward(b, candidates.Values[p.Candidate*6:p.Candidate*6+6])
		h := release.GaussianPairShare(math.Hypot(float64(a[0]-b[0]), float64(a[1]-b[1])) / noise.Sigma)
		if p.Status != bound.StatusCertified || p.Share > h*(1+1e-6) || p.Share < h*(1-1e-3) {
			t.Errorf("%+v, want a share of %g", p, h)
		}
	}
	if found < 3 {
		t.Errorf("%d pairs found", found)
	}
	must.Fail(t, must.Err(bound.Certify(t.Context(), net, inputs.Values[:6], bound.Experiment{Noise: noise})), `node "a" (TreeEnsembleRegressor) has no Jacobian`)
}
