package dataset

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// pictureMean and pictureStd map the bytes of pictures in files to −1 … 1, as
// B's authors do.
const pictureMean, pictureStd = .5, .5

// openPictures reads the labels of pictures in a folder or zip.
func openPictures(path, kind string, o Options) (*origin, error) {
	fsys, closer, err := openFS(path)
	if err != nil {
		return nil, err
	}
	src := &origin{name: kind, scaled: "the bytes of pictures are scaled to −1 … 1", close: func() { closer.Close() }}
	set := presetsOf[kind]
	switch kind {
	case KindUTKFace:
		src.labels, err = readUTKFace(fsys, path)
	case KindFolders:
		src.labels, err = readFolders(fsys, path)
	default:
		src.labels, err = set.readLists(fsys, path, o)
	}
	if err != nil {
		src.close()
		return nil, err
	}
	if kind == KindFolders || kind == KindImages {
		src.name, src.sorted = strings.TrimSuffix(baseName(path), filepath.Ext(path)), kind == KindFolders
	}
	src.take(set)
	p := o.Preprocess
	if src.squares = p.IsZero() && kind != KindFolders; src.squares {
		side := cmp.Or(o.Side, squareSide(o.Shape), DefaultSide)
		if side > maxPictureSide {
			src.close()
			return nil, fmt.Errorf("%s: pictures of side %d: want 1 to %d pixels", path, side, maxPictureSide)
		}
		p.Resize = []int{side, side}
	}
	src.read = func(ctx context.Context, rows, _ []int, _ *chosen) (*Set, error) {
		return o.Decoded.or(fmt.Sprintf("%s %+v", path, p), pick(src.files, 1, rows), func(files []string) (*Set, error) {
			return src.decode(ctx, fsys, files, p, o.Progress)
		})
	}
	return src, nil
}

// Decoded has the pictures that were decoded last, for data that differ in their labels alone.
type Decoded struct {
	of    string // where they are, and their preprocessing
	files []string
	set   *Set
}

// or returns the set of some pictures, which it decodes unless they were decoded last.
func (d *Decoded) or(of string, files []string, decode func(files []string) (*Set, error)) (*Set, error) {
	if d == nil {
		return decode(files)
	}
	if d.set == nil || d.of != of || !slices.Equal(d.files, files) {
		d.set = nil // before others take as much memory
		set, err := decode(files)
		if err != nil {
			return nil, err
		}
		*d = Decoded{of, files, set}
	}
	set := *d.set
	return &set, nil
}

// squareSide returns the side of a model's input of square pictures in colour, 0
// if it is none.
func squareSide(shape []int) int {
	if len(shape) == 3 && shape[0] == 3 && shape[1] == shape[2] && shape[1] <= maxPictureSide {
		return shape[1]
	}
	return 0
}

// decode decodes and shapes pictures.
func (src *origin) decode(ctx context.Context, fsys fs.FS, files []string, p Preprocess, progress func(done, total int)) (*Set, error) {
	first, err := new(pictureFile).read(fsys, files[0])
	if err != nil {
		return nil, malformed(path.Join(src.source, files[0]), "%v", err)
	}
	z := p.newShaping(first.Bounds().Size(), 3)
	pixels, err := decodePictures(ctx, fsys, files, src.source, z, progress)
	if err != nil {
		return nil, err
	}
	set := &Set{Shape: z.shapeOf(), Pixels: pixels, Source: []string{src.source}, ChannelsLast: p.Layout == LayoutHWC, Resized: p.Resize != nil}
	set.Mean, set.Std = []float32{pictureMean}, []float32{pictureStd}
	return set, p.normalise(src.source, set, z.channels)
}
