package dataset

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/BurntSushi/toml"

	"tattle/internal/file"
)

// preprocessSuffix is what a model's own preprocessing is called by, beside it.
const preprocessSuffix = ".preprocess.toml"

// maxPreprocess is the most bytes of a file of settings.
const maxPreprocess = 1 << 16

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

// readPreprocess reads a TOML file of settings. A key that is none of them is an
// error that names its line.
func readPreprocess(path string) (Preprocess, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Preprocess{}, fmt.Errorf("%s: no such file: give a TOML file with settings such as resize = 256", path)
	case err != nil:
		return Preprocess{}, err
	case info.Mode().IsRegular() && info.Size() > maxPreprocess:
		return Preprocess{}, malformed(path, "has more than the %d kB of a file of settings: give a TOML file such as resize = 256", maxPreprocess>>10)
	}
	data, err := file.ReadFile(path)
	if err != nil {
		return Preprocess{}, err
	}
	return decodePreprocess(path, string(data))
}

func decodePreprocess(name, text string) (Preprocess, error) {
	var values map[string]any
	meta, err := toml.Decode(text, &values)
	if bad := (toml.ParseError{}); errors.As(err, &bad) {
		return Preprocess{}, malformed(name, "line %d: not TOML (%s): correct that line", bad.Position.Line, bad.Message)
	}
	if err != nil {
		return Preprocess{}, malformed(name, "not TOML (%v): correct it", err)
	}
	var p Preprocess
	for _, key := range meta.Keys() {
		if err := p.take(key[0], values[key[0]]); err != nil {
			return Preprocess{}, malformed(name, "line %d: %v", lineOf(text, key[0]), err)
		}
	}
	if err := p.Check(); err != nil {
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

// lineOf returns the line, from 1, that a key is first written on: as it is, in
// quotes, or in a table's brackets.
func lineOf(text, key string) int {
	n := 0
	for line := range strings.Lines(text) {
		n++
		word := strings.TrimLeft(line, " \t[\"'")
		if rest, ok := strings.CutPrefix(word, key); ok && (rest == "" || strings.ContainsAny(rest[:1], " \t=.]\"'\r\n")) {
			return n
		}
	}
	return 1
}

// WriteFile writes the settings as a TOML file, whole or not at all.
func (p Preprocess) WriteFile(path string) error {
	if err := p.Check(); err != nil {
		return err
	}
	return file.Write(path, func(w io.Writer) error {
		for i, key := range settingNames {
			v := p.text(i)
			if v == "" {
				continue
			}
			if _, name := p.field(i).(*string); name {
				v = `"` + v + `"`
			} else {
				v = "[" + strings.ReplaceAll(v, ",", ", ") + "]"
			}
			if _, err := fmt.Fprintf(w, "%s = %s\n", key, v); err != nil {
				return err
			}
		}
		return nil
	})
}
