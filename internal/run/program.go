package run

import (
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"

	"tattle/internal/math/simd"
)

// Program says which program computes: another version, or other kernels, may give
// other bytes.
type Program struct {
	Version string `json:"version"` // of the module
	Kernels string `json:"kernels"` // such as "avx2+fma amd64"
	// Executable is the SHA-256 of the program's file, where the version is not definite
	// and processes that share nothing but a folder must be the same.
	Executable string `json:"executable,omitempty"`
}

// unreleased is the version of a program that was built without the information of the version
// control system.
const unreleased = "v0.1.0-devel"

// Current returns the program that is running.
func Current() Program { return current() }

var current = sync.OnceValue(func() Program {
	return Program{Version: version(debug.ReadBuildInfo()), Kernels: simd.Accelerated() + " " + runtime.GOARCH}
})

func version(info *debug.BuildInfo, ok bool) string {
	if ok && strings.HasPrefix(info.Main.Version, "v") {
		return info.Main.Version
	}
	return unreleased
}

// Definite reports whether the version identifies the program: that of a development build is
// unknown, or its source had uncommitted changes.
func (p Program) Definite() bool {
	return !strings.HasSuffix(p.Version, "devel") && !strings.HasSuffix(p.Version, "dirty")
}

// Caveat ends a message about a file that this program would write otherwise. It is empty if the
// version identifies the program.
func (p Program) Caveat() string {
	if p.Definite() {
		return ""
	}
	return "; " + p.Version + " is a development build, and another one of the same version may word it otherwise: use the build that wrote it"
}

// Exact returns the program that is running, identified by the hash of its file if the version
// does not identify it.
func (p Program) Exact() (_ Program, err error) {
	if !p.Definite() {
		p.Executable, err = executable()
	}
	return p, err
}

var executable = sync.OnceValues(func() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	return Digest(path)
})
