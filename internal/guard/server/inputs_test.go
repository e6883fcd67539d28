package server

import (
	"strings"
	"testing"

	"tattle/internal/guard"
	"tattle/internal/guard/ledger"
)

// TestInputs: the metadata say how inputs are scaled, and numbers out of range are refused, channel by
// channel and without a debit.
func TestInputs(t *testing.T) {
	_, h := serving(t, ledger.Budget{Releases: 1}, func(o *Options) {
		o.Inputs = guard.Inputs{Scaling: "x/255", Layout: "channels, height, width", Range: [][2]float64{{0, 1}, {-1, .5}}}
	})
	if _, said := get(t, h.URL+"/v2/models/guard", ""); !strings.Contains(said, `"parameters":{"layout":"channels, height, width","range":[[0,1],[-1,0.5]],"scaling":"x/255"}`) {
		t.Error(said)
	}
	for _, c := range []struct {
		x     []float32
		words string
	}{
		{[]float32{0, 255, 0, 0}, "number 1 of input 0 is 255: must be from 0 to 1; the certificate is for inputs scaled as x/255"},
		{[]float32{0, 0, 0, 1}, "number 3 of input 0 is 1: must be from -1 to 0.5"},
		{[]float32{-1, 0, 0, 0}, "number 0 of input 0 is -1"},
	} {
		if w, a := post(t, h.URL, "a", body(c.x...)); w.StatusCode != 400 || !strings.Contains(a.Error, c.words) {
			t.Errorf("%v: %s: %q, want %q", c.x, w.Status, a.Error, c.words)
		}
	}
	mustPost(t, h.URL, "a", body(0, 1.000001, -1, .5)) // up to rounding
}
