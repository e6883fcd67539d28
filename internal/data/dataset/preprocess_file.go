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
