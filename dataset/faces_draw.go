package dataset

import "image"

// face is what can be seen of a generated face.
type face struct {
	skin, hair rgb
	age        float64 // 0 a child … 1 very old: lines, and the size of eyes and chin
	longHair   bool
	bald       bool
	wavy       bool
	bangs      bool
	beard      float64 // 0 none, .3 a shadow … 1 full
	mustache   bool
	mouthOpen  bool
	smiling    bool
	makeup     bool
	lipstick   bool
	rosy       bool
	bigLips    bool
	bigNose    bool
	bushyBrows bool
	narrowEyes bool
	wide       bool // a broad face
	glasses    bool
	hat        bool
	earrings   bool
	necktie    bool
	necklace   bool
	blurry     bool
}

var (
	inkColor   = rgb{.12, .08, .08}
	white      = rgb{.96, .96, .94}
	lipRed     = rgb{.80, .10, .18}
	blush      = rgb{.90, .42, .42}
	eyeShadow  = rgb{.35, .22, .55}
	gold       = rgb{.90, .75, .25}
	hatColor   = rgb{.20, .30, .45}
	tieColor   = rgb{.55, .10, .15}
	shirtColor = rgb{.80, .82, .88}
)

// draw paints the face in front of a random background, a little off the middle,
// under a random light.
func (f *face) draw(width, height int, d draws) *image.RGBA {
	c := newCanvas(width, height)
	back := rgb{d.unit(), d.unit(), d.unit()}
	for i := range c.pixels {
		c.pixels[i] = back.scale(.7 + .3*float64(i)/float64(len(c.pixels)))
	}
	c.shift = [2]float64{d.between(-.04, .04), d.between(-.04, .04)}
	c.zoom = d.between(.9, 1.1)
	f.body(c)
	f.head(c)
	f.eyes(c)
	f.mouth(c)
	f.adorn(c)
	if f.blurry {
		c.blur()
	}
	light := d.between(.8, 1.1)
	for i, p := range c.pixels {
		c.pixels[i] = p.scale(light)
	}
	return c.picture(.08, d)
}

// reach is half the width of the face.
func (f *face) reach() float64 {
	if f.wide {
		return .30
	}
	return .25
}

// body draws what lies behind the face: hair, shoulders, neck.
func (f *face) body(c *canvas) {
	c.ellipse(0, .68, .42, .24, shirtColor, 1)
	if !f.bald {
		f.mane(c)
	}
	c.ellipse(0, .38, .11, .16, f.skin.scale(.88), 1)
	if f.necktie {
		c.line(0, .50, 0, .70, .07, tieColor)
	}
	if f.necklace {
		c.arc(0, .42, .14, .08, .025, gold)
	}
}

// mane draws the hair; waves are a row of locks along its edge.
func (f *face) mane(c *canvas) {
	r := f.reach() + .06
	c.ellipse(0, -.12, r, .33, f.hair, 1)
	low := -.05
	if f.longHair {
		c.ellipse(0, .10, r+.02, .36, f.hair, 1)
		low = .38
	}
	if !f.wavy {
		return
	}
	for y := -.30; y <= low; y += .11 {
		c.ellipse(-r, y, .065, .065, f.hair, 1)
		c.ellipse(r, y, .065, .065, f.hair, 1)
	}
	for x := -.2; x <= .2; x += .1 {
		c.ellipse(x, -.42, .065, .065, f.hair, 1)
	}
}

// head draws the face, its beard, its lines and its nose.
func (f *face) head(c *canvas) {
	r := f.reach()
	c.ellipse(0, .02, r, .31+.04*f.age, f.skin, 1)
	if f.beard > 0 {
		c.ellipse(0, .23, r*.8, .13+.04*f.age, f.hair.scale(.8), f.beard)
	}
	if f.rosy || f.makeup {
		c.ellipse(-.15, .10, .06, .05, blush, .7)
		c.ellipse(.15, .10, .06, .05, blush, .7)
	}
	f.wrinkles(c)
	nose := .025
	if f.bigNose {
		nose = .05
	}
	c.ellipse(0, .06, nose, .05, f.skin.scale(.78), 1)
	if f.bangs && !f.bald {
		c.ellipse(0, -.25, r*.9, .07, f.hair, 1)
	}
}

// wrinkles draws more lines the older the face is.
func (f *face) wrinkles(c *canvas) {
	dark := f.skin.scale(.62)
	for k := range int(5*f.age + .4) {
		c.arc(0, -.19+.028*float64(k), .14, -.01, .010+.008*f.age, dark)
	}
	if f.age > .45 {
		for _, side := range []float64{-1, 1} {
			c.line(side*.08, .08, side*.13, .17, .014, dark)
			c.arc(side*.11, .00, .05, .02, .014, dark)
		}
	}
}

// eyes draws eyes, larger in children, and brows.
func (f *face) eyes(c *canvas) {
	size := 1.25 - .45*f.age
	tall := .035 * size
	if f.narrowEyes {
		tall *= .5
	}
	brow := .016
	if f.bushyBrows {
		brow = .036
	}
	for _, side := range []float64{-1, 1} {
		x := side * .115
		if f.makeup {
			c.ellipse(x, -.065, .07, .045, eyeShadow, .85)
		}
		c.ellipse(x, -.045, .05*size, tall, white, 1)
		c.ellipse(x, -.045, .022*size, min(.022*size, tall), inkColor, 1)
		c.arc(x, -.12, .055, -.015, brow, f.hair.scale(.6))
		if f.glasses {
			c.arc(x, -.045, .08, .06, .014, inkColor)
			c.arc(x, -.045, .08, -.06, .014, inkColor)
		}
	}
	if f.glasses {
		c.line(-.035, -.045, .035, -.045, .014, inkColor)
	}
}

// mouth draws the mouth, open or not, its corners up or not.
func (f *face) mouth(c *canvas) {
	lips := f.skin.mix(lipRed, .35)
	if f.lipstick {
		lips = lipRed
	}
	thick := .028
	if f.bigLips {
		thick = .048
	}
	if f.mustache {
		c.line(-.09, .145, .09, .145, .035, f.hair.scale(.7))
	}
	half, rise := .085, -.012
	if f.smiling {
		half, rise = .12, .055
	}
	if f.mouthOpen {
		c.ellipse(0, .20+rise/2, half*.8, .042, inkColor, 1)
		c.ellipse(0, .185+rise/2, half*.6, .014, white, 1)
		c.arc(0, .165, half, -.012+rise/2, thick, lips)
		c.arc(0, .205, half, .03+rise/2, thick, lips)
		return
	}
	c.arc(0, .20-rise/2, half, rise, thick, lips)
}

// adorn draws what is worn on the head.
func (f *face) adorn(c *canvas) {
	if f.hat {
		c.ellipse(0, -.36, .27, .14, hatColor, 1)
		c.line(-.36, -.27, .36, -.27, .05, hatColor)
	}
	if f.earrings {
		c.ellipse(-f.reach()-.01, .12, .025, .035, gold, 1)
		c.ellipse(f.reach()+.01, .12, .025, .035, gold, 1)
	}
}
