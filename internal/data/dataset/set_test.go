package dataset

import (
	"math"
	"slices"
	"testing"

	"tattle/internal/must"
)

// coloured is a small set of three channels with constants of their own.
func coloured() *Set {
	s := &Set{
		Name: "coloured", Shape: []int{3, 2, 4}, Y: []int{0, 1, 2}, YNames: glyphsPreset().Listed["digit"],
		Sensitive: []Attribute{{Name: "s", Labels: []int{1, 0, 1}}},
		Mean:      []float32{.1307, .5, .25}, Std: []float32{.3081, .5, .125},
	}
	for i := range 3 * 3 * 8 {
		s.Pixels = append(s.Pixels, uint8(i*37))
	}
	return s.finish()
}

func TestExamplesNormalise(t *testing.T) {
	s := coloured()
	s.Pixels[0], s.Pixels[1] = 0, 255
	indices := []int{2, 0, 2, 1}
	x := make([]float32, len(indices)*24)
	s.Examples(x, indices)
	for k, i := range indices {
		for j := range 24 {
			v, c := s.Pixels[i*24+j], j/8
			want := (float32(v)/255 - s.Mean[c]) / s.Std[c]
			if got := x[k*24+j]; got != want {
				t.Fatalf("picture %d value %d: %v, want %v", i, j, got, want)
			}
			if lo, hi := s.Range(); v == 0 && lo[c] != want || v == 255 && hi[c] != want {
				t.Fatalf("range %v…%v, byte %d is %v", lo, hi, v, want)
			}
			if back := s.Denormalize(float64(x[k*24+j]), c) * 255; math.Abs(back-float64(v)) > 1e-4 {
				t.Fatalf("byte %d came back as %v", v, back)
			}
		}
	}
}

func TestSubset(t *testing.T) {
	s := coloured()
	sub := s.Subset([]int{2, 0})
	if !slices.Equal(sub.Y, []int{2, 0}) || !slices.Equal(sub.Sensitive[0].Labels, []int{1, 1}) || sub.Len() != 2 || sub.Label(0) != 2 {
		t.Fatalf("labels %v %v", sub.Y, sub.Sensitive)
	}
	if !slices.Equal(sub.Pixels[:24], s.Pixels[48:]) {
		t.Fatal("pixels are not picture 2's")
	}
	if sub.SHA256 == s.SHA256 {
		t.Fatal("part and whole have one SHA-256")
	}
	if all := s.Subset([]int{0, 1, 2}); all.SHA256 != s.SHA256 {
		t.Fatal("the whole set has another SHA-256 than itself")
	}
	a := s.Subset([]int{0})
	first := a.Sum()
	if all := Join(a, s.Subset([]int{1, 2})); all.SHA256 != s.SHA256 || a.Sum() != first || Join(a) != a {
		t.Error("the halves of a set are another set, or were changed")
	}
}

func TestSumSeesEveryPart(t *testing.T) {
	want := coloured().Sum()
	for name, change := range map[string]func(*Set){
		"pixel": func(s *Set) { s.Pixels[5]++ },
		"y":     func(s *Set) { s.Y[1]++ },
		"s":     func(s *Set) { s.Sensitive[0].Labels[1]++ },
		"no s":  func(s *Set) { s.Sensitive = nil },
		"two s": func(s *Set) { s.Sensitive = append(s.Sensitive, Attribute{Labels: []int{0, 0, 1}}) },
		"value": func(s *Set) { s.Pixels, s.Values = nil, []float32{1} },
		"shape": func(s *Set) { s.Shape[1], s.Shape[2] = 4, 2 },
	} {
		s := coloured()
		change(s)
		if s.Sum() == want {
			t.Errorf("%s changed, SHA-256 did not", name)
		}
	}
}

func TestExamplesDoNotAllocate(t *testing.T) {
	s := coloured()
	x, indices := make([]float32, 48), []int{0, 2}
	if n := testing.AllocsPerRun(100, func() { s.Examples(x, indices) }); n != 0 {
		t.Fatalf("%v allocations", n)
	}
}

func TestExamplesPanicOnLength(t *testing.T) {
	must.Panic(t, func() { coloured().Examples(make([]float32, 23), []int{0}) })
}
