package dataset

import (
	"crypto/sha256"
	"encoding/hex"
	"image"
	"testing"
)

// congruential is a picture whose bytes are those of a linear congruential
// generator, which are drawn alike in any language.
func congruential(width, height int) *raster {
	m := &raster{}
	m.reset(width, height, 3)
	s := uint32(7)
	for i := range m.pix {
		s = s*1664525 + 1013904223
		m.pix[i] = uint8(s >> 24)
	}
	return m
}

// digest is the beginning of the SHA-256 of a picture's bytes.
func (m *raster) digest() string {
	sum := sha256.Sum256(m.pix)
	return hex.EncodeToString(sum[:8])
}

// The bytes are those of Pillow 9.4.0's Image.resize.
func TestResampleAsPillow(t *testing.T) {
	for _, c := range []struct {
		w, h, toW, toH int
		filter, digest string
	}{
		{37, 23, 16, 16, "nearest", "2e09187755499cb7"},
		{37, 23, 16, 16, "lanczos", "1006ced688ac2fe6"},
		{37, 23, 16, 16, "bilinear", "29414157933f54b3"},
		{37, 23, 16, 16, "bicubic", "373d95ee58250f4b"},
		{37, 23, 16, 16, "box", "89428d6723da68d0"},
		{16, 11, 41, 30, "nearest", "6b71de3dd75674cc"},
		{16, 11, 41, 30, "lanczos", "4c35d324b5f5d173"},
		{16, 11, 41, 30, "bilinear", "cce827a73c9344bc"},
		{16, 11, 41, 30, "bicubic", "04a7e72b4786172b"},
		{16, 11, 41, 30, "box", "6b71de3dd75674cc"},
		{1, 5, 3, 2, "nearest", "a5026df32a1dbff1"},
		{1, 5, 3, 2, "lanczos", "15a41f4b63bdf1fe"},
		{1, 5, 3, 2, "bilinear", "f828373a2bd98fb8"},
		{1, 5, 3, 2, "bicubic", "f124f105b733bd85"},
		{1, 5, 3, 2, "box", "2287124d597f7828"},
		{101, 75, 5, 3, "nearest", "ba8d04238c8be199"},
		{101, 75, 5, 3, "lanczos", "b12cb349a9749906"},
		{101, 75, 5, 3, "bilinear", "2627d92f187ffbb8"},
		{101, 75, 5, 3, "bicubic", "cd1a0f1fd2f0a548"},
		{101, 75, 5, 3, "box", "41e826d5412392fa"},
	} {
		z := resizer{resampler: resamplers[c.filter]}
		if got := z.resize(congruential(c.w, c.h), c.toW, c.toH).digest(); got != c.digest {
			t.Errorf("%v: bytes %s, Pillow's are %s", c, got, c.digest)
		}
	}
}

func TestGreyAsPillow(t *testing.T) {
	m := congruential(37, 23)
	m.grey()
	z := resizer{resampler: resamplers[FilterBicubic]}
	if got := z.resize(m, 16, 16).digest(); got != "e535aa08cb73c99a" {
		t.Errorf("bytes %s are not Pillow's", got)
	}
}

// The bytes are those of torchvision 0.14's Resize(side) and CenterCrop.
func TestResizeCropAsTorchvision(t *testing.T) {
	for _, c := range []struct {
		w, h, side, cropH, cropW int
		digest                   string
	}{
		{37, 23, 16, 14, 14, "da99e01571025d0f"},
		{23, 37, 16, 13, 12, "3e031845949f43f2"},
		{41, 29, 20, 17, 22, "fc697a24f670e829"},
		{30, 21, 21, 24, 33, "e58750821ef79285"},
		{10, 10, 7, 8, 8, "aa4c33a90709b781"},
		{25, 40, 25, 24, 25, "5ad3638b684836d4"},
	} {
		p := Preprocess{Resize: []int{c.side}, Crop: []int{c.cropH, c.cropW}, Layout: LayoutHWC}
		z := p.newShaping(image.Point{X: c.w, Y: c.h}, 3)
		z.source = *congruential(c.w, c.h)
		out := raster{pix: make([]uint8, z.bytes())}
		z.finish(out.pix)
		if got := out.digest(); got != c.digest {
			t.Errorf("%v: bytes %s, torchvision's are %s", c, got, c.digest)
		}
	}
}

// A resizer that is used again gives what a new one gives.
func TestResizerAgain(t *testing.T) {
	var z resizer
	for _, filter := range filterNames {
		z = resizer{resampler: resamplers[filter]}
		for _, c := range [][4]int{{37, 23, 16, 16}, {16, 11, 41, 30}, {37, 23, 16, 11}, {37, 23, 37, 23}, {5, 23, 37, 23}} {
			fresh := resizer{resampler: resamplers[filter]}
			want := fresh.resize(congruential(c[0], c[1]), c[2], c[3]).digest()
			if got := z.resize(congruential(c[0], c[1]), c[2], c[3]).digest(); got != want {
				t.Errorf("%s %v: %s the second time, %s the first", filter, c, got, want)
			}
		}
	}
}
