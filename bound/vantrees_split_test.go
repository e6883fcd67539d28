package bound

import (
	"context"
	"math"
	"testing"

	"tattle/internal/must"
	"tattle/nn"
	"tattle/release"
)

// A whole is a model of which only its products are known, not its layers.
type whole struct{ nn.Model }

// The figures are the same whether the affine layers are taken once or with the rest, but
// for rounding: of a net all of whose layers are affine, too.
func TestVanTreesOfSplitNets(t *testing.T) {
	const p = 12
	prior := &Prior{Mean: make([]float64, p), Covariance: make([]float64, p*p), P: p, Examples: 9}
	for i := range p {
		prior.Covariance[i*p+i] = 1
	}
	bent := smallNet(t, p, 100, 7)
	affine := netOf(t, p, bent.Graph().Nodes[0].Op)
	for _, net := range []*nn.Net{bent, affine} {
		var got [2]*VanTrees
		for i, m := range []nn.Model{net, whole{net}} {
			got[i] = must.Get(NewVanTrees(context.Background(), m, prior, release.Gaussian{Sigma: .5}, 1, Pixels(p), VanTreesOptions{Draws: 50}))(t)
		}
		for k, v := range got[0].Errors {
			if w := got[1].Errors[k]; math.Abs(v/w-1) > 1e-5 || v == 0 {
				t.Errorf("input %d: %g in parts, %g whole", k, v, w)
			}
		}
	}
}
