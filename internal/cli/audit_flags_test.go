package cli

import (
	"math"
	"testing"
)

func TestPercent(t *testing.T) {
	for text, want := range map[string]float64{"2%": .02, ".02": .02, " 95 % ": .95, "0": 0, "99.9%": .999} {
		var p percent
		if err := p.UnmarshalText([]byte(text)); err != nil || math.Abs(float64(p)-want) > 1e-15 {
			t.Errorf("%q: %v, %v, want %v", text, p, err, want)
		}
	}
	for _, text := range []string{"", "5", "1", "100%", "-1%", "NaN", "Inf", "two", "%"} {
		var p percent
		if p.UnmarshalText([]byte(text)) == nil {
			t.Errorf("%q is taken for %v", text, p)
		}
	}
}

func TestPerTime(t *testing.T) {
	for text, want := range map[string]float64{"10": 10, "10/s": 10, "30/m": .5, "3600/h": 1, ".5 / s": .5} {
		var r perTime
		if err := r.UnmarshalText([]byte(text)); err != nil || math.Abs(float64(r)-want) > 1e-15 {
			t.Errorf("%q: %v, %v, want %v", text, r, err, want)
		}
	}
	for _, text := range []string{"", "0", "-1/s", "10/x", "Inf", "NaN/s", "/s"} {
		var r perTime
		if r.UnmarshalText([]byte(text)) == nil {
			t.Errorf("%q is taken for %v", text, r)
		}
	}
}
