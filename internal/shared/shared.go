// Package shared is for tests: it finds the real data, models and reference results that
// they measure against where they lie beside the project, and leaves out long tests.
package shared

import (
	"os"
	"path/filepath"
	"testing"
)

// Path returns the path of a file or folder below the folder "shared" that lies
// beside the project (or that TATTLE_SHARED names). Where there is none it skips
// the test, saying so.
func Path(t testing.TB, name string) string {
	t.Helper()
	if root := os.Getenv("TATTLE_SHARED"); root != "" {
		return existing(t, filepath.Join(root, name))
	}
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return existing(t, filepath.Join(filepath.Dir(dir), "shared", name))
		}
		up := filepath.Dir(dir)
		if up == dir {
			t.Fatal("no go.mod above the working directory")
		}
		dir = up
	}
}

// Long skips a test under -short, and says what the test would have done.
func Long(t testing.TB, what string) {
	t.Helper()
	if testing.Short() {
		t.Skip("long: " + what)
	}
}

// Full skips a test unless TATTLE_FULL is set, and says what the test would have done.
func Full(t testing.TB, what string) {
	t.Helper()
	if os.Getenv("TATTLE_FULL") == "" {
		t.Skip("TATTLE_FULL=1 runs this: " + what)
	}
}

func existing(t testing.TB, path string) string {
	t.Helper()
	if _, err := os.Stat(path); err != nil {
		t.Skipf("needs %s, which is not here", filepath.Base(path))
	}
	return path
}
