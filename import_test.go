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

// wings are the folders below internal from the top down, and cmd; "." is this package. A package may import
// packages of its own wing and of those below; ARCHITECTURE.md lists them in the same order.
var wings = strings.Fields(`cmd cli . detection try guard verify papers paper inspect reveal protect data independent infer progress engine report run npy math project manual mutants gate benchall file browser listen must shared`)

// wingOf returns the wing of a package by its folder.
func wingOf(pkg string) int {
	name, _, _ := strings.Cut(strings.TrimPrefix(pkg, "internal/"), "/")
	return slices.Index(wings, name)
}

func TestImportsPointDownward(t *testing.T) {
	seen := map[int]bool{}
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
		own := wingOf(pkg)
		if own < 0 {
			t.Errorf("package %s is in no wing: add it to wings and to ARCHITECTURE.md", pkg)
			return nil
		}
		seen[own] = true
		// External tests (package x_test) may look upward: nothing imports them.
		for _, imp := range slices.Concat(p.Imports, p.TestImports) {
			if imp, ours := project(imp); ours && wingOf(imp) < own {
				t.Errorf("%s imports %s, which is not below it", pkg, imp)
			}
		}
		return nil
	}))
	for i, name := range wings {
		if !seen[i] {
			t.Errorf("wings names %s, which does not exist", name)
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
