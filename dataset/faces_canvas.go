package dataset

import (
	"image"
	"math"
)

// rgb is a colour, each channel 0..1.
type rgb [3]float64

// mix returns the colour at share t from a to b.
func (a rgb) mix(b rgb, t float64) rgb {
	var c rgb
	for k := range c {
		c[k] = a[k] + t*(b[k]-a[k])
	}
	return c
}

// scale returns the colour made lighter or darker.
func (a rgb) scale(by float64) rgb { return rgb{a[0] * by, a[1] * by, a[2] * by} }

// canvas is a picture being drawn. Places are in widths of the picture from its
// middle, x to the right and y down; the shapes are moved and enlarged about it.
type canvas struct {
	width, height int
	pixels        []rgb
	shift         [2]float64
	zoom          float64
}

func newCanvas(width, height int) *canvas {
	return &canvas{width: width, height: height, pixels: make([]rgb, width*height), zoom: 1}
}

// place takes a point to pixels.
func (c *canvas) place(x, y float64) (float64, float64) {
	w := float64(c.width)
	return w*(.5+c.zoom*x+c.shift[0]) - .5, w*(c.zoom*y+c.shift[1]) + float64(c.height)/2 - .5
}

// blend covers the pixels of a box by colour, as much as cover says (0..1).
func (c *canvas) blend(x0, y0, x1, y1 float64, color rgb, cover func(x, y float64) float64) {
	for j := max(0, int(y0)-1); j <= min(c.height-1, int(y1)+2); j++ {
		for i := max(0, int(x0)-1); i <= min(c.width-1, int(x1)+2); i++ {
			if t := cover(float64(i), float64(j)); t > 0 {
				p := &c.pixels[j*c.width+i]
				*p = p.mix(color, min(t, 1))
			}
		}
	}
}

// ellipse fills an ellipse, its edge one pixel soft.
func (c *canvas) ellipse(x, y, rx, ry float64, color rgb, alpha float64) {
	cx, cy := c.place(x, y)
	scale := c.zoom * float64(c.width)
	rx, ry = rx*scale, ry*scale
	least := min(rx, ry)
	c.blend(cx-rx, cy-ry, cx+rx, cy+ry, color, func(px, py float64) float64 {
		u, v := (px-cx)/rx, (py-cy)/ry
		return alpha * min(1, .5+least*(1-math.Sqrt(u*u+v*v)))
	})
}

// line draws a line with round ends.
func (c *canvas) line(x0, y0, x1, y1, thick float64, color rgb) {
	ax, ay := c.place(x0, y0)
	bx, by := c.place(x1, y1)
	r := max(.4, thick*c.zoom*float64(c.width)/2)
	dx, dy := bx-ax, by-ay
	length := max(dx*dx+dy*dy, 1e-9)
	c.blend(min(ax, bx)-r, min(ay, by)-r, max(ax, bx)+r, max(ay, by)+r, color, func(px, py float64) float64 {
		t := min(max(((px-ax)*dx+(py-ay)*dy)/length, 0), 1)
		return min(1, .5+r-math.Hypot(px-ax-t*dx, py-ay-t*dy))
	})
}

// arc draws a parabola from x−r to x+r whose middle lies rise below its ends.
func (c *canvas) arc(x, y, r, rise, thick float64, color rgb) {
	const pieces = 6
	at := func(k int) (float64, float64) {
		t := 2*float64(k)/pieces - 1
		return x + t*r, y + rise*(1-t*t)
	}
	for k := range pieces {
		x0, y0 := at(k)
		x1, y1 := at(k + 1)
		c.line(x0, y0, x1, y1, thick, color)
	}
}

// blur replaces every pixel by the mean of its neighbourhood of 3×3.
func (c *canvas) blur() {
	out := make([]rgb, len(c.pixels))
	for j := range c.height {
		for i := range c.width {
			var sum rgb
			for k := range 9 {
				y := min(max(j+k/3-1, 0), c.height-1)
				x := min(max(i+k%3-1, 0), c.width-1)
				for ch, v := range c.pixels[y*c.width+x] {
					sum[ch] += v / 9
				}
			}
			out[j*c.width+i] = sum
		}
	}
	c.pixels = out
}

// picture rounds to bytes, after adding noise of the given range.
func (c *canvas) picture(noise float64, d draws) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, c.width, c.height))
	for i, p := range c.pixels {
		grain := noise * (d.unit() - .5)
		for k, v := range p {
			img.Pix[4*i+k] = uint8(255*min(max(v+grain, 0), 1) + .5)
		}
		img.Pix[4*i+3] = 255
	}
	return img
}

// unit draws from 0 to 1.
func (d draws) unit() float64 { return float64(d.Uint64()>>11) / (1 << 53) }

// between draws from a to b.
func (d draws) between(a, b float64) float64 { return a + (b-a)*d.unit() }

// chance is true with probability p.
func (d draws) chance(p float64) bool { return d.unit() < p }
