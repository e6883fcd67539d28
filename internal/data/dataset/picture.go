package dataset

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io/fs"
	"path"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"tattle/internal/file"
	"tattle/internal/math/simd"
)

// What one picture may have. The pixels are bounded before any is decoded: a
// progressive JPEG takes 12 bytes for each while it is.
const (
	maxPictureBytes  = 64 << 20
	maxPicturePixels = 1 << 25 // 5792 × 5792
	maxPictureSide   = 1024    // of what it is resized to
)

// pngStart begins a PNG; a JPEG begins with ff d8.
const pngStart = "\x89PNG"

// maxTail is how many bytes before its end a picture may have its last mark. No
// further back is looked: a small picture inside has a mark of its own.
const maxTail = 64

// maxPictures bounds the memory of all decoded pictures, in bytes.
const maxPictures = 16 << 30

// While many pixels are decoded to, fewer bytes are let go to waste than there are
// pixels, which is what Go's collector does by itself: it would double the memory.
const (
	manyPixels   = 64 << 20 // bytes
	garbageShare = 20       // percent
)

// decodePictures decodes files and shapes them, on all cores. What a file says of its orientation is ignored, as the
// folder readers of torchvision and Keras do. Where a JPEG has fewer samples of colour than of light, Go's decoder
// repeats them and Pillow's (libjpeg) interpolates: FairFace's 64×64 differ by 1.1 of 255 in the mean.
//
// An error names the first file that cannot be decoded, and why.
func decodePictures(ctx context.Context, fsys fs.FS, files []string, source string, z *shaping, progress func(done, total int)) ([]uint8, error) {
	if uint64(len(files)) > maxPictures/uint64(z.bytes()) {
		return nil, tooMany(source, len(files), z)
	}
	pixels, size := make([]uint8, len(files)*z.bytes()), z.bytes()
	if len(pixels) > manyPixels {
		defer debug.SetGCPercent(debug.SetGCPercent(garbageShare))
	}
	var failed atomic.Int64 // the first file that cannot be decoded, or their number
	failed.Store(int64(len(files)))
	var mu sync.Mutex
	var first error // of failed
	done := 0
	decoded := func(i int, err error) { // reports the progress about a hundred times
		mu.Lock()
		defer mu.Unlock()
		if done++; err != nil && int64(i) < failed.Load() {
			failed.Store(int64(i))
			first = malformed(path.Join(source, files[i]), "%v", err)
		}
		if n := len(files); progress != nil && err == nil && (done == n || done%(n/100+1) == 0) {
			progress(done, n)
		}
	}
	simd.Parallel(len(files), 1, func(lo, hi int) {
		z := z.another()
		// Files before one that fails are decoded in any case, so that the error does not depend on the number of cores.
		for i := lo; i < hi && int64(i) < failed.Load() && ctx.Err() == nil; i++ {
			img, err := readPicture(fsys, files[i])
			if err == nil {
				err = z.shape(pixels[i*size:][:size], img)
			}
			decoded(i, err)
		}
	})
	return pixels, cmp.Or(ctx.Err(), first)
}

// readPicture reads and decodes one file.
func readPicture(fsys fs.FS, name string) (image.Image, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, fmt.Errorf("cannot be opened (%v): get it again", cause(err))
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.New("is not a plain file: take it out")
	}
	data, err := file.ReadAtMost(f, maxPictureBytes)
	if errors.Is(err, file.ErrTooLong) {
		return nil, fmt.Errorf("has more than the %d MB a picture may have: make it smaller", maxPictureBytes>>20)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot be read whole (%v): get it again", cause(err))
	}
	return decodePicture(data)
}

// cause drops the operation and the name that an error of a file begins with.
func cause(err error) error {
	if of := (*fs.PathError)(nil); errors.As(err, &of) {
		return of.Err
	}
	return err
}

// decodePicture decodes a JPEG or PNG. Its first bytes decide which, not its name.
func decodePicture(data []byte) (image.Image, error) {
	config, decode := jpeg.DecodeConfig, jpeg.Decode
	switch {
	case len(data) == 0:
		return nil, errors.New("is empty: get it again")
	case bytes.HasPrefix(data, []byte(pngStart)):
		config, decode = png.DecodeConfig, png.Decode
	case !bytes.HasPrefix(data, []byte{0xff, 0xd8}):
		return nil, errors.New("is neither a JPEG nor a PNG: convert it, or take it out")
	}
	c, err := config(bytes.NewReader(data))
	if err != nil {
		return nil, broken(data, err)
	}
	if c.ColorModel == color.CMYKModel {
		return nil, errors.New("is a JPEG in CMYK, whose colours depend on a profile of the ink: convert it to RGB, or take it out")
	}
	if c.Width < 1 || c.Height < 1 || c.Width > maxPicturePixels/c.Height {
		return nil, fmt.Errorf("claims %d × %d pixels, none or more than the %d million a picture may have: make it smaller", c.Width, c.Height, maxPicturePixels>>20)
	}
	img, err := decode(bytes.NewReader(data))
	if err != nil {
		return nil, broken(data, err)
	}
	return img, nil
}

// broken says what is wrong with a picture's contents: that it is cut off where
// the mark is missing that ends a JPEG or PNG.
func broken(data []byte, err error) error {
	end := []byte{0xff, 0xd9}
	if bytes.HasPrefix(data, []byte(pngStart)) {
		end = []byte("IEND")
	}
	if !bytes.Contains(data[max(0, len(data)-maxTail):], end) {
		return errors.New("is cut off in the middle: get it again, or take it out")
	}
	return fmt.Errorf("cannot be decoded (%v): get it again, convert it, or take it out", err)
}

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
	set := presetsOf()[kind]
	switch kind {
	case KindUTKFace:
		src.labels, err = readUTKFace(fsys, path)
	case KindFolders:
		src.labels, err = readFolders(fsys, path)
	default:
		src.labels, err = set.readLists(fsys, path, o)
	}
	if err != nil {
		return src, err
	}
	if kind == KindFolders || kind == KindImages {
		src.name, src.sorted = strings.TrimSuffix(baseName(path), filepath.Ext(path)), kind == KindFolders
	}
	src.take(set)
	p := o.Preprocess
	if src.squares = p.IsZero() && kind != KindFolders; src.squares {
		side := cmp.Or(o.Side, squareSide(o.Shape), DefaultSide)
		if side > maxPictureSide {
			return src, fmt.Errorf("%s: pictures of side %d: want 1 to %d pixels", path, side, maxPictureSide)
		}
		p.Resize = []int{side, side}
	}
	src.read = func(ctx context.Context, rows, _ []int, _ *chosen) (*Set, error) {
		return o.Decoded.or(fmt.Sprintf("%s %+v", path, p), Pick(src.files, 1, rows), func(files []string) (*Set, error) {
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
	return new(*d.set), nil
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
	first, err := readPicture(fsys, files[0])
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
