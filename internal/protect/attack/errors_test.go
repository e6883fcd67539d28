package attack

import (
	"context"
	"errors"
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

// stopper cancels a context, and counts the steps of work that begin afterwards.
type stopper struct {
	cancel  context.CancelFunc
	stopped bool
	late    int
}

// step is called at each step of work, and cancels the context if last is true.
func (s *stopper) step(last bool) {
	if s.stopped {
		s.late++
	}
	if last {
		s.stopped = true
		s.cancel()
	}
}

// stopping is data whose reads are steps; the last-th cancels.
type stopping struct {
	nn.Source
	last int
	*stopper
}

func (s *stopping) Examples(x []float32, indices []int) {
	s.last--
	s.step(s.last == 0)
	s.Source.Examples(x, indices)
}

// stoppingModel is a model whose linearisations are steps; the last-th cancels.
type stoppingModel struct {
	nn.Model
	last int
	*stopper
}

func (m *stoppingModel) Linearize(x []float32) nn.Linearization[float32] {
	m.last--
	m.step(m.last == 0)
	return m.Model.Linearize(x)
}

// Every attack ends after its context is cancelled, whatever it is doing: at most one step of work
// begins afterwards.
func TestCancel(t *testing.T) {
	g := newGaussian(t, 200, 60, 60)
	data, noise := g.draw(3000, 61), release.Gaussian{Sigma: 1}
	l := must.Get(NewLinear(context.Background(), Setting{Front: g.front, Noise: noise, Data: data}))(t)
	for name, f := range map[string]func(ctx context.Context, s *stopper) error{
		"linear, reading": func(ctx context.Context, s *stopper) error {
			_, err := NewLinear(ctx, Setting{Front: g.front, Noise: noise, Data: &stopping{data, 2, s}})
			return err
		},
		"linear, solving": func(ctx context.Context, s *stopper) error {
			_, err := NewLinear(ctx, Setting{Front: g.front, Noise: noise, Data: data, Progress: func(done, total int) { s.step(done == total-3) }})
			return err
		},
		"decoder, training": func(ctx context.Context, s *stopper) error {
			_, err := NewDecoder(ctx, Setting{Front: g.front, Noise: noise, Data: &stopping{data, 20, s}}, l, DecoderOptions{Hidden: 64})
			return err
		},
		"inversion": func(ctx context.Context, s *stopper) error {
			v, err := NewInversion(Setting{Front: &stoppingModel{g.front, 3, s}, Noise: noise}, g.prior, InversionOptions{Starts: []*Attack{l.Attack}})
			must.Do(t, err)
			_, err = Measure(ctx, v, Setting{Front: g.front, Noise: noise, Data: data}, nn.Indices(50), Options{})
			return err
		},
		"measuring": func(ctx context.Context, s *stopper) error {
			_, err := Measure(ctx, l.Attack, Setting{Front: g.front, Noise: noise, Data: data, Progress: func(done, total int) { s.step(true) }}, nn.Indices(3000), Options{})
			return err
		},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		s := &stopper{cancel: cancel}
		if err := f(ctx, s); !errors.Is(err, context.Canceled) || !s.stopped || s.late > 1 {
			t.Errorf("%s: error %v, stopped %t, %d steps begun afterwards", name, err, s.stopped, s.late)
		}
		cancel()
	}
}
