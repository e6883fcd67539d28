package simd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// adamReference is one step of PyTorch's formula in float64.
func adamReference(r AdamRule, t int, w, g, m, v []float64) {
	for i := range w {
		grad := g[i]
		if r.Decoupled {
			w[i] *= 1 - r.Rate*r.Decay
		} else {
			grad += r.Decay * w[i]
		}
		m[i] = r.Beta1*m[i] + (1-r.Beta1)*grad
		v[i] = r.Beta2*v[i] + (1-r.Beta2)*grad*grad
		correction1 := 1 - math.Pow(r.Beta1, float64(t))
		correction2 := math.Sqrt(1 - math.Pow(r.Beta2, float64(t)))
		w[i] -= r.Rate / correction1 * m[i] / (math.Sqrt(v[i])/correction2 + r.Epsilon)
	}
}

func TestAdamAgainstReference(t *testing.T) {
	const n, steps = 77, 50
	for _, rule := range []AdamRule{
		{Rate: 1e-3, Beta1: .9, Beta2: .999, Epsilon: 1e-8},
		{Rate: 1e-2, Beta1: .9, Beta2: .999, Epsilon: 1e-8, Decay: .1},
		{Rate: 1e-2, Beta1: .9, Beta2: .999, Epsilon: 1e-8, Decay: .1, Decoupled: true},
		{Rate: 1e-1, Beta1: .5, Beta2: .9, Epsilon: .1, Decay: .5},
	} {
		r := rand.New(rand.NewPCG(11, 12))
		var w, g, m, v [n]float32
		var w64, g64, m64, v64 [n]float64
		for i := range w {
			w[i] = float32(r.NormFloat64())
			w64[i] = float64(w[i])
		}
		for step := range steps {
			for i := range g {
				// Gradients of a size of their own, 1e-6 to 1e2, whose sign does not change much.
				size := math.Pow(10, float64(i%9)-6)
				g[i] = float32(size * (1 + r.NormFloat64()))
				if i == 70 {
					g[i] = 0
				}
				g64[i] = float64(g[i])
			}
			AdamStep(w[:], g[:], m[:], v[:], rule.At(step+1))
			adamReference(rule, step+1, w64[:], g64[:], m64[:], v64[:])
		}
		// A step moves a weight by at most a few rates, each with a handful of
		// roundings, and adding it to the weight rounds once more.
		for i := range w {
			bound := steps * (16*rule.Rate + 2*math.Abs(w64[i]) + 2) * 0x1p-24
			near(t, fmt.Sprintf("%+v: weight %d", rule, i), float64(w[i]), w64[i], bound)
		}
	}
}

func TestAdamSplit(t *testing.T) {
	const n = 61
	r := rand.New(rand.NewPCG(13, 14))
	start := [4][]float32{}
	for i := range start {
		start[i] = awkward[float32](r, n, false)
		if i == 3 {
			Mul(start[i], start[i], start[i])
		}
	}
	p := AdamRule{Rate: .01, Beta1: .9, Beta2: .999, Epsilon: 1e-8, Decay: .01}.At(3)
	at := func(cut int) [4][]float32 {
		var s [4][]float32
		for i := range s {
			s[i] = append([]float32{}, start[i]...)
		}
		AdamStep(s[0][:cut], s[1][:cut], s[2][:cut], s[3][:cut], p)
		AdamStep(s[0][cut:], s[1][cut:], s[2][cut:], s[3][cut:], p)
		return s
	}
	want := at(0)
	for cut := range n {
		got := at(cut)
		for i := range got {
			assertSame(t, fmt.Sprintf("array %d cut at %d", i, cut), got[i], want[i])
		}
	}
}

// The vectors of Random123's kat_vectors for philox4x32.
func TestPhiloxKnownAnswers(t *testing.T) {
	schedule := func(seed uint64, rounds int) [][2]uint64 {
		keys := make([][2]uint64, rounds)
		k0, k1 := uint32(seed), uint32(seed>>32)
		for i := range keys {
			keys[i] = [2]uint64{uint64(k0), uint64(k1)}
			k0, k1 = k0+philoxW0, k1+philoxW1
		}
		return keys
	}
	ones := [4]uint32{math.MaxUint32, math.MaxUint32, math.MaxUint32, math.MaxUint32}
	for _, k := range []struct {
		rounds  int
		counter [4]uint32
		seed    uint64
		want    [4]uint32
	}{
		{7, [4]uint32{}, 0, [4]uint32{0x5f6fb709, 0x0d893f64, 0x4f121f81, 0x4f730a48}},
		{10, [4]uint32{}, 0, [4]uint32{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
		{10, ones, math.MaxUint64, [4]uint32{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
	} {
		if got := philox(k.counter, schedule(k.seed, k.rounds)); got != k.want {
			t.Errorf("%d rounds of %x under %x give %08x, want %08x", k.rounds, k.counter, k.seed, got, k.want)
		}
	}
	var keys philoxKeys
	keys.fill(0x123456789abcdef0)
	if want := schedule(0x123456789abcdef0, philoxRounds); [philoxRounds][2]uint64(want) != keys {
		t.Errorf("the key schedule is %x, want %x", keys, want)
	}
}

// Every bit is what the generator says of its place alone, also where the block's
// number takes its second word and at the end of the words.
func TestDropoutMaskByElement(t *testing.T) {
	const keep = .7
	limit := uint16(math.Round(float64(float32(keep)) * 65536))
	for _, seed := range []uint64{0, 1, 0xfedcba9876543210} {
		var keys philoxKeys
		keys.fill(seed)
		for _, first := range []uint64{0, 1, 1 << 20, 1<<29 - 3, 1<<61 - 9} {
			for n := range 9 {
				words := make([]uint64, n+1)
				words[n] = 7
				DropoutMask(words[:n], seed, first, keep)
				for i := range 64 * n {
					block := 8*first + uint64(i/8)
					draws := philox([4]uint32{uint32(block), uint32(block >> 32)}, keys[:])
					draw := uint16(draws[i%8/2] >> (16 * (i % 2)))
					if got := words[i/64]>>(i%64)&1 == 1; got != (draw < limit) {
						t.Fatalf("seed %d, words %d to %d: bit %d is %v, the draw %d", seed, first, n, i, got, draw)
					}
				}
				if words[n] != 7 {
					t.Fatalf("wrote past %d words", n)
				}
			}
		}
	}
}

func TestDropoutMaskExtremes(t *testing.T) {
	words := make([]uint64, 5)
	for keep, want := range map[float32]float64{
		1: 1, 2: 1, math.Nextafter32(1, 0): 1, float32(math.Inf(1)): 1,
		0: 0, -1: 0, 1e-12: 0, float32(math.NaN()): 0, float32(math.Inf(-1)): 0,
	} {
		for i := range words {
			words[i] = 7
		}
		DropoutMask(words, 1, 5, keep)
		if Kept(keep) != want {
			t.Errorf("Kept(%v) is %v", keep, Kept(keep))
		}
		for _, got := range words {
			if got != uint64(want)*math.MaxUint64 {
				t.Fatalf("keep %v gives %x", keep, got)
			}
		}
	}
	for _, keep := range []float32{.5, .25, .8, .1, 1e-3, .999} {
		near(t, "Kept", Kept(keep), float64(keep), 0x1p-17)
	}
}
