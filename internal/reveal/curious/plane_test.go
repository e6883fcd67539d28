package curious

import (
	"math"
	"testing"

	"tattle/internal/must"
)

func TestPlane(t *testing.T) {
	p := Plane(1001, 3)
	if p.Train.Len() != 1004 || p.Test.Len() != 1004 || p.Validation.Len() != 104 {
		t.Errorf("%d, %d, %d samples", p.Train.Len(), p.Validation.Len(), p.Test.Len())
	}
	if p.Train.SHA256 != Plane(1001, 3).Train.SHA256 || p.Train.SHA256 == Plane(1001, 4).Train.SHA256 || p.Train.SHA256 == p.Test.SHA256 {
		t.Error("the parts do not follow the seed")
	}
	var count [2][2]int
	for i, y := range p.Train.Y {
		s := p.Train.Sensitive[0].Labels[i]
		count[y][s]++
		x := p.Train.Values[2*i:][:2]
		if (x[0] > 0) != (y == 1) || (x[1] > 0) != (s == 1) || math.Abs(float64(x[0])) > 1 || math.Abs(float64(x[1])) > 1 || x[0] == 0 || x[1] == 0 {
			t.Fatalf("sample %d: %v with y = %d, s = %d", i, x, y, s)
		}
	}
	if count != [2][2]int{{251, 251}, {251, 251}} {
		t.Errorf("quadrants of %v", count)
	}
}

// TestFigure4 holds the two mixtures to the accuracies that figure 4 prints.
func TestFigure4(t *testing.T) {
	hard, normal := must.Get2(MixPlane(t.Context(), Plane(20000, 1)))(t)
	t.Logf("hard %.4f %.4f, normal %.4f %.4f", hard.Honesty, hard.Curiosity, normal.Honesty, normal.Curiosity)
	if math.Round(100*hard.Honesty) != 100 || math.Round(100*hard.Curiosity) != 100 {
		t.Errorf("the hard mixture reaches %v and %v, want 1.00", hard.Honesty, hard.Curiosity)
	}
	if math.Abs(normal.Honesty-.99) > .005 || math.Abs(normal.Curiosity-.95) > .005 {
		t.Errorf("the normal mixture reaches %v and %v, want .99 and .95", normal.Honesty, normal.Curiosity)
	}
	for y := range 2 {
		for s := range 2 {
			full := 0
			for _, c := range hard.Counts[y][s] {
				if c > 0 {
					full++
				}
			}
			at := int(figure4Bins * (.8*float64(y) + .2*float64(s) + 1e-6))
			if n := hard.Counts[y][s][min(at, figure4Bins-1)]; n < 4900 || full > 3 {
				t.Errorf("y = %d, s = %d: %d samples at eq. (1)'s value, in %d bins", y, s, n, full)
			}
		}
	}
}
