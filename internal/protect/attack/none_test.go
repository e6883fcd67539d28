package attack

import (
	"context"
	"strings"
	"testing"

	"tattle/internal/engine/nn"
	"tattle/internal/must"
	"tattle/internal/protect/release"
)

// Without noise, and with as many features as inputs, every attack finds the input. If only the
// label is released, the error of the fitted attacks is not above that of the prior.
func TestWithoutNoise(t *testing.T) {
	ctx, g := context.Background(), newGaussian(t, 5, 5, 21)
	train, test := g.draw(2000, 22), g.draw(60, 23)
	for _, post := range []release.Post{{}, {Label: true}} {
		m := NewMean(Setting{Front: g.front}, g.prior.Mean)
		l := must.Get(NewLinear(ctx, Setting{Front: g.front, Noise: release.None{}, Data: train, Post: post}))(t)
		d := must.Get(NewDecoder(ctx, Setting{Front: g.front, Noise: release.None{}, Data: train, Post: post}, l, DecoderOptions{Hidden: 16, Epochs: 2}))(t)
		attacks := []*Attack{l.Attack, d.Attack}
		if post == (release.Post{}) {
			v := must.Get(NewInversion(Setting{Front: g.front, Noise: release.None{}}, g.prior, InversionOptions{Starts: []*Attack{l.Attack}}))(t)
			if !strings.Contains(v.About, "no noise") {
				t.Errorf("inversion: %s", v.About)
			}
			attacks = append(attacks, v)
		}
		blind := reach(t, m, g, test, post)
		for _, a := range attacks {
			e := reach(t, a, g, test, post)
			if post == (release.Post{}) && e > .05*blind || e > blind {
				t.Errorf("post %v: %s errs by %v, the prior alone by %v", post, a.Name, e, blind)
			}
		}
	}
}

func reach(t *testing.T, a *Attack, g gaussian, test nn.Rows, post release.Post) float64 {
	r := must.Get(Measure(context.Background(), a, Setting{Front: g.front, Noise: release.None{}, Data: test, Post: post}, nn.Indices(test.Len()), Options{Draws: 1}))(t)
	return r.RootMeanSquare()
}
