package serve

import (
	"net/url"
	"path/filepath"
	"strings"
)

// linkTo returns the address of a file or folder below a part of the site, each name
// escaped by itself.
func linkTo(under, name string) string {
	if name == rootRun {
		return under
	}
	parts := strings.Split(name, "/")
	for i, p := range parts {
		parts[i] = url.PathEscape(p)
	}
	return under + strings.Join(parts, "/")
}

// requested returns the path in the folder that an address names; ok is false if it must not
// be read.
func requested(name string) (path string, ok bool) {
	if name == "" {
		return rootRun, true
	}
	name = strings.TrimSuffix(name, "/")
	_, err := filepath.Localize(name) // neither .. nor another form of it on this system
	return name, err == nil && name != rootRun && !hidden(name)
}
