package file

import (
	"os"
	"path/filepath"
	"strings"
)

// CommandLine writes arguments as a shell reads them.
func CommandLine(args []string) string {
	words := make([]string, len(args))
	for i, a := range args {
		words[i] = Quote(a)
	}
	return strings.Join(words, " ")
}

// NearCommandLine is CommandLine for a reader who is in the present folder: absolute paths near
// that are relative.
func NearCommandLine(args []string) string {
	here, err := os.Getwd()
	if err != nil {
		return CommandLine(args)
	}
	out := make([]string, len(args))
	for i, a := range args {
		out[i] = near(here, a)
	}
	return CommandLine(out)
}

// near is an absolute path relative to a folder, if they have more in common than the root; other
// texts stay.
func near(folder, path string) string {
	if !filepath.IsAbs(path) {
		return path
	}
	relative, err := filepath.Rel(folder, path)
	first := func(p string) string { return strings.Split(filepath.ToSlash(p)+"//", "/")[1] }
	if err != nil || first(folder) != first(path) || len(relative) >= len(path) {
		return path
	}
	return relative
}

// Quote writes one argument as a shell reads it.
func Quote(a string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r > 127 || strings.ContainsRune("_-./:=,@%+", r)
	}
	if a != "" && strings.IndexFunc(a, func(r rune) bool { return !plain(r) }) < 0 {
		return a
	}
	return "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
}
