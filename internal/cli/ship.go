package cli

import (
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"tattle/cluster"
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

// eachInput calls f with every path that the command line may name, and puts what it
// returns in its place.
func eachInput(k *kong.Context, f func(flag, names, path string) string) {
	flags := k.Selected().Flags
	values := make([]*kong.Value, 0, len(flags)+len(k.Selected().Positional))
	for _, flag := range flags {
		values = append(values, flag.Value)
	}
	for _, v := range append(values, k.Selected().Positional...) {
		if names := v.Tag.Get("input"); names != "" {
			name := v.Name
			if v.Flag != nil {
				name = "--" + name
			}
			eachPath(v.Target, func(path string) string {
				prefix := ""
				switch {
				case names == namesData && path == glyphsName:
					return path
				case names == namesTable && !strings.HasPrefix(path, measure.TablePrefix):
					return path
				case names == namesTable:
					prefix, path = measure.TablePrefix, path[len(measure.TablePrefix):]
				}
				return prefix + f(name, names, path)
			})
		}
	}
}

// eachPath does it for the strings of a flag's value.
func eachPath(v reflect.Value, f func(path string) string) {
	switch v.Kind() {
	case reflect.String:
		if v.String() != "" {
			v.SetString(f(v.String()))
		}
	case reflect.Slice:
		for i := range v.Len() {
			eachPath(v.Index(i), f)
		}
	case reflect.Pointer:
		if !v.IsNil() {
			eachPath(v.Elem(), f)
		}
	}
}

// inputsOf lists the files and folders that a command line reads, by absolute paths.
func inputsOf(k *kong.Context) []cluster.Input {
	var all []cluster.Input
	seen := map[string]bool{}
	add := func(flag, path string) {
		if path = absolute(path); !seen[path] && exists(path) {
			seen[path] = true
			all = append(all, cluster.Input{Name: flag, Path: path})
		}
	}
	eachInput(k, func(flag, names, path string) string {
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
		return path
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

// settlePaths makes the paths of a command line those of this machine: where an input
// was brought to, with what lay beside it beside it, in a folder of its own; otherwise
// what they were, seen from cwd.
func settlePaths(k *kong.Context, cwd string, inputs []cluster.Input, paths map[string]string, dir string) error {
	at, err := together(inputs, paths, dir)
	if err != nil {
		return err
	}
	eachInput(k, func(_, _, path string) string {
		abs := path
		if !filepath.IsAbs(path) {
			abs = filepath.Join(cwd, path)
		}
		if here, ok := at[filepath.Clean(abs)]; ok {
			return here
		}
		if exists(abs) {
			return abs
		}
		return path
	})
	return nil
}

// together puts files that lay in one folder into one folder again, below dir, and
// returns where everything is.
func together(inputs []cluster.Input, paths map[string]string, dir string) (map[string]string, error) {
	at, err := cluster.Gather(inputs, paths, dir)
	if err != nil {
		return nil, err
	}
	for _, i := range inputs {
		if to := at[i.Path]; filepath.Base(i.Path) == training.SourceFile && to != i.Path {
			if err := training.Repoint(to, at); err != nil {
				return nil, err
			}
		}
	}
	return at, nil
}
