package dataset

import "image"

// drawYCbCr converts a JPEG's light and colour. Where the colour has half as many
// samples, those between are interpolated as libjpeg does ("fancy upsampling", by
// 3/4 and 1/4), so that the pictures are those that Pillow decodes, within what
// decoders round differently.
func (m *raster) drawYCbCr(img *image.YCbCr) {
	b := img.Rect
	half, doubled := 0, 0 // whether the colour has half the columns, half the rows
	switch img.SubsampleRatio {
	case image.YCbCrSubsampleRatio444:
	case image.YCbCrSubsampleRatio422:
		half = 1
	case image.YCbCrSubsampleRatio420:
		half, doubled = 1, 1
	default:
		m.drawAny(img)
		return
	}
	u := chroma{width: (m.width + half) >> half, height: (m.height + doubled) >> doubled, stride: img.CStride}
	if b.Min.X != 0 || b.Min.Y != 0 || u.width < 3 { // so small libjpeg repeats them too
		m.drawAny(img)
		return
	}
	cb, cr := make([]int32, m.width+1), make([]int32, m.width+1)
	for y := range m.height {
		switch {
		case doubled == 1:
			u.between(cb, img.Cb, y)
			u.between(cr, img.Cr, y)
		case half == 1:
			u.along(cb, img.Cb, y)
			u.along(cr, img.Cr, y)
		default:
			u.same(cb, img.Cb, y)
			u.same(cr, img.Cr, y)
		}
		m.convert(y, img.Y[y*img.YStride:], cb, cr)
	}
}

// chroma is the size of a plane of colour.
type chroma struct{ width, height, stride int }

func (u chroma) row(plane []uint8, y int) []uint8 {
	return plane[min(max(y, 0), u.height-1)*u.stride:][:u.width]
}

func (u chroma) same(dst []int32, plane []uint8, y int) {
	for x, v := range u.row(plane, y) {
		dst[x] = int32(v)
	}
}

// along doubles the columns: (3·near + far + 1 or 2)/4, the ends as they are.
func (u chroma) along(dst []int32, plane []uint8, y int) {
	row := u.row(plane, y)
	last := len(row) - 1
	for x, v := range row {
		near := 3 * int32(v)
		a, b := (near+int32(row[max(x-1, 0)])+1)>>2, (near+int32(row[min(x+1, last)])+2)>>2
		put(dst, 2*x, a, b)
	}
}

// between doubles columns and rows: first the sum 3·near + far of two rows, then
// (3·near + far + 8 or 7)/16 of these along the row.
func (u chroma) between(dst []int32, plane []uint8, y int) {
	near, far := u.row(plane, y/2), u.row(plane, y/2-1+y%2*2)
	last := len(near) - 1
	sum := func(x int) int32 { return 3*int32(near[x]) + int32(far[x]) }
	before, this := sum(0), sum(0)
	for x := range near {
		after := sum(min(x+1, last))
		put(dst, 2*x, (3*this+before+8)>>4, (3*this+after+7)>>4)
		before, this = this, after
	}
}

// put writes two values, the second where there is room.
func put(dst []int32, at int, a, b int32) {
	dst[at] = a
	if at+1 < len(dst) {
		dst[at+1] = b
	}
}

// convert takes one row to red, green and blue, rounded as libjpeg does: R = Y +
// 1.402 Cr, G = Y − .344136 Cb − .714136 Cr, B = Y + 1.772 Cb in 16 bits behind
// the point (JFIF 1.02).
func (m *raster) convert(y int, light []uint8, cb, cr []int32) {
	const half = 1 << 15
	to := m.row(y)
	for x := range m.width {
		l, u, v := int32(light[x]), cb[x]-128, cr[x]-128
		to[3*x] = clipByte(l + (91881*v+half)>>16)
		to[3*x+1] = clipByte(l + (-22554*u-46802*v+half)>>16)
		to[3*x+2] = clipByte(l + (116130*u+half)>>16)
	}
}

func clipByte(v int32) uint8 { return uint8(min(max(v, 0), 255)) }
