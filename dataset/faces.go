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

// WriteFaces writes n generated faces as small JPEGs, laid out as UTKFace (kind
// "utkface": age_gender_race_date.jpg, three of them misnamed where n is 100 or
// more) or as CelebA (kind "celeba": img_align_celeba, list_attr_celeba.txt with
// all 40 attributes, list_eval_partition.txt): simple drawings whose attributes
// can be seen, for trying the tool without the data. They say nothing about
// people.
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
		d := newDraws(seed, "utkface", i)
		p := drawPerson(d)
		name := fmt.Sprintf("%d_%d_%d_20170101%09d.jpg", p.age, p.gender, p.race, i)
		if n >= misnamedFrom && i >= n-misnamedFaces {
			name = fmt.Sprintf("%d_%d_20170101%09d.jpg", p.age, p.gender, i)
		}
		return filepath.Join(dir, name), p.face(d).draw(utkfaceSide, utkfaceSide, d)
	})
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
		d := newDraws(seed, "celeba", i)
		t := drawTraits(d)
		name := fmt.Sprintf("%06d.jpg", i+1)
		rows[i] = name + t.row()
		parts[i] = fmt.Sprintf("%s %d", name, max(0, i*10/n-7))
		return filepath.Join(pictures, name), t.face(d).draw(celebaWidth, celebaHeight, d)
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
