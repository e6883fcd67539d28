package dataset

import (
	"context"
	"io/fs"
	"path/filepath"
	"strings"
)

// pictureMean and pictureStd map the bytes of pictures in files to −1 … 1, as
// B's authors do.
const pictureMean, pictureStd = .5, .5

// utkfaceShortcuts are the attributes of B's Tables 10 and 11. Classes are in
// the order of UTKFace's numbers; the letters stand for White, Black, Asian,
// Indian and Others.
var utkfaceShortcuts = map[string]string{
	"gender": "gender: Male; Female",
	"race":   "race: White; Black; Asian; Indian; Others",
	"age2":   "age: <=30; >30",
	"age3":   "age: <=20; 21..35; >35",
	"age4":   "age: <=21; 22..29; 30..45; >45",
	"age5":   "age: <=19; 20..26; 27..34; 35..49; >=50",
	"race2":  "race: W = White; BAIO = *",
	"race3":  "race: W = White; A = Asian; BIO = *",
	"race4":  "race: W = White; B = Black; I = Indian; AO = Asian, Others",
	"race5":  "race: White; Black; Asian; Indian; Others",
}

// openPictures reads the labels of pictures in a folder or zip.
func openPictures(path, kind string, o LabelledOptions) (*origin, error) {
	fsys, closer, err := openFS(path)
	if err != nil {
		return nil, err
	}
	src := &origin{name: kind, close: func() { closer.Close() }, fsys: fsys}
	if src.labels, err = readLabelled(fsys, path, kind, o); err != nil {
		src.close()
		return nil, err
	}
	switch kind {
	case KindUTKFace:
		src.target, src.shortcuts = "gender", utkfaceShortcuts
	case KindFairFace:
		src.target = "gender"
	case KindFolders:
		src.name, src.sorted = strings.TrimSuffix(baseName(path), filepath.Ext(path)), true
	case KindImages:
		src.name = strings.TrimSuffix(baseName(path), filepath.Ext(path))
	}
	src.inputs = func(ctx context.Context, d *division, _ *chosen) ([3]*Set, error) {
		return src.decode(ctx, fsys, d, o)
	}
	return src, nil
}

func readLabelled(fsys fs.FS, path, kind string, o LabelledOptions) (*labels, error) {
	switch kind {
	case KindUTKFace:
		return readUTKFace(fsys, path)
	case KindCelebA:
		return readCelebA(fsys, path, o.SkipMissing)
	case KindFairFace:
		return readFairFace(fsys, path, o.SkipMissing)
	case KindFolders:
		return readFolders(fsys, path)
	}
	return readImages(fsys, path, o)
}

// decode makes sets of the pictures that are used.
func (src *origin) decode(ctx context.Context, fsys fs.FS, d *division, o LabelledOptions) ([3]*Set, error) {
	pixels, err := decodePictures(ctx, fsys, src.labels.files, pictureOptions{
		source: src.labels.source, side: o.Side, progress: o.Progress, rows: d.order(),
	})
	if err != nil {
		return [3]*Set{}, err
	}
	side := o.Side
	if side == 0 {
		side = DefaultSide
	}
	return pictureSets(&Set{
		Shape: []int{3, side, side}, Pixels: pixels, Source: []string{src.labels.source},
		Mean: []float32{pictureMean, pictureMean, pictureMean},
		Std:  []float32{pictureStd, pictureStd, pictureStd},
	}, d.consecutive()), nil
}
