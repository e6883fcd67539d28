package dataset

import (
	"runtime"
	"testing"

	"tattle/internal/must"
)

// The bytes are part of the contract: a seed names a data set, on any number of cores. A picture depends on neither how many
// follow nor which other families are drawn.
func TestGlyphsGolden(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for cores, c := range map[int]struct {
		GlyphOptions
		want string
	}{
		1: {GlyphOptions{N: 100, Seed: 1}, "3752454dbe96f3903777b1235fea317d025fe2b8a594047eb5e1f8c713c962f9"},
		3: {GlyphOptions{N: 100, Seed: 1}, "3752454dbe96f3903777b1235fea317d025fe2b8a594047eb5e1f8c713c962f9"},
		2: {GlyphOptions{N: 100, Seed: 1, Split: Test}, "cc3059015b9dd788b2537ca8e917031bac9fcf1946f0fc8b21f871b83f253e1a"},
		4: {GlyphOptions{N: 100, Seed: 3}, "65ab591bf8514009d633f2b8fd88156851336ce287229ebbd70fcb1d4e3a5f36"},
	} {
		runtime.GOMAXPROCS(cores)
		all := Glyphs(c.GlyphOptions)
		if all.SHA256 != c.want {
			t.Errorf("%+v: %s, want %s", c.GlyphOptions, all.SHA256, c.want)
		}
		var chosen []int
		for i, family := range all.Sensitive[0].Labels {
			if family == 1 || family == 2 {
				chosen = append(chosen, i)
			}
		}
		c.N, c.Families = len(chosen), []int{1, 2}
		if some := Glyphs(c.GlyphOptions); some.SHA256 != all.Subset(chosen).SHA256 {
			t.Errorf("%+v: other pictures than those of all families", c.GlyphOptions)
		}
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
