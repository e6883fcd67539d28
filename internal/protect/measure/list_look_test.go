package measure

import (
	"testing"
)

// The limits of all looks together may be wrong with no more probability than those of one.
func TestLooksShareTheConfidence(t *testing.T) {
	sum := 0.
	for look := 1; look <= Looks; look++ {
		sum += (&ListOptions{Look: look}).alpha()
	}
	if one := (&ListOptions{}).alpha(); one != 1-DefaultConfidence || sum > one*(1+1e-12) || sum < .999*one {
		t.Errorf("%v for all looks, %v for one", sum, one)
	}
	if a, b := (&ListOptions{Look: 1}).String(), (&ListOptions{Look: 2}).String(); a == b {
		t.Error(a)
	}
}
