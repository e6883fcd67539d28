package attack

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"tattle/internal/engine/nn"
	"tattle/internal/must"
	"tattle/internal/protect/bound"
	"tattle/internal/protect/release"
)

// Bad input gets an error of one line that names the fix.
func TestErrors(t *testing.T) {
	ctx, g := context.Background(), newGaussian(t, 4, 3, 20)
	noise, data := release.Gaussian{Sigma: 1}, g.draw(50, 21)
	bad := nn.Rows{P: 4, X: slices.Clone(data.X)}
	bad.X[17] = float32(math.NaN())
	domain := bound.Domain{Low: []float64{0}, High: []float64{1}}
	l := must.Get(NewLinear(ctx, g.front, noise, data, LinearOptions{}))(t)
	flat := &Prior{P: 4, Mean: make([]float64, 4), Covariance: make([]float64, 16)}
	linear := func(d nn.Source, o LinearOptions) error {
		_, err := NewLinear(ctx, g.front, noise, d, o)
		return err
	}
	inversion := func(p *Prior, o InversionOptions) error {
		_, err := NewInversion(g.front, noise, p, o)
		return err
	}
	decoder := func(o DecoderOptions) error { _, err := NewDecoder(ctx, g.front, noise, data, o); return err }
	measure := func(indices []int, o Options) error {
		_, err := Measure(ctx, l, g.front, noise, data, indices, o)
		return err
	}
	for name, c := range map[string]struct {
		err  error
		says string
	}{
		"data not finite": {linear(bad, LinearOptions{}), "not finite"},
		"no data":         {linear(nn.Rows{P: 4, X: nil}, LinearOptions{}), "fewer than two"},
		"linear's domain": {linear(data, LinearOptions{Domain: domain}), "range of each input"},
		"prior singular":  {inversion(flat, InversionOptions{}), "not positive definite"},
		"diverging":       {decoder(DecoderOptions{Rate: 1e30}), "lower its rate"},
		"no examples":     {measure(nil, Options{}), "at least one"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.says) || strings.Contains(c.err.Error(), "\n") {
			t.Errorf("%s: error %v, want one line with %q", name, c.err, c.says)
		}
	}
	ended, stop := context.WithCancel(ctx)
	stop()
	if _, err := NewLinear(ended, g.front, noise, data, LinearOptions{}); err != context.Canceled {
		t.Errorf("a context that ended: %v", err)
	}
}
