package dataset

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Filters that pictures are resized by, as Pillow calls them.
const (
	FilterNearest  = "nearest"
	FilterBox      = "box"
	FilterBilinear = "bilinear"
	FilterBicubic  = "bicubic"
	FilterLanczos  = "lanczos"
)

// Layouts of a model's input.
const (
	LayoutCHW = "chw" // channels, height, width: PyTorch's
	LayoutHWC = "hwc" // height, width, channels: TensorFlow's
)

// Orders of a picture's channels.
const (
	ChannelsRGB  = "rgb"
	ChannelsBGR  = "bgr"
	ChannelsGrey = "grey" // one channel: ITU-R 601's luma, as Pillow's convert("L")
)

// Preprocess says how a picture becomes a model's input: it is resized, its centre
// is cut out, its bytes are scaled to Range, and x becomes (x − Mean)/Std. The zero
// value keeps the sizes and the normalisation of the data's kind.
//
// An empty field has the default named beside it. Arrays of numbers (npz) and tables
// are in the model's units already: only Mean and Std apply to them, if given.
type Preprocess struct {
	Resize         []int     `toml:"resize,omitempty"`          // the shortest side [s], or [height, width]; nil: as it is
	Filter         string    `toml:"filter,omitempty"`          // of Resize; bilinear
	Crop           []int     `toml:"crop,omitempty"`            // the centre's [s] or [height, width], after Resize; nil: all
	Upsample       []int     `toml:"upsample,omitempty"`        // [height, width] of the model's own input, which it makes inside itself of the picture; a [Set] does nothing with it
	UpsampleFilter string    `toml:"upsample_filter,omitempty"` // bilinear or bicubic; bilinear
	Range          []float64 `toml:"range,omitempty"`           // what the bytes 0 and 255 become before Mean and Std; [0, 1]
	Mean           []float64 `toml:"mean,omitempty"`            // one, or one for each channel in the model's order; 0 where Std or Range is given
	Std            []float64 `toml:"std,omitempty"`             // one, or one for each channel in the model's order; 1 where Mean or Range is given
	Layout         string    `toml:"layout,omitempty"`          // chw
	Channels       string    `toml:"channels,omitempty"`        // rgb
}

// IsZero reports whether no setting is given.
func (p Preprocess) IsZero() bool { return p.String() == "none" }

// maxInputSide is the longest side that pictures are resized or cut to.
const maxInputSide = 8192

var (
	filterNames   = []string{FilterBilinear, FilterBicubic, FilterNearest, FilterBox, FilterLanczos}
	upsampleNames = []string{FilterBilinear, FilterBicubic}
	layoutNames   = []string{LayoutCHW, LayoutHWC}
	channelNames  = []string{ChannelsRGB, ChannelsBGR, ChannelsGrey}
)

// Check returns an error that says which setting is wrong and what is allowed.
func (p Preprocess) Check() error {
	for _, err := range []error{
		checkSides("resize", p.Resize, 1),
		checkSides("crop", p.Crop, 1),
		checkSides("upsample", p.Upsample, 2),
		checkName("filter", p.Filter, filterNames),
		checkName("upsample_filter", p.UpsampleFilter, upsampleNames),
		checkName("layout", p.Layout, layoutNames),
		checkName("channels", p.Channels, channelNames),
		p.checkNumbers(),
	} {
		if err != nil {
			return err
		}
	}
	return nil
}

// checkSides wants nothing, or two sides, or one where least is 1.
func checkSides(key string, sides []int, least int) error {
	if sides == nil {
		return nil
	}
	if len(sides) < least || len(sides) > 2 {
		return fmt.Errorf("%s has %s: give %sheight and width, such as %s=224,224", key, plural(len(sides), "number"), []string{"the shortest side, or ", ""}[least-1], key)
	}
	for _, n := range sides {
		if n < 1 || n > maxInputSide {
			return fmt.Errorf("%s of %d pixels: want 1 to %d", key, n, maxInputSide)
		}
	}
	if last := sides[len(sides)-1]; last > maxPicturePixels/sides[0] {
		return fmt.Errorf("%s of %d × %d pixels: want %d million at most", key, sides[0], last, maxPicturePixels>>20)
	}
	return nil
}

func checkName(key, name string, names []string) error {
	if name == "" || slices.Contains(names, name) {
		return nil
	}
	return fmt.Errorf("no %s %q: want one of %s", key, name, strings.Join(names, ", "))
}

// checkNumbers checks Range, Mean and Std.
func (p Preprocess) checkNumbers() error {
	finite := func(v float64) bool { return math.Abs(v) <= math.MaxFloat32 }
	for _, v := range slices.Concat(p.Range, p.Mean, p.Std) {
		if !finite(v) {
			return fmt.Errorf("range, mean and std have the value %g: want finite numbers", v)
		}
	}
	if p.Range != nil && (len(p.Range) != 2 || p.Range[0] >= p.Range[1]) {
		return fmt.Errorf("range is %s: give what the bytes 0 and 255 become, the lower first, such as range=-1,1", numbersText(p.Range))
	}
	for _, v := range p.Std {
		if v <= 0 {
			return fmt.Errorf("std has the value %g: want positive numbers", v)
		}
	}
	if m, s := len(p.Mean), len(p.Std); m > 1 && s > 1 && m != s {
		return fmt.Errorf("mean has %d numbers and std %d: give one, or one for each channel", m, s)
	}
	return nil
}

// Normalises reports whether it says what values become.
func (p Preprocess) Normalises() bool { return p.Range != nil || p.Mean != nil || p.Std != nil }

// resizes reports whether it changes the sizes of pictures.
func (p Preprocess) resizes() bool { return p.Resize != nil || p.Crop != nil }

// perChannel gives each of n channels its mean and standard deviation of bytes
// scaled to 0 … 1: with a and b what 0 and 255 become, (a + v·(b−a) − mean)/std is
// (v − (mean−a)/(b−a))/(std/(b−a)).
func (p Preprocess) perChannel(n int) (mean, std []float32, err error) {
	lo, span := 0., 1.
	if p.Range != nil {
		lo, span = p.Range[0], p.Range[1]-p.Range[0]
	}
	p.Range = nil
	m, s, err := p.ofValues(n)
	if err != nil {
		return nil, nil, err
	}
	for c := range n {
		mean = append(mean, float32((m[c]-lo)/span))
		std = append(std, float32(s[c]/span))
	}
	return mean, std, nil
}

// spread repeats one number, or the default, for n channels.
func spread(key string, values []float64, unset float64, n int) ([]float64, error) {
	switch len(values) {
	case n:
		return values, nil
	case 0:
		values = []float64{unset}
	case 1:
	default:
		return nil, fmt.Errorf("preprocessing: %s has %d numbers for %s: give one, or one for each channel", key, len(values), plural(n, "channel"))
	}
	return slices.Repeat(values, n), nil
}

// ofValues gives each of n inputs that are numbers already its mean and standard
// deviation.
func (p Preprocess) ofValues(n int) (mean, std []float64, err error) {
	if p.Range != nil {
		return nil, nil, fmt.Errorf("range says what the bytes of pictures become, and these are numbers: give mean and std")
	}
	if mean, err = spread("mean", p.Mean, 0, n); err != nil {
		return nil, nil, err
	}
	std, err = spread("std", p.Std, 1, n)
	return mean, std, err
}
