package dataset

import (
	"image"
	"image/color"
	"image/draw"
	"math"
)

// raster is a picture of bytes, its channels (3: red, green, blue; 1: grey) side
// by side: [height, width, channels].
type raster struct {
	width, height, channels int
	pix                     []uint8
	plain                   *image.RGBA // that draw converts in; nil before
}

// row returns the bytes of one row.
func (m *raster) row(y int) []uint8 {
	n := m.width * m.channels
	return m.pix[y*n:][:n]
}

// reset makes it a picture of another size, whose bytes are open.
func (m *raster) reset(width, height, channels int) {
	n := width * height * channels
	if cap(m.pix) < n {
		m.pix = make([]uint8, n)
	}
	m.width, m.height, m.channels, m.pix = width, height, channels, m.pix[:n]
}

// draw takes over a decoded picture in three channels, as Pillow's convert("RGB")
// does: alpha is dropped, not shown on a colour, and of 16 bits the upper 8 are
// kept. A JPEG's luma and chroma are converted as the standard library does.
func (m *raster) draw(img image.Image) {
	b := img.Bounds()
	m.reset(b.Dx(), b.Dy(), 3)
	switch img := img.(type) {
	case *image.NRGBA:
		m.drawBytes(img.Pix[img.PixOffset(b.Min.X, b.Min.Y):], img.Stride)
	case *image.RGBA: // of a PNG without alpha
		m.drawBytes(img.Pix[img.PixOffset(b.Min.X, b.Min.Y):], img.Stride)
	case *image.YCbCr, *image.Gray:
		if m.plain == nil || m.plain.Rect.Dx() != b.Dx() || m.plain.Rect.Dy() != b.Dy() {
			m.plain = image.NewRGBA(image.Rect(0, 0, b.Dx(), b.Dy()))
		}
		draw.Draw(m.plain, m.plain.Rect, img, b.Min, draw.Src)
		m.drawBytes(m.plain.Pix, m.plain.Stride)
	default:
		for y := range m.height {
			to := m.row(y)
			for x := range m.width {
				c := opaque(img.At(b.Min.X+x, b.Min.Y+y))
				copy(to[3*x:], c[:])
			}
		}
	}
}

// drawBytes takes the first three of every four bytes.
func (m *raster) drawBytes(pix []uint8, stride int) {
	for y := range m.height {
		to, from := m.row(y), pix[y*stride:]
		for x := range m.width {
			copy(to[3*x:3*x+3], from[4*x:4*x+3])
		}
	}
}

// opaque returns a colour's red, green and blue without its alpha.
func opaque(c color.Color) [3]uint8 {
	switch c := c.(type) {
	case color.NRGBA:
		return [3]uint8{c.R, c.G, c.B}
	case color.NRGBA64:
		return [3]uint8{uint8(c.R >> 8), uint8(c.G >> 8), uint8(c.B >> 8)}
	}
	r, g, b, _ := c.RGBA()
	return [3]uint8{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8)}
}

// grey makes it one channel of luma, (19595 R + 38470 G + 7471 B)/2¹⁶ rounded, as
// Pillow's convert("L") does (ITU-R 601-2).
func (m *raster) grey() {
	if m.channels == 1 {
		return
	}
	for i := range m.width * m.height {
		r, g, b := uint32(m.pix[3*i]), uint32(m.pix[3*i+1]), uint32(m.pix[3*i+2])
		m.pix[i] = uint8((19595*r + 38470*g + 7471*b + 1<<15) >> 16)
	}
	m.channels, m.pix = 1, m.pix[:m.width*m.height]
}

// crop writes the centre of a picture to dst, with zeros around where it is
// smaller, as torchvision's center_crop does: of an odd number of pixels to pad
// the last side gets one more, and halves of those to cut round to even.
func crop(dst, src *raster, width, height int) {
	dst.reset(width, height, src.channels)
	clear(dst.pix)
	left, fromX, w := cropAxis(src.width, width)
	top, fromY, h := cropAxis(src.height, height)
	c := src.channels
	for y := range h {
		copy(dst.row(top + y)[left*c:][:w*c], src.row(fromY + y)[fromX*c:])
	}
}

// cropAxis returns where n pixels go in m, the first that is taken, and how many.
func cropAxis(n, m int) (to, from, count int) {
	if m > n {
		return (m - n) / 2, 0, n
	}
	return 0, int(math.RoundToEven(float64(n-m) / 2)), m
}
