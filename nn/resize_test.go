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

// TestResizePyTorch compares with PyTorch 1.13's interpolate of a picture, in
// float64 but for antialias.
func TestResizePyTorch(t *testing.T) {
	x := []float64{1, 2, 4, 8, 3, 9, 27, 5, 7, 6, 1, 2}
	for _, c := range []struct {
		call string // F.interpolate(x, …)
		op   Resize
		want []float64
	}{
		{"size=(5, 3), mode='bilinear', align_corners=False", Resize{To: []int{5, 3}, Mode: "linear", Coordinates: "half_pixel"},
			[]float64{1.16666667, 3, 7.33333333, 2.3, 9, 7.86666667, 4, 18, 8.66666667, 5.7, 9.3, 4.56666667, 6.83333333, 3.5, 1.83333333}},
		{"size=(5, 3), mode='bilinear', align_corners=False", Resize{To: []int{5, 3}, Mode: "linear", Coordinates: "pytorch_half_pixel"},
			[]float64{1.16666667, 3, 7.33333333, 2.3, 9, 7.86666667, 4, 18, 8.66666667, 5.7, 9.3, 4.56666667, 6.83333333, 3.5, 1.83333333}},
		{"size=(2, 7), mode='bilinear', align_corners=True", Resize{To: []int{2, 7}, Mode: "linear", Coordinates: "align_corners"},
			[]float64{1, 1.5, 2, 3, 4, 6, 8, 7, 6.5, 6, 3.5, 1, 1.5, 2}},
		{"scale_factor=(1.7, .6), mode='bilinear', align_corners=False, recompute_scale_factor=False", Resize{To: []int{5, 2}, Scales: []float64{1.7, .6}, Mode: "linear", Coordinates: "half_pixel"},
			[]float64{1.33333333, 4, 2.73529412, 12.7941176, 4.89215686, 26.3235294, 5.93137255, 12.4705882, 6.66666667, 1}},
		{"size=(2, 7), mode='bilinear', align_corners=False, antialias=True", Resize{To: []int{2, 7}, Mode: "linear", Coordinates: "half_pixel", Antialias: true, ExcludeOutside: true},
			[]float64{1.75000012, 2.77678609, 4.41964293, 8.62500095, 12.2142849, 8.92857075, 6.875, 5.5, 6.08035755, 7.0089283, 8.9375, 10.2053566, 5.84821367, 3.125}},
		{"size=(5, 3), mode='bicubic', align_corners=False", Resize{To: []int{5, 3}, Mode: "cubic", Coordinates: "half_pixel", CubicA: CubicPyTorch},
			[]float64{0.874574074, 0.99975, 7.36375926, 1.81102778, 10.912875, 8.33465741, 3.54861111, 20.625, 8.46990741, 5.80181944, 11.319, 4.44203241, 7.26917593, 1.6505, 1.1264537}},
		{"size=(2, 7), mode='bicubic', align_corners=True", Resize{To: []int{2, 7}, Mode: "cubic", Coordinates: "align_corners", CubicA: CubicPyTorch},
			[]float64{1, 1.3125, 2, 2.71875, 4, 6.1875, 8, 7, 6.96875, 6, 3.3125, 1, 1.03125, 2}},
		{"scale_factor=(1.7, .6), mode='bicubic', align_corners=False, recompute_scale_factor=False", Resize{To: []int{5, 2}, Scales: []float64{1.7, .6}, Mode: "cubic", Coordinates: "half_pixel", CubicA: CubicPyTorch},
			[]float64{0.942232225, 1.76036154, 1.98490753, 14.2353832, 3.76406864, 27.018306, 5.84809022, 14.1582981, 7.20962644, -1.08623804}},
		// PyTorch's antialiased cubic has another coefficient.
		{"size=(5, 3), mode='bicubic', align_corners=False, antialias=True", Resize{To: []int{5, 3}, Mode: "cubic", Coordinates: "half_pixel", CubicA: -.5, Antialias: true, ExcludeOutside: true},
			[]float64{0.95760113, 1.67996395, 6.79823875, 1.78602409, 9.23487568, 9.09619522, 3.45308924, 18.9856319, 11.4668179, 5.88508844, 9.60631847, 5.16865206, 7.30952883, 2.2555573, 0.712103426}},
		{"size=(5, 3), mode='nearest'", Resize{To: []int{5, 3}, Mode: "nearest", Coordinates: "asymmetric", Nearest: "floor"},
			[]float64{1, 2, 4, 1, 2, 4, 3, 9, 27, 3, 9, 27, 7, 6, 1}},
		{"size=(5, 3), mode='nearest-exact'", Resize{To: []int{5, 3}, Mode: "nearest", Coordinates: "half_pixel", Nearest: "round_prefer_ceil"},
			[]float64{1, 4, 8, 1, 4, 8, 3, 27, 5, 7, 1, 2, 7, 1, 2}},
	} {
		if _, err := c.op.Shape([]int{3, 4}); err != nil {
			t.Errorf("%s: %v", c.call, err)
			continue
		}
		y := make([]float64, len(c.want))
		c.op.kernel64([]int{3, 4}).forward(&frame[float64]{batch: 1, x: [][]float64{x}, y: y})
		for i, want := range c.want {
			if math.Abs(y[i]-want) > 1e-6*(1+math.Abs(want)) {
				t.Errorf("%s: %v, want %v", c.call, y, c.want)
				break
			}
		}
	}
}

// resizeSlow is ONNX's reference of Resize along the first of n·inner entries, word
// for word and in float64: the nearest neighbours of a place in the padded line.
func resizeSlow(x []float64, n, inner, out int, o *Resize, scale float64) []float64 {
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
func slowWeights(o *Resize, frac, scale float64) (w []float64) {
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
// scales, and holds every setting to what kernels promise.
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
				must.Get(o.Shape([]int{size.in, 2}))(t)
				o.kernel64([]int{size.in, 2}).forward(&frame[float64]{batch: 1, x: [][]float64{x}, y: got})
				for i := range want {
					if !(math.Abs(got[i]-want[i]) <= 1e-13) {
						t.Errorf("%s, %s, %d to %d: %v, want %v", mode, coordinates, size.in, size.out, got, want)
						break
					}
				}
			}
		}
	}
}

// resizeOf is a Resize of [·, 2] by the words of its mode.
func resizeOf(words, coordinates string, out int, scale float64) *Resize {
	has := func(word string) bool { return slices.Contains(strings.Fields(words), word) }
	o := &Resize{To: []int{out, 2}, Coordinates: coordinates, Mode: strings.Fields(words)[0], ExcludeOutside: has("exclude"), Antialias: has("antialias")}
	if scale != 0 {
		o.Scales = []float64{scale, 1}
	}
	switch {
	case o.Mode == "cubic":
		o.CubicA = CubicPyTorch
	case o.Mode != "linear":
		o.Mode, o.Nearest = "nearest", o.Mode
	}
	return o
}

func TestResize(t *testing.T) {
	for name, c := range map[string]struct {
		op *Resize
		in []int
	}{
		"up":        {&Resize{To: []int{3, 9, 11}, Mode: "linear", Coordinates: "half_pixel"}, []int{3, 5, 4}},
		"down":      {&Resize{To: []int{2, 3, 5}, Mode: "linear", Coordinates: "half_pixel", Antialias: true}, []int{2, 9, 7}},
		"cubic":     {&Resize{To: []int{2, 7, 3}, Mode: "cubic", Coordinates: "align_corners", CubicA: -.5, ExcludeOutside: true}, []int{2, 4, 6}},
		"nearest":   {&Resize{To: []int{2, 7, 3}, Mode: "nearest", Coordinates: "asymmetric", Nearest: "floor"}, []int{2, 4, 6}},
		"all axes":  {&Resize{To: []int{4, 3, 7}, Mode: "linear", Coordinates: "half_pixel"}, []int{2, 5, 4}},
		"nothing":   {&Resize{To: []int{3, 4}, Mode: "cubic", Coordinates: "half_pixel", CubicA: CubicPyTorch}, []int{3, 4}},
		"line":      {&Resize{To: []int{50}, Mode: "cubic", Coordinates: "half_pixel", CubicA: CubicPyTorch}, []int{20}},
		"last kept": {&Resize{To: []int{5, 7}, Mode: "linear", Coordinates: "half_pixel"}, []int{3, 7}},
	} {
		t.Run(name, func(t *testing.T) { testOperator(t, c.op, c.in) })
	}
}

func TestResizeRoundoff(t *testing.T) {
	for _, mode := range []string{"linear", "cubic", "cubic antialias", "linear exclude"} {
		for _, coordinates := range []string{"half_pixel", "align_corners"} {
			for _, in := range []int{5, 13, 30} {
				testExact(t, resizeOf(mode, coordinates, 11, 0), 100, itself, []int{in, 2})
			}
		}
	}
}

// BenchmarkResize times paper A's upsampling of 91×91 pictures.
func BenchmarkResize(b *testing.B) {
	const batch = 8
	for _, mode := range []string{"linear", "cubic"} {
		o := &Resize{To: []int{3, 224, 224}, Mode: mode, Coordinates: "half_pixel", CubicA: CubicPyTorch}
		in := []int{3, 91, 91}
		k := o.kernel32(in)
		x, y := make([]float32, batch*Size(in)), make([]float32, batch*Size(o.To))
		f := &frame[float32]{batch: batch, x: [][]float32{x}, y: y}
		plain := &copier{to: make([]float32, len(y)), from: y}
		b.Run(mode+"/forward", func(b *testing.B) { plain.against(b, 2, func() { k.forward(f) }) })
		b.Run(mode+"/vjp", func(b *testing.B) { plain.against(b, 2, func() { k.vjp(f, [][]float32{x}, y, 1) }) })
	}
}
