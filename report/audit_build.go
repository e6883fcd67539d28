package report

import (
	"fmt"
	"path/filepath"
	"strings"

	"tattle/audit"
	"tattle/run"
)

// AuditTitle is the title of the report of an audit of a sample.
func AuditTitle(s *audit.Sample) string {
	names := make([]string, len(s.Sensitive))
	for i, a := range s.Sensitive {
		names[i] = a.Name
	}
	return fmt.Sprintf("Audit of %s: do the outputs reveal %s?", s.Target, strings.Join(names, ", "))
}

// DigestsOf lists files of a folder with their SHA-256.
func DigestsOf(dir string, names []string) (all []Arrays, err error) {
	for _, name := range names {
		hash, err := run.Digest(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		all = append(all, Arrays{File: name, SHA256: hash})
	}
	return all, nil
}
