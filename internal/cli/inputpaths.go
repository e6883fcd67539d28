package cli

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"tattle/curious/training"
	"tattle/measure"
	"tattle/onnx"
)

// What a flag's value names, as its tag `input` says.
const (
	namesFile  = "file"  // a file or folder, where there is one of that name
	namesData  = "data"  // the same; glyphs are generated
	namesModel = "model" // an ONNX file, with what is read beside it
	namesTable = "table" // a file, behind "table:"
)

// eachInput calls f with every path that the command line may name.
func eachInput(k *kong.Context, f func(flag, names, path string)) {
	flags := k.Selected().Flags
	values := make([]*kong.Value, 0, len(flags)+len(k.Selected().Positional))
	for _, flag := range flags {
		values = append(values, flag.Value)
	}
	for _, v := range append(values, k.Selected().Positional...) {
		names := v.Tag.Get("input")
		if names == "" {
			continue
		}
		name := v.Name
		if v.Flag != nil {
			name = "--" + name
		}
		for _, value := range valuesIn(v.Target) {
			path := value.String()
			table, isTable := strings.CutPrefix(path, measure.TablePrefix)
			switch {
			case path == "":
			case names == namesData && path == glyphsName:
			case names == namesTable && isTable:
				f(name, names, table)
			case names != namesTable:
				f(name, names, path)
			}
		}
	}
}

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
	eachInput(k, func(flag, names, path string) {
		add(flag, path)
		if names == namesModel && exists(path) {
			for _, beside := range besideModel(path) {
				add(flag+" (beside it)", beside)
			}
			if k.Selected().Name == "audit" {
				for _, data := range trainedOn(path) {
					add(flag+" (its data)", data)
				}
			}
		}
	})
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
