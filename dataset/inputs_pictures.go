package dataset

import (
	"bytes"
	"context"
	"image"
	"image/jpeg"
	"image/png"
	"io/fs"
	"path"
	"sync/atomic"
)

// openPictureInputs reads pictures: those of the kinds of [OpenParts], and folders of
// classes.
func openPictureInputs(path, kind string, o InputOptions) (*inputs, error) {
	l := o.labelled()
	if side := squareSide(o.Shape); side > 0 {
		l.Side = side
	}
	src, err := openPictures(path, kind, l)
	if err != nil {
		return nil, err
	}
	in := &inputs{notes: src.labels.notes, close: src.close}
	if err = in.part(path, src.labels.split, src.labels.rows(), o.Split); err == nil {
		var c *chosen
		if c, err = in.findTarget(src, o.Target, o.Numbers); err == nil {
			err = in.findSensitive(src, o.Sensitive, o.Numbers, c)
		}
	}
	if err != nil {
		src.close()
		return nil, err
	}
	in.read = func(ctx context.Context, rows []int) (*Set, error) {
		if o.Preprocess.IsZero() && kind != KindFolders {
			return in.squares(ctx, src, rows, l)
		}
		return in.pictures(ctx, src, rows, o)
	}
	return in, nil
}

// squareSide returns the side of a model's input of square pictures in colour, 0
// if it is none.
func squareSide(shape []int) int {
	if len(shape) == 3 && shape[0] == 3 && shape[1] == shape[2] && shape[1] <= maxPictureSide {
		return shape[1]
	}
	return 0
}

// squares reads pictures as [OpenParts] does.
func (in *inputs) squares(ctx context.Context, src *origin, rows []int, l LabelledOptions) (*Set, error) {
	sets, err := src.decode(ctx, src.fsys, &division{rows: [3][]int{trainPart: rows}}, l)
	if err != nil {
		return nil, err
	}
	set := sets[trainPart]
	set.Name, set.Resized = src.name, true
	in.note("no preprocessing is given: pictures are resized to %d × %d without keeping their aspect ratio, and their bytes are scaled to −1 … 1", set.Shape[1], set.Shape[2])
	return set, nil
}

// pictures decodes and shapes the pictures of some rows.
func (in *inputs) pictures(ctx context.Context, src *origin, rows []int, o InputOptions) (*Set, error) {
	fsys, l := src.fsys, src.labels
	files := pick(l.files, 1, rows)
	size, err := pictureSize(fsys, files[0])
	if err != nil {
		return nil, malformed(path.Join(l.source, files[0]), "%v", err)
	}
	z := o.Preprocess.newShaping(size, 3)
	z.turned = new(atomic.Int64)
	if uint64(len(rows)) > maxPictures/uint64(z.bytes()) {
		return nil, tooMany(l.source, len(rows), z)
	}
	d := &decoding{fsys: fsys, files: files, source: l.source, progress: o.Progress, size: z.bytes()}
	d.pixels = make([]uint8, len(rows)*d.size)
	d.worker = func() shaper { return z.another() }
	if err := d.all(ctx); err != nil {
		return nil, err
	}
	if n := z.turned.Load(); n > 0 {
		in.note("the Exif orientation of %d of %s is ignored, as torchvision does: rotate the pictures before if the model was trained on rotated ones", n, plural(len(rows), "picture"))
	}
	set := &Set{Name: src.name, Shape: z.shapeOf(), Pixels: d.pixels, Source: []string{l.source}, ChannelsLast: o.Preprocess.Layout == LayoutHWC, Resized: o.Preprocess.Resize != nil}
	set.Mean, set.Std = []float32{pictureMean}, []float32{pictureStd}
	if !o.Preprocess.Normalises() {
		in.note("no normalisation is given: the bytes of pictures are scaled to −1 … 1 (set range, mean and std of the preprocessing to change this)")
	}
	return set, o.Preprocess.normalise(l.source, set, z.channels)
}

// pictureSize reads the size of a picture, which it does not decode.
func pictureSize(fsys fs.FS, name string) (image.Point, error) {
	var in pictureFile
	if err := in.load(fsys, name); err != nil {
		return image.Point{}, err
	}
	data := in.data.Bytes()
	config := jpeg.DecodeConfig
	if bytes.HasPrefix(data, []byte(pngStart)) {
		config = png.DecodeConfig
	}
	c, err := config(bytes.NewReader(data))
	if err != nil || c.Width < 1 || c.Height < 1 || c.Width > maxPicturePixels/c.Height {
		_, err = decodePicture(data) // which says why
		return image.Point{}, err
	}
	return image.Point{X: c.Width, Y: c.Height}, nil
}
