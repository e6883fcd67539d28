package run

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"tattle/internal/file"
	"tattle/internal/math/simd"
)

// RecordName is the file that says how a run was begun.
const RecordName = "run.json"

// RecordFiles are the files of a finished run's folder that say how it was begun and what came of it.
var RecordFiles = []string{RecordName, ManifestName, digestName, resultsName}

const recordSchema = "tattle run file 1"

// Record says how a run was begun: what goes on with it from its folder alone.
type Record struct {
	Args    []string  `json:"args"` // the command line without --out, --resume and where it is computed
	Cwd     string    `json:"cwd"`  // what relative paths in Args start from
	Program Program   `json:"program,omitzero"`
	Started time.Time `json:"started,omitzero"`
}

type writtenRecord struct {
	Schema string `json:"schema"`
	Record
}

// WriteRecord writes run.json into a folder.
func WriteRecord(files *file.Dir, dir string, r Record) error {
	data, err := json.MarshalIndent(writtenRecord{recordSchema, r}, "", "  ")
	if err != nil {
		return err
	}
	return files.WriteBytes(filepath.Join(dir, RecordName), append(data, '\n'))
}

// ReadRecord reads run.json from a folder.
func ReadRecord(dir string) (Record, error) {
	path := filepath.Join(dir, RecordName)
	data, err := readSmall(path, 1<<20)
	if _, missing := os.Stat(dir); errors.Is(err, os.ErrNotExist) && missing == nil {
		return Record{}, fmt.Errorf("%s holds no run: it has no %s", dir, RecordName)
	}
	if err != nil {
		return Record{}, err
	}
	var w writtenRecord
	if err := json.Unmarshal(data, &w); err != nil {
		return Record{}, fmt.Errorf("%s: %w", path, err)
	}
	if w.Schema != recordSchema {
		return Record{}, fmt.Errorf("%s: schema %q, not %q", path, w.Schema, recordSchema)
	}
	return w.Record, nil
}

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
