package dataset

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io/fs"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"tattle/internal/must"
)

// noise is a picture of random colours.
func noise(w, h int, seed uint64) *image.NRGBA {
	r := rand.New(rand.NewPCG(seed, 0))
	m := image.NewNRGBA(image.Rect(0, 0, w, h))
	for i := range m.Pix {
		m.Pix[i] = uint8(r.Uint32())
		if i%4 == 3 {
			m.Pix[i] = 255
		}
	}
	return m
}

func pngOf(t testing.TB, m image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	must.Do(t, png.Encode(&b, m))
	return b.Bytes()
}

func jpegOf(t testing.TB, m image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	must.Do(t, jpeg.Encode(&b, m, nil))
	return b.Bytes()
}

// tree is a file system of the given files.
func tree(files map[string][]byte) fstest.MapFS {
	fsys := fstest.MapFS{}
	for name, data := range files {
		fsys[name] = &fstest.MapFile{Data: data}
	}
	return fsys
}

// unread is a file system of empty files, for what looks at names alone.
func unread(names ...string) fstest.MapFS {
	files := map[string][]byte{}
	for _, name := range names {
		files[name] = nil
	}
	return tree(files)
}

// square makes squares of pictures.
func square(side int) *shaping {
	return Preprocess{Resize: []int{side, side}}.newShaping(image.Point{1, 1}, 3)
}

// squares decodes pictures to squares.
func squares(t testing.TB, fsys fs.FS, files []string, source string, side int) ([]uint8, error) {
	return decodePictures(t.Context(), fsys, files, source, square(side), nil)
}

// A picture of the side that is asked for is not touched, whatever its type.
func TestDecodeKeepsPixels(t *testing.T) {
	const side = 8
	rgb := noise(side, side, 2)
	grey := image.NewGray(rgb.Rect)
	deep := image.NewNRGBA64(rgb.Rect) // half transparent
	palette := image.NewPaletted(rgb.Rect, color.Palette{color.RGBA{1, 2, 3, 255}, color.RGBA{250, 128, 9, 255}})
	glass := image.NewNRGBA(rgb.Rect) // all of it transparent
	for y := range side {
		for x := range side {
			r, g, b, _ := rgb.At(x, y).RGBA()
			deep.SetNRGBA64(x, y, color.NRGBA64{uint16(r), uint16(g), uint16(b), 0x7fff})
			grey.SetGray(x, y, color.Gray{uint8(x * y)})
			palette.SetColorIndex(x, y, uint8((x+y)%2))
			glass.Set(x, y, color.NRGBA{9, 9, 9, 0})
		}
	}
	files := tree(map[string][]byte{
		"a.png": pngOf(t, rgb), "b.png": pngOf(t, deep), "c.png": pngOf(t, grey), "d.png": pngOf(t, palette), "e.png": pngOf(t, glass),
		"f.jpg": jpegOf(t, grey),
	})
	got := must.Get(squares(t, files, []string{"a.png", "b.png", "c.png", "d.png", "e.png", "f.jpg"}, "", side))(t)
	for k, m := range []image.Image{rgb, rgb, grey, palette, image.NewUniform(color.RGBA{9, 9, 9, 255})} {
		for i := range 3 * side * side {
			x, y := i%side, i/side%side
			r, g, b, _ := m.At(x, y).RGBA()
			if want := uint8([]uint32{r, g, b}[i/side/side] >> 8); got[k*3*side*side+i] != want {
				t.Fatalf("picture %d, value %d: %d, want %d", k, i, got[k*3*side*side+i], want)
			}
		}
	}
	jpg := got[5*3*side*side:]
	if plane := side * side; !slices.Equal(jpg[:plane], jpg[plane:2*plane]) || !slices.Equal(jpg[:plane], jpg[2*plane:]) {
		t.Error("a grey JPEG is not grey")
	}
}

// claiming is a JPEG's or PNG's header that claims a size, and nothing else.
func claiming(data []byte, w, h int) []byte {
	data = slices.Clone(data)
	if bytes.HasPrefix(data, []byte("\x89PNG")) {
		binary.BigEndian.PutUint32(data[16:], uint32(w))
		binary.BigEndian.PutUint32(data[20:], uint32(h))
		binary.BigEndian.PutUint32(data[29:], crcOf(data[12:29]))
		return data
	}
	at := bytes.Index(data, []byte{0xff, 0xc0}) + 5 // SOF0: length, precision, height, width
	binary.BigEndian.PutUint16(data[at:], uint16(h))
	binary.BigEndian.PutUint16(data[at+2:], uint16(w))
	return data
}

func TestDecodeErrors(t *testing.T) {
	jpg, png := jpegOf(t, noise(40, 30, 3)), pngOf(t, noise(40, 30, 3))
	bent := slices.Clone(png)
	bent[len(bent)/2] ^= 0x55
	files := tree(map[string][]byte{
		"good.jpg": jpg, "half.jpg": jpg[:len(jpg)/2], "half.png": png[:len(png)/2], "bent.png": bent,
		"empty.jpg": nil, "text.jpg": []byte("not a picture"), "gif.png": []byte("GIF89a,,,,,,"), "start.jpg": {0xff, 0xd8},
		"bomb.jpg": claiming(jpg, 65535, 65535), "bomb.png": claiming(png, 1<<20, 1<<20), "over.png": claiming(png, 1<<31-1, 1<<31-1), "flat.png": claiming(png, 1<<31-1, 1),
		"none.jpg": claiming(jpg, 0, 30), "big.jpg": make([]byte, maxPictureBytes+1), "dir.jpg/x": nil,
	})
	for name, want := range map[string]string{
		"half.jpg": "cut off in the middle", "half.png": "cut off in the middle", "bent.png": "cannot be decoded",
		"empty.jpg": "is empty", "text.jpg": "neither a JPEG nor a PNG", "gif.png": "neither a JPEG nor a PNG", "start.jpg": "cut off",
		"bomb.jpg": "claims 65535 × 65535 pixels", "bomb.png": "claims 1048576 × 1048576", "over.png": "dimension overflow", "flat.png": "claims 2147483647 × 1",
		"none.jpg": "", "big.jpg": "more than the 64 MB", "dir.jpg": "not a plain file", "gone.jpg": "cannot be opened",
	} {
		must.Fail(t, must.Err(squares(t, files, []string{"good.jpg", name}, "faces", 64)), "faces/"+name+": ", want)
	}
	must.Fail(t, must.Err(squares(t, files, make([]string, maxPictures/3/1024/1024+1), "", 1024))) // more than the memory for pictures
}

// many is n pictures, some of them not whole.
func many(t testing.TB, n int, bad ...int) (fstest.MapFS, []string) {
	files, names := map[string][]byte{}, make([]string, n)
	for i := range n {
		names[i] = fmt.Sprintf("%03d.jpg", i)
		files[names[i]] = jpegOf(t, noise(20, 20, uint64(i)))
		if slices.Contains(bad, i) {
			files[names[i]] = files[names[i]][:300]
		}
	}
	return tree(files), names
}

// Neither pixels nor errors depend on the number of cores.
func TestDecodeOnAnyCores(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	good, names := many(t, 150)
	bad, _ := many(t, 150, 149, 40, 41, 100)
	var first []uint8
	for _, cores := range []int{1, 2, 5} {
		runtime.GOMAXPROCS(cores)
		pixels := must.Get(squares(t, good, names, "", 16))(t)
		if first == nil {
			first = pixels
		}
		if !bytes.Equal(pixels, first) {
			t.Errorf("%d cores: other pixels than one core's", cores)
		}
		if _, err := squares(t, bad, names, "", 16); err == nil || !strings.HasPrefix(err.Error(), "040.jpg: ") {
			t.Errorf("%d cores: %v, want the first bad picture", cores, err)
		}
	}
}

func TestDecodeProgressAndEnd(t *testing.T) {
	files, names := many(t, 250)
	last := 0
	_, err := decodePictures(t.Context(), files, names, "", square(4), func(done, total int) {
		if done <= last || total != len(names) {
			t.Errorf("%d of %d after %d", done, total, last)
		}
		last = done
	})
	if err != nil || last != len(names) {
		t.Errorf("progress ends at %d of %d, error %v", last, len(names), err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	_, err = decodePictures(ctx, files, names, "x", square(4), func(int, int) { cancel() })
	if err != context.Canceled {
		t.Errorf("broken off: %v", err)
	}
}

func FuzzDecodePicture(f *testing.F) {
	f.Add(jpegOf(f, noise(9, 7, 1)))
	f.Add(pngOf(f, noise(9, 7, 1)))
	f.Fuzz(func(t *testing.T, data []byte) {
		if c, _, err := image.DecodeConfig(bytes.NewReader(data)); err == nil && c.Width*c.Height > 1<<16 {
			return // slow, not wrong
		}
		m, err := decodePicture(data)
		if err != nil {
			return
		}
		must.Do(t, square(3).shape(make([]uint8, 27), m))
	})
}

// TestDecodePictureCMYK: pictures in inks are refused by their header, with or without
// Adobe's mark.
func TestDecodePictureCMYK(t *testing.T) {
	adobe := "\xff\xee\x00\x0eAdobe\x00\x64\x00\x00\x00\x00\x00"
	for _, mark := range []string{adobe, ""} {
		data := "\xff\xd8" + mark + "\xff\xc0\x00\x14\x08\x00\x08\x00\x08\x04\x01\x11\x00\x02\x11\x00\x03\x11\x00\x04\x11\x00" + "\xff\xda\x00\x0e\x04\x01\x00\x02\x00\x03\x00\x04\x00\x00\x3f\x00\xff\xd9"
		must.Fail(t, must.Err(decodePicture([]byte(data))), "convert it") // CMYK
	}
}
