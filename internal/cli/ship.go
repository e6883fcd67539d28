package cli

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"tattle/cluster"
	"tattle/internal/file"
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
			all = append(all, cluster.Input{Name: flag, Path: path, Required: true})
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
	all := []string{preprocessFile(path), filepath.Join(dir, resultFile), filepath.Join(dir, sourceFile)}
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
	r, err := readResult(filepath.Dir(model))
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
	for _, f := range k.Selected().Flags {
		if f.Name == "cache" && f.Target.String() != "" && f.Target.String() != "none" {
			f.Target.SetString(filepath.Join(dir, "cache"))
		}
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
	at := map[string]string{}
	for _, i := range inputs {
		here, ok := paths[i.Path]
		if !ok {
			continue
		}
		if i.Folder || here == i.Path {
			at[i.Path] = here
			continue
		}
		to := filepath.Join(dir, strings.ReplaceAll(filepath.ToSlash(i.Path), ":", ""))
		if err := link(here, to); err != nil {
			return nil, err
		}
		at[i.Path] = to
	}
	for _, i := range inputs {
		if to := at[i.Path]; filepath.Base(i.Path) == sourceFile && to != i.Path {
			if err := repoint(to, at); err != nil {
				return nil, err
			}
		}
	}
	return at, nil
}

// link makes the file to, which is from: the same file where it can be.
func link(from, to string) error {
	if err := file.MkdirAll(filepath.Dir(to)); err != nil {
		return err
	}
	if err := file.Link(from, to); err == nil || errors.Is(err, os.ErrExist) {
		return nil
	}
	f, err := file.Open(from)
	if err != nil {
		return err
	}
	defer f.Close()
	w, err := file.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = io.Copy(w, f)
	return errors.Join(err, w.Close())
}

// repoint makes the paths in a sourceFile those of this machine. Pictures that the run
// kept decoded are decoded again here, beside the data.
func repoint(path string, at map[string]string) error {
	data, err := file.ReadFile(path)
	if err != nil {
		return err
	}
	var source dataSource
	if err := json.Unmarshal(data, &source); err != nil {
		return nil // whoever reads it says so
	}
	for _, p := range []*string{&source.Path, &source.Labels} {
		if to, ok := at[*p]; ok {
			*p = to
		}
	}
	if source.Cache != "none" {
		source.Cache = ""
	}
	if data, err = json.Marshal(source); err != nil {
		return err
	}
	return file.Write(path, func(w io.Writer) error { _, err := w.Write(data); return err })
}
