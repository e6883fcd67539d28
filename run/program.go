package run

import (
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"

	"tattle/internal/simd"
)

// Program says which program computes: another version, or other kernels, may give
// other bytes.
type Program struct {
	Version string `json:"version"` // of the module or of its source; "(devel)" where nothing is known
	Kernels string `json:"kernels"` // such as "avx2+fma amd64"
	// Executable is the SHA-256 of the program's file, where the version is not definite
	// and processes that share nothing but a folder must be the same.
	Executable string `json:"executable,omitempty"`
}

// unversioned is the version of a program that does not know its own.
const unversioned = "(devel)"

// Current returns the program that is running.
func Current() Program { return current() }

var current = sync.OnceValue(func() Program {
	return Program{Version: version(debug.ReadBuildInfo()), Kernels: simd.Accelerated() + " " + runtime.GOARCH}
})

func version(info *debug.BuildInfo, ok bool) string {
	if !ok {
		return unversioned
	}
	if v := info.Main.Version; v != "" && v != unversioned {
		return v
	}
	var revision, dirty string
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			revision = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			dirty = "+dirty"
		}
	}
	if revision == "" {
		return unversioned
	}
	return revision[:min(len(revision), 12)] + dirty
}

// Definite reports whether the version identifies the program: it does not if the version is
// unknown or if the source had uncommitted changes.
func (p Program) Definite() bool {
	return p.Version != unversioned && !strings.HasSuffix(p.Version, "dirty")
}

// exact returns the manifest with the program that is running, identified by its hash if needed.
func (m Manifest) exact() (Manifest, error) {
	if m.Program != (Program{}) {
		return m, nil
	}
	var err error
	if m.Program = Current(); !m.Program.Definite() {
		m.Program.Executable, err = Executable()
	}
	return m, err
}

// Executable returns the SHA-256 of the file of the running program.
func Executable() (string, error) { return executable() }

var executable = sync.OnceValues(func() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	return Digest(path)
})
