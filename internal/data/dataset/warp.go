package dataset

import "slices"

// one is 1 in the fixed point of this file, 16 fractional bits.
const one = 1 << 16

// Ranges of the distortions, in fixed point.
const (
	maxHalfTurn  = one * 87 / 1000 // tangent of half the rotation: 10 degrees
	maxShear     = one * 8 / 100
	maxScale     = one * 6 / 100 // of both axes together
	maxAspect    = one * 3 / 100 // of each axis on its own
	maxShift     = one * 8 / 100 // of the side
	maxElastic   = one * 12 / 100
	maxBlur      = 64 // of 256, the weight of each neighbour
	maxNoise     = 12 // standard deviation in grey levels
	elasticCells = 4  // of the side; displacements are cubic B-splines over them
	controls     = elasticCells + 3
	fullInk      = 4080 // full coverage
)

// warp draws distorted digits.
type warp struct {
	digits  *masters
	weights [glyphSide][4]int // of the four B-splines over pixel column or row j
	cell    [glyphSide]int    // of column or row j
	dx, dy  [controls][controls]int
	ink     [glyphPixels]uint32 // coverage, 0 … fullInk
	spare   [glyphPixels]uint32
}

func newWarp() *warp {
	w := &warp{digits: drawMasters()}
	for j := range glyphSide {
		at := (2*j + 1) * elasticCells * one / (2 * glyphSide) // of the pixel's middle, in cells
		w.cell[j], w.weights[j] = at/one, bspline(at%one)
	}
	return w
}

// bspline returns the uniform cubic B-spline's four weights at t, which sum to
// one up to rounding: (1−t)³/6, (3t³−6t²+4)/6, (−3t³+3t²+3t+1)/6, t³/6.
func bspline(t int) [4]int {
	t2 := t * t / one
	t3 := t2 * t / one
	u := one - t
	return [4]int{
		u * u / one * u / one / 6,
		(3*t3 - 6*t2 + 4*one) / 6,
		(-3*t3 + 3*t2 + 3*t + one) / 6,
		t3 / 6,
	}
}

// picture draws digit in family, distorted as d says: light ink on dark paper, as MNIST has them.
func (w *warp) picture(dst []uint8, digit, family int, d draws) {
	a, shift := w.affine(d)
	w.elastic(d)
	w.sample(&w.digits[family][digit], a, shift)
	w.blur(d.below(maxBlur + 1))
	paper, ink := d.below(48), 160+d.below(96)
	w.paint(dst, paper, ink, d.below(maxNoise+1), d)
}

// affine draws the map from pixels of the picture to those of a master,
// relative to the middle of each: rotation · shear · scale, and a shift of the
// picture. cos = (1−t²)/(1+t²) and sin = 2t/(1+t²), t the half angle's tangent.
func (w *warp) affine(d draws) (a [4]int, shift [2]int) {
	t := d.within(maxHalfTurn)
	cos := (one*one - t*t) * one / (one*one + t*t)
	sin := 2 * t * one * one / (one*one + t*t)
	shear := d.within(maxShear)
	both := one + d.within(maxScale)
	x := oversample * both * (one + d.within(maxAspect)) / one
	y := oversample * both * (one + d.within(maxAspect)) / one
	a = [4]int{
		cos * x / one, (cos*shear/one - sin) * y / one,
		sin * x / one, (sin*shear/one + cos) * y / one,
	}
	for k := range shift {
		shift[k] = glyphSide * d.within(maxShift)
	}
	return a, shift
}

// elastic draws the displacements of the control points, in master pixels; each
// is the mean of two uniform draws.
func (w *warp) elastic(d draws) {
	const reach = oversample * maxElastic / 2
	for i := range controls {
		for j := range controls {
			w.dx[i][j] = glyphSide * (d.within(reach) + d.within(reach))
			w.dy[i][j] = glyphSide * (d.within(reach) + d.within(reach))
		}
	}
}

// sample fills w.ink from the master, nine samples to a pixel.
func (w *warp) sample(m *master, a [4]int, shift [2]int) {
	const side = masterSide
	var ux, uy [9]int // from a pixel's middle to its samples
	for k := range ux {
		x, y := (k%3-1)*one/3, (k/3-1)*one/3
		ux[k], uy[k] = (a[0]*x+a[1]*y)/one, (a[2]*x+a[3]*y)/one
	}
	across := reach(m.inked.Min.X, m.inked.Max.X, ux, &w.dx)
	down := reach(m.inked.Min.Y, m.inked.Max.Y, uy, &w.dy)
	clear(w.ink[:])
	for i := range glyphSide {
		combined := false
		var rowX, rowY [controls]int
		x, y := (1-glyphSide)*one/2-shift[0], (2*i+1-glyphSide)*one/2-shift[1]
		right, below := a[0]*x+a[1]*y, a[2]*x+a[3]*y
		for j := range glyphSide {
			u, v := side*one/2+right/one, side*one/2+below/one
			right, below = right+a[0]*one, below+a[2]*one // one pixel on
			if !across.may(u) || !down.may(v) {
				continue
			}
			if !combined {
				rowX, rowY = combine(&w.dx, w.cell[i], &w.weights[i]), combine(&w.dy, w.cell[i], &w.weights[i])
				combined = true
			}
			u += along(&rowX, w.cell[j], &w.weights[j])
			v += along(&rowY, w.cell[j], &w.weights[j])
			if !across.does(u) || !down.does(v) {
				continue
			}
			var sum uint32 // of samples that lie inside the master: its ink is more than a pixel from the edge
			for k := range ux {
				sum += uint32(m.coverage[(v+uy[k])>>16*side+(u+ux[k])>>16])
			}
			w.ink[i*glyphSide+j] = sum * fullInk / (9 * 255)
		}
	}
}

// An inkRange says which middles of pixels, in the master's columns or rows, have samples among those
// with ink. Most pixels have none.
type inkRange struct{ low, high, sway int }

// reach returns the inkRange of the ink from low to below high, for samples at these distances from
// a pixel's middle, which the elastic map moves by d.
func reach(low, high int, samples [9]int, d *[controls][controls]int) inkRange {
	s := inkRange{low: low<<16 - slices.Max(samples[:]), high: high<<16 - slices.Min(samples[:])}
	for _, row := range d {
		s.sway = max(s.sway, slices.Max(row[:]), -slices.Min(row[:]))
	}
	return s
}

// does reports whether some sample of the pixel lies among the ink's columns or rows.
func (s inkRange) does(u int) bool { return s.low <= u && u < s.high }

// may reports whether it could after the elastic map, whose weights sum to one at most.
func (s inkRange) may(u int) bool { return s.low-s.sway <= u && u < s.high+s.sway }

// combine weighs four rows of control points.
func combine(d *[controls][controls]int, cell int, weights *[4]int) (row [controls]int) {
	for k, weight := range weights {
		for j, v := range d[cell+k] {
			row[j] += weight * v
		}
	}
	for j := range row {
		row[j] /= one
	}
	return row
}

// along weighs four columns of a combined row.
func along(row *[controls]int, cell int, weights *[4]int) int {
	r := (*[4]int)(row[cell:])
	return (weights[0]*r[0] + weights[1]*r[1] + weights[2]*r[2] + weights[3]*r[3]) / one
}

// blur applies the kernel (b, 256−2b, b)/256 across and down; outside is paper.
func (w *warp) blur(b int) {
	blurLines(&w.spare, &w.ink, uint32(b)) // transposes, so twice is across and down
	blurLines(&w.ink, &w.spare, uint32(b))
}

func blurLines(dst, src *[glyphPixels]uint32, b uint32) {
	const n = glyphSide
	for i := range n {
		row := src[i*n:][:n]
		var before uint32
		at := i
		for j, v := range row {
			var after uint32
			if j+1 < n {
				after = row[j+1]
			}
			dst[at] = (v*(256-2*b) + b*(before+after)) / 256
			before = v
			at += n
		}
	}
}

// paint writes the picture: paper and ink mixed by coverage, and noise, which is
// near normal: the sum of four random bytes, of standard deviation 148.
func (w *warp) paint(dst []uint8, paper, ink, noise int, d draws) {
	var random uint64
	for i := range dst {
		if i%2 == 0 {
			random = d.Uint64()
		}
		v := paper + (fourBytes(uint32(random))-510)*noise/148
		if full := int(w.ink[i]); full > 0 {
			v += (ink - paper) * full / fullInk
		}
		random >>= 32
		dst[i] = uint8(min(max(v, 0), 255))
	}
}

// fourBytes returns the sum of the bytes.
func fourBytes(r uint32) int {
	pairs := r&0xff00ff + r>>8&0xff00ff
	return int(pairs&0xffff + pairs>>16)
}
