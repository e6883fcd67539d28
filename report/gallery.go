package report

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"math/rand/v2"
	"path/filepath"

	"tattle/dct"
)

// unboundedSwing stands in for a bound that is infinite when a picture is
// drawn, in normalised units: large enough to swamp any pixel, so that what
// cannot be known looks like it.
const unboundedSwing = 10

// An original is an input as the model saw it, with what it takes to show it.
type original struct {
	index       int
	label       int
	name        string
	shape       []int                                // [channels, rows, columns]
	theta       []float32                            // normalised
	denormalize func(x float64, channel int) float64 // to 0..1
}

// addPicture puts a picture into the gallery: the original beside, for each set of
// certified standard deviations std of its DCT-II modes, the best that an
// unbiased adversary could reconstruct. As in A's Figure 2, Rademacher signs
// times the bounds are added to the modes, the transform is inverted, the
// normalisation reversed and the result clipped to 0..1. It panics if std
// has another length than theta.
func (r *Report) addPicture(o original, names []string, std [][]float64, rng *rand.Rand) error {
	p := Picture{Index: o.index, Label: o.label, Name: o.name}
	pixels := o.pixels()
	var err error
	if p.source, p.SHA256, err = o.png(pixels); err != nil {
		return err
	}
	for i, name := range names {
		if err := p.add(o, Shot{Name: name}, reconstruct(o.shape, pixels, std[i], rng)); err != nil {
			return err
		}
	}
	r.Gallery = append(r.Gallery, p)
	return nil
}

// addAttack puts what an attack made of one draw of the release beside the
// original that it never saw.
func (p *Picture) addAttack(o original, name string, x []float32) error {
	return p.add(o, Shot{Name: name, Status: StatusDemonstrated}, widen(x))
}

// add adds a reconstruction. It panics if x has another length than the original.
func (p *Picture) add(o original, s Shot, x []float64) (err error) {
	if len(x) != len(o.theta) {
		panic(fmt.Sprintf("report: a reconstruction of %d values for %d", len(x), len(o.theta)))
	}
	s.RMS = o.distance(o.pixels(), x)
	s.pixels, s.SHA256, err = o.png(x)
	p.Shots = append(p.Shots, s)
	return err
}

func (o original) pixels() []float64 { return widen(o.theta) }

func widen(x []float32) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = float64(v)
	}
	return out
}

// reconstruct adds ±std to the DCT-II modes of x, channel by channel.
func reconstruct(shape []int, x, std []float64, rng *rand.Rand) []float64 {
	if len(std) != len(x) {
		panic(fmt.Sprintf("report: %d bounds for %d modes", len(std), len(x)))
	}
	plane := shape[1] * shape[2]
	plan := dct.NewPlan(shape[1], shape[2])
	out := make([]float64, len(x))
	modes := make([]float64, plane)
	for at := 0; at < len(x); at += plane {
		plan.Forward(modes, x[at:at+plane])
		for i := range modes {
			swing := min(std[at+i], unboundedSwing)
			if rng.Uint64()&1 == 0 {
				swing = -swing
			}
			modes[i] += swing
		}
		plan.Inverse(out[at:at+plane], modes)
	}
	return out
}

// distance is the root mean square difference of two pictures in grey levels of
// 255, before clipping.
func (o original) distance(a, b []float64) float64 {
	plane := o.shape[1] * o.shape[2]
	sum := 0.0
	for i := range a {
		c := i / plane
		d := 255 * (o.denormalize(a[i], c) - o.denormalize(b[i], c))
		sum += d * d
	}
	return math.Sqrt(sum / float64(len(a)))
}

// png encodes a normalised picture of one or three channels, clipped to 0..1, and returns
// the SHA-256 of the file too.
func (o original) png(x []float64) (picture []byte, digest string, err error) {
	channels, rows, cols := o.shape[0], o.shape[1], o.shape[2]
	plane := rows * cols
	level := func(c, i int) uint8 {
		v := o.denormalize(x[c*plane+i], c)
		return uint8(math.Round(255 * min(max(v, 0), 1)))
	}
	var img image.Image
	switch channels {
	case 1:
		grey := image.NewGray(image.Rect(0, 0, cols, rows))
		for i := range plane {
			grey.Pix[i] = level(0, i)
		}
		img = grey
	case 3:
		rgba := image.NewNRGBA(image.Rect(0, 0, cols, rows))
		for i := range plane {
			rgba.SetNRGBA(i%cols, i/cols, color.NRGBA{level(0, i), level(1, i), level(2, i), 255})
		}
		img = rgba
	default:
		return nil, "", fmt.Errorf("a picture of %d channels cannot be shown", channels)
	}
	var b bytes.Buffer
	err = png.Encode(&b, img)
	return b.Bytes(), Digest(b.Bytes()), err
}

// SavePictures writes gallery and pairs as PNG files into a folder: the original
// of example 7 as example-7.png, its reconstructions as example-7-1.png and on,
// the first pair as pair-1-1.png and pair-1-2.png. It records their digests.
func (r *Report) SavePictures(dir string) error {
	files := map[string][]byte{}
	for _, p := range r.Gallery {
		files[fmt.Sprintf("example-%d.png", p.Index)] = p.source
		for i, s := range p.Shots {
			files[fmt.Sprintf("example-%d-%d.png", p.Index, i+1)] = s.pixels
		}
	}
	for i, p := range r.Pairs {
		files[fmt.Sprintf("pair-%d-1.png", i+1)], files[fmt.Sprintf("pair-%d-2.png", i+1)] = p.first, p.second
	}
	for name, b := range files {
		if err := r.Render(filepath.Join(dir, name), name, func(w io.Writer) error { _, err := w.Write(b); return err }); err != nil {
			return err
		}
	}
	return nil
}
