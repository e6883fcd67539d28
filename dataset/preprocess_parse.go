package dataset

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Presets of [ParsePreprocess].
var presets = map[string]Preprocess{
	"none": {},

	// torchvision's weights of ResNets, evaluated.
	"imagenet": {Resize: []int{256}, Crop: []int{224}, Mean: imagenetMean, Std: imagenetStd},

	// A's inputs of ResNet-18 and Swin-T: 91×91 pixels, which the model enlarges.
	"imagenet-91": {Resize: []int{91, 91}, Upsample: []int{224, 224}, Mean: imagenetMean, Std: imagenetStd},

	// A's CIFAR-10 (section 3.2).
	"cifar10": {Range: []float64{-1, 1}},
}

// Means and standard deviations of ImageNet's red, green and blue that torchvision's
// weights were trained with.
var (
	imagenetMean = []float64{.485, .456, .406}
	imagenetStd  = []float64{.229, .224, .225}
)

// PreprocessPresets lists the names that [ParsePreprocess] knows.
func PreprocessPresets() []string { return slices.Sorted(maps.Keys(presets)) }

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
	words := strings.Fields(spec)
	if len(words) > 0 && !strings.Contains(words[0], "=") {
		preset, ok := presets[words[0]]
		if !ok {
			return p, fmt.Errorf("no preprocessing %q: want one of %s, a .toml file, or settings such as resize=256", words[0], strings.Join(PreprocessPresets(), ", "))
		}
		p, words = preset.clone(), words[1:]
	}
	seen := map[string]bool{}
	for _, word := range words {
		key, value, _ := strings.Cut(word, "=")
		if seen[key] {
			return Preprocess{}, fmt.Errorf("preprocessing says %s twice: keep one", key)
		}
		seen[key] = true
		if err := p.set(key, value); err != nil {
			return Preprocess{}, fmt.Errorf("preprocessing: %w", err)
		}
	}
	if err := p.Check(); err != nil {
		return Preprocess{}, fmt.Errorf("preprocessing: %w", err)
	}
	return p, nil
}

func (p Preprocess) clone() Preprocess {
	p.Resize, p.Crop, p.Upsample = slices.Clone(p.Resize), slices.Clone(p.Crop), slices.Clone(p.Upsample)
	p.Range, p.Mean, p.Std = slices.Clone(p.Range), slices.Clone(p.Mean), slices.Clone(p.Std)
	return p
}

// setting is one of the settings: where a [Preprocess] has it. One of the three is
// not nil.
type setting struct {
	key     string
	sides   func(*Preprocess) *[]int
	numbers func(*Preprocess) *[]float64
	name    func(*Preprocess) *string
}

// settings are all of them, in the order that they are written in.
var settings = []setting{
	{key: "resize", sides: func(p *Preprocess) *[]int { return &p.Resize }},
	{key: "filter", name: func(p *Preprocess) *string { return &p.Filter }},
	{key: "crop", sides: func(p *Preprocess) *[]int { return &p.Crop }},
	{key: "upsample", sides: func(p *Preprocess) *[]int { return &p.Upsample }},
	{key: "upsample_filter", name: func(p *Preprocess) *string { return &p.UpsampleFilter }},
	{key: "range", numbers: func(p *Preprocess) *[]float64 { return &p.Range }},
	{key: "mean", numbers: func(p *Preprocess) *[]float64 { return &p.Mean }},
	{key: "std", numbers: func(p *Preprocess) *[]float64 { return &p.Std }},
	{key: "layout", name: func(p *Preprocess) *string { return &p.Layout }},
	{key: "channels", name: func(p *Preprocess) *string { return &p.Channels }},
}

func settingNames() string {
	var names []string
	for _, s := range settings {
		names = append(names, s.key)
	}
	return strings.Join(names, ", ")
}

// set sets one setting to a text, in which the numbers of a list are separated by
// commas.
func (p *Preprocess) set(key, value string) error {
	i := slices.IndexFunc(settings, func(s setting) bool { return s.key == key })
	if i < 0 {
		return fmt.Errorf("no setting %q: want one of %s", key, settingNames())
	}
	if value == "" {
		return fmt.Errorf("%s has no value: write %s=…, without blanks", key, key)
	}
	s := settings[i]
	if s.name != nil {
		*s.name(p) = value
		return nil
	}
	want := "a number"
	var sides []int
	var numbers []float64
	for field := range strings.SplitSeq(value, ",") {
		x, err := strconv.ParseFloat(field, 64)
		n, notWhole := strconv.Atoi(field)
		if s.sides != nil {
			err, want = notWhole, "a whole number"
		}
		if err != nil {
			return fmt.Errorf("%s has the value %q: want %s, or several separated by commas, without blanks", key, field, want)
		}
		sides, numbers = append(sides, n), append(numbers, x)
	}
	if s.sides != nil {
		*s.sides(p) = sides
	} else {
		*s.numbers(p) = numbers
	}
	return nil
}

// String gives the settings as [ParsePreprocess] reads them, in a fixed order;
// "none" where there are none.
func (p Preprocess) String() string {
	var words []string
	for _, s := range settings {
		if v := s.text(&p); v != "" {
			words = append(words, s.key+"="+v)
		}
	}
	if words == nil {
		return "none"
	}
	return strings.Join(words, " ")
}

// text is one setting's value, "" if it is not given.
func (s setting) text(p *Preprocess) string {
	switch {
	case s.name != nil:
		return *s.name(p)
	case s.numbers != nil:
		return numbersText(*s.numbers(p))
	}
	var words []string
	for _, n := range *s.sides(p) {
		words = append(words, strconv.Itoa(n))
	}
	return strings.Join(words, ",")
}

// numbersText writes numbers so that they are read again exactly.
func numbersText(values []float64) string {
	var words []string
	for _, v := range values {
		words = append(words, strconv.FormatFloat(v, 'g', -1, 64))
	}
	return strings.Join(words, ",")
}
