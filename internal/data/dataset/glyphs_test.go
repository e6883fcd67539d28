package dataset

import (
	"bytes"
	"math"
	"runtime"
	"testing"

	"tattle/internal/must"
	"tattle/internal/shared"
)

// The bytes are part of the contract: a seed names a data set, on any number of cores.
func TestGlyphsGolden(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	const want = "3752454dbe96f3903777b1235fea317d025fe2b8a594047eb5e1f8c713c962f9"
	for _, cores := range []int{1, 3} {
		runtime.GOMAXPROCS(cores)
		if got := Glyphs(GlyphOptions{N: 100, Seed: 1}).SHA256; got != want {
			t.Errorf("on %d cores: %s, want %s", cores, got, want)
		}
	}
}

func TestGlyphsDependOnSeedSplitIndexAlone(t *testing.T) {
	few, many := Glyphs(GlyphOptions{N: 20, Seed: 3}), Glyphs(GlyphOptions{N: 70, Seed: 3})
	if !bytes.Equal(few.Pixels, many.Pixels[:len(few.Pixels)]) {
		t.Error("the first pictures depend on how many follow")
	}
	for name, o := range map[string]GlyphOptions{"seed": {N: 20, Seed: 4}, "split": {N: 20, Seed: 3, Split: Test}} {
		other, equal := Glyphs(o), 0
		for i := range 20 {
			if bytes.Equal(other.Pixels[i*784:][:784], few.Pixels[i*784:][:784]) {
				equal++
			}
		}
		if equal > 0 {
			t.Errorf("another %s, the same %d pictures", name, equal)
		}
	}
}

// Pictures of some families are those of all, without the others.
func TestGlyphsOfSomeFamilies(t *testing.T) {
	all, some := Glyphs(GlyphOptions{N: 80, Seed: 3}), Glyphs(GlyphOptions{N: 20, Seed: 3, Families: []int{1, 2}})
	next := 0
	for i, f := range all.Sensitive[0].Labels {
		if f != 1 && f != 2 || next == 20 {
			continue
		}
		if some.Y[next] != all.Y[i] || some.Sensitive[0].Labels[next] != f || !bytes.Equal(some.Pixels[next*784:][:784], all.Pixels[i*784:][:784]) {
			t.Fatalf("picture %d is not picture %d of all", next, i)
		}
		next++
	}
	if next != 20 {
		t.Errorf("only %d of 20 pictures were compared", next)
	}
}

// Y and S are uniform and independent. Three χ² tests at 1e-6 each: together
// they fail a right program with probability below 1e-5. The quantiles of χ² at
// 1 − 1e-6 for 9, 4 and 36 degrees of freedom are 44.8, 33.4 and 90.5.
func TestGlyphLabelsIndependent(t *testing.T) {
	const n = 20000
	var y [10]float64
	var s [5]float64
	var both [10][5]float64
	for i := range n {
		d := newDraws(11, Train, i)
		digit, family := d.below(10), d.below(5)
		y[digit]++
		s[family]++
		both[digit][family]++
	}
	chi := func(got, want float64) float64 { return (got - want) * (got - want) / want }
	var chiY, chiS, chiBoth float64
	for i := range y {
		chiY += chi(y[i], n/10)
		for j := range s {
			chiBoth += chi(both[i][j], y[i]*s[j]/n)
		}
	}
	for j := range s {
		chiS += chi(s[j], n/5)
	}
	if chiY > 44.8 || chiS > 33.4 || chiBoth > 90.5 {
		t.Errorf("χ² %.1f of digits, %.1f of families, %.1f of both", chiY, chiS, chiBoth)
	}
	made := Glyphs(GlyphOptions{N: 50, Seed: 11})
	for i := range made.Y {
		if d := newDraws(11, Train, i); made.Y[i] != d.below(10) || made.Sensitive[0].Labels[i] != d.below(5) {
			t.Fatal("the set's labels are not the ones tested")
		}
	}
}

// Both attributes can be read from the pictures: the nearest of the training
// part's centroids finds the digit of most test pictures, and that of a digit's
// families finds the family of many more than one in five.
func TestGlyphsCanBeRead(t *testing.T) {
	shared.Long(t, "classifies 500 glyphs")
	train, test := Glyphs(GlyphOptions{N: 6000, Seed: 2}), Glyphs(GlyphOptions{N: 500, Seed: 2, Split: Test})
	cell := func(s *Set, i int) int { return s.Y[i]*5 + s.Sensitive[0].Labels[i] }
	var centroid [50][784]float64
	var count [50]float64
	for i := range train.Y {
		count[cell(train, i)]++
	}
	x := make([]float32, 784)
	for i := range train.Y {
		train.Examples(x, []int{i})
		for j, v := range x {
			centroid[cell(train, i)][j] += float64(v) / count[cell(train, i)]
		}
	}
	digits, families := 0, 0
	for i := range test.Y {
		test.Examples(x, []int{i})
		best, least := 0, math.Inf(1)
		for c := range centroid {
			if d := angle(x, centroid[c][:]); d < least {
				best, least = c, d
			}
		}
		if best/5 == test.Y[i] {
			digits++
		}
		if best%5 == test.Sensitive[0].Labels[i] {
			families++
		}
	}
	t.Logf("nearest centroid: digit %.1f %%, family %.1f %%", float64(digits)/5, float64(families)/5)
	if digits < 350 || families < 175 {
		t.Errorf("nearest centroid finds %d digits and %d families of 1000", digits, families)
	}
}

// angle is 1 − the correlation of a picture and a centroid.
func angle(x []float32, c []float64) float64 {
	var mx, mc float64
	for j := range c {
		mx += float64(x[j]) / float64(len(c))
		mc += c[j] / float64(len(c))
	}
	var xc, xx, cc float64
	for j := range c {
		a, b := float64(x[j])-mx, c[j]-mc
		xc, xx, cc = xc+a*b, xx+a*a, cc+b*b
	}
	return 1 - xc/math.Sqrt(xx*cc)
}

func TestGlyphConstants(t *testing.T) {
	s := Glyphs(GlyphOptions{N: 1500})
	mean, std := moments(s)
	if math.Abs(mean-float64(s.Mean[0])) > .03 || math.Abs(std-float64(s.Std[0])) > .015 {
		t.Errorf("mean %.3f, std %.3f; the constants are %v and %v", mean, std, s.Mean[0], s.Std[0])
	}
}

func TestGlyphsRefuse(t *testing.T) {
	for _, o := range []GlyphOptions{{N: -1}, {N: 1 << 40}, {N: 1, Split: "half"}, {N: 1, Families: []int{}}, {N: 1, Families: []int{5, -1}}} {
		must.Panic(t, func() { Glyphs(o) })
	}
}

func BenchmarkGlyphs(b *testing.B) {
	for b.Loop() {
		Glyphs(GlyphOptions{N: 1000})
	}
	b.ReportMetric(float64(b.N)*1000/b.Elapsed().Seconds(), "examples/s")
}
