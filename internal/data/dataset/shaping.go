package dataset

import (
	"fmt"
	"image"
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
	z := &shaping{p: p, size: p.sizeOf(size), channels: p.channelsOf(channels)}
	z.zoom.filter = p.Filter
	if z.zoom.filter == "" {
		z.zoom.filter = FilterBilinear
	}
	return z
}

// another returns one for another core.
func (z *shaping) another() *shaping {
	n := z.p.newShaping(image.Point{1, 1}, z.channels)
	n.size, n.channels = z.size, z.channels
	return n
}

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
