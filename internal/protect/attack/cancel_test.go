package attack

import (
	"context"
	"errors"
	"testing"

	"tattle/internal/engine/nn"
	"tattle/internal/must"
	"tattle/internal/protect/release"
)

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
