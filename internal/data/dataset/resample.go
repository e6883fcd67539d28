package dataset

import (
	"math"
	"slices"

	"tattle/internal/engine/nn"
)

// This file resizes pictures of bytes as Pillow's Image.resize does, to the same
// bytes. Each axis is a table of weights; the picture is resampled along the rows,
// rounded to bytes, and then along the columns. The kernel is widened by the factor
// that a picture shrinks by, which is what antialiasing is.

// weightBits is the number of bits behind the point of a weight: 8 are of the
// pixel, and 2 for sums that overshoot, of 32.
const weightBits = 32 - 8 - 2

// resampler is a kernel: its value at a distance in pixels, 0 from support on. The zero value is the nearest pixel.
type resampler struct {
	support float64
	value   func(x float64) float64
}

var resamplers = map[string]resampler{
	"":             {1, triangleKernel},
	FilterNearest:  {},
	FilterBox:      {.5, boxKernel},
	FilterBilinear: {1, triangleKernel},
	FilterBicubic:  {2, cubicKernel},
	FilterLanczos:  {3, lanczosKernel},
}

func boxKernel(x float64) float64 {
	if x > -.5 && x <= .5 {
		return 1
	}
	return 0
}

func triangleKernel(x float64) float64 { return max(0, 1-math.Abs(x)) }

// cubicKernel is Keys's cubic convolution with a = −1/2, which reproduces
// parabolas (Cubic convolution interpolation for digital image processing, 1981).
func cubicKernel(x float64) float64 {
	const a = -.5
	x = math.Abs(x)
	switch {
	case x < 1:
		return float64(float64(float64(float64((a+2)*x)-(a+3))*x)*x) + 1
	case x < 2:
		return float64((float64((float64((x-5)*x)+8)*x) - 4) * a)
	}
	return 0
}

// lanczosKernel is sinc(x)·sinc(x/3), in −3 ≤ x < 3.
func lanczosKernel(x float64) float64 {
	if x < -3 || x >= 3 {
		return 0
	}
	return sinc(x) * sinc(x/3)
}

func sinc(x float64) float64 {
	if x == 0 {
		return 1
	}
	x *= math.Pi
	return math.Sin(x) / x
}

// taps are the weights of one axis: pixel i of the result is the sum of source
// pixels first[i], first[i]+1, …, weighted by weight[at[i]:at[i+1]].
type taps struct {
	first  []int
	at     []int
	weight []int32 // times 1 << weightBits
}

// newTaps makes the weights that take n pixels to m: those of the kernel around
// each centre, cut off at the edges and scaled to a sum of 1.
func newTaps(n, m int, r resampler) taps {
	if r.value == nil {
		return nearest(n, m)
	}
	scale := float64(n) / float64(m)
	wide := max(scale, 1)
	support := r.support * wide
	t := taps{first: make([]int, m), at: make([]int, m+1)}
	w := make([]float64, 0, 2*int(math.Ceil(support))+1)
	for i := range m {
		center := (float64(i) + .5) * scale
		lo := max(0, int(center-support+.5))
		hi := min(n, int(center+support+.5))
		w = w[:0]
		sum := 0.
		for j := lo; j < hi; j++ {
			v := r.value((float64(j) - center + .5) * (1 / wide))
			w = append(w, v)
			sum += v
		}
		t.first[i] = lo
		t.weight = appendFixed(t.weight, w, sum)
		t.at[i+1] = len(t.weight)
	}
	return t
}

// appendFixed appends weights divided by their sum, rounded half away from zero.
func appendFixed(dst []int32, w []float64, sum float64) []int32 {
	for _, v := range w {
		if sum != 0 {
			v /= sum
		}
		dst = append(dst, int32(math.Trunc(v*(1<<weightBits)+math.Copysign(.5, v))))
	}
	return dst
}

// clip8 rounds a sum of weighted bytes, to which a half was added, to a byte.
func clip8(v int32) uint8 { return uint8(min(max(v>>weightBits, 0), 255)) }

// resizer resizes pictures one after another and keeps the weights while their
// sizes stay.
type resizer struct {
	resampler
	across, down     taps
	fromW, fromH     int
	toW, toH         int
	middle, finished raster
}

// resize returns the picture in another size: itself where it has that one. The
// result is good until the next call.
func (z *resizer) resize(m *raster, width, height int) *raster {
	if m.width == width && m.height == height {
		return m
	}
	if z.fromW != m.width || z.toW != width {
		z.fromW, z.toW, z.across = m.width, width, newTaps(m.width, width, z.resampler)
	}
	if z.fromH != m.height || z.toH != height {
		z.fromH, z.toH, z.down = m.height, height, newTaps(m.height, height, z.resampler)
	}
	if m.width != width {
		z.middle.reset(width, m.height, m.channels)
		z.across.rows(&z.middle, m)
		m = &z.middle
	}
	if m.height != height {
		z.finished.reset(width, height, m.channels)
		z.down.columns(&z.finished, m)
		m = &z.finished
	}
	return m
}

// rows resamples along each row.
func (t *taps) rows(dst, src *raster) {
	for y := range src.height {
		to, from := dst.row(y), src.row(y)
		if src.channels == 3 {
			t.colours(to, from)
		} else {
			t.greys(to, from)
		}
	}
}

// colours resamples one row of three channels.
func (t *taps) colours(to, from []uint8) {
	for i, first := range t.first {
		w := t.weight[t.at[i]:t.at[i+1]]
		in := from[3*first:][:3*len(w)]
		r, g, b := int32(1)<<(weightBits-1), int32(1)<<(weightBits-1), int32(1)<<(weightBits-1)
		for _, v := range w {
			r, g, b = r+v*int32(in[0]), g+v*int32(in[1]), b+v*int32(in[2])
			in = in[3:]
		}
		to[3*i], to[3*i+1], to[3*i+2] = clip8(r), clip8(g), clip8(b)
	}
}

// greys resamples one row of one channel.
func (t *taps) greys(to, from []uint8) {
	for i, first := range t.first {
		w := t.weight[t.at[i]:t.at[i+1]]
		sum := int32(1) << (weightBits - 1)
		for k, v := range from[first:][:len(w)] {
			sum += w[k] * int32(v)
		}
		to[i] = clip8(sum)
	}
}

// columns resamples along the columns, a row of the result at a time.
func (t *taps) columns(dst, src *raster) {
	sums := make([]int32, src.width*src.channels)
	for y, first := range t.first {
		for i := range sums {
			sums[i] = 1 << (weightBits - 1)
		}
		for k, w := range t.weight[t.at[y]:t.at[y+1]] {
			for i, v := range src.row(first + k)[:len(sums)] {
				sums[i] += w * int32(v)
			}
		}
		to := dst.row(y)
		for i, v := range sums {
			to[i] = clip8(v)
		}
	}
}

// nearest gives all weight to the pixel that each centre falls in. Positions are added up as
// Pillow does, whose rounding shows in large pictures.
func nearest(n, m int) taps {
	t := taps{weight: slices.Repeat([]int32{1 << weightBits}, m), at: nn.Indices(m + 1)}
	step := float64(n) / float64(m)
	at := step * .5
	for range m {
		t.first = append(t.first, min(int(at), n-1))
		at += step
	}
	return t
}
