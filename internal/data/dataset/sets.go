package dataset

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"
)

// GlyphsTrain and GlyphsTest are how many glyphs are drawn for training and for tests, unless a number is given: variables for
// tests alone. Those for training are learned to above 90 % in seconds.
var GlyphsTrain, GlyphsTest = 10000, 2000

// openDigits reads both parts of what readPart reads, or the one that is asked for.
func openDigits(path string, o Options) (*origin, error) {
	wanted := []Split{Train, Test}
	switch {
	case o.Split == Validation:
		return nil, fmt.Errorf("%s: has no %s part: ask for %s or %s", path, Validation, Train, Test)
	case o.Split != "":
		wanted = []Split{o.Split}
	case !hasPart(path, Test):
		wanted = wanted[:1]
	}
	var sets []*Set
	for _, part := range wanted {
		set, err := readPart(path, o.Labels, part)
		if err != nil {
			return nil, err
		}
		if side := set.Shape[1]; o.Side != 0 && o.Side != side {
			return nil, fmt.Errorf("%s: pictures of %d×%d are not resized to %d: leave the side out", path, side, set.Shape[2], o.Side)
		}
		sets = append(sets, set)
	}
	src := fromSets(path, sets, wanted, o)
	src.elsewhere = map[string]string{"writer": "QMNIST's labels say the writers of MNIST: put them beside the pictures, or name their folder for the labels"}
	if len(sets[0].Mean) > 1 {
		src.scaled = "the bytes of CIFAR-10 are scaled to −1 … 1"
	}
	return src, nil
}

// drawGlyphs draws no more glyphs than are asked for.
func drawGlyphs(o Options) (*origin, error) {
	g := GlyphOptions{N: GlyphsTrain, Seed: o.Seed}
	if o.Side != 0 && o.Side != glyphSide {
		return nil, fmt.Errorf("%s are drawn with %d×%d pixels, and not with %d: leave the side out", KindGlyphs, glyphSide, glyphSide, o.Side)
	}
	if o.Limit > 0 { // the validation part comes off what is drawn, and has one at least
		limit := max(min(o.Limit, g.N), validationShare-1)
		g.N = min(g.N, (limit*validationShare+validationShare-2)/(validationShare-1))
	}
	var sets []*Set
	parts := []Split{Train, Test}
	if o.Split != "" {
		parts = []Split{o.Split}
	}
	for _, part := range parts {
		if part != Train {
			g.N, g.Split = GlyphsTest, Test
		}
		sets = append(sets, Glyphs(g))
	}
	return fromSets(KindGlyphs, sets, parts, o), nil
}

// fromSets makes columns of the labels of sets, which are parts of one.
func fromSets(source string, sets []*Set, parts []Split, o Options) *origin {
	all := *sets[0]
	l := &labels{source: source, columns: []column{{name: all.YName, listed: all.YNames}}}
	src := &origin{labels: l, name: all.Name, target: all.YName, close: func() {}}
	for _, a := range all.Sensitive {
		l.columns = append(l.columns, column{name: a.Name, listed: a.Values})
		src.sensitive = append(src.sensitive, a.Name)
	}
	if all.Group != nil {
		l.columns = append(l.columns, column{name: all.Group.Name})
	}
	all.Y, all.Sensitive, all.Group, all.Source = nil, nil, nil, nil
	all.Pixels = all.Pixels[:len(all.Pixels):len(all.Pixels)]
	for k, s := range sets {
		if k > 0 {
			all.Pixels = append(all.Pixels, s.Pixels...)
		}
		all.Source = append(all.Source, s.Source...)
		for i, y := range s.Y {
			l.split = append(l.split, parts[k])
			l.columns[0].values = append(l.columns[0].values, s.YNames[y])
			for k, a := range s.Sensitive {
				c := &l.columns[k+1]
				c.values = append(c.values, a.Values[a.Labels[i]])
			}
			if s.Group != nil {
				c := &l.columns[len(l.columns)-1]
				c.values = append(c.values, s.Group.Values[s.Group.Labels[i]])
			}
		}
	}
	src.read = func(_ context.Context, rows, _ []int, _ *chosen) (*Set, error) {
		set := all
		set.Pixels = pick(all.Pixels, all.size(), rows)
		return &set, o.Preprocess.reshape(source, &set)
	}
	return src
}

// classNumbers are the names of n classes that have none.
func classNumbers(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = strconv.Itoa(i)
	}
	return names
}

// baseName is the last element of a path: for "." the name of the folder.
func baseName(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	return filepath.Base(path)
}
