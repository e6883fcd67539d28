package attack

import (
	"context"
	"errors"
	"testing"
	"time"

	"tattle/bound"
	"tattle/release"
)

// tired is data that calls stop when it is asked for examples so many times.
type tired struct {
	bound.Source
	left *int
	stop context.CancelFunc
}

func (s tired) Examples(x []float32, indices []int) {
	if *s.left--; *s.left == 0 {
		s.stop()
	}
	s.Source.Examples(x, indices)
}

// Every attack ends soon after its context is cancelled, whatever it is doing: two seconds are a
// hundred times what a step takes at this size.
func TestCancel(t *testing.T) {
	g := newGaussian(t, 200, 60, 60)
	data, noise := g.draw(3000, 61), release.Gaussian{Sigma: 1}
	l, err := NewLinear(context.Background(), g.front, noise, data, LinearOptions{})
	must(t, err)
	for name, f := range map[string]func(ctx context.Context, stop context.CancelFunc) error{
		"linear, reading": func(ctx context.Context, stop context.CancelFunc) error {
			left := 2
			_, err := NewLinear(ctx, g.front, noise, tired{data, &left, stop}, LinearOptions{})
			return err
		},
		"linear, solving": func(ctx context.Context, stop context.CancelFunc) error {
			_, err := NewLinear(ctx, g.front, noise, data, LinearOptions{Progress: func(done, total int) {
				if done == total-3 {
					stop()
				}
			}})
			return err
		},
		"decoder, training": func(ctx context.Context, stop context.CancelFunc) error {
			left := 20
			_, err := NewDecoder(ctx, g.front, noise, tired{data, &left, stop}, DecoderOptions{Linear: l, Hidden: 64})
			return err
		},
		"inversion": func(ctx context.Context, stop context.CancelFunc) error {
			v, err := NewInversion(g.front, noise, g.prior, InversionOptions{Starts: []Attack{l}, Progress: func(done, total int) {
				if done == 3 {
					stop()
				}
			}})
			must(t, err)
			_, err = Measure(ctx, v, g.front, noise, data, all(50), Options{})
			return err
		},
		"measuring": func(ctx context.Context, stop context.CancelFunc) error {
			_, err := Measure(ctx, l, g.front, noise, data, all(3000), Options{Progress: func(done, total int) { stop() }})
			return err
		},
	} {
		ctx, cancel := context.WithCancel(context.Background())
		var told time.Time
		err := f(ctx, func() { told = time.Now(); cancel() })
		if took := time.Since(told); !errors.Is(err, context.Canceled) || told.IsZero() || took > 2*time.Second {
			t.Errorf("%s: error %v, %v after it was told to end", name, err, took)
		}
		cancel()
	}
}
