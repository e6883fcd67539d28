package measure

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"math/rand/v2"
	"slices"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/nn"
	"tattle/internal/math/dct"
	"tattle/internal/math/simd"
	"tattle/internal/protect/bound"
	"tattle/internal/report"
)

// ShownPictures is how many inputs are shown: as many as fit a screen beside their reconstructions.
const ShownPictures = 6

// unboundedSwing stands in for a bound that is infinite when a picture is drawn, in normalised units: large enough to
// swamp any pixel, so that what cannot be known looks like it.
const unboundedSwing = 10

// An original is an input as the model saw it, with what it takes to show it.
type original struct {
	group string
	shape []int // [channels, rows, columns]
	theta []float64
	level func(x float64, channel int) float64 // to 0..1
}

// pictures shows the first inputs that were examined, if they are pictures: beside their best unbiased
// reconstructions, what the best attack made of them, and other inputs with nearly the same features.
func (a *account) pictures() error {
	if h := a.held(); h != nil && h.Exposed != nil {
		for _, o := range h.Exposed.pictures {
			a.show(o, o.group, nil)
		}
	}
	if a.q.Data == nil || !pictured(a.q.Data) {
		return nil
	}
	rng, res, best := rand.New(rand.NewPCG(a.q.Seed, 2)), a.m.Bounds, a.best()
	for i := range min(ShownPictures, len(a.q.Indices)) {
		o, _ := originalOf(a.q.Data, a.q.Indices[i])
		var shown []report.Picture
		if res != nil && a.c.Name() == "dct" {
			p := len(o.theta)
			for _, s := range res.Near() {
				o.add(&shown, "s = "+Fraction(s.Size), o.reconstruct(s.Std[i*p:(i+1)*p], rng), "")
			}
			if b := res.Kind(bound.SearchCombined); b != nil {
				o.add(&shown, "Barankin", o.reconstruct(b.Std[i*p:(i+1)*p], rng), "")
			}
		}
		if best != nil && i < len(best.Pictures) {
			o.add(&shown, best.Attack+" attack", nn.Float64s(best.Pictures[i]), report.Searched)
		}
		if len(shown) > 0 {
			a.show(o, o.group, shown)
		}
		if err := a.showPairs(o, i); err != nil {
			return err
		}
	}
	return nil
}

// show adds the original and what was made of it.
func (a *account) show(o original, group string, shown []report.Picture) {
	first := o.png(o.theta)
	a.Pictures = append(a.Pictures, report.Picture{Group: group, Name: "original", SHA256: report.Digest(first), PNG: first})
	for _, p := range shown {
		p.Group = group
		a.Pictures = append(a.Pictures, p)
	}
}

// pictured reports whether examples can be shown.
func pictured(set *dataset.Set) bool {
	return len(set.Shape) == 3 && (set.Shape[0] == 1 || set.Shape[0] == 3)
}

// originalOf is an example of a set; false if it is no picture.
func originalOf(set *dataset.Set, index int) (o original, ok bool) {
	if !pictured(set) {
		return o, false
	}
	x := make([]float32, nn.Size(set.Shape))
	set.Examples(x, []int{index})
	o = original{group: fmt.Sprintf("input %d", index), shape: set.Shape, theta: nn.Float64s(x), level: set.Denormalize}
	if y := set.Label(index); y >= 0 && y < len(set.YNames) {
		o.group += ", " + set.YNames[y]
	}
	return o, true
}

// add adds a picture of the same size, with its distance from the original.
func (o original) add(to *[]report.Picture, name string, x []float64, from report.Source) {
	b := o.png(x)
	*to = append(*to, report.Picture{Name: fmt.Sprintf("%s: %s", name, report.Exactly(o.distance(x), report.Grey)), SHA256: report.Digest(b), Source: from, PNG: b})
}

// distance is the root mean square difference from the original in grey levels of 255, before clipping.
func (o original) distance(x []float64) float64 {
	plane, sum := o.shape[1]*o.shape[2], 0.
	for i := range x {
		d := 255 * (o.level(x[i], i/plane) - o.level(o.theta[i], i/plane))
		sum += d * d
	}
	return math.Sqrt(sum / float64(len(x)))
}

// reconstruct draws the best that an unbiased adversary could reconstruct at certified standard deviations std of the
// DCT-II modes: as in A's Figure 2, Rademacher signs times the bounds are added to the modes and the transform is
// inverted, channel by channel.
func (o original) reconstruct(std []float64, rng *rand.Rand) []float64 {
	plane := o.shape[1] * o.shape[2]
	plan := dct.NewPlan(o.shape[1], o.shape[2])
	out, modes := make([]float64, len(o.theta)), make([]float64, plane)
	for at := 0; at < len(out); at += plane {
		plan.Forward(modes, o.theta[at:at+plane])
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

// png encodes a normalised picture of one or three channels, clipped to 0..1.
func (o original) png(x []float64) []byte {
	channels, rows, cols := o.shape[0], o.shape[1], o.shape[2]
	plane := rows * cols
	level := func(c, i int) uint8 {
		return uint8(math.Round(255 * min(max(o.level(x[c*plane+i], c), 0), 1)))
	}
	var img image.Image
	if channels == 1 {
		grey := image.NewGray(image.Rect(0, 0, cols, rows))
		for i := range plane {
			grey.Pix[i] = level(0, i)
		}
		img = grey
	} else {
		rgba := image.NewNRGBA(image.Rect(0, 0, cols, rows))
		for i := range plane {
			rgba.SetNRGBA(i%cols, i/cols, color.NRGBA{level(0, i), level(1, i), level(2, i), 255})
		}
		img = rgba
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		panic(err) // encoding to memory fails only for a picture without pixels
	}
	return b.Bytes()
}

// pairKinds are the witnesses of an example that are shown.
var pairKinds = []struct {
	search, name string
	at           int // of its kind; the one with the largest floor where negative
}{
	{bound.SearchTwins, "farthest twin", 0},
	{bound.SearchTwins, "twin nearest to another class", 1},
	{bound.SearchPairs, "largest floor for every adversary", -1},
}

// showPairs shows the i-th example beside other inputs with nearly the same features.
func (a *account) showPairs(o original, i int) error {
	var shown []report.Picture
	res := a.m.Bounds
	for _, k := range pairKinds {
		if res == nil {
			break
		}
		b := res.Kind(k.search)
		if b == nil || i >= b.Tried {
			continue
		}
		eps, err := res.Witnesses(b, i)
		if err != nil {
			return err
		}
		at, p := k.at, len(o.theta)
		if at < 0 {
			at = bestWitness(b, eps, i)
		}
		other := eps[at*p : (at+1)*p]
		if !slices.ContainsFunc(other, func(v float64) bool { return v != 0 }) {
			continue // none was found
		}
		for j := range other {
			other[j] += o.theta[j]
		}
		// No adversary errs by less than the floor on average over the two; Share is the h of release.PairShare.
		floor := report.AtLeast(math.Floor(1e6*o.distance(other)*math.Sqrt(b.Pair.Share[i*b.Witnesses+at]))/1e6, report.Grey)
		o.add(&shown, k.name+", floor "+floor.String()+", apart", other, "")
	}
	if len(shown) > 0 {
		a.show(o, "pair "+o.group, shown)
	}
	return nil
}

// bestWitness returns the witness of example i with the largest floor of the whole input.
func bestWitness(b *bound.Bounds, eps []float64, i int) (best int) {
	p, most := len(eps)/b.Witnesses, 0.
	for k := range b.Witnesses {
		if v := simd.SumSquares(eps[k*p:(k+1)*p]) * b.Pair.Share[i*b.Witnesses+k]; v > most {
			best, most = k, v
		}
	}
	return best
}
