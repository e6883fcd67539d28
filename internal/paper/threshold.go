package paper

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"math"
	"strings"

	"tattle/internal/report"
)

// midGrey is the level from which thresholding makes a pixel white.
const midGrey = 128

// compareThresholded adds how far the reconstructions of grey pictures are from the originals. It does so before and after all pixels
// are made black or white at mid grey. A says that the bounds of Figure 2 protect little because thresholding removes much of the noise
// (section 3.1). Figures are means over the pictures that are shown, of whole grey levels.
func compareThresholded(r *report.Report) error {
	var kinds []string
	all, original := map[string]*thresholded{}, (*image.Gray)(nil)
	for _, p := range r.Pictures {
		decoded, err := png.Decode(bytes.NewReader(p.PNG))
		if err != nil {
			return fmt.Errorf("picture %q of %s: %w", p.Name, p.Group, err)
		}
		grey, ok := decoded.(*image.Gray)
		if !ok {
			return nil // in colour: the paper thresholds digits
		}
		kind, _, made := strings.Cut(p.Name, ":")
		if !made { // the first of its group
			original = grey
			continue
		}
		if all[kind] == nil {
			kinds, all[kind] = append(kinds, kind), &thresholded{}
		}
		all[kind].add(original.Pix, grey.Pix)
	}
	for _, kind := range kinds {
		t := all[kind]
		root := func(squares float64) float64 { return math.Sqrt(squares / float64(t.pixels)) }
		compared(r, "error in grey levels, "+kind, report.Number, math.NaN(), root(t.before), math.NaN())
		compared(r, "error in grey levels, thresholded, "+kind, report.Number, math.NaN(), root(t.after), math.NaN())
		compared(r, "right side of mid grey, "+kind, report.Share, math.NaN(), float64(t.right)/float64(t.pixels), math.NaN())
	}
	if len(kinds) > 0 {
		t := all[kinds[0]]
		compared(r, "right side of mid grey, a black picture", report.Share, math.NaN(), float64(t.black)/float64(t.pixels), math.NaN())
	}
	return nil
}

// thresholded has sums over pixels: of squared errors before and after thresholding, of pixels on the right side of mid grey, and of
// those that a black picture has there.
type thresholded struct {
	pixels, right, black int
	before, after        float64
}

func (t *thresholded) add(original, made []uint8) {
	for i, x := range original {
		d, white := float64(made[i])-float64(x), 0.
		if made[i] >= midGrey {
			white = 255
		}
		t.before, t.after = t.before+d*d, t.after+(white-float64(x))*(white-float64(x))
		if (made[i] >= midGrey) == (x >= midGrey) {
			t.right++
		}
		if x < midGrey {
			t.black++
		}
	}
	t.pixels += len(original)
}
