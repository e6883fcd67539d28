package guard

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"tattle/internal/math/stat"
	"tattle/internal/must"
	"tattle/internal/protect/lattice"
	"tattle/internal/shared"
)

// A distinguisher is an adversary who knows that all n features are low or that all are high, and
// guesses which from the low-order bits of the numbers that leave.
type distinguisher struct {
	low, high float64 // neighbouring points of the lattice
	n, trials int
	sigma     float64
	normal    func(*rand.Rand) float64 // how the naive mechanism draws a standard normal number
	isHigh    func(d distinguisher, y []float64) bool
}

var distinguishers = map[string]distinguisher{
	// NormFloat64 returns less than 2³⁹ different numbers, and an adversary knows all of them.
	"numbers that the generator returns": {.5, .5 + 1./64, 1, 20000, 1, (*rand.Rand).NormFloat64, likelier},
	// |y| < 1/2 makes the noise −1.5 to −0.5 if the feature is 1, so that y is a multiple of 2⁻⁵³; if
	// the feature is 0, y is the noise, which then has finer bits (arXiv:2207.13793).
	"precision of small numbers": {0, 1, 784, 1000, 100, boxMuller, coarse},
}

// layers are the factors of NormFloat64 (G. Marsaglia, W. Tsang, JSS 5, 2000), which returns an int32
// times one of them, except in the tails: the source chooses the factor, and 1 as the integer.
var layers = func() (w [128]float64) {
	for i := range w {
		w[i] = rand.New(&chosen{uint64(i)<<32 | 1}).NormFloat64()
	}
	return w
}()

// chosen gives one word, then zeros.
type chosen struct{ word uint64 }

func (c *chosen) Uint64() uint64 {
	w := c.word
	c.word = 0
	return w
}

// likelier guesses by which feature y can come from, or else by which one is nearer.
func likelier(d distinguisher, y []float64) bool {
	low, high := possible(y[0], d.low, d.sigma), possible(y[0], d.high, d.sigma)
	if low != high {
		return high
	}
	return y[0] > (d.low+d.high)/2
}

// possible reports whether y is a + σz for a number z that NormFloat64 returns outside of its tails.
func possible(y, a, sigma float64) bool {
	return slices.ContainsFunc(layers[:], func(w float64) bool {
		return a+float64(sigma*float64(math.Round((y-a)/sigma/w)*w)) == y
	})
}

// boxMuller returns a standard normal number (G. Box, M. Muller, 1958).
func boxMuller(r *rand.Rand) float64 {
	return math.Sqrt(-2*math.Log(1-r.Float64())) * math.Cos(2*math.Pi*r.Float64())
}

// coarse guesses high if no small number has bits below 2⁻⁵³.
func coarse(_ distinguisher, y []float64) bool {
	return !slices.ContainsFunc(y, func(v float64) bool { return math.Abs(v) < .5 && math.Ldexp(v, 53) != math.Trunc(math.Ldexp(v, 53)) })
}

// right returns an interval for how often the guess is right, at a confidence of 1 − 10⁻⁶.
func (d distinguisher) right(t *testing.T, release func(y []float64, a float64)) stat.Interval {
	t.Helper()
	y, right := make([]float64, d.n), 0
	for i := range d.trials {
		high := i%2 == 1
		a := d.low
		if high {
			a = d.high
		}
		release(y, a)
		if d.isHigh(d, y) == high {
			right++
		}
	}
	return stat.ClopperPearson(right, d.trials, 1-1e-6)
}

// TestLowOrderBits: two attacks on the low-order bits of float64 noise on float64 features
// (I. Mironov, CCS 2012) nearly always find the feature, with noise that hides it on paper. On the
// releases of a Mechanism they do no better than the best adversary against Gaussian noise: this
// fails by chance once in a million times for each.
func TestLowOrderBits(t *testing.T) {
	shared.Long(t, "attacks on low-order bits")
	for name, d := range distinguishers {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewChaCha8([32]byte{1}))
			naive := d.right(t, func(y []float64, a float64) {
				for j := range y {
					y[j] = a + float64(d.sigma*d.normal(r))
				}
			})
			l := Lattice{Delta: d.high - d.low, Sigma: d.sigma, Clip: 4, Dim: d.n}
			m := must.Get(New(l))(t)
			defer m.Close()
			features, released := make([]float32, d.n), make([]int64, d.n)
			ours := d.right(t, func(y []float64, a float64) {
				for j := range features {
					features[j] = float32(a)
				}
				must.Get(m.Release(released, features))(t)
				for j, k := range released {
					y[j] = float64(k) * l.Delta
				}
			})
			τ, _, ok := lattice.Rounded(l.Ratio())
			if !ok {
				t.Fatal("σ is too small for the limit")
			}
			most := distuv.UnitNormal.CDF(math.Sqrt(float64(d.n)) / (2 * τ))
			t.Logf("right guesses: %.4f to %.4f on float64 noise, %.4f to %.4f on the lattice; no adversary exceeds %.4f there", naive.Low, naive.High, ours.Low, ours.High, most)
			if naive.Low < .85 {
				t.Errorf("the attack on float64 noise is right %v of the time", naive)
			}
			if ours.Low > most || ours.High < .5 {
				t.Errorf("on the lattice the attack is right %v of the time, and %v is the most", ours, most)
			}
		})
	}
}
