package dataset

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/jpeg"
	"math"
	"os"
	"path/filepath"

	"tattle/internal/math/simd"
)

// Generated faces: their side is half of UTKFace's, in pixels.
const (
	utkfaceSide                 = 100
	faceQuality                 = 85
	maxFaces                    = 1_000_000
	misnamedFrom, misnamedFaces = 100, 3 // UTKFace has three
)

// WriteFaces writes n generated faces as small JPEGs, for trying the tool without the data. They
// say nothing about people. Their names are as UTKFace's, age_gender_race_date.jpg, three of them misnamed
// if n is 100 or more. A drawing shows age, gender and race.
//
// What face i shows depends on seed and i alone. The folder must be new or empty.
func WriteFaces(ctx context.Context, dir string, n int, seed uint64) error {
	if n < 1 || n > maxFaces {
		return fmt.Errorf("%d faces: want 1 to %d", n, maxFaces)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	if names, err := os.ReadDir(dir); err != nil || len(names) > 0 {
		if err == nil {
			err = fmt.Errorf("%s: is not empty: name a new folder", dir)
		}
		return err
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	simd.Parallel(n, 1, func(lo, hi int) {
		var b bytes.Buffer
		for i := lo; i < hi && ctx.Err() == nil; i++ {
			b.Reset()
			name, img := drawFace(i, n, seed)
			err := jpeg.Encode(&b, img, &jpeg.Options{Quality: faceQuality})
			if err == nil {
				err = os.WriteFile(filepath.Join(dir, name), b.Bytes(), 0o666)
			}
			if err != nil {
				stop(err)
			}
		}
	})
	return context.Cause(ctx)
}

// rgb is a colour, each channel 0 to 1.
type rgb [3]float64

var ink, white, silver = rgb{.12, .08, .08}, rgb{.96, .96, .94}, rgb{.75, .75, .74}

// mix returns the colour at share t from a to b.
func (a rgb) mix(b rgb, t float64) rgb {
	for k := range a {
		a[k] += t * (b[k] - a[k])
	}
	return a
}

// drawFace draws face i of n, and returns the name that says what it shows.
func drawFace(i, n int, seed uint64) (name string, img *image.RGBA) {
	d := newDraws(seed, KindUTKFace, i)
	band := ageBands[d.below(len(ageBands))]
	age, gender, race := band[0]+d.below(band[1]-band[0]+1), d.below(2), d.below(len(looks))
	name = fmt.Sprintf("%d_%d_%d_20170101%09d.jpg", age, gender, race, i)
	if n >= misnamedFrom && i >= n-misnamedFaces {
		name = fmt.Sprintf("%d_%d_20170101%09d.jpg", age, gender, i)
	}
	return name, paint(shapes(looks[race], float64(age)/90, gender == 0, d), d)
}

// ageBands are equally likely, so that every class of B's Table 10 has faces.
var ageBands = [][2]int{{1, 19}, {20, 26}, {27, 34}, {35, 49}, {50, 90}}

type look struct{ skin, hair rgb }

// looks are the colours of the drawn faces of each UTKFace race. Their ranges overlap.
var looks = [5]look{
	{rgb{.95, .80, .72}, rgb{.62, .45, .22}},
	{rgb{.40, .26, .18}, rgb{.08, .06, .06}},
	{rgb{.93, .80, .58}, rgb{.08, .06, .06}},
	{rgb{.68, .47, .30}, rgb{.14, .09, .06}},
	{rgb{.80, .62, .50}, rgb{.35, .20, .12}},
}

// ellipse is a shape of a face: its middle and radii in widths of the picture, from the picture's middle, x to the right
// and y down.
type ellipse struct {
	x, y, rx, ry float64
	color        rgb
}

// shapes lists what a face is drawn of, from the back to the front: women have long hair and a narrow face, hair turns grey,
// and lines of the forehead count the age, which is from 0 to 1.
func shapes(look look, age float64, male bool, d draws) []ellipse {
	skin, hair := look.skin.mix(ink, d.between(0, .15)), look.hair.mix(silver, min(max(2*age-.7, 0), 1))
	broad, middle, long := .30, -.12, .33
	if !male {
		broad, middle, long = .25, .02, .46
	}
	all := []ellipse{{0, .68, .42, .24, white}, {0, middle, broad + .07, long, hair}, {0, .38, .11, .16, skin}, {0, .02, broad, .33, skin}, {0, .20, .09, .035, skin.mix(ink, .6)}}
	for k := range int(5*age + .4) {
		all = append(all, ellipse{0, -.19 + .028*float64(k), .14, .008, skin.mix(ink, .4)})
	}
	for _, x := range []float64{-.115, .115} {
		all = append(all, ellipse{x, -.045, .05, .035, white}, ellipse{x, -.045, .02, .02, ink})
	}
	return all
}

// paint paints a face a little off the middle, before a random background and in a random light. Edges are one pixel soft.
func paint(shapes []ellipse, d draws) *image.RGBA {
	back := rgb{d.unit(), d.unit(), d.unit()}
	dx, dy, light := d.between(-.04, .04), d.between(-.04, .04), d.between(.8, 1.1)
	const side, w = utkfaceSide, float64(utkfaceSide)
	img := image.NewRGBA(image.Rect(0, 0, side, side))
	for i := range side * side {
		x, y := (float64(i%side)+.5)/w-.5-dx, (float64(i/side)+.5-w/2)/w-dy
		p, noise := back, d.between(-.04, .04)
		for _, s := range shapes {
			u, v, pixels := (x-s.x)/s.rx, (y-s.y)/s.ry, min(s.rx, s.ry)*w
			if max(math.Abs(u), math.Abs(v)) > 1+.6/pixels { // far outside, where cover is negative
				continue
			}
			if cover := .5 + pixels*(1-math.Hypot(u, v)); cover > 0 {
				p = p.mix(s.color, min(cover, 1))
			}
		}
		for k, v := range p {
			img.Pix[4*i+k] = uint8(255*min(max(v*light+noise, 0), 1) + .5)
		}
		img.Pix[4*i+3] = 255
	}
	return img
}

// unit draws from 0 to 1.
func (d draws) unit() float64 { return float64(d.Uint64()>>11) / (1 << 53) }

// between draws from a to b.
func (d draws) between(a, b float64) float64 { return a + (b-a)*d.unit() }
