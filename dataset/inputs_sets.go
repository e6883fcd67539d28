package dataset

import (
	"context"
	"fmt"
	"slices"
)

// openKind opens data of the kind that is asked for, or that the path holds.
func openKind(path string, o InputOptions) (*inputs, error) {
	kind, err := kindOf(path, o.Kind, o.Labels, inputKinds())
	if err != nil {
		return nil, err
	}
	switch kind {
	case KindArrays:
		return openArrays(path, o)
	case KindMNIST:
		return openBytes(path, o)
	case KindGlyphs:
		return drawnInputs(o)
	case KindAdult, KindTable:
		return openRows(path, kind, o)
	}
	return openPictureInputs(path, kind, o)
}

// openBytes reads what [Open] or QMNIST's labels reads, and changes it as the
// preprocessing says.
func openBytes(path string, o InputOptions) (*inputs, error) {
	if o.Split == Validation {
		return nil, fmt.Errorf("%s: has no %s part: ask for %s or %s", path, Validation, Train, Test)
	}
	set, err := readPart(path, o.Labels, o.Split)
	if err != nil {
		return nil, err
	}
	in, err := fromSet(path, set, o)
	if err == nil && len(set.Mean) > 1 && !o.Preprocess.Normalises() {
		in.note("no normalisation is given: the bytes of CIFAR-10 are scaled to −1 … 1 (set range, mean and std of the preprocessing to change this)")
	}
	return in, err
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
	if o.Target == NoTarget {
		bare := *set
		bare.Y, bare.YName, bare.YNames = nil, "", nil
		set = &bare
	} else if o.Target != "" && o.Target != set.YName {
		src := fromSets(path, []*Set{set})
		a, err := src.attribute(o.Target, o.Numbers, new(chosen))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		in.target = &a
	}
	if len(o.Sensitive) > 0 {
		if err := in.findSensitive(fromSets(path, []*Set{set}), o.Sensitive, o.Numbers, new(chosen)); err != nil {
			return nil, err
		}
	}
	in.read = func(_ context.Context, rows []int) (*Set, error) {
		if !slices.Equal(rows, complete(nil, set.Len())) {
			set = set.Subset(rows)
		}
		return set, o.Preprocess.reshape(path, set)
	}
	return in, nil
}
