package float16

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// slow is the definition: the value of 16 bits with so many bits of exponent.
func slow(h uint16, exponentBits int) float64 {
	mantissa := 15 - exponentBits
	bias := 1<<(exponentBits-1) - 1
	e, fraction := int(h>>mantissa)&(1<<exponentBits-1), int(h)&(1<<mantissa-1)
	v := math.Ldexp(float64(fraction), 1-bias-mantissa)
	switch {
	case e == 1<<exponentBits-1 && fraction != 0:
		return math.NaN()
	case e == 1<<exponentBits-1:
		v = math.Inf(1)
	case e > 0:
		v = math.Ldexp(float64(fraction+1<<mantissa), e-bias-mantissa)
	}
	return math.Copysign(v, 1-2*float64(h>>15))
}

var formats = []struct {
	name     string
	format   Format
	exponent int
	from     func(uint16) float32
	bits     func(float32) uint16
}{
	{"binary16", Half, 5, FromBits, Bits},
	{"bfloat16", Brain, 8, FromBrainBits, BrainBits},
}

// All 65,536 values are exact, stay where they are, and come back as their bits.
func TestEveryValue(t *testing.T) {
	for _, c := range formats {
		for i := range 1 << 16 {
			h := uint16(i)
			want, v := slow(h, c.exponent), c.from(h)
			if float64(v) != want && want == want || (v == v) != (want == want) || math.Signbit(float64(v)) != (h>>15 == 1) && v == v {
				t.Fatalf("%s %#04x is %v, want %v", c.name, h, v, want)
			}
			r := c.format.Round(want)
			if r != want && want == want || (r == r) != (want == want) || v == v && c.bits(v) != h {
				t.Fatalf("%s %#04x = %v is rounded to %v, %#04x", c.name, h, want, r, c.bits(v))
			}
			if v != v && (c.bits(v)>>15 != h>>15 || c.from(c.bits(v)) == c.from(c.bits(v))) {
				t.Fatalf("%s: NaN %#04x becomes %#04x", c.name, h, c.bits(v))
			}
		}
	}
}

// Between two neighbours the result is the nearer one, in the middle the even one. Beyond the last
// value it is that value up to half an ulp, and then infinity.
func TestEveryGap(t *testing.T) {
	for _, c := range formats {
		last := uint16(1<<c.exponent-1)<<(15-c.exponent) - 1
		for h := uint16(0); h <= last; h++ {
			low, high := slow(h, c.exponent), slow(h+1, c.exponent)
			if h == last {
				high = low + (low - slow(h-1, c.exponent))
			}
			middle := low + (high-low)/2
			up := high
			if h == last {
				up = math.Inf(1)
			}
			even := low
			if h&1 == 1 {
				even = up
			}
			for _, s := range []float64{1, -1} {
				for x, want := range map[float64]float64{middle: even, math.Nextafter(middle, 0): low, math.Nextafter(middle, math.Inf(1)): up} {
					if got := c.format.Round(s * x); got != s*want {
						t.Fatalf("%s: %v is rounded to %v, want %v", c.name, s*x, got, s*want)
					}
				}
			}
		}
	}
}

// For any float64, no neighbour of the result is nearer than the result.
func TestRandomNumbers(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 16))
	distance := func(a, b float64) *big.Float {
		d := new(big.Float).SetPrec(2200).SetFloat64(a)
		return d.Abs(d.Sub(d, new(big.Float).SetPrec(2200).SetFloat64(b)))
	}
	for _, c := range formats {
		for range 20000 {
			x := math.Ldexp(r.Float64()-.5, r.IntN(300)-160)
			y := c.format.Round(x)
			if math.IsInf(y, 0) {
				if math.Abs(x) <= c.format.largest {
					t.Fatalf("%s: %v overflows", c.name, x)
				}
				continue
			}
			h := c.bits(float32(y))
			if float64(c.from(h)) != y {
				t.Fatalf("%s: %v is rounded to %v, which is no number of the format", c.name, x, y)
			}
			for _, next := range []uint16{h - 1, h + 1} {
				if v := float64(c.from(next)); !math.IsNaN(v) && !math.IsInf(v, 0) && distance(x, v).Cmp(distance(x, y)) < 0 {
					t.Fatalf("%s: %v is rounded to %v, but %v is nearer", c.name, x, y, v)
				}
			}
		}
		for _, x := range []float64{math.MaxFloat64, -math.MaxFloat64, math.SmallestNonzeroFloat64} {
			if y := c.format.Round(x); y != 0 && !math.IsInf(y, int(math.Copysign(1, x))) {
				t.Errorf("%s: %v is rounded to %v", c.name, x, y)
			}
		}
	}
}
