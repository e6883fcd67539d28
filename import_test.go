package tattle

import (
	"go/build"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tattle/internal/must"
)

// layers are the project's packages from the top down; "." is this one. A package may
// import only packages of lower layers; ARCHITECTURE.md draws the same picture.
var layers = [][]string{
	{"cmd/tattle", "cmd/tattle-wasm", "internal/detection"},
	{"internal/cli"},
	{"guard/pack", "internal/try"},
	{"verify"},
	{"reproduce", "inspect", "internal/project"},
	{"."},
	{"audit"},
	{"design"},
	{"curious/training"},
	{"curious"},
	{"measure", "guard/server"},
	{"classify", "infer", "guard"},
	{"attack"},
	{"bound", "bayes"},
	{"release"},
	{"run/folders"},
	{"shape", "internal/report"},
	{"run"},
	{"dataset"},
	{"onnx", "independent", "internal/progress", "internal/sheet"},
	{"nn/train"},
	{"nn/zoo", "nn/classical"},
	{"nn"},
	{"lsqr", "dct", "stat", "npy", "qp", "eigen", "gram", "lattice", "guard/ledger"},
	{"internal/simd", "internal/file", "internal/float16", "internal/manual", "internal/listen", "internal/browser", "internal/gate", "internal/benchall", "internal/mutants"},
	{"internal/must", "internal/shared"},
}

func layerOf(pkg string) int {
	return slices.IndexFunc(layers, func(l []string) bool { return slices.Contains(l, pkg) })
}

func TestImportsPointDownward(t *testing.T) {
	seen := map[string]bool{}
	must.Do(t, filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if !d.IsDir() {
			return nil
		}
		if path != "." && strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" {
			return fs.SkipDir
		}
		p, err := build.Default.ImportDir(path, 0)
		if _, none := err.(*build.NoGoError); none {
			return nil
		}
		if err != nil {
			return err
		}
		pkg := filepath.ToSlash(path)
		seen[pkg] = true
		own := layerOf(pkg)
		if own < 0 {
			t.Errorf("package %s has no layer: add it to layers and to ARCHITECTURE.md", pkg)
			return nil
		}
		// External tests (package x_test) may look upward: nothing imports them.
		for _, imp := range slices.Concat(p.Imports, p.TestImports) {
			imp, ours := project(imp)
			if ours && imp != pkg && layerOf(imp) <= own {
				t.Errorf("%s imports %s, which is not below it", pkg, imp)
			}
		}
		return nil
	}))
	for _, l := range layers {
		for _, pkg := range l {
			if !seen[pkg] {
				t.Errorf("layers names %s, which does not exist", pkg)
			}
		}
	}
}

// project returns the folder of a package of the project by its import path.
func project(path string) (dir string, ours bool) {
	if path == "tattle" {
		return ".", true
	}
	return strings.CutPrefix(path, "tattle/")
}

// Who imports the library does not get the command line, its web pages or a cluster.
func TestLibraryLeavesTheCommandOut(t *testing.T) {
	seen := map[string]bool{}
	var visit func(dir string)
	visit = func(dir string) {
		if seen[dir] {
			return
		}
		seen[dir] = true
		p := must.Get(build.Default.ImportDir(dir, 0))(t)
		for _, imp := range p.Imports {
			if imp, ours := project(imp); ours {
				visit(imp)
			} else if strings.Contains(imp, "nats") || strings.Contains(imp, "kong") {
				t.Errorf("the library imports %s by %s", imp, dir)
			}
		}
	}
	visit(".")
	for _, dir := range []string{"internal/cli"} {
		if seen[dir] {
			t.Errorf("the library imports %s", dir)
		}
	}
}
