package dataset

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/jpeg"
	"os"
	"path/filepath"
	"strings"
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
// gender and race, or a dozen of CelebA's attributes; the others are random.
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
		return filepath.Join(dir, name), person(age, gender == 1, race, d).draw(utkfaceSide, utkfaceSide, d)
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

// person draws what a UTKFace name does not say.
func person(age int, woman bool, race int, d draws) *face {
	look, old := looks[race], float64(age)/90
	f := &face{
		skin: look.skin.mix(ink, d.between(0, .15)),
		hair: look.hair.mix(ink, d.between(0, .2)).mix(silver, min(max(2*old-.7, 0), 1)),
		age:  old, broad: !woman && age > 12, longHair: d.chance(.08), open: d.chance(.5), smiling: d.chance(.5),
		glasses: d.chance(.3 * old),
	}
	if woman {
		f.longHair, f.lipstick = d.chance(.85), age > 15 && d.chance(.7)
	} else {
		f.beard, f.bald = age > 17 && d.chance(.5), d.chance(max(0, old-.35))
	}
	return f
}

// celebaNames are CelebA's attributes, in the order of its list.
var celebaNames = strings.Fields(`5_o_Clock_Shadow Arched_Eyebrows Attractive
	Bags_Under_Eyes Bald Bangs Big_Lips Big_Nose Black_Hair Blond_Hair Blurry
	Brown_Hair Bushy_Eyebrows Chubby Double_Chin Eyeglasses Goatee Gray_Hair
	Heavy_Makeup High_Cheekbones Male Mouth_Slightly_Open Mustache Narrow_Eyes
	No_Beard Oval_Face Pale_Skin Pointy_Nose Receding_Hairline Rosy_Cheeks
	Sideburns Smiling Straight_Hair Wavy_Hair Wearing_Earrings Wearing_Hat
	Wearing_Lipstick Wearing_Necklace Wearing_Necktie Young`)

// hairColors are the colours that the attributes name, B's three first.
var hairColors = []struct {
	name  string
	color rgb
}{{"Black_Hair", rgb{.07, .06, .06}}, {"Blond_Hair", rgb{.90, .77, .42}}, {"Brown_Hair", rgb{.42, .25, .13}}, {"Gray_Hair", silver}}

// celebrity draws CelebA's attributes and a face that shows a dozen of them. The others are
// true for half of the faces, whatever they show.
func celebrity(d draws) (has map[string]bool, f *face) {
	has = map[string]bool{}
	for _, name := range celebaNames {
		has[name] = d.chance(.5)
	}
	male := has["Male"]
	has["No_Beard"] = !male || has["No_Beard"]
	has["Wearing_Lipstick"] = !male && has["Wearing_Lipstick"]
	has["Eyeglasses"], has["Wearing_Hat"] = d.chance(.1), d.chance(.05)
	has["Bald"] = male && d.chance(.1)
	tone := d.below(3)
	if !has["Young"] && d.chance(.2) {
		tone = 3 // grey
	}
	for i, hair := range hairColors {
		has[hair.name] = !has["Bald"] && i == tone
	}
	f = &face{
		skin: rgb{.88, .68, .55}.mix(ink, d.between(0, .25)), hair: hairColors[tone].color.mix(ink, d.between(0, .15)),
		age: d.between(.6, 1), broad: male, longHair: !male, bald: has["Bald"], beard: !has["No_Beard"],
		open: has["Mouth_Slightly_Open"], smiling: has["Smiling"], lipstick: has["Wearing_Lipstick"],
		glasses: has["Eyeglasses"], hat: has["Wearing_Hat"],
	}
	if has["Young"] {
		f.age = d.between(0, .4)
	}
	if has["Pale_Skin"] {
		f.skin = rgb{.98, .89, .84}
	}
	return has, f
}

// writeCelebA writes faces, their attributes, and the partition: the first 80 %
// training, then 10 % validation, then 10 % test, as CelebA's is.
func writeCelebA(ctx context.Context, dir string, n int, seed uint64) error {
	pictures := filepath.Join(dir, "img_align_celeba")
	if err := os.Mkdir(pictures, 0o777); err != nil {
		return err
	}
	rows, parts := make([]string, n), make([]string, n)
	err := writePictures(ctx, n, func(i int) (string, *image.RGBA) {
		d := newDraws(seed, KindCelebA, i)
		has, f := celebrity(d)
		name := fmt.Sprintf("%06d.jpg", i+1)
		rows[i] = name
		for _, attribute := range celebaNames {
			rows[i] += map[bool]string{true: "  1", false: " -1"}[has[attribute]]
		}
		parts[i] = fmt.Sprintf("%s %d", name, max(0, i*10/n-7))
		return filepath.Join(pictures, name), f.draw(celebaWidth, celebaHeight, d)
	})
	if err != nil {
		return err
	}
	list := fmt.Sprintf("%d\n%s\n%s\n", n, strings.Join(celebaNames, " "), strings.Join(rows, "\n"))
	if err := os.WriteFile(filepath.Join(dir, "list_attr_celeba.txt"), []byte(list), 0o666); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "list_eval_partition.txt"), []byte(strings.Join(parts, "\n")+"\n"), 0o666)
}

// writePictures writes n pictures on all cores, and stops at the first error.
func writePictures(ctx context.Context, n int, draw func(i int) (string, *image.RGBA)) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	share(n, func() func(i int) {
		var b bytes.Buffer
		return func(i int) {
			if ctx.Err() != nil {
				return
			}
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
