package ledger

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestReleaseCode(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, release := range [][]int64{
		{}, {0}, {-1}, {math.MaxInt64, math.MinInt64, 0, 1, -1}, slices.Repeat([]int64{0}, 1000), {1 << 40}, {5, 5, 5, 1 << 62},
	} {
		again(t, release)
	}
	for range 500 {
		release := make([]int64, r.IntN(50))
		s := math.Exp(r.Float64() * 30)
		for i := range release {
			release[i] = int64(math.Round(r.NormFloat64() * s))
		}
		again(t, release)
	}
}

func again(t *testing.T, release []int64) {
	t.Helper()
	b := appendRelease(nil, release)
	got, err := readRelease(b)
	if err != nil || !slices.Equal(got, release) {
		t.Fatalf("%v came back as %v, %v", release, got, err)
	}
	for i := range b {
		if _, err := readRelease(b[:i]); err == nil {
			t.Fatalf("%v: %d of %d bytes are read without an error", release, i, len(b))
		}
	}
}

// TestReleaseCodeIsShort: at most 0.35 bits more than the entropy of a Gaussian, log2(s√(2πe)).
func TestReleaseCodeIsShort(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for s := 4.; s < 5000; s *= 1.3 {
		release := make([]int64, 5000)
		for i := range release {
			release[i] = int64(math.Round(r.NormFloat64() * s))
		}
		bits := 8 * float64(len(appendRelease(nil, release))) / float64(len(release))
		if entropy := math.Log2(s * math.Sqrt(2*math.Pi*math.E)); bits > entropy+.35 {
			t.Errorf("s = %.1f: %.2f bits a value, entropy %.2f", s, bits, entropy)
		}
	}
}

func FuzzReadRelease(f *testing.F) {
	f.Add([]byte{})
	f.Add(appendRelease(nil, []int64{1, -2, 300}))
	f.Add([]byte{255, 255, 255, 255, 255, 255, 255, 255, 255, 1, 3})
	f.Add([]byte{4, 32, 255, 255, 255, 255, 255, 255})
	f.Fuzz(func(t *testing.T, b []byte) {
		release, err := readRelease(b)
		if err != nil {
			return
		}
		if got, err := readRelease(appendRelease(nil, release)); err != nil || !slices.Equal(got, release) {
			t.Errorf("%v came back as %v, %v", release, got, err)
		}
	})
}
