package dataset

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// openKind opens data of the kind that is asked for, or that it seems to be.
func openKind(path string, o InputOptions) (*inputs, error) {
	kind, err := o.kindOf(path)
	if err != nil {
		return nil, err
	}
	switch kind {
	case KindArrays:
		return openArrays(path, o)
	case KindFolders:
		return openFolders(path, o)
	case KindMNIST:
		return openBytes(path, o)
	case KindGlyphs:
		return drawnInputs(o)
	case KindAdult, KindTable:
		return openRows(path, kind, o)
	}
	return openPictureInputs(path, kind, o)
}

// kindOf returns the kind of data, from the options or the path.
func (o InputOptions) kindOf(path string) (string, error) {
	kind := strings.ToLower(o.Kind)
	if kind != "" && kind != "qmnist" && !slices.Contains(InputKinds(), kind) {
		return "", fmt.Errorf("no kind of data %q: want one of %s", o.Kind, strings.Join(InputKinds(), ", "))
	}
	if kind == KindArrays || kind == KindFolders {
		return kind, nil
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) && path != KindGlyphs {
		return "", fmt.Errorf("%s: no such file or folder: give idx files, CIFAR-10's batches, an .npz, a folder or zip of pictures, or a CSV", path)
	}
	if kind == "" && isArrays(path) {
		return KindArrays, nil
	}
	l := o.labelled()
	if kind == "" && o.Labels != "" && isTree(path) && !hasParts(path) {
		l.Kind = KindImages
	}
	kind, err := l.kindOf(path)
	switch {
	case err != nil && isTree(path) && hasPictures(path):
		return KindFolders, nil
	case err != nil && qmnistLabels(path, o.Split) != "":
		return KindMNIST, nil // which says what is missing
	}
	return kind, err
}

// isArrays reports whether a file is NumPy's: one array, or a zip of them.
func isArrays(path string) bool {
	if strings.HasPrefix(string(firstBytes(path, 6)), "\x93NUMPY") {
		return true
	}
	return isZip(path) && strings.EqualFold(filepath.Ext(path), ".npz")
}

// isTree reports whether a path is a folder or a zip.
func isTree(path string) bool {
	info, err := os.Stat(path)
	return err == nil && (info.IsDir() || isZip(path))
}

// hasPictures reports whether there are pictures in a folder or zip, of whatever
// kind.
func hasPictures(path string) bool {
	fsys, closer, err := openFS(path)
	if err != nil {
		return false
	}
	defer closer.Close()
	files, err := listFiles(fsys)
	return err == nil && slices.ContainsFunc(files, func(name string) bool { return isPicture(name) || isForeign(name) })
}

// openBytes reads what [Open] or [QMNIST] reads, and changes it as the
// preprocessing says.
func openBytes(path string, o InputOptions) (*inputs, error) {
	set, err := openBytePart(path, o)
	if err != nil {
		return nil, err
	}
	in, err := fromSet(path, set, o)
	if err == nil && len(set.Mean) > 1 && !o.Preprocess.normalises() {
		in.note("nothing is said of the values: the bytes of CIFAR-10 are taken to −1 … 1 (range, mean and std of a preprocessing say otherwise)")
	}
	return in, err
}

func openBytePart(path string, o InputOptions) (*Set, error) {
	if o.Split == Validation {
		return nil, fmt.Errorf("%s: has no %s part: ask for %s or %s", path, Validation, Train, Test)
	}
	if o.Labels != "" {
		return QMNIST(path, o.Labels, o.Split)
	}
	return Open(path, o.Split)
}

// drawnInputs draws the glyphs as [OpenParts] does.
func drawnInputs(o InputOptions) (*inputs, error) {
	g := GlyphOptions{N: glyphTraining, Seed: o.Seed}
	if o.Split != Train {
		g.N, g.Split = glyphTest, Test
	}
	if slices.Equal(o.Shape, []int{3, DefaultSide, DefaultSide}) {
		g.Size, g.Color = DefaultSide, true
	}
	return fromSet(KindGlyphs, Glyphs(g), o)
}

// fromSet makes inputs of a set that is read already.
func fromSet(path string, set *Set, o InputOptions) (*inputs, error) {
	in := &inputs{rows: complete(nil, set.Len()), close: func() {}}
	if o.Target != "" && o.Target != set.YName {
		src := fromSets(path, []*Set{set})
		a, err := src.attribute(o.Target, new(chosen))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		in.target = &a
	}
	in.read = func(_ context.Context, rows []int) (*Set, error) {
		if !slices.Equal(rows, complete(nil, set.Len())) {
			set = set.Subset(rows)
		}
		return set, o.Preprocess.reshape(path, set)
	}
	return in, nil
}
