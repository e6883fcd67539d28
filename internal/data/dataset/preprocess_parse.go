package dataset

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"

	"tattle/internal/file"
)

// presets are the settings behind the names that [ParsePreprocess] knows.
var presets = decoded[struct{ Preprocess map[string]string }](presetText).Preprocess

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
	var own []string // settings of a preset
	words := strings.Fields(spec)
	if len(words) > 0 && !strings.Contains(words[0], "=") {
		preset, ok := presets[words[0]]
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
