package dataset

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"math"
)

// shaping makes of pictures what a [Preprocess] says, one after another, as bytes
// in the model's layout: values are taken to its units by the [Set].
type shaping struct {
	p        Preprocess
	size     image.Point // of the result
	channels int         // of the result

	source, cut raster
	zoom        resizer
}

// newShaping returns one for pictures that become as large as one of the given
// size and channels does.
func (p Preprocess) newShaping(size image.Point, channels int) *shaping {
	return &shaping{p: p, size: p.sizeOf(size), channels: p.channelsOf(channels), zoom: resizer{resampler: resamplers[p.Filter]}}
}

// another returns one for another core. z must not have been used.
func (z *shaping) another() *shaping { return new(*z) }

// bytes returns how many bytes the result has.
func (z *shaping) bytes() int { return z.size.X * z.size.Y * z.channels }

// shapeOf returns the shape of the result.
func (z *shaping) shapeOf() []int {
	if z.p.Layout == LayoutHWC {
		return []int{z.size.Y, z.size.X, z.channels}
	}
	return []int{z.channels, z.size.Y, z.size.X}
}

// channelsOf returns the channels that a picture of n becomes.
func (p Preprocess) channelsOf(n int) int {
	switch p.Channels {
	case ChannelsGrey:
		return 1
	case "":
		return n
	}
	return 3
}

// sizeOf returns the size that a picture becomes.
func (p Preprocess) sizeOf(size image.Point) image.Point {
	size = p.resized(size)
	switch len(p.Crop) {
	case 1:
		return image.Point{p.Crop[0], p.Crop[0]}
	case 2:
		return image.Point{p.Crop[1], p.Crop[0]}
	}
	return size
}

// resized returns the size that Resize gives a picture: of one number, which is
// the shortest side, the other is rounded down, as torchvision does.
func (p Preprocess) resized(size image.Point) image.Point {
	switch {
	case len(p.Resize) == 2:
		return image.Point{p.Resize[1], p.Resize[0]}
	case len(p.Resize) == 0:
		return size
	}
	side := p.Resize[0]
	if size.X <= size.Y {
		return image.Point{side, side * size.Y / size.X}
	}
	return image.Point{side * size.X / size.Y, side}
}

// shape draws a decoded picture and shapes it.
func (z *shaping) shape(dst []uint8, img image.Image) error {
	if err := z.check(img.Bounds().Size()); err != nil {
		return err
	}
	z.source.draw(img)
	z.finish(dst)
	return nil
}

// check returns an error if a picture would become another size than the first did, or one
// so long that it cannot be resized.
func (z *shaping) check(size image.Point) error {
	if to := z.p.resized(size); to.X > maxPicturePixels/max(to.Y, size.Y) {
		return fmt.Errorf("has %d × %d pixels, which are too many on the way to %d × %d: take it out", size.X, size.Y, to.X, to.Y)
	}
	if to := z.p.sizeOf(size); to != z.size {
		return fmt.Errorf("has %d × %d pixels, which become %d × %d, and those of the first picture %d × %d: give a preprocessing that makes them the same, such as resize=256 crop=224", size.X, size.Y, to.X, to.Y, z.size.X, z.size.Y)
	}
	return nil
}

// finish shapes the source, which it uses up, to dst.
func (z *shaping) finish(dst []uint8) {
	m := &z.source
	if z.channels == 1 {
		m.grey()
	}
	to := z.p.resized(image.Point{m.width, m.height})
	m = z.zoom.resize(m, to.X, to.Y)
	if z.p.Crop != nil && (m.width != z.size.X || m.height != z.size.Y) {
		crop(&z.cut, m, z.size.X, z.size.Y)
		m = &z.cut
	}
	z.write(dst, m)
}

// write lays the channels out in the model's order.
func (z *shaping) write(dst []uint8, m *raster) {
	plane := m.width * m.height
	pixel, channel := 1, plane // how far apart neighbours are in dst
	if z.p.Layout == LayoutHWC {
		pixel, channel = z.channels, 1
	}
	for c := range z.channels {
		from := min(c, m.channels-1)
		if z.p.Channels == ChannelsBGR {
			from = m.channels - 1 - from
		}
		at := c * channel
		for i := from; i < len(m.pix); i += m.channels {
			dst[at] = m.pix[i]
			at += pixel
		}
	}
}

// gather makes the source of one picture of a set, in planes.
func (z *shaping) gather(pixels []uint8, channels, height, width int) {
	z.source.reset(width, height, channels)
	plane := width * height
	for c := range channels {
		for i, v := range pixels[c*plane:][:plane] {
			z.source.pix[i*channels+c] = v
		}
	}
}

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
