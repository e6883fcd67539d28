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
	l := must.Get(NewLinear(ctx, Setting{Front: g.front, Noise: noise, Data: data}))(t)
	flat := &Prior{P: 4, Mean: make([]float64, 4), Covariance: make([]float64, 16)}
	setting := func(d nn.Source, domain bound.Domain) Setting {
		return Setting{Front: g.front, Noise: noise, Data: d, Domain: domain}
	}
	linear := func(s Setting) error { _, err := NewLinear(ctx, s); return err }
	s := setting(data, bound.Free)
	_, singular := NewInversion(s, flat, InversionOptions{})
	_, diverging := NewDecoder(ctx, s, nil, DecoderOptions{Rate: 1e30})
	_, empty := Measure(ctx, l.Attack, s, nil, Options{})
	for name, c := range map[string]struct {
		err  error
		says string
	}{
		"data not finite": {linear(setting(bad, bound.Free)), "not finite"},
		"no data":         {linear(setting(nn.Rows{P: 4, X: nil}, bound.Free)), "fewer than two"},
		"linear's domain": {linear(setting(data, domain)), "range of each input"},
		"prior singular":  {singular, "not positive definite"},
		"diverging":       {diverging, "lower its rate"},
		"no examples":     {empty, "at least one"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.says) || strings.Contains(c.err.Error(), "\n") {
			t.Errorf("%s: error %v, want one line with %q", name, c.err, c.says)
		}
	}
	ended, stop := context.WithCancel(ctx)
	stop()
	if _, err := NewLinear(ended, Setting{Front: g.front, Noise: noise, Data: data}); err != context.Canceled {
		t.Errorf("a context that ended: %v", err)
	}
}
