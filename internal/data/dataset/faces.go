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
	"strings"

	"tattle/internal/math/simd"
)

// Sizes of generated faces, in pixels: half of what UTKFace and CelebA have.
const (
	utkfaceSide                 = 100
	celebaWidth, celebaHeight   = 89, 109
	faceQuality                 = 85
	maxFaces                    = 1_000_000
	misnamedFrom, misnamedFaces = 100, 3 // UTKFace has three
)

// WriteFaces writes n generated faces as small JPEGs, for trying the tool without the data. They
// say nothing about people. The layout is UTKFace's (kind "utkface": age_gender_race_date.jpg,
// three of them misnamed if n is 100 or more) or CelebA's (kind "celeba": img_align_celeba,
// list_attr_celeba.txt with all 40 attributes, list_eval_partition.txt). A drawing shows age,
// gender and race, or ten of CelebA's attributes; the others are random.
//
// What face i shows depends on kind, seed and i alone. The folder must be new or empty.
func WriteFaces(ctx context.Context, dir, kind string, n int, seed uint64) error {
	if n < 1 || n > maxFaces {
		return fmt.Errorf("%d faces: want 1 to %d", n, maxFaces)
	}
	if kind != KindUTKFace && kind != KindCelebA {
		return fmt.Errorf("no faces laid out as %q: want %s or %s", kind, KindUTKFace, KindCelebA)
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
	if kind == KindUTKFace {
		return writeUTKFace(ctx, dir, n, seed)
	}
	return writeCelebA(ctx, dir, n, seed)
}

// face is what a drawn face shows: colours, age from 0 to 1, and attributes by CelebA's names.
type face struct {
	skin, hair rgb
	age        float64
	has        map[string]bool
}

// rgb is a colour, each channel 0 to 1.
type rgb [3]float64

var (
	ink    = rgb{.12, .08, .08}
	white  = rgb{.96, .96, .94}
	silver = rgb{.75, .75, .74}
	lipRed = rgb{.80, .10, .18}
)

// mix returns the colour at share t from a to b.
func (a rgb) mix(b rgb, t float64) rgb {
	for k := range a {
		a[k] += t * (b[k] - a[k])
	}
	return a
}

// writeUTKFace writes faces whose names say what they show.
func writeUTKFace(ctx context.Context, dir string, n int, seed uint64) error {
	return writePictures(ctx, n, func(i int) (string, *image.RGBA) {
		d := newDraws(seed, KindUTKFace, i)
		band := ageBands[d.below(len(ageBands))]
		age, gender, race := band[0]+d.below(band[1]-band[0]+1), d.below(2), d.below(len(looks))
		name := fmt.Sprintf("%d_%d_%d_20170101%09d.jpg", age, gender, race, i)
		if n >= misnamedFrom && i >= n-misnamedFaces {
			name = fmt.Sprintf("%d_%d_20170101%09d.jpg", age, gender, i)
		}
		look, old, male := looks[race], float64(age)/90, gender == 0
		f := &face{skin: look.skin.mix(ink, d.between(0, .15)), hair: look.hair.mix(silver, min(max(2*old-.7, 0), 1)), age: old}
		f.has = map[string]bool{
			"Male": male, "No_Beard": !male || age < 18 || d.chance(.5), "Wearing_Lipstick": !male && age > 15 && d.chance(.7),
			"Bald": male && d.chance(max(0, old-.35)), "Smiling": d.chance(.5), "Eyeglasses": d.chance(.3 * old),
		}
		return filepath.Join(dir, name), f.draw(utkfaceSide, utkfaceSide, d)
	})
}

// ageBands are equally likely, so that every class of B's Table 10 has faces.
var ageBands = [][2]int{{1, 19}, {20, 26}, {27, 34}, {35, 49}, {50, 90}}

// looks are the colours of the drawn faces of each UTKFace race. Their ranges overlap.
var looks = [5]struct{ skin, hair rgb }{
	{rgb{.95, .80, .72}, rgb{.62, .45, .22}},
	{rgb{.40, .26, .18}, rgb{.08, .06, .06}},
	{rgb{.93, .80, .58}, rgb{.08, .06, .06}},
	{rgb{.68, .47, .30}, rgb{.14, .09, .06}},
	{rgb{.80, .62, .50}, rgb{.35, .20, .12}},
}

// hairColors are the colours that CelebA's attributes name, B's three first.
var hairColors = []struct {
	name  string
	color rgb
}{{"Black_Hair", rgb{.07, .06, .06}}, {"Blond_Hair", rgb{.90, .77, .42}}, {"Brown_Hair", rgb{.42, .25, .13}}, {"Gray_Hair", silver}}

// celebrity draws CelebA's attributes, each true for half of the faces, but for those that exclude others.
func celebrity(d draws) *face {
	has := map[string]bool{}
	for _, name := range presetsOf[KindCelebA].Attributes {
		has[name] = d.chance(.5)
	}
	male := has["Male"]
	has["No_Beard"] = !male || has["No_Beard"]
	has["Wearing_Lipstick"] = !male && has["Wearing_Lipstick"]
	has["Bald"], has["Eyeglasses"] = male && d.chance(.1), d.chance(.1)
	tone := d.below(3)
	if !has["Young"] && d.chance(.2) {
		tone = 3 // grey
	}
	for i, hair := range hairColors {
		has[hair.name] = !has["Bald"] && i == tone
	}
	f := &face{skin: rgb{.88, .68, .55}.mix(ink, d.between(0, .25)), hair: hairColors[tone].color.mix(ink, d.between(0, .15)), age: .8, has: has}
	if has["Young"] {
		f.age = .2
	}
	return f
}

// writeCelebA writes faces, their attributes, and the partition: the first 80 %
// training, then 10 % validation, then 10 % test, as CelebA's is.
func writeCelebA(ctx context.Context, dir string, n int, seed uint64) error {
	set := presetsOf[KindCelebA]
	pictures := filepath.Join(dir, set.Folder)
	if err := os.Mkdir(pictures, 0o777); err != nil {
		return err
	}
	rows, parts := make([]string, n), make([]string, n)
	err := writePictures(ctx, n, func(i int) (string, *image.RGBA) {
		d := newDraws(seed, KindCelebA, i)
		f := celebrity(d)
		name := fmt.Sprintf("%06d.jpg", i+1)
		rows[i] = name
		for _, attribute := range set.Attributes {
			rows[i] += map[bool]string{true: "  1", false: " -1"}[f.has[attribute]]
		}
		parts[i] = fmt.Sprintf("%s %d", name, max(0, i*10/n-7))
		return filepath.Join(pictures, name), f.draw(celebaWidth, celebaHeight, d)
	})
	if err != nil {
		return err
	}
	list := fmt.Sprintf("%d\n%s\n%s\n", n, strings.Join(set.Attributes, " "), strings.Join(rows, "\n"))
	if err := os.WriteFile(filepath.Join(dir, set.Lists[0][0]), []byte(list), 0o666); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, set.Partition[0]), []byte(strings.Join(parts, "\n")+"\n"), 0o666)
}

// ellipse is a shape of a face: its middle and radii in widths of the picture, from the picture's middle, x to the right
// and y down.
type ellipse struct {
	x, y, rx, ry float64
	color        rgb
}

// shapes lists what a face is drawn of, from the back to the front.
func (f *face) shapes() []ellipse {
	dark, broad, beard := f.skin.mix(ink, .4), .25, f.skin
	all := []ellipse{{0, .68, .42, .24, white}}
	if f.has["Male"] {
		broad = .30
	} else {
		all = append(all, ellipse{0, .10, broad + .08, .36, f.hair})
	}
	if !f.has["Bald"] {
		all = append(all, ellipse{0, -.12, broad + .06, .33, f.hair})
	}
	if !f.has["No_Beard"] {
		beard = f.hair
	}
	all = append(all, ellipse{0, .38, .11, .16, f.skin}, ellipse{0, .02, broad, .33, f.skin}, ellipse{0, .23, .8 * broad, .12, beard})
	for k := range int(5*f.age + .4) { // lines of the forehead
		all = append(all, ellipse{0, -.19 + .028*float64(k), .14, .008, dark})
	}
	for _, x := range []float64{-.115, .115} {
		if f.has["Eyeglasses"] {
			all = append(all, ellipse{x, -.045, .09, .07, ink})
		}
		all = append(all, ellipse{x, -.045, .05, .035, white}, ellipse{x, -.045, .02, .02, ink})
	}
	lips, half := f.skin.mix(lipRed, .35), .07
	if f.has["Wearing_Lipstick"] {
		lips = lipRed
	}
	if f.has["Smiling"] {
		half = .13
	}
	all = append(all, ellipse{0, .20, half, .035, lips})
	if f.has["Mouth_Slightly_Open"] {
		all = append(all, ellipse{0, .20, half, .055, lips}, ellipse{0, .20, .8 * half, .03, ink})
	}
	return all
}

// draw paints the face a little off the middle, before a random background and in a random light. Edges are one pixel soft.
func (f *face) draw(width, height int, d draws) *image.RGBA {
	back := rgb{d.unit(), d.unit(), d.unit()}
	dx, dy, light := d.between(-.04, .04), d.between(-.04, .04), d.between(.8, 1.1)
	img, shapes, w := image.NewRGBA(image.Rect(0, 0, width, height)), f.shapes(), float64(width)
	for i := range width * height {
		x, y := (float64(i%width)+.5)/w-.5-dx, (float64(i/width)+.5-float64(height)/2)/w-dy
		p, noise := back, d.between(-.04, .04)
		for _, s := range shapes {
			cover := .5 + min(s.rx, s.ry)*w*(1-math.Hypot((x-s.x)/s.rx, (y-s.y)/s.ry))
			if cover > 0 {
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

// chance is true with probability p.
func (d draws) chance(p float64) bool { return d.unit() < p }

// writePictures writes n pictures on all cores, and stops at the first error.
func writePictures(ctx context.Context, n int, draw func(i int) (string, *image.RGBA)) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	simd.Parallel(n, 1, func(lo, hi int) {
		var b bytes.Buffer
		for i := lo; i < hi && ctx.Err() == nil; i++ {
			b.Reset()
			name, img := draw(i)
			err := jpeg.Encode(&b, img, &jpeg.Options{Quality: faceQuality})
			if err == nil {
				err = os.WriteFile(name, b.Bytes(), 0o666)
			}
			if err != nil {
				stop(err)
			}
		}
	})
	return context.Cause(ctx)
}
