package dataset

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"

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

var familyNames = []string{"regular", "bold", "italic", "mono", "small caps"}

// Normalisation of the glyphs: mean and standard deviation of all pixels scaled
// to 0..1, computed from 20,000 pictures.
const glyphMean, glyphStd = .163, .185

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
	if o.N == 0 {
		o.N = GlyphsTrain
	}
	o.Split = cmp.Or(o.Split, Train)
	if o.N < 0 || o.N > maxArray/glyphPixels || o.Split.check() != nil || o.Families != nil && !slices.ContainsFunc(o.Families, isFamily) {
		panic(fmt.Sprintf("dataset: no such glyphs: %+v", o))
	}
	set := &Set{
		Name: "glyphs", Shape: []int{1, glyphSide, glyphSide},
		Pixels: make([]uint8, o.N*glyphPixels), Mean: []float32{glyphMean}, Std: []float32{glyphStd},
		Y: make([]int, o.N), YName: "digit", YNames: digitNames,
	}
	family := make([]int, o.N)
	set.Sensitive = []Attribute{{Name: "family", Values: familyNames, Labels: family}}
	numbers := o.numbers()
	simd.Parallel(o.N, 1, func(lo, hi int) {
		w := newWarp()
		for i := lo; i < hi; i++ {
			d := newDraws(o.Seed, o.Split, numbers[i])
			set.Y[i], family[i] = d.classes()
			w.picture(set.Pixels[i*glyphPixels:][:glyphPixels], set.Y[i], family[i], d)
		}
	})
	return set.finish()
}

// isFamily reports whether there is a family of this index.
func isFamily(f int) bool { return f >= 0 && f < len(familyNames) }

// numbers returns the numbers of the first N pictures of the families.
func (o GlyphOptions) numbers() []int {
	numbers := make([]int, 0, o.N)
	for i := 0; len(numbers) < o.N; i++ {
		if o.Families != nil {
			if _, f := newDraws(o.Seed, o.Split, i).classes(); !slices.Contains(o.Families, f) {
				continue
			}
		}
		numbers = append(numbers, i)
	}
	return numbers
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
	digit = d.below(len(digitNames))
	return digit, d.below(len(familyNames))
}

// below draws from 0 … n−1; no value is favoured by more than n/2⁶⁴.
func (d draws) below(n int) int {
	hi, _ := bits.Mul64(d.Uint64(), uint64(n))
	return int(hi)
}

// within draws from −a … a.
func (d draws) within(a int) int { return d.below(2*a+1) - a }
