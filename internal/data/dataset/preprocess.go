package dataset

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"

	"tattle/internal/file"
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

// PreprocessPresets lists the names that [ParsePreprocess] knows.
func PreprocessPresets() []string { return slices.Sorted(maps.Keys(preprocessPresets())) }

// ParsePreprocess reads what a flag says: the path of a TOML file (.toml), the name
// of a preset (one of [PreprocessPresets]), or settings such as
//
//	resize=256 crop=224 mean=.485,.456,.406 std=.229,.224,.225 filter=bicubic
//
// with a list's numbers separated by commas, and settings by blanks. The keys are
// those of the TOML file. A preset's name may come first, and the settings behind
// it change it. Empty text is the preset "none", the zero value.
func ParsePreprocess(spec string) (Preprocess, error) {
	spec = strings.TrimSpace(spec)
	if strings.HasSuffix(strings.ToLower(spec), ".toml") {
		return readPreprocess(spec)
	}
	var p Preprocess
	var own []string // settings of a preset
	words := strings.Fields(spec)
	if len(words) > 0 && !strings.Contains(words[0], "=") {
		preset, ok := preprocessPresets()[words[0]]
		if !ok {
			return p, fmt.Errorf("no preprocessing %q: want one of %s, a .toml file, or settings such as resize=256", words[0], strings.Join(PreprocessPresets(), ", "))
		}
		own, words = strings.Fields(preset), words[1:]
	}
	seen := map[string]bool{}
	for i, word := range slices.Concat(own, words) {
		key, value, _ := strings.Cut(word, "=")
		if seen[key] {
			return Preprocess{}, fmt.Errorf("preprocessing says %s twice: keep one", key)
		}
		seen[key] = i >= len(own)
		if err := p.set(key, value); err != nil {
			return Preprocess{}, fmt.Errorf("preprocessing: %w", err)
		}
	}
	if err := p.Check(); err != nil {
		return Preprocess{}, fmt.Errorf("preprocessing: %w", err)
	}
	return p, nil
}

// settingNames are the settings' keys, in the order that they are written in: that of the fields.
var settingNames = func() (keys []string) {
	for i := range reflect.TypeFor[Preprocess]().NumField() {
		key, _, _ := strings.Cut(reflect.TypeFor[Preprocess]().Field(i).Tag.Get("toml"), ",")
		keys = append(keys, key)
	}
	return keys
}()

// field returns a pointer to setting i: *[]int, *[]float64 or *string.
func (p *Preprocess) field(i int) any { return reflect.ValueOf(p).Elem().Field(i).Addr().Interface() }

// set sets one setting to a text, in which the numbers of a list are separated by
// commas.
func (p *Preprocess) set(key, value string) error {
	i := slices.Index(settingNames, key)
	if i < 0 {
		return fmt.Errorf("no setting %q: want one of %s", key, strings.Join(settingNames, ", "))
	}
	if value == "" {
		return fmt.Errorf("%s has no value: write %s=…, without blanks", key, key)
	}
	var err error
	switch f := p.field(i).(type) {
	case *string:
		*f = value
	case *[]int:
		*f, err = numbersOf(key, value, "a whole number", strconv.Atoi)
	case *[]float64:
		*f, err = numbersOf(key, value, "a number", func(s string) (float64, error) { return strconv.ParseFloat(s, 64) })
	}
	return err
}

// numbersOf reads the numbers of a list.
func numbersOf[T any](key, value, want string, parse func(string) (T, error)) (list []T, err error) {
	for field := range strings.SplitSeq(value, ",") {
		x, err := parse(field)
		if err != nil {
			return nil, fmt.Errorf("%s has the value %q: want %s, or several separated by commas, without blanks", key, field, want)
		}
		list = append(list, x)
	}
	return list, nil
}

// String gives the settings as [ParsePreprocess] reads them, in a fixed order;
// "none" where there are none.
func (p Preprocess) String() string {
	var words []string
	for i, key := range settingNames {
		if v := p.text(i); v != "" {
			words = append(words, key+"="+v)
		}
	}
	if words == nil {
		return "none"
	}
	return strings.Join(words, " ")
}

// text is the value of setting i, "" if it is not given.
func (p *Preprocess) text(i int) string {
	switch f := p.field(i).(type) {
	case *string:
		return *f
	case *[]float64:
		return numbersText(*f)
	case *[]int:
		return strings.Trim(strings.ReplaceAll(fmt.Sprint(*f), " ", ","), "[]")
	}
	return ""
}

// numbersText writes numbers so that they are read again exactly.
func numbersText(values []float64) string {
	var words []string
	for _, v := range values {
		words = append(words, strconv.FormatFloat(v, 'g', -1, 64))
	}
	return strings.Join(words, ",")
}

// preprocessSuffix is what a model's own preprocessing is called by, beside it.
const preprocessSuffix = ".preprocess.toml"

// PreprocessBeside reads the TOML file that lies beside a model:
// MODEL.preprocess.toml for MODEL.onnx. It returns false if there is none.
func PreprocessBeside(model string) (Preprocess, bool, error) {
	path := strings.TrimSuffix(model, filepath.Ext(model)) + preprocessSuffix
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return Preprocess{}, false, nil
	}
	p, err := readPreprocess(path)
	return p, err == nil, err
}

// readPreprocess reads a TOML file of settings. A key that is none of them is an error.
func readPreprocess(path string) (Preprocess, error) {
	data, err := readText(path, maxLabels)
	if errors.Is(err, fs.ErrNotExist) {
		return Preprocess{}, &file.NotFoundError{Path: path, Give: "give a TOML file with settings such as resize = 256"}
	}
	if err != nil {
		return Preprocess{}, err
	}
	return decodePreprocess(path, string(data))
}

func decodePreprocess(name, text string) (p Preprocess, err error) {
	var values map[string]any
	meta, err := toml.Decode(text, &values)
	if bad := (toml.ParseError{}); errors.As(err, &bad) {
		return p, malformed(name, "line %d: not TOML (%s): correct that line", bad.Position.Line, bad.Message)
	}
	for _, key := range meta.Keys() {
		if err == nil {
			err = p.take(key[0], values[key[0]])
		}
	}
	if err == nil {
		err = p.Check()
	}
	if err != nil {
		return Preprocess{}, malformed(name, "%v", err)
	}
	return p, nil
}

// take sets one setting to a value of TOML: a text, a number, or a list of them.
func (p *Preprocess) take(key string, value any) error {
	list, ok := value.([]any)
	if !ok {
		list = []any{value}
	}
	var fields []string
	for _, v := range list {
		fields = append(fields, fmt.Sprint(v))
	}
	return p.set(key, strings.Join(fields, ","))
}

// WriteFile writes the settings as a TOML file, whole or not at all.
func (p Preprocess) WriteFile(path string) error {
	if err := p.Check(); err != nil {
		return err
	}
	return file.Write(path, func(w io.Writer) error { return toml.NewEncoder(w).Encode(p) })
}
