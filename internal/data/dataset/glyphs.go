package dataset

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"image"
	"image/draw"
	"math/bits"
	"math/rand/v2"
	"slices"
	"sync"

	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goitalic"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/gofont/gosmallcaps"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"golang.org/x/image/vector"

	"tattle/internal/math/simd"
)

// glyphSide is the side of a glyph in pixels.
const (
	glyphSide   = 28
	glyphPixels = glyphSide * glyphSide
)

// GlyphOptions says which glyphs to draw; the zero value is 10,000 training
// pictures.
type GlyphOptions struct {
	N     int    // pictures; 0 is GlyphsTrain
	Seed  uint64 // of everything that is drawn
	Split Split  // "" is Train; the parts of one seed are drawn independently
	// Families are the families that are drawn, by their index; nil is all. The pictures are
	// those of all families without the others.
	Families []int
}

// GlyphsTrain and GlyphsTest are how many glyphs are drawn for training and for tests, unless a number is given: variables for
// tests alone. Those for training are learned to above 90 % in seconds.
var GlyphsTrain, GlyphsTest = 10000, 2000

// glyphsPreset says the names of the digits and families.
func glyphsPreset() preset { return presetsOf()[KindGlyphs] }

// Glyphs draws digits in Go's own typefaces, in grey on 28×28 pixels, each distorted by a random
// affine map and a random elastic one, blurred, and covered with noise. Y is the digit
// and the sensitive attribute the family of the typeface: regular, bold, italic, mono or small caps
// (Go Smallcaps has the digits of Go Regular; here they are drawn at the height
// of its small capitals, four fifths, which no other family is scaled to). Both
// are drawn independently and uniformly, so classes are balanced in the mean
// and not exactly.
//
// Picture i depends on Seed, Split, Families and i alone, whatever N is and however many
// cores take part. All arithmetic per pixel is in integers, and that of the outlines free of fused
// operations, so the bytes are the same on every 64-bit architecture.
//
// It panics on a negative N or one above five million, on an unknown Split, and if no family is known.
func Glyphs(o GlyphOptions) *Set {
	o.N, o.Split = cmp.Or(o.N, GlyphsTrain), cmp.Or(o.Split, Train)
	if o.N < 0 || o.N > maxArray/glyphPixels || o.Split != Train && o.Split != Test || o.Families != nil && !slices.ContainsFunc(o.Families, isFamily) {
		panic(fmt.Sprintf("dataset: no such glyphs: %+v", o))
	}
	list := o.list()
	digits, families := classesOfGlyphs(list)
	p := glyphsPreset()
	set := &Set{
		Name: KindGlyphs, Shape: []int{1, glyphSide, glyphSide}, Pixels: paintGlyphs(list), Mean: slices.Clone(p.Mean), Std: slices.Clone(p.Std),
		Y: digits, YName: "digit", YNames: p.Listed["digit"], Sensitive: []Attribute{{Name: "family", Values: p.Listed["family"], Labels: families}},
	}
	return set.finish()
}

// drawGlyphs draws the glyphs that are read, and no others.
func drawGlyphs(o Options) (*origin, error) {
	if o.Side != 0 && o.Side != glyphSide {
		return nil, fmt.Errorf("%s are drawn with %d×%d pixels, and not with %d: leave the side out", KindGlyphs, glyphSide, glyphSide, o.Side)
	}
	names := []Split{Train, Test}
	if !o.divided {
		names = []Split{o.Part}
	}
	var parts []*digits
	var all []glyph
	for _, part := range names {
		g := GlyphOptions{N: GlyphsTrain, Seed: o.Seed, Split: Train}
		if part != Train {
			g.N, g.Split = GlyphsTest, Test
		}
		list := g.list()
		digit, family := classesOfGlyphs(list)
		d := &digits{name: KindGlyphs, preset: glyphsPreset(), shape: []int{1, glyphSide, glyphSide}}
		d.columns = []column{d.classColumn(digit), {name: "family", values: Pick(d.preset.Listed["family"], 1, family)}}
		parts, all = append(parts, d), append(all, list...)
	}
	return fromParts(KindGlyphs, parts, names, o, func(rows []int) []uint8 { return paintGlyphs(Pick(all, 1, rows)) })
}

// A glyph is one picture that can be drawn.
type glyph struct {
	seed          uint64
	split         Split
	index         int
	digit, family int
}

// classesOfGlyphs returns the digits and the families of some glyphs.
func classesOfGlyphs(list []glyph) (digits, families []int) {
	for _, g := range list {
		digits, families = append(digits, g.digit), append(families, g.family)
	}
	return digits, families
}

// paintGlyphs draws the pixels of some glyphs.
func paintGlyphs(list []glyph) []uint8 {
	pixels := make([]uint8, len(list)*glyphPixels)
	simd.Parallel(len(list), 1, func(lo, hi int) {
		w := newWarp()
		for i := lo; i < hi; i++ {
			d := newDraws(list[i].seed, list[i].split, list[i].index)
			d.classes() // which come first
			w.picture(pixels[i*glyphPixels:][:glyphPixels], list[i].digit, list[i].family, d)
		}
	})
	return pixels
}

// isFamily reports whether there is a family of this index.
func isFamily(f int) bool { return f >= 0 && f < len(masters{}) }

// list returns the first N pictures of the families.
func (o GlyphOptions) list() []glyph {
	list := make([]glyph, 0, o.N)
	for i := 0; len(list) < o.N; i++ {
		if digit, family := newDraws(o.Seed, o.Split, i).classes(); o.Families == nil || slices.Contains(o.Families, family) {
			list = append(list, glyph{o.Seed, o.Split, i, digit, family})
		}
	}
	return list
}

// draws is the random stream of one picture.
type draws struct{ *rand.ChaCha8 }

// newDraws keys the stream by seed, part and index.
func newDraws(seed uint64, split Split, index int) draws {
	var key [32]byte
	binary.LittleEndian.PutUint64(key[:], seed)
	binary.LittleEndian.PutUint64(key[8:], uint64(index))
	copy(key[16:], "glyphs "+string(split))
	return draws{rand.NewChaCha8(key)}
}

// classes draws the digit and the family, which come first.
func (d draws) classes() (digit, family int) {
	digit = d.below(len(masters{}[0]))
	return digit, d.below(len(masters{}))
}

// below draws from 0 … n−1; no value is favoured by more than n/2⁶⁴.
func (d draws) below(n int) int {
	hi, _ := bits.Mul64(d.Uint64(), uint64(n))
	return int(hi)
}

// within draws from −a … a.
func (d draws) within(a int) int { return d.below(2*a+1) - a }

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

var drawn struct {
	once sync.Once
	masters
}

// drawMasters returns every family's digits, drawn once, at one height: digits of full size
// fill 9/14 of the side, as MNIST's fill about 20 of 28 pixels. No package variable starts with it, so that a program that draws
// none is linked without the fonts.
func drawMasters() *masters {
	drawn.once.Do(drawn.draw)
	return &drawn.masters
}

func (m *masters) draw() {
	names, fonts := glyphsPreset().Listed["family"], [5][]byte{goregular.TTF, gobold.TTF, goitalic.TTF, gomono.TTF, gosmallcaps.TTF}
	for family, ttf := range fonts {
		f, err := sfnt.Parse(ttf)
		panicOn(err)
		height := fixed.I(masterSide) * 9 / 14
		if names[family] == "small caps" {
			big, small := outline(f, 'X', fixed.I(1000)), outline(f, 'x', fixed.I(1000))
			height = height * rise(small) / rise(big)
		}
		ppem := fixed.I(1000) * height / rise(outline(f, '0', fixed.I(1000)))
		for digit := range m[family] {
			m[family][digit] = fill(outline(f, rune('0'+digit), ppem))
		}
	}
}

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
