package stat

import "testing"

func TestParseShare(t *testing.T) {
	for text, want := range map[string]float64{"5%": .05, " .05 ": .05, "-2 %": -.02, "1e3": 1000} {
		if got, percent, err := ParseShare(text); got != want || percent != (text[len(text)-1] == '%') || err != nil {
			t.Errorf("%q: %v, %t, %v", text, got, percent, err)
		}
	}
	for _, text := range []string{"", "%", "NaN", "-Inf%", "5 % 1"} {
		if got, _, err := ParseShare(text); err == nil {
			t.Errorf("%q: %v", text, got)
		}
	}
}
