package paper

import (
	"bytes"
	"image"
	"image/png"
	"math"
	"testing"

	"tattle/internal/must"
	"tattle/internal/report"
)

// Two pictures of four pixels: of each, one reconstructed pixel is on the wrong side of mid grey.
func TestThresholded(t *testing.T) {
	var r report.Report
	for _, group := range []string{"one", "other"} {
		r.Pictures = append(r.Pictures, grey(t, group, "original", []uint8{0, 0, 255, 128}), grey(t, group, "s = 1/200: 9 grey levels", []uint8{100, 200, 155, 128}))
	}
	must.Do(t, compareThresholded(&r))
	for subject, want := range map[string]float64{
		"error in grey levels, s = 1/200":              math.Sqrt((100*100 + 200*200 + 100*100) / 4.),
		"error in grey levels, thresholded, s = 1/200": math.Sqrt((255*255 + 127*127) / 4.),
		"right side of mid grey, s = 1/200":            .75,
		"right side of mid grey, a black picture":      .5,
	} {
		if c := r.Claim(publishedID, subject); c == nil || math.Abs(c.Value.X-want) > 1e-12 {
			t.Errorf("%s: %v, want %v", subject, c, want)
		}
	}
}

func grey(t *testing.T, group, name string, pix []uint8) report.Picture {
	t.Helper()
	var b bytes.Buffer
	must.Do(t, png.Encode(&b, &image.Gray{Pix: pix, Stride: 2, Rect: image.Rect(0, 0, 2, 2)}))
	return report.Picture{Group: group, Name: name, PNG: b.Bytes()}
}
