package serve

import (
	"net/url"
	"path/filepath"
	"strings"
)

// linkTo is the address of a file or folder below a part of the site, each name
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

// asked is the name in the folder that an address asks for; false where it may
// not be asked for.
func asked(name string) (string, bool) {
	if name == "" {
		return rootRun, true
	}
	name = strings.TrimSuffix(name, "/")
	_, err := filepath.Localize(name) // no way up, nor what this system reads as one
	return name, err == nil && name != rootRun && !hidden(name)
}

// compareURL is the address of two runs side by side.
func compareURL(a, b string, only bool) string {
	v := url.Values{"run": {a, b}}
	if only {
		v.Set("only", "1")
	}
	return "/compare?" + v.Encode()
}
