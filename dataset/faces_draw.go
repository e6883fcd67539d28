package dataset

import (
	"image"
	"math"
)

// rgb is a colour, each channel 0 to 1.
type rgb [3]float64

// mix returns the colour at share t from a to b.
func (a rgb) mix(b rgb, t float64) rgb {
	for k := range a {
		a[k] += t * (b[k] - a[k])
	}
	return a
}

// face is what a drawn face shows.
type face struct {
	skin, hair      rgb
	age             float64 // from 0, a child, to 1, very old: number of lines
	broad, longHair bool
	bald, beard     bool
	open, smiling   bool
	lipstick        bool
	glasses, hat    bool
}

var (
	ink    = rgb{.12, .08, .08}
	white  = rgb{.96, .96, .94}
	silver = rgb{.75, .75, .74}
	navy   = rgb{.20, .30, .45}
	lipRed = rgb{.80, .10, .18}
)

// canvas is a picture being drawn. Shapes are placed in widths of the picture from its middle,
// x to the right and y down, and moved by shift.
type canvas struct {
	width, height int
	pixels        []rgb
	shift         [2]float64
}

// fill mixes a colour into each pixel by cover(x, y), which is cut to 0 … 1.
func (c *canvas) fill(color rgb, cover func(x, y float64) float64) {
	w := float64(c.width)
	for i := range c.pixels {
		x, y := (float64(i%c.width)+.5)/w-.5, (float64(i/c.width)+.5-float64(c.height)/2)/w
		t := cover(x-c.shift[0], y-c.shift[1])
		c.pixels[i] = c.pixels[i].mix(color, min(max(t, 0), 1))
	}
}

// ellipse fills an ellipse with an edge one pixel soft.
func (c *canvas) ellipse(x, y, rx, ry float64, color rgb) {
	edge := min(rx, ry) * float64(c.width)
	c.fill(color, func(px, py float64) float64 {
		return .5 + edge*(1-math.Hypot((px-x)/rx, (py-y)/ry))
	})
}

// arc draws a parabola from x−r to x+r whose middle lies rise below its ends.
func (c *canvas) arc(x, y, r, rise, thick float64, color rgb) {
	c.fill(color, func(px, py float64) float64 {
		t := (px - x) / r
		if math.Abs(t) > 1 {
			return 0
		}
		return .5 + float64(c.width)*(thick/2-math.Abs(py-y-rise*(1-t*t)))
	})
}

// draw paints the face a little off the middle, before a random background and in a random light.
func (f *face) draw(width, height int, d draws) *image.RGBA {
	c := &canvas{width: width, height: height, pixels: make([]rgb, width*height)}
	back := rgb{d.unit(), d.unit(), d.unit()}
	for i := range c.pixels {
		c.pixels[i] = back
	}
	c.shift = [2]float64{d.between(-.04, .04), d.between(-.04, .04)}
	f.head(c)
	f.features(c)
	light := d.between(.8, 1.1)
	img := image.NewRGBA(image.Rect(0, 0, width, height))
	for i, p := range c.pixels {
		noise := d.between(-.04, .04)
		for k, v := range p {
			img.Pix[4*i+k] = uint8(255*min(max(v*light+noise, 0), 1) + .5)
		}
		img.Pix[4*i+3] = 255
	}
	return img
}

// head draws shoulders, hair, the face, its beard and a hat.
func (f *face) head(c *canvas) {
	r := .25
	if f.broad {
		r = .30
	}
	c.ellipse(0, .68, .42, .24, white)
	if !f.bald {
		c.ellipse(0, -.12, r+.06, .33, f.hair)
		if f.longHair {
			c.ellipse(0, .10, r+.08, .36, f.hair)
		}
	}
	c.ellipse(0, .38, .11, .16, f.skin)
	c.ellipse(0, .02, r, .33, f.skin)
	if f.beard {
		c.ellipse(0, .23, .8*r, .15, f.hair)
	}
	if f.hat {
		c.ellipse(0, -.36, .30, .14, navy)
	}
}

// features draws what is in the face.
func (f *face) features(c *canvas) {
	dark := f.skin.mix(ink, .4)
	for k := range int(5*f.age + .4) {
		c.arc(0, -.19+.028*float64(k), .14, -.01, .015, dark)
	}
	c.ellipse(0, .06, .035, .05, dark)
	for _, x := range []float64{-.115, .115} {
		if f.glasses {
			c.ellipse(x, -.045, .09, .07, ink)
		}
		c.ellipse(x, -.045, .05, .035, white)
		c.ellipse(x, -.045, .02, .02, ink)
		c.arc(x, -.12, .055, -.015, .02, f.hair.mix(ink, .4))
	}
	lips := f.skin.mix(lipRed, .35)
	if f.lipstick {
		lips = lipRed
	}
	half, rise := .085, -.012
	if f.smiling {
		half, rise = .12, .055
	}
	if f.open {
		c.ellipse(0, .20, half, .05, lips)
		c.ellipse(0, .20, .8*half, .03, ink)
	}
	c.arc(0, .20-rise/2, half, rise, .03, lips)
}

// unit draws from 0 to 1.
func (d draws) unit() float64 { return float64(d.Uint64()>>11) / (1 << 53) }

// between draws from a to b.
func (d draws) between(a, b float64) float64 { return a + (b-a)*d.unit() }

// chance is true with probability p.
func (d draws) chance(p float64) bool { return d.unit() < p }
