package onnx

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// geometry is what a window of two dimensions does; of one, the height is 1.
type geometry struct {
	kernel, stride, dilation [2]int
	pad                      [4]int // top, left, bottom, right
	extra                    [2]int // output_padding
	groups                   int
}

// settings encodes it for images, or for rows.
func (g geometry) settings(row bool) [][]byte {
	from := 0
	if row {
		from = 1
	}
	pads := slices.Concat(g.pad[from:2], g.pad[2+from:])
	b := [][]byte{numbers("kernel_shape", g.kernel[from:]...), numbers("strides", g.stride[from:]...), numbers("dilations", g.dilation[from:]...), numbers("pads", pads...)}
	return b
}

// volume is the same window in a volume of depth 1, in which image is the picture.
func (g geometry) volume() volume {
	return volume{
		kernel: [3]int{1, g.kernel[0], g.kernel[1]}, stride: [3]int{1, g.stride[0], g.stride[1]}, dilation: [3]int{1, g.dilation[0], g.dilation[1]},
		before: [3]int{0, g.pad[0], g.pad[1]}, after: [3]int{0, g.pad[2], g.pad[3]}, groups: g.groups,
	}
}

func (a array) deep() array { return a.as(a.shape[0], a.shape[1], 1, a.shape[2], a.shape[3]) }
func (a array) flat() array { return a.as(a.shape[0], a.shape[1], a.shape[3], a.shape[4]) }

// convolved is a convolution of [N, C, h, w].
func convolved(x, w array, g geometry) array {
	return convolvedVolume(x.deep(), w.deep(), array{nil, []float64{0}}, g.volume()).flat()
}

// deconvolved is the definition of a transposed convolution: each input adds its
// multiple of the kernel.
func deconvolved(x, w array, g geometry) array {
	out := []int{x.shape[0], w.shape[1] * g.groups, 0, 0}
	for i := range 2 {
		out[2+i] = (x.shape[2+i]-1)*g.stride[i] + (g.kernel[i]-1)*g.dilation[i] + 1 - g.pad[i] - g.pad[i+2] + g.extra[i]
	}
	y := fill(out, func([]int) float64 { return 0 })
	fill(x.shape, func(at []int) float64 {
		group := at[1] / (x.shape[1] / g.groups)
		for o := range w.shape[1] {
			for r := range g.kernel[0] {
				for s := range g.kernel[1] {
					i, j := at[2]*g.stride[0]+r*g.dilation[0]-g.pad[0], at[3]*g.stride[1]+s*g.dilation[1]-g.pad[1]
					if i >= 0 && j >= 0 && i < out[2] && j < out[3] {
						k := ((at[0]*out[1]+group*w.shape[1]+o)*out[2]+i)*out[3] + j
						y.data[k] += x.at(at...) * w.at(at[1], o, r, s)
					}
				}
			}
		}
		return 0
	})
	return y
}

// row drops the height, which is 1.
func (a array) row() array { return a.as(a.shape[0], a.shape[1], a.shape[3]) }

func TestReadConv(t *testing.T) {
	one := [2]int{1, 1}
	var cases []readCase
	for i, g := range []geometry{
		{[2]int{3, 2}, one, one, [4]int{}, [2]int{}, 1}, {[2]int{3, 3}, [2]int{2, 3}, one, [4]int{1, 0, 2, 1}, [2]int{}, 2},
		{[2]int{2, 3}, one, [2]int{2, 1}, [4]int{0, 2, 1, 0}, [2]int{}, 4}, {[2]int{1, 3}, [2]int{1, 2}, [2]int{1, 2}, [4]int{0, 3, 0, 1}, [2]int{}, 2},
		{[2]int{1, 2}, one, one, [4]int{}, [2]int{}, 4},
	} {
		for _, images := range []int{1, 3} {
			row := g.kernel[0] == 1
			height := 6
			if row {
				height = 1
			}
			x := random(uint64(i), images, 4, height, 7)
			w, b := random(uint64(i)+10, 8, 4/g.groups, g.kernel[0], g.kernel[1]), random(uint64(i)+20, 8)
			v := random(uint64(i)+30, 4, 3, g.kernel[0], g.kernel[1])
			conv := plusAll(convolved(x, w, g), b.as(8, 1, 1))
			back := deconvolved(x, v, g)
			cx, cw, cv := x, w, v
			if row {
				conv, back, cx, cw, cv = conv.row(), back.row(), x.row(), w.row(), v.row()
			}
			settings := append(g.settings(row), number("group", int64(g.groups)))
			cases = append(cases,
				readCase{fmt.Sprint("Conv", images, g), 11, cx, map[string]array{"w": cw, "b": b}, nil, between("Conv", in("x", "w", "b"), settings...), conv},
				readCase{fmt.Sprint("ConvTranspose", images, g), 11, cx, map[string]array{"w": cv}, nil, between("ConvTranspose", in("x", "w"), settings...), back})
		}
	}
	holdReads(t, cases)
}

// Paddings that follow from the output's size.
func TestReadConvTransposeSizes(t *testing.T) {
	x, w := random(1, 1, 2, 3, 4), random(2, 2, 3, 3, 4)
	g := geometry{kernel: [2]int{3, 4}, stride: [2]int{2, 3}, dilation: [2]int{1, 1}, groups: 1}
	strides := numbers("strides", 2, 3)
	with := map[string]array{"w": w}
	padded := func(top, left, bottom, right int, extra ...int) array {
		h := g
		h.pad = [4]int{top, left, bottom, right}
		copy(h.extra[:], extra)
		return deconvolved(x, w, h)
	}
	// Without padding the output is 7 × 13.
	holdReads(t, []readCase{
		{"output_padding", 11, x, with, nil, between("ConvTranspose", in("x", "w"), strides, numbers("output_padding", 1, 2)), padded(0, 0, 0, 0, 1, 2)},
		{"output_shape", 11, x, with, nil, between("ConvTranspose", in("x", "w"), strides, numbers("output_shape", 4, 11)), padded(2, 1, 1, 1)},
		{"output_shape, SAME_UPPER", 11, x, with, nil, between("ConvTranspose", in("x", "w"), strides, numbers("output_shape", 4, 11), attributeText("auto_pad", "SAME_UPPER")), padded(1, 1, 2, 1)},
		{"larger output_shape", 11, x, with, nil, between("ConvTranspose", in("x", "w"), strides, numbers("output_shape", 8, 15)), padded(0, 0, 0, 0, 1, 2)},
		{"SAME_UPPER", 11, x, with, nil, between("ConvTranspose", in("x", "w"), strides, attributeText("auto_pad", "SAME_UPPER")), padded(0, 0, 1, 1)},
		{"SAME_LOWER", 11, x, with, nil, between("ConvTranspose", in("x", "w"), strides, attributeText("auto_pad", "SAME_LOWER")), padded(1, 1, 0, 0)},
		{"VALID", 11, x, with, nil, between("ConvTranspose", in("x", "w"), strides, attributeText("auto_pad", "VALID")), padded(0, 0, 0, 0)},
	})
}

func pooledBy(x array, g geometry, ceil, counted bool, f func([]float64) float64) array {
	return pooledVolume(x.deep(), g.volume(), ceil, counted, f).flat()
}

func TestReadPools(t *testing.T) {
	one := [2]int{1, 1}
	mean, most := reductions["Mean"], reductions["Max"]
	var cases []readCase
	for i, g := range []geometry{
		{[2]int{2, 3}, [2]int{2, 1}, one, [4]int{}, [2]int{}, 1}, {[2]int{3, 3}, [2]int{2, 2}, one, [4]int{1, 1, 1, 1}, [2]int{}, 1},
		{[2]int{3, 2}, [2]int{3, 2}, one, [4]int{1, 0, 2, 1}, [2]int{}, 1}, {[2]int{2, 2}, [2]int{1, 2}, [2]int{3, 2}, [4]int{1, 0, 0, 1}, [2]int{}, 1},
		{[2]int{1, 3}, [2]int{1, 2}, one, [4]int{0, 1, 0, 1}, [2]int{}, 1}, {[2]int{1, 2}, [2]int{1, 3}, [2]int{1, 2}, [4]int{0, 1, 0, 0}, [2]int{}, 1},
		{[2]int{1, 1}, [2]int{1, 4}, one, [4]int{}, [2]int{}, 1}, {[2]int{2, 2}, [2]int{3, 3}, one, [4]int{}, [2]int{}, 1},
	} {
		for _, images := range []int{1, 3} {
			row := g.kernel[0] == 1
			height := 8
			if row {
				height = 1
			}
			x := random(uint64(i), images, 2, height, 9)
			as, cx := func(a array) array { return a }, x
			if row {
				as, cx = array.row, x.row()
			}
			for ceil := range 2 {
				settings := append(g.settings(row), number("ceil_mode", int64(ceil)))
				name := fmt.Sprint(images, g, ceil)
				cases = append(cases,
					readCase{"MaxPool" + name, 12, cx, nil, nil, apply("MaxPool", settings...), as(pooledBy(x, g, ceil == 1, false, most))},
					readCase{"AveragePool" + name, 19, cx, nil, nil, apply("AveragePool", settings...), as(pooledBy(x, g, ceil == 1, false, mean))})
				if ceil == 0 {
					cases = append(cases, readCase{"AveragePool of padding too" + name, 19, cx, nil, nil,
						apply("AveragePool", append(settings, number("count_include_pad", 1))...), as(pooledBy(x, g, false, true, mean))})
				}
			}
		}
	}
	// Paddings that follow from the sizes: 5 entries at stride 2 give 3, of 6.
	x := random(99, 1, 2, 5, 5)
	g := geometry{[2]int{2, 2}, [2]int{2, 2}, one, [4]int{}, [2]int{}, 1}
	upper, lower := g, g
	upper.pad, lower.pad = [4]int{0, 0, 1, 1}, [4]int{1, 1, 0, 0}
	kernel := [][]byte{numbers("kernel_shape", 2, 2), numbers("strides", 2, 2)}
	for op, f := range map[string]func([]float64) float64{"MaxPool": most, "AveragePool": mean} {
		cases = append(cases,
			readCase{op + " SAME_UPPER", 11, x, nil, nil, apply(op, append(kernel, attributeText("auto_pad", "SAME_UPPER"))...), pooledBy(x, upper, false, false, f)},
			readCase{op + " SAME_LOWER", 11, x, nil, nil, apply(op, append(kernel, attributeText("auto_pad", "SAME_LOWER"))...), pooledBy(x, lower, false, false, f)},
			readCase{op + " VALID", 11, x, nil, nil, apply(op, append(kernel, attributeText("auto_pad", "VALID"))...), pooledBy(x, g, false, false, f)})
	}
	for i, s := range [][]int{{1, 2, 3, 4}, {3, 2, 5}, {2, 2, 2, 2, 3}, {1, 4, 7}} {
		x := random(uint64(i), s...)
		var axes []int
		for d := 2; d < len(s); d++ {
			axes = append(axes, d)
		}
		shape, entries := x.over(axes...)
		cases = append(cases,
			readCase{fmt.Sprint("GlobalAveragePool", s), 7, x, nil, nil, apply("GlobalAveragePool"), fill(shape, func(at []int) float64 { return mean(entries(at)) })},
			readCase{fmt.Sprint("GlobalMaxPool", s), 7, x, nil, nil, apply("GlobalMaxPool"), fill(shape, func(at []int) float64 { return most(entries(at)) })})
	}
	holdReads(t, cases)
	for _, f := range []*modelFile{
		newFile(1, 5, 5).node("AveragePool", "y", in("x"), numbers("kernel_shape", 2, 2), numbers("strides", 2, 2), number("ceil_mode", 1), number("count_include_pad", 1)),
		newFile(1, 5, 5).node("MaxPool", "y", in("x"), numbers("kernel_shape", 1, 1), numbers("pads", 1, 1, 1, 1)),
		newFile(1, 5, 5, 5, 5).node("MaxPool", "y", in("x"), numbers("kernel_shape", 1, 1, 1, 1)),
	} {
		_, err := f.decode()
		unsupportedParts(t, err)
	}
}

// Blocks of channels and pixels: the definitions of ONNX by indices.
func TestReadDepthAndSpace(t *testing.T) {
	var cases []readCase
	for _, images := range []int{1, 3} {
		x := random(1, images, 8, 2, 3)
		out := []int{images, 2, 4, 6}
		dcr := fill(out, func(at []int) float64 {
			return x.at(at[0], (at[2]%2*2+at[3]%2)*2+at[1], at[2]/2, at[3]/2)
		})
		crd := fill(out, func(at []int) float64 { return x.at(at[0], at[1]*4+at[2]%2*2+at[3]%2, at[2]/2, at[3]/2) })
		block := number("blocksize", 2)
		cases = append(cases,
			readCase{"DepthToSpace", 13, x, nil, nil, apply("DepthToSpace", block), dcr},
			readCase{"DepthToSpace CRD", 13, x, nil, nil, apply("DepthToSpace", block, attributeText("mode", "CRD")), crd},
			readCase{"SpaceToDepth", 13, dcr, nil, nil, apply("SpaceToDepth", block), x})
	}
	holdReads(t, cases)
}

// resizedTo interpolates linearly, or takes the nearest, at the places along the
// last dimension.
func resizedTo(x array, places []float64, pick func(float64) float64) array {
	n := x.shape[len(x.shape)-1]
	shape := slices.Clone(x.shape)
	shape[len(shape)-1] = len(places)
	return fill(shape, func(at []int) float64 {
		p := places[at[len(at)-1]]
		entry := func(k float64) float64 {
			from := slices.Clone(at)
			from[len(at)-1] = int(math.Max(0, math.Min(float64(n-1), k)))
			return x.at(from...)
		}
		if pick != nil {
			return entry(pick(p))
		}
		below := math.Floor(p)
		return (1-p+below)*entry(below) + (p-below)*entry(below+1)
	})
}

// spread places out entries by a rule.
func spread(out int, f func(o float64) float64) []float64 {
	p := make([]float64, out)
	for o := range p {
		p[o] = f(float64(o))
	}
	return p
}

func TestReadResize(t *testing.T) {
	var cases []readCase
	linear, nearest := attributeText("mode", "linear"), attributeText("mode", "nearest")
	how := func(s string) []byte { return attributeText("coordinate_transformation_mode", s) }
	round := func(s string) []byte { return attributeText("nearest_mode", s) }
	preferFloor := func(p float64) float64 { return math.Ceil(p - .5) }
	preferCeil := func(p float64) float64 { return math.Floor(p + .5) }
	for i, s := range [][]int{{1, 2, 6}, {2, 3, 6}} {
		x := random(uint64(i), s...)
		scaled := func(scale ...float64) map[string]array { return map[string]array{"s": {[]int{len(scale)}, scale}} }
		add := func(name string, opset int64, with map[string]array, ints map[string][]int64, node func(*modelFile), want array) {
			cases = append(cases, readCase{fmt.Sprint(name, s), opset, x, with, ints, node, want})
		}
		double := func(o float64) float64 { return (o+.5)/2 - .5 }
		add("Upsample-7", 7, nil, nil, apply("Upsample", floatList("scales", 1, 1, 2)), resizedTo(x, spread(12, func(o float64) float64 { return o / 2 }), math.Floor))
		add("Upsample-9 linear", 9, scaled(1, 1, 1.5), nil, between("Upsample", in("x", "s"), linear), resizedTo(x, spread(9, func(o float64) float64 { return o / 1.5 }), nil))
		add("Resize-10", 10, scaled(1, 1, 2), nil, between("Resize", in("x", "s")), resizedTo(x, spread(12, func(o float64) float64 { return o / 2 }), math.Floor))
		add("Resize-10 linear, smaller", 10, scaled(1, 1, .5), nil, between("Resize", in("x", "s"), linear), resizedTo(x, spread(3, func(o float64) float64 { return o * 2 }), nil))
		add("Resize-11", 11, scaled(1, 1, 2), nil, between("Resize", in("x", "", "s")), resizedTo(x, spread(12, double), preferFloor))
		add("Resize-13 linear", 13, scaled(1, 1, 2), nil, between("Resize", in("x", "", "s"), linear), resizedTo(x, spread(12, double), nil))
		// 2.6666667 is meant to be 8/3, of which 6 are 16.
		thirds := func(o float64) float64 { return o * 3 / 8 }
		add("Resize of thirds", 13, scaled(1, 1, 8./3), nil, between("Resize", in("x", "", "s"), nearest, how("asymmetric"), round("floor")), resizedTo(x, spread(16, thirds), func(p float64) float64 { return math.Floor(p + 1e-9) }))
		add("Resize by .6", 13, scaled(1, 1, .6), nil, between("Resize", in("x", "", "s"), linear), resizedTo(x, spread(3, func(o float64) float64 { return (o+.5)/.6 - .5 }), nil))
		add("Resize by .6, symmetric", 19, scaled(1, 1, .6), nil, between("Resize", in("x", "", "s"), linear, how("half_pixel_symmetric")),
			resizedTo(x, spread(3, func(o float64) float64 { return 3*(1-3/3.6) + (o+.5)/.6 - .5 }), nil))
		sizes := map[string][]int64{"n": {int64(s[0]), int64(s[1]), 9}}
		add("Resize to 9", 13, nil, sizes, between("Resize", in("x", "", "", "n"), linear, how("align_corners")), resizedTo(x, spread(9, func(o float64) float64 { return o * 5 / 8 }), nil))
		add("Resize to 9, nearest", 13, nil, sizes, between("Resize", in("x", "", "", "n"), how("pytorch_half_pixel"), round("round_prefer_ceil")),
			resizedTo(x, spread(9, func(o float64) float64 { return (o+.5)*6/9 - .5 }), preferCeil))
		add("Resize of an axis", 18, scaled(2), nil, between("Resize", in("x", "", "s"), numbers("axes", -1), round("ceil"), how("asymmetric")), resizedTo(x, spread(12, func(o float64) float64 { return o / 2 }), math.Ceil))
		add("Resize not larger", 18, nil, map[string][]int64{"n": {9}}, between("Resize", in("x", "", "", "n"), linear, numbers("axes", 2), attributeText("keep_aspect_ratio_policy", "not_larger")),
			resizedTo(x, spread(9, func(o float64) float64 { return (o+.5)*6/9 - .5 }), nil))
		// Shrinking by half, a triangle of four entries' half width weighs them.
		add("Resize antialias", 18, scaled(1, 1, .5), nil, between("Resize", in("x", "", "s"), linear, number("antialias", 1)), fill([]int{s[0], s[1], 3}, func(at []int) float64 {
			centre, sum, all := 2*float64(at[2])+.5, 0., 0.
			for k := -3; k < 9; k++ {
				w := math.Max(0, 1-math.Abs(float64(k)-centre)/2)
				sum += w * x.at(at[0], at[1], min(max(k, 0), 5))
				all += w
			}
			return sum / all
		}))
	}
	// Both sides by the same scale: 4 × 6 within 9 × 9 is 6 × 9, over it 9 × 14 by 9/4.
	x := random(9, 1, 1, 4, 6)
	turn := func(a array) array { return a.transposed(0, 1, 3, 2) }
	both := func(places, rows []float64) array { return turn(resizedTo(turn(resizedTo(x, places, nil)), rows, nil)) }
	for policy, want := range map[string]array{
		"not_larger":  both(spread(9, func(o float64) float64 { return (o+.5)/1.5 - .5 }), spread(6, func(o float64) float64 { return (o+.5)/1.5 - .5 })),
		"not_smaller": both(spread(14, func(o float64) float64 { return (o+.5)/2.25 - .5 }), spread(9, func(o float64) float64 { return (o+.5)/2.25 - .5 })),
	} {
		cases = append(cases, readCase{policy, 18, x, nil, map[string][]int64{"n": {9, 9}},
			between("Resize", in("x", "", "", "n"), linear, numbers("axes", 2, 3), attributeText("keep_aspect_ratio_policy", policy)), want})
	}
	front := random(10, 2, 3)
	cases = append(cases, readCase{"Resize in front", 13, front, map[string]array{"s": {[]int{2}, []float64{2, 1}}}, nil, between("Resize", in("x", "", "s")),
		fill([]int{4, 3}, func(at []int) float64 { return front.at(at[0]/2, at[1]) })})
	holdReads(t, cases)
	_, err := newFile(1, 5).floats("s", []int{3}, 1, 1, .7).node("Resize", "y", in("x", "", "s"), linear, how("align_corners")).decode()
	unsupportedParts(t, err)
}
