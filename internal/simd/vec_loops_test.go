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
		{"NormForward", 3, func(dst []float32, in [][]float32) { NormForward(dst, in[0], in[1], in[2], .25, 1.5) },
			func(dst []float64, in [][]float64) { normForwardGo(dst, in[0], in[1], in[2], .25, 1.5) }, false},
		{"NormTangent", 3, func(dst []float32, in [][]float32) { NormTangent(dst, in[0], in[1], in[2], .5, -.75, .125) },
			func(dst []float64, in [][]float64) { normTangentGo(dst, in[0], in[1], in[2], .5, -.75, .125) }, false},
		{"NormCotangent", 3, func(dst []float32, in [][]float32) { NormCotangent(dst, in[0], in[1], in[2], .5, -.75, .125) },
			func(dst []float64, in [][]float64) { normCotangentGo(dst, in[0], in[1], in[2], .5, -.75, .125) }, false},
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
