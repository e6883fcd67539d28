package dataset

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// kindOf returns the kind of data, from the options or the path.
func (o LabelledOptions) kindOf(path string) (string, error) {
	kind := strings.ToLower(o.Kind)
	if kind == "qmnist" {
		kind = KindMNIST
	}
	if kind != "" && !slices.Contains(Kinds(), kind) {
		return "", fmt.Errorf("no kind of data %q: want one of %s", o.Kind, strings.Join(Kinds(), ", "))
	}
	if kind != "" {
		return kind, nil
	}
	_, err := os.Stat(path)
	switch {
	case err != nil && path == KindGlyphs:
		return KindGlyphs, nil
	case err == nil && hasParts(path):
		return KindMNIST, nil
	case err == nil && firstFile(path, tableNames[0]) != "":
		return KindTable, nil
	}
	kind, err = guessKind(path)
	if kind == "qmnist" {
		kind = KindMNIST
	}
	return kind, err
}

// hasParts reports whether [Open] reads a folder.
func hasParts(path string) bool {
	return hasTest(path) || idxImages(path, Train) != "" || len(cifarBatches(path, Train)) > 0
}
