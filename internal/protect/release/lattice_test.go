package release

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"tattle/internal/must"
	"tattle/internal/protect/lattice"
)

// onIntegers returns lattice noise of parameter s with Δ = 1 on n numbers.
func onIntegers(t testing.TB, s float64, n int) Lattice {
	t.Helper()
	l := lattice.Lattice{Delta: 1, Sigma: s, Clip: 1 << 20, Dim: n}
	if s < 1 { // not allowed, but covered by the proofs
		return Lattice{Lattice: l}
	}
	return must.Get(NewLattice(l))(t)
}

// sums gives f all pairs of probabilities of discrete Gaussian noise about 0 and about each
// entry of z, over a grid that leaves out nothing of weight.
func sums(s float64, z []int, f func(p0 float64, p []float64)) {
	most := int(12*s) + 8
	for _, u := range z {
		most = max(most, int(12*s)+8+max(u, -u))
	}
	weight := func(k float64) float64 { return math.Exp(-k * k / 2 / s / s) }
	all := 0.
	for k := -most; k <= most; k++ {
		all += weight(float64(k))
	}
	p := make([]float64, len(z))
	for k := -most; k <= most; k++ {
		for i, u := range z {
			p[i] = weight(float64(k-u)) / all
		}
		f(weight(float64(k))/all, p)
	}
}

func TestLatticeDivergences(t *testing.T) {
	for _, s := range []float64{.5, 1, 3, 10} {
		l := onIntegers(t, s, 1)
		for _, z := range [][]int{{1, 1}, {1, -1}, {2, 3}, {-4, 1}} {
			if float64(max(z[0], -z[0], z[1], -z[1])) > 4*s {
				continue // sums lose digits
			}
			var chi, overlap float64
			sums(s, z, func(p0 float64, p []float64) {
				if p0 > 0 {
					chi += (p[0] - p0) * (p[0] - p0) / p0
					overlap += (p[0] - p0) * (p[1] - p0) / p0
				}
			})
			a, b, zero := []float64{float64(z[0])}, []float64{float64(z[1])}, []float64{0}
			if got := l.Bound(a, zero); !(got >= chi*(1-1e-9) && got <= chi*(1+1e-9)) {
				t.Errorf("s = %v: Bound(%v) = %v, want %v", s, a, got, chi)
			}
			got, e := l.Overlap(a, zero, b, zero)
			if math.Abs(got-overlap) > e+1e-9*math.Abs(overlap) {
				t.Errorf("s = %v: Overlap(%v, %v) = %v ± %v, want %v", s, a, b, got, e, overlap)
			}
		}
	}
	// Every change within an error is allowed for.
	l, r := onIntegers(t, 20, 3), rand.New(rand.NewPCG(3, 4))
	for range 1000 {
		a, b, ea, eb := make([]float64, 3), make([]float64, 3), make([]float64, 3), make([]float64, 3)
		a2, b2 := make([]float64, 3), make([]float64, 3)
		for j := range a {
			a[j], b[j], ea[j], eb[j] = float64(r.IntN(40)-20), float64(r.IntN(40)-20), float64(r.IntN(3)), float64(r.IntN(3))
			a2[j], b2[j] = a[j]+ea[j]*float64(r.IntN(3)-1), b[j]+eb[j]*float64(r.IntN(3)-1)
		}
		value, e := l.Overlap(a, ea, b, eb)
		if exact, _ := l.Overlap(a2, make([]float64, 3), b2, make([]float64, 3)); math.Abs(exact-value) > e {
			t.Fatalf("Overlap(%v, %v) = %v ± %v, but %v within the errors", a, b, value, e, exact)
		}
	}
}

// The bound on h is at most the sum over two numbers, and close to it where noise is not tiny.
func TestLatticePairShare(t *testing.T) {
	for _, s := range []float64{.3, .5, 1, 2, 4, 16} {
		for _, z := range [][2]int{{0, 0}, {1, 0}, {1, 1}, {2, 3}, {5, -4}, {20, 11}} {
			// A product over two numbers: h is no product, so all pairs are summed.
			var first, second [][2]float64
			sums(s, []int{z[0]}, func(p0 float64, p []float64) { first = append(first, [2]float64{p0, p[0]}) })
			sums(s, []int{z[1]}, func(p0 float64, p []float64) { second = append(second, [2]float64{p0, p[0]}) })
			h := 0.
			for _, a := range first {
				for _, b := range second {
					if f0, f1 := a[0]*b[0], a[1]*b[1]; f0+f1 > 0 {
						h += f0 * f1 / (f0 + f1) / 2
					}
				}
			}
			v := []float64{float64(z[0]), float64(z[1])}
			got := PairShare(onIntegers(t, s, 2), v, []float64{0, 0}, 1)
			if !(got <= h*(1+1e-11)) {
				t.Errorf("s = %v, z = %v: %v is above h = %v", s, z, got, h)
			}
			once := PairShare(onIntegers(t, s, 4), append(v, v...), make([]float64, 4), 1)
			if twice := PairShare(onIntegers(t, s, 2), v, []float64{0, 0}, 2); math.Abs(twice-once) > 1e-9*once {
				t.Errorf("s = %v, z = %v: %v of two releases, %v of one that is twice as long", s, z, twice, once)
			}
			if least := .98; s >= 16 && !(got >= least*h) || math.Hypot(v[0], v[1]) < s && s >= 1 && !(got >= .5*h) {
				t.Errorf("s = %v, z = %v: %v of h = %v", s, z, got, h)
			}
		}
	}
}

func TestLatticeAffinity(t *testing.T) {
	for _, s := range []float64{.3, .7, 2, 9} {
		for _, u := range []int{0, 1, 2, 5, 8} {
			want := 0.
			sums(s, []int{u}, func(p0 float64, p []float64) { want += math.Sqrt(p0 * p[0]) })
			got := AffinityLow(onIntegers(t, s, 1), []float64{float64(u)}, []float64{0})
			if !(got <= want*(1+1e-12)) || (u%2 == 1 || u == 0) && !(got >= want*(1-1e-9)) {
				t.Errorf("s = %v: affinity at %d is %v, want at most %v", s, u, got, want)
			}
			if wide := AffinityLow(onIntegers(t, s, 1), []float64{float64(1 - u)}, []float64{1}); u > 0 && wide != got {
				t.Errorf("s = %v: affinity at %d ± 1 is %v, at %d it is %v", s, 1-u, wide, u, got)
			}
			if h := PairShare(onIntegers(t, s, 1), []float64{float64(u)}, []float64{0}, 1); s < 1 && !(h <= want*want/4*(1+1e-13)) {
				t.Errorf("s = %v: h at %d is %v, Cauchy's inequality gives %v", s, u, h, want*want/4)
			}
		}
	}
}

// A release of Features is on the lattice, and its noise has the variance of a Gaussian's.
func TestLatticeSample(t *testing.T) {
	l := must.Get(NewLattice(lattice.Lattice{Delta: .125, Sigma: 3, Clip: 8, Dim: 5}))(t)
	features := make([]float32, 5*1000)
	for i := range features {
		features[i] = float32(i%5)*3 - .33
	}
	s := newNoise(l, false, 5, 1)
	points := []float64{-.375, 2.625, 5.625, 8, 8} // 8.67 and 11.67 are clipped
	var sum, squares float64
	for i, v := range s.add(0, 0, features) {
		if x := float64(v) / .125; x != math.Floor(x) {
			t.Fatalf("%v is released", v)
		}
		z := float64(v) - points[i%5]
		sum += z
		squares += z * z
	}
	const n = 5 * 1000
	if mean, v := sum/n, squares/n; math.Abs(mean) > 7*3/math.Sqrt(n) || math.Abs(v-9) > 7*9*math.Sqrt(2./n) {
		t.Errorf("noise of mean %v and variance %v, want 0 and 9", mean, v)
	}
	front := Dithered(identity(5), l)
	out := make([]float32, 5)
	front.Forward(out, features[:5])
	for j, v := range out {
		if float64(v) != points[j] {
			t.Errorf("feature %d becomes %v, want %v", j, v, points[j])
		}
	}
}

func TestLatticeSpecs(t *testing.T) {
	for spec, want := range map[string]string{
		"lattice":         "lattice:0.015625:262144",
		"lattice:0.25":    "lattice:0.25:4.194304e+06",
		"lattice::8":      "lattice:0.015625:8",
		"lattice:0.25:16": "lattice:0.25:16",
	} {
		n, err := ParseNoise(spec, 1.7, 10)
		if err != nil || n.String() != want {
			t.Errorf("%s: %v, %v; want %s", spec, n, err, want)
			continue
		}
		if again, err := ParseNoise(n.String(), 1.7, 10); err != nil || again.String() != want {
			t.Errorf("%s read again: %v, %v", n, again, err)
		}
	}
	for spec, want := range map[string]string{
		"lattice:x": "positive numbers", "lattice:0": "positive numbers", "lattice:0.3": "power of two", "lattice:8": "sigma 1.7 with delta 8",
		"lattice:0.25:0.3": "multiple of delta", "lattice:-1": "positive numbers", "lattice:1:2:3": "positive numbers",
	} {
		must.Fail(t, must.Err(ParseNoise(spec, 1.7, 10)), want)
	}
	for _, c := range []struct {
		spec           string
		sigma, largest float64
		want           string
	}{
		{"gaussian", 1, 1, "gaussian"},
		{"lattice", 1, 5, "lattice:0.015625:8"},
		{"lattice", 1, 8, "lattice:0.015625:8"},
		{"lattice:0.5", 64, .1, "lattice:0.5:0.5"},
		{"lattice::32", 64, .1, "lattice:1:32"},
		{ClippedNorm("lattice", 1.82), 64, .1, "lattice:1:1.82:norm"},
		{ClippedNorm("lattice:.5:", 1.82), 64, .1, "lattice:.5:1.82:norm"},
		{ClippedNorm("gaussian", 1.82), 64, .1, "gaussian"},
	} {
		if got := CompleteLattice(c.spec, c.sigma, c.largest); got != c.want {
			t.Errorf("CompleteLattice(%q, %v, %v) = %q, want %q", c.spec, c.sigma, c.largest, got, c.want)
		}
	}
	if !slices.Contains(Families, "lattice[:DELTA[:CLIP]]") {
		t.Error(Families)
	}
}

// A spec that is read gives the same noise when its String is read.
func FuzzParseLattice(f *testing.F) {
	f.Add("0.25:16", 1.7)
	f.Add("::", 1e-3)
	f.Add("1e-300:1e300", 1e12)
	f.Add("0x1p-3:8", 2.)
	f.Fuzz(func(t *testing.T, settings string, sigma float64) {
		n, err := ParseNoise("lattice:"+settings, sigma, 3)
		if err != nil {
			return
		}
		again, err := ParseNoise(n.String(), sigma, 3)
		if err != nil || again.(Lattice).Lattice != n.(Lattice).Lattice {
			t.Errorf("%q: %v, then %v, %v", settings, n, again, err)
		}
		if err := n.(Lattice).Check(); err != nil {
			t.Error(fmt.Errorf("%q: %w", settings, err))
		}
	})
}

// The sum of draws on the lattice is distributed as one draw of the noise that MeanOf says, times their number.
func TestMeanOf(t *testing.T) {
	const s, k, reach = 2., 3, 60
	draw := func(s float64, at int) float64 { return math.Exp(-float64(at*at) / 2 / s / s) }
	sum := map[int]float64{0: 1}
	for range k {
		next := map[int]float64{}
		for a, p := range sum {
			for b := -reach; b <= reach; b++ {
				next[a+b] += p * draw(s, b)
			}
		}
		sum = next
	}
	for at := range 20 {
		if got, want := sum[at]/sum[0], draw(s*math.Sqrt(k), at); math.Abs(got/want-1) > 1e-13 {
			t.Errorf("a sum of %d has the probability %v times that of 0, want %v", at, got, want)
		}
	}
	l := must.Get(NewLattice(lattice.Lattice{Delta: .25, Sigma: .5, Clip: 16, Dim: 3}))(t)
	mean, n := MeanOf(l, k)
	if got := mean.(Lattice); n != 1 || math.Abs(got.Sigma-.5/math.Sqrt(k)) > 1e-15 || math.Abs(got.Delta-.25/k) > 1e-15 {
		t.Errorf("%+v, %d", mean, n)
	}
	const draws = 30000
	x, square := make([]float64, draws), 0.
	mean.Sample(x, rand.New(rand.NewPCG(1, 2)))
	for _, v := range x {
		if square += v * v / draws; math.Abs(v*12-math.Round(v*12)) > 1e-9 {
			t.Fatalf("%v is not a multiple of Δ/3", v)
		}
	}
	if want := .25 / k; math.Abs(square-want) > 6*want*math.Sqrt(2./draws) {
		t.Errorf("the mean of %d releases has noise of variance %v, want %v", k, square, want)
	}
	if g, n := MeanOf(Gaussian{2}, 4); g != (Gaussian{1}) || n != 1 {
		t.Errorf("the mean of four releases with σ = 2 has noise %v, %d times", g, n)
	}
	if l.Fisher() != 4 {
		t.Errorf("Fisher information %v of σ = 1/2", l.Fisher())
	}
	long := must.Get(NewLattice(lattice.Lattice{Delta: .25, Sigma: .5, Clip: 16, Dim: meanMost / 2}))(t)
	if _, n := MeanOf(long, k); n != k {
		t.Error("the sums of too many numbers are taken for one draw")
	}
	// Over all numbers of all releases, differences of probabilities add up.
	_, each, _ := lattice.Rounded(l.Ratio())
	for queries, times := range map[int]float64{0: 3, 1: 3, 5: 15, 1e18: 3e18} {
		want := mul(exact(times), exact(each))
		if _, all, ok := l.Rounded(queries); !ok || !(each > 0) || exact(all).Cmp(want) < 0 || off(all, want) > 1e-12 {
			t.Errorf("three numbers of %d releases differ by %v, one by %v", queries, all, each)
		}
	}
	if _, all, _ := l.Rounded(1e18); !(PairShare(l, []float64{0, 0, 0}, []float64{0, 0, 0}, 1e18) <= .25*(1-all)) {
		t.Error("equal features are hidden although releases are not quite Gaussian")
	}
	coarse := must.Get(NewLattice(lattice.Lattice{Delta: .5, Sigma: .5, Clip: 16, Dim: 3}))(t)
	if _, n := MeanOf(coarse, k); n != k {
		t.Error("the sum of draws on a coarse lattice is taken for one draw")
	}
}
