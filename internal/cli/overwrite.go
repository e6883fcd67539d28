package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/onnx"
	"tattle/internal/protect/measure"
	"tattle/internal/reveal/curious/training"
)

// What a flag's value names, as its tag `writes` says.
const (
	writesFile   = "file"
	writesFolder = "folder"
)

// A destination is a file or folder that a command line has written.
type destination struct {
	flag, path string
	folder     bool
}

// destinations lists the files and folders that flags of a command line name to be
// written.
func destinations(k *kong.Context) (all []destination) {
	for _, flag := range k.Selected().Flags {
		if writes := flag.Tag.Get("writes"); writes != "" && flag.Target.Kind() == reflect.String && flag.Target.String() != "" {
			all = append(all, destination{"--" + flag.Name, flag.Target.String(), writes == writesFolder})
		}
	}
	return all
}

// checkDestinations returns an error if the command line would write over one of its inputs, or
// write two things to one place.
func checkDestinations(k *kong.Context) error {
	all := destinations(k)
	var inputs []input
	for i, d := range all {
		for _, other := range all[:i] {
			if resolved(other.path) == resolved(d.path) {
				return usage(fmt.Errorf("%s and %s name the same path, %s", other.flag, d.flag, d.path), "name two")
			}
		}
		if !exists(d.path) {
			continue // nothing is overwritten
		}
		if inputs == nil {
			inputs = inputsOf(k)
		}
		for _, in := range inputs {
			if d.overwrites(in.Path) {
				return usage(fmt.Errorf("%s %s: would overwrite an input, %s %s", d.flag, d.path, in.Name, in.Path), "name another path with "+d.flag)
			}
		}
	}
	return nil
}

// overwrites reports whether writing to d changes the file or folder at a path, by
// whatever name either is called.
func (d destination) overwrites(path string) bool {
	out, err1 := os.Stat(d.path)
	in, err2 := os.Stat(path)
	switch {
	case err1 != nil || err2 != nil:
		return false
	case os.SameFile(out, in):
		return true
	case d.folder:
		return within(path, d.path)
	}
	return in.IsDir() && within(d.path, path)
}

// within reports whether a path is below a folder, symbolic links followed.
func within(path, folder string) bool {
	rel, err := filepath.Rel(resolved(folder), resolved(path))
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// resolved is a path as absolute, with no symbolic links in what of it is there.
func resolved(path string) string {
	path = absolute(path)
	if end, err := filepath.EvalSymlinks(path); err == nil {
		return end
	}
	if dir := filepath.Dir(path); dir != path {
		return filepath.Join(resolved(dir), filepath.Base(path))
	}
	return path
}

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
			text := value.String()
			if limit, is := value.Interface().(dataset.Limit); is {
				text = limit.Indices
			}
			path, isTable := strings.CutPrefix(text, measure.TablePrefix)
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
