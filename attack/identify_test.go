package attack

import (
	"context"
	"math"
	"testing"

	"tattle/internal/must"
	"tattle/release"
)

// With noise far below the distance of features, every input is identified. With noise far above
// it, identifying is guessing among the candidates: of 200 inputs among 1,000 candidates, 7 or
// more are identified with a probability below 1e-8 (Poisson with mean .2: .2⁷/7! = 3e-9).
func TestIdentify(t *testing.T) {
	ctx, g := context.Background(), newGaussian(t, 12, 8, 1)
	data := g.draw(1000, 2)
	for sigma, c := range map[float64]struct{ least, most float64 }{1e-6: {1, 1}, 1e6: {0, .03}} {
		for _, noise := range []release.Noise{release.Gaussian{Sigma: sigma}, release.Laplace{Sigma: sigma, Scale: sigma / math.Sqrt2}} {
			x := must.Get(Identify(ctx, g.front, noise, data, 5))(t)
			if share := float64(x.Found) / float64(x.Inputs); share < c.least || share > c.most || x.Candidates != 1000 {
				t.Errorf("σ = %v, %v: %+v", sigma, noise, x)
			}
		}
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	must.Fail(t, must.Err(Identify(cancelled, g.front, release.Gaussian{Sigma: 1}, data, 5)))
}
