package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"tattle/internal/must"
	"tattle/internal/shared"
)

// TestPython builds the wheel of the Python package around this program, installs it into a new virtual environment without a
// network, and runs the package's tests there.
func TestPython(t *testing.T) {
	shared.Long(t, "the Python package")
	t.Parallel()
	if exec.Command("python3", "-c", "import sys, venv, pip; assert sys.version_info >= (3, 9) and tuple(map(int, pip.__version__.split('.')[:2])) >= (22, 3)").Run() != nil {
		t.Skip("needs python3, 3.9 or later, with venv and pip, 22.3 or later")
	}
	dir, tattle := t.TempDir(), must.Get(exec.LookPath("tattle"))(t)
	writeFile(t, filepath.Join(dir, "program"), "#!/bin/sh\nexec '"+tattle+"' \"$@\"\n", 0o755)
	python := func(program string, args ...string) string {
		t.Helper()
		c := exec.Command(program, args...)
		c.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1", "TATTLE_BINARY=", "PYTHONPATH=")
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %s: %v\n%s", program, args, err, out)
		}
		return string(out)
	}
	python("python3", "../../python/wheel.py", "--out", dir, "--program", filepath.Join(dir, "program"))
	wheels := must.Get(filepath.Glob(filepath.Join(dir, "tattle-*-py3-none-*.whl")))(t)
	if len(wheels) != 1 {
		t.Fatalf("wheels: %v", wheels)
	}
	in := filepath.Join(dir, "venv", "bin", "python")
	python("python3", "-m", "venv", "--without-pip", filepath.Join(dir, "venv"))
	python("python3", "-m", "pip", "--python", in, "install", "--no-index", "--no-compile", "--quiet", wheels[0])
	python(filepath.Join(dir, "venv", "bin", "tattle"), "--version")
	if exec.Command("python3", "-m", "mypy", "--version").Run() == nil {
		python("python3", "-m", "mypy", "--strict", "--cache-dir", filepath.Join(dir, "mypy"), "../../python/tattle", "../../python/wheel.py")
	} else {
		t.Log("mypy is not here: the package's types are not checked")
	}
	if out := python(in, "../../python/tests/test_tattle.py"); !regexp.MustCompile(`(?m)^OK`).MatchString(out) {
		t.Error(out)
	}
}
