package cli

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"tattle/internal/engine/onnx"
	"tattle/internal/protect/measure"
	"tattle/internal/reveal/curious/training"
)

// What a flag's value names, as its tag `input` says.
const (
	namesFile  = "file"  // a file or folder, where there is one of that name
	namesData  = "data"  // the same; glyphs are generated
	namesModel = "model" // an ONNX file, with what is read beside it
	namesTable = "table" // a file, behind "table:"
)

// An input is a file or folder that a command line reads.
type input struct{ Name, Path string }

// inputsOf lists the files and folders that a command line reads, by absolute paths.
func inputsOf(k *kong.Context) []input {
	var all []input
	seen := map[string]bool{}
	add := func(flag, path string) {
		if path = absolute(path); !seen[path] && exists(path) {
			seen[path] = true
			all = append(all, input{flag, path})
		}
	}
	values := slices.Clone(k.Selected().Positional)
	for _, flag := range k.Selected().Flags {
		values = append(values, flag.Value)
	}
	for _, v := range values {
		name, names := v.Name, v.Tag.Get("input")
		if v.Flag != nil {
			name = "--" + name
		}
		for _, value := range valuesIn(v.Target) {
			path, isTable := strings.CutPrefix(value.String(), measure.TablePrefix)
			if names == "" || path == "" || names == namesData && path == glyphsName || names == namesTable && !isTable {
				continue
			}
			add(name, path)
			if names != namesModel || !exists(path) {
				continue
			}
			for _, beside := range besideModel(path) {
				add(name+" (beside it)", beside)
			}
			if k.Selected().Name == "audit" {
				for _, data := range trainedOn(path) {
					add(name+" (its data)", data)
				}
			}
		}
	}
	return all
}

// besideModel lists what may be read beside an ONNX file: its preprocessing, the result
// of its training and what that read, and the weights that it keeps in other files.
func besideModel(path string) []string {
	dir := filepath.Dir(path)
	all := []string{preprocessFile(path), filepath.Join(dir, training.ResultFile), filepath.Join(dir, training.SourceFile)}
	if d, err := onnx.Describe(path, onnx.ReadOptions{}); err == nil {
		for _, name := range d.Beside {
			if filepath.IsLocal(name) {
				all = append(all, filepath.Join(dir, name))
			}
		}
	}
	return all
}

// trainedOn lists the data that the training of a model read, and their labels, where
// files beside it say so.
func trainedOn(model string) []string {
	r, err := training.ReadResult(filepath.Dir(model))
	if err != nil || r.Source == nil {
		return nil
	}
	return slices.DeleteFunc([]string{r.Source.Path, r.Source.Labels}, func(path string) bool { return path == "" })
}
