package dataset

import (
	"image"
	"image/draw"
	"sync"

	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goitalic"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/gofont/gosmallcaps"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"golang.org/x/image/vector"
)

// oversample is the number of master pixels to a pixel of the picture.
const oversample = 4

// master is one undistorted digit, drawn large.
type master struct {
	coverage []uint8         // [masterSide, masterSide]
	inked    image.Rectangle // has every pixel whose coverage is not 0
}

// masterSide is the side of a master in pixels.
const masterSide = oversample * glyphSide

// masters are the digits by family and digit.
type masters [5][10]master

// drawMasters draws every family's digits at one height: digits of full size
// fill 9/14 of the side, as MNIST's fill about 20 of 28 pixels.
var drawMasters = sync.OnceValue(func() *masters {
	fonts := [5][]byte{goregular.TTF, gobold.TTF, goitalic.TTF, gomono.TTF, gosmallcaps.TTF}
	m := new(masters)
	for family, ttf := range fonts {
		f, err := sfnt.Parse(ttf)
		panicOn(err)
		height := fixed.I(masterSide) * 9 / 14
		if familyNames[family] == "small caps" {
			big, small := outline(f, 'X', fixed.I(1000)), outline(f, 'x', fixed.I(1000))
			height = height * rise(small) / rise(big)
		}
		ppem := fixed.I(1000) * height / rise(outline(f, '0', fixed.I(1000)))
		for digit := range m[family] {
			m[family][digit] = fill(outline(f, rune('0'+digit), ppem))
		}
	}
	return m
})

// panicOn reports a broken font, which only a broken build has.
func panicOn(err error) {
	if err != nil {
		panic("dataset: embedded font: " + err.Error())
	}
}

// outline returns a glyph's contours at a size in pixels per em.
func outline(f *sfnt.Font, r rune, ppem fixed.Int26_6) sfnt.Segments {
	var b sfnt.Buffer
	glyph, err := f.GlyphIndex(&b, r)
	panicOn(err)
	contours, err := f.LoadGlyph(&b, glyph, ppem, nil)
	panicOn(err)
	return contours
}

// rise returns the height of an outline.
func rise(s sfnt.Segments) fixed.Int26_6 {
	b := s.Bounds()
	return b.Max.Y - b.Min.Y
}

// fill draws an outline, its bounding box centred. Curves are split into lines
// in integers: the rasteriser's own splitting may use fused operations.
func fill(contours sfnt.Segments) master {
	const pieces, side = 16, masterSide
	b := contours.Bounds()
	shift := fixed.Point26_6{
		X: (fixed.I(side) - b.Min.X - b.Max.X) / 2,
		Y: (fixed.I(side) - b.Min.Y - b.Max.Y) / 2,
	}
	r := vector.NewRasterizer(side, side)
	var at fixed.Point26_6
	line := func(p fixed.Point26_6) {
		at = p
		r.LineTo(pixels(p.X), pixels(p.Y))
	}
	for _, s := range contours {
		p, q := s.Args[0].Add(shift), s.Args[1].Add(shift)
		switch s.Op {
		case sfnt.SegmentOpMoveTo:
			r.ClosePath()
			r.MoveTo(pixels(p.X), pixels(p.Y))
			at = p
		case sfnt.SegmentOpLineTo:
			line(p)
		case sfnt.SegmentOpQuadTo:
			from := at
			for k := 1; k <= pieces; k++ {
				line(quadratic(from, p, q, fixed.Int26_6(k), pieces))
			}
		default:
			panic("dataset: embedded font: cubic outline in TrueType")
		}
	}
	r.ClosePath()
	mask := image.NewAlpha(image.Rect(0, 0, side, side))
	r.DrawOp = draw.Src
	r.Draw(mask, mask.Bounds(), image.Opaque, image.Point{})
	m := master{coverage: mask.Pix}
	for i, v := range mask.Pix {
		if v != 0 {
			x, y := i%side, i/side
			m.inked = m.inked.Union(image.Rect(x, y, x+1, y+1))
		}
	}
	return m
}

func pixels(v fixed.Int26_6) float32 { return float32(v) / 64 }

// quadratic returns the point at k/n of the Bézier curve a, b, c.
func quadratic(a, b, c fixed.Point26_6, k, n fixed.Int26_6) fixed.Point26_6 {
	wa, wb, wc := (n-k)*(n-k), 2*k*(n-k), k*k
	return fixed.Point26_6{
		X: (wa*a.X + wb*b.X + wc*c.X) / (n * n),
		Y: (wa*a.Y + wb*b.Y + wc*c.Y) / (n * n),
	}
}
