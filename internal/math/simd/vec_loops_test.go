package simd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// loop is a kernel of float32 that makes entry i of dst of the entries i of its inputs.
type loop struct {
	name   string
	inputs int
	run    func(dst []float32, in [][]float32)
	want   func(dst []float64, in [][]float64) // nil: its accuracy is tested elsewhere
	exact  bool                                // the same numbers, of inputs among which are NaN and infinities, too
}

func loops() []loop {
	clip := func(lo, hi float32) loop {
		return loop{fmt.Sprint("Clip ", lo, hi), 1, func(dst []float32, in [][]float32) { Clip(dst, in[0], lo, hi) },
			func(dst []float64, in [][]float64) { clipGo(dst, in[0], float64(lo), float64(hi)) }, true}
	}
	all := []loop{
		clip(0, 1), clip(-2, 2), clip(0, 0),
		{"Larger", 2, func(dst []float32, in [][]float32) { Larger(dst, in[0], in[1]) }, func(dst []float64, in [][]float64) { largerGo(dst, in[0], in[1]) }, true},
		{"NormForward", 3, func(dst []float32, in [][]float32) { NormForward(dst, in[0], in[1], in[2], .25, 1.5) },
			func(dst []float64, in [][]float64) { normForwardGo(dst, in[0], in[1], in[2], .25, 1.5) }, false},
	}
	for _, f := range transcendentals() {
		all = append(all, loop{f.name, 2, func(dst []float32, in [][]float32) { f.apply(dst, in[1], in[0]) }, nil, false})
	}
	return all
}

func widened(x []float32) []float64 {
	w := make([]float64, len(x))
	for i, v := range x {
		w[i] = float64(v)
	}
	return w
}

// TestLoops holds kernels to their definitions in float64, and to what all of them promise: that
// nothing beside the destination is written, that this may be the first input, that an entry does not
// depend on its place, and that nothing is allocated.
func TestLoops(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, k := range loops() {
		for _, n := range append(lengths()[:71], 255) {
			in, wide := make([][]float32, k.inputs), make([][]float64, k.inputs)
			for i := range in {
				if in[i] = normal[float32](r, n); k.exact {
					in[i] = awkward[float32](r, n, true)
				}
				wide[i] = widened(in[i])
			}
			name := fmt.Sprint(k.name, " of ", n)
			dst := slices.Repeat([]float32{7}, n+2)
			got := dst[1 : n+1]
			k.run(got, in)
			if dst[0] != 7 || dst[n+1] != 7 {
				t.Fatalf("%s wrote outside", name)
			}
			if k.want != nil {
				want := make([]float64, n)
				k.want(want, wide)
				for i, w := range want {
					if v := float64(got[i]); k.exact && !sameBits(v, w) || !k.exact && !(math.Abs(v-w) <= 1e-6*(1+math.Abs(w))) {
						t.Fatalf("%s: element %d is %v, want %v", name, i, v, w)
					}
				}
			}
			cut, parts := r.IntN(n+1), make([]float32, n)
			part := func(lo, hi int) {
				inputs := make([][]float32, len(in))
				for i := range in {
					inputs[i] = in[i][lo:hi]
				}
				k.run(parts[lo:hi], inputs)
			}
			part(0, cut)
			part(cut, n)
			assertSame(t, fmt.Sprint(name, " cut at ", cut), parts, got)
			if a := testing.AllocsPerRun(1, func() { k.run(parts, in) }); a != 0 {
				t.Errorf("%s allocates", name)
			}
			k.run(in[0], in)
			assertSame(t, name+" onto its first input", in[0], got)
		}
	}
}

// TestClipBetween compares the bits with those of Clip entry by entry, in place.
func TestClipBetween(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for n := range 40 {
		x, lo, hi := awkward[float32](r, n, true), make([]float32, n), make([]float32, n)
		want := make([]float32, n)
		for i := range x {
			lo[i] = float32(r.NormFloat64())
			hi[i] = lo[i] + float32(r.IntN(3))
			clipGo(want[i:i+1], x[i:i+1], lo[i], hi[i])
		}
		got := append([]float32(nil), x...)
		ClipBetween(got, got, lo, hi)
		assertSame(t, fmt.Sprint(n, " entries"), got, want)
	}
}

// TestNormGradient holds the gradients of normalised rows to the plain ones in float64.
func TestNormGradient(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 70 {
		d, x, scale, shift := normal[float32](r, n), normal[float32](r, n), normal[float32](r, n), normal[float32](r, n)
		wd, wx, wscale, wshift := widened(d), widened(x), widened(scale), widened(shift)
		NormGradient(scale, shift, d, x, .25, 1.5)
		normGradientGo(wscale, wshift, wd, wx, .25, 1.5)
		nearly(t, "gradient of the scale", n, scale, wscale)
		nearly(t, "gradient of the shift", n, shift, wshift)
	}
}

func nearly(t *testing.T, what string, n int, got []float32, want []float64) {
	t.Helper()
	for i, w := range want {
		if !(math.Abs(float64(got[i])-w) <= 1e-6*(1+math.Abs(w))) {
			t.Fatalf("%s of %d: element %d is %v, want %v", what, n, i, got[i], w)
		}
	}
}
