package nn

import (
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
	"testing"

	"tattle/internal/must"
)

// resizing is a resize of all dimensions.
type resizing struct {
	to     []int
	scales []float64 // nil for quotients
	Resize
}

// graph returns a net that resizes inputs of a shape.
func (o resizing) graph(t testing.TB, from ...int) *Graph {
	var ops []Op
	shape := slices.Clone(from)
	for d := range shape {
		scale := 0.
		if o.scales != nil {
			scale = o.scales[d]
		}
		ops = append(ops, must.Get(o.Along(shape, d, o.to[d], scale))(t)...)
		shape[d] = o.to[d]
	}
	return chain(from, ops...)
}

// resizeSlow is ONNX's reference of Resize along the first of n·inner entries, word
// for word and in float64: the nearest neighbours of a place in the padded line.
func resizeSlow(x []float64, n, inner, out int, o resizing, scale float64) []float64 {
	y := make([]float64, out*inner)
	for i := range out {
		at := slowCoordinate(o.Coordinates, float64(i), float64(n), float64(out), scale)
		floor := math.Floor(at)
		frac := at - floor
		if frac == 0 {
			frac = 1
		}
		w := slowWeights(o, frac, scale)
		index := make([]int, 0, 3*n+80)
		for j := -n - 40; j < 2*n+40; j++ {
			index = append(index, j)
		}
		sort.SliceStable(index, func(a, b int) bool { return math.Abs(at-float64(index[a])) < math.Abs(at-float64(index[b])) })
		index = index[:len(w)]
		slices.Sort(index)
		sum := 0.0
		for j, k := range index {
			if o.ExcludeOutside && o.Mode != "nearest" && (k < 0 || k >= n) {
				w[j] = 0
			}
			sum += w[j]
		}
		for j, k := range index {
			if o.ExcludeOutside && o.Mode != "nearest" {
				w[j] /= sum
			}
			for c := range inner {
				y[i*inner+c] += w[j] * x[min(max(k, 0), n-1)*inner+c]
			}
		}
	}
	return y
}

func slowCoordinate(mode string, x, in, out, scale float64) float64 {
	switch mode {
	case "align_corners":
		if out == 1 {
			return 0
		}
		return x * (in - 1) / (out - 1)
	case "asymmetric":
		return x / scale
	case "pytorch_half_pixel":
		if out == 1 {
			return 0
		}
	case "half_pixel_symmetric":
		adjustment := out / (scale * in)
		return in/2*(1-adjustment) + (x+.5)/scale - .5
	}
	return (x+.5)/scale - .5
}

// slowWeights are the coefficients of the neighbours from the left.
func slowWeights(o resizing, frac, scale float64) (w []float64) {
	switch {
	case o.Mode == "nearest":
		right := map[string]bool{"floor": false, "ceil": true, "round_prefer_floor": frac > .5, "round_prefer_ceil": frac >= .5}[o.Nearest]
		if right || frac == 1 {
			return []float64{0, 1}
		}
		return []float64{1, 0}
	case !o.Antialias:
		scale = 1
	}
	scale = min(scale, 1)
	radius := 1.0
	weigh := func(x float64) float64 { return max(0, 1-math.Abs(x)) }
	if o.Mode == "cubic" {
		radius = 2
		weigh = func(x float64) float64 {
			a, x := o.CubicA, math.Abs(x)
			switch {
			case x <= 1:
				return (a+2)*x*x*x - (a+3)*x*x + 1
			case x < 2:
				return a*x*x*x - 5*a*x*x + 8*a*x - 4*a
			}
			return 0
		}
	}
	start := math.Floor(-radius/scale) + 1
	sum := 0.0
	for i := start; i < 2-start; i++ {
		w = append(w, weigh(scale*(i-frac)))
		sum += w[len(w)-1]
	}
	for i := range w {
		w[i] /= sum
	}
	return w
}

// TestResizeReference compares with ONNX's reference over modes, coordinates and
// scales.
func TestResizeReference(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for _, coordinates := range []string{"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners", "asymmetric"} {
		for _, mode := range []string{"floor", "ceil", "round_prefer_floor", "round_prefer_ceil", "linear", "cubic", "linear exclude", "cubic exclude", "linear antialias", "cubic antialias", "linear antialias exclude"} {
			for _, size := range []struct {
				in, out int
				scale   float64
			}{{5, 9, 0}, {9, 5, 0}, {7, 3, 0}, {4, 8, 0}, {1, 3, 0}, {6, 1, 0}, {5, 5, 0}, {5, 8, 1.625}, {7, 4, .625}, {3, 6, 2.25}} {
				o := resizeOf(mode, coordinates, size.out, size.scale)
				if size.scale == 0 {
					size.scale = float64(size.out) / float64(size.in)
				}
				x := randomSlice[float64](r, size.in*2, 1)
				want := resizeSlow(x, size.in, 2, size.out, o, size.scale)
				got := make([]float64, len(want))
				mustNet(t, o.graph(t, size.in, 2)).Forward64(got, x)
				for i := range want {
					if !(math.Abs(got[i]-want[i]) <= 1e-6) {
						t.Errorf("%s, %s, %d to %d: %v, want %v", mode, coordinates, size.in, size.out, got, want)
						break
					}
				}
			}
		}
	}
}

// resizeOf is a Resize of [·, 2] by the words of its mode.
func resizeOf(words, coordinates string, out int, scale float64) resizing {
	has := func(word string) bool { return slices.Contains(strings.Fields(words), word) }
	o := resizing{to: []int{out, 2}, Resize: Resize{Coordinates: coordinates, Mode: strings.Fields(words)[0], ExcludeOutside: has("exclude"), Antialias: has("antialias")}}
	if scale != 0 {
		o.scales = []float64{scale, 1}
	}
	switch {
	case o.Mode == "cubic":
		o.CubicA = CubicPyTorch
	case o.Mode != "linear":
		o.Mode, o.Nearest = "nearest", o.Mode
	}
	return o
}

func TestResizeRefuses(t *testing.T) {
	good := Resize{Mode: "linear", Coordinates: "half_pixel"}
	for _, c := range []struct {
		by    Resize
		out   int
		scale float64
	}{
		{Resize{Mode: "linear"}, 3, 0}, {Resize{Mode: "lanczos", Coordinates: "half_pixel"}, 3, 0}, {Resize{Mode: "linear", Coordinates: "tf_crop_and_resize"}, 3, 0},
		{Resize{Mode: "nearest", Coordinates: "half_pixel"}, 3, 0}, {good, ResizeLimit, 0}, {good, -3, 0}, {good, 3, 5}, {good, 3, math.NaN()},
		{Resize{Mode: "cubic", Coordinates: "half_pixel", CubicA: math.Inf(1)}, 3, 0}, {Resize{Mode: "cubic", Coordinates: "half_pixel", CubicA: 1e-300}, 3, 0},
	} {
		if _, err := c.by.Along([]int{4}, 0, c.out, c.scale); err == nil {
			t.Errorf("%+v", c)
		}
	}
}
