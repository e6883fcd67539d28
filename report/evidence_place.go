package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"tattle/internal/file"
)

// destinations are the flags that say where and how to write, of which the evidence
// does not depend.
var destinations = regexp.MustCompile(`\s+(?:--(?:evidence|out|sarif|junit|markdown)(?:=|\s+)(?:'[^']*'(?:\\''[^']*')*|"[^"]*"|\S+)|'--(?:evidence|out|sarif|junit|markdown)=[^']*'(?:\\''[^']*')*|--(?:json|resume)\b)`)

// absolute are absolute paths in a text, quoted as a shell reads them, by themselves or
// with their flag, or without blanks; an address of the web is none.
var absolute = regexp.MustCompile(`'(?:--[\w-]+=)?/[^']*'(?:\\''[^']*')*|"/[^"]*"|(?:^|[\s=(,])/[^\s'",)]+`)

// odd are characters for which a word is quoted.
var odd = regexp.MustCompile(`[^\w./:=,@%+-]`)

// lastParts leaves of every absolute path its last part, and of the quotes that the
// rest called for nothing.
func lastParts(s string) string {
	return absolute.ReplaceAllStringFunc(s, func(m string) string {
		from, to := strings.IndexByte(m, '/'), len(m)
		if m[0] == '\'' || m[0] == '"' {
			to--
		}
		s := m[:from] + path.Base(m[from:to]) + m[to:]
		if s[0] == '\'' && !odd.MatchString(s[1:len(s)-1]) {
			return s[1 : len(s)-1]
		}
		return s
	})
}

// lastPart is lastParts of a path or a name.
func lastPart(s string) string {
	if filepath.IsAbs(s) {
		return filepath.Base(s)
	}
	return s
}

func lastPartsOf(s []string) []string {
	var out []string
	for _, x := range s {
		out = append(out, lastParts(x))
	}
	return out
}

// packPlace is where a pack is to stand, links followed. It returns an error if something else
// than a pack or an empty folder stands there.
func packPlace(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("evidence: %w", err)
	}
	if end, err := filepath.EvalSymlinks(dir); err == nil {
		dir = end
	} else if !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("evidence in %s: %w", file.Name(dir), file.Cause(err))
	}
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return dir, nil
	case err != nil:
		return "", fmt.Errorf("evidence in %s: %w: name a folder", file.Name(dir), file.Cause(err))
	case len(entries) == 0:
		return dir, nil
	}
	if err := isPack(dir, entries); err != nil {
		return "", fmt.Errorf("evidence in %s: %w: name another folder", file.Name(dir), err)
	}
	return dir, nil
}

// isPack returns an error unless the manifest and the other files show that a folder is an
// evidence pack, which may be replaced.
func isPack(dir string, entries []os.DirEntry) error {
	ours := map[string]bool{EvidenceManifest: true, EvidenceSums: true}
	for _, f := range evidenceFiles {
		ours[f.name] = true
	}
	for _, x := range entries {
		if !ours[x.Name()] || !x.Type().IsRegular() {
			return fmt.Errorf("the folder holds %s, which is no part of an evidence pack", file.Name(x.Name()))
		}
	}
	f, err := file.Open(filepath.Join(dir, EvidenceManifest))
	if err != nil {
		return errors.New("the folder has no manifest.json")
	}
	defer f.Close()
	var m packManifest
	if err := json.NewDecoder(f).Decode(&m); err != nil || !strings.HasPrefix(m.Schema, "tattle/evidence/") {
		return errors.New("its manifest.json is not that of an evidence pack")
	}
	return nil
}
