package design

import (
	"math"
	"testing"

	"tattle/internal/protect/measure"
	"tattle/internal/protect/release"
)

// The strengths of the looks grow from that of the search, and end at the strongest noise there is.
func TestStrengths(t *testing.T) {
	all := Strengths(2)
	if len(all) != mostLooks || all[0] != 2 || math.Abs(all[1]-2.06) > 1e-12 || all[len(all)-1] < 20 {
		t.Error(all)
	}
	for i := range all[1:] {
		if !(all[i+1] > all[i]) {
			t.Error(all)
		}
	}
	if all = Strengths(release.MaxSigma); len(all) != 1 {
		t.Error(all)
	}
}

// A limit that is close to guessing gets the draws with which more noise can keep it.
func TestDrawsNearGuessing(t *testing.T) {
	for _, share := range []float64{.1, .01, .004, .003} {
		s := &searcher{Options: Options{Limits: Limits{Identify: share}}, people: measure.Peopled{Count: 500}}
		if n := s.draws(); n < mostListDraws && highest((1./500+share)/2, n) > share {
			t.Errorf("%v: %d draws", share, n)
		}
	}
}
