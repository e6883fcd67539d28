package dataset

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Glyphs that [OpenParts] draws.
const (
	glyphTraining = defaultGlyphs
	glyphTest     = defaultGlyphs / 5
)

// openDigits reads both parts of what readPart reads.
func openDigits(path string, o LabelledOptions) (*origin, error) {
	train, err := readPart(path, o.Labels, Train)
	if err != nil {
		return nil, err
	}
	if side := train.Shape[1]; o.Side != 0 && o.Side != side {
		return nil, fmt.Errorf("%s: pictures of %d×%d are not resized to %d: leave the side out", path, side, train.Shape[2], o.Side)
	}
	parts := []*Set{train}
	if hasPart(path, Test) {
		test, err := readPart(path, o.Labels, Test)
		if err != nil {
			return nil, err
		}
		parts = append(parts, test)
	}
	src := fromSets(path, parts)
	src.elsewhere = map[string]string{"writer": "QMNIST's labels say the writers of MNIST: put them beside the pictures, or name their folder for the labels"}
	return src, nil
}

// drawGlyphs draws no more glyphs than are asked for.
func drawGlyphs(o LabelledOptions) (*origin, error) {
	g := GlyphOptions{N: glyphTraining, Size: o.Side, Color: o.Side == 64, Seed: o.Seed}
	if err := g.Check(); err != nil {
		return nil, err
	}
	if o.Limit > 0 { // the validation part comes off what is drawn, and has one at least
		limit := max(min(o.Limit, g.N), validationShare-1)
		g.N = min(g.N, (limit*validationShare+validationShare-2)/(validationShare-1))
	}
	train := Glyphs(g)
	g.N, g.Split = glyphTest, Test
	return fromSets("glyphs", []*Set{train, Glyphs(g)}), nil
}

// fromSets makes columns of the labels of a training set, and of a test set
// where there is one.
func fromSets(source string, sets []*Set) *origin {
	all := *sets[0]
	all.Source = nil
	l := &labels{source: source}
	l.columns = []column{{name: all.YName}}
	for _, a := range all.Sensitive {
		l.columns = append(l.columns, column{name: a.Name})
	}
	all.Pixels = all.Pixels[:len(all.Pixels):len(all.Pixels)]
	for k, s := range sets {
		if k > 0 {
			all.Pixels = append(all.Pixels, s.Pixels...)
		}
		all.Source = append(all.Source, s.Source...)
		l.add(s, partNames[k*testPart])
	}
	src := &origin{labels: l, name: all.Name, target: all.YName, close: func() {}}
	src.shortcuts = map[string]string{folded(all.YName): inOrder(l.columns[0], all.YNames)}
	for k, a := range all.Sensitive {
		src.sensitive = append(src.sensitive, a.Name)
		src.shortcuts[folded(a.Name)] = inOrder(l.columns[k+1], a.Values)
	}
	src.inputs = func(_ context.Context, d *division, _ *chosen) ([3]*Set, error) {
		return pictureSets(&all, d), nil
	}
	return src
}

// add appends the rows of a set.
func (l *labels) add(s *Set, split Split) {
	for i, y := range s.Y {
		l.split = append(l.split, split)
		l.columns[0].values = append(l.columns[0].values, className(s.YNames, y))
		for k, a := range s.Sensitive {
			c := &l.columns[k+1]
			c.values = append(c.values, className(a.Values, a.Labels[i]))
		}
	}
}

// inOrder is the rule whose classes are the names that occur, in their own
// order; "" if there are too few to need one.
func inOrder(c column, names []string) string {
	var classes []string
	there := distinctValues(c.values)
	for _, name := range names {
		if _, ok := slices.BinarySearch(there, name); ok {
			classes = append(classes, `"`+name+`"`)
		}
	}
	if len(classes) < 2 {
		return ""
	}
	return c.name + ": " + strings.Join(classes, "; ")
}

// className returns the name of a class, or its number where it has none.
func className(names []string, class int) string {
	if class < len(names) {
		return names[class]
	}
	return strconv.Itoa(class)
}

// pictureSets divides the pictures of a set whose rows are those of the labels.
// It reorders them in place, so that no picture is held twice.
func pictureSets(all *Set, d *division) [3]*Set {
	p := all.size()
	arrange(all.Pixels, p, d.order())
	var sets [3]*Set
	from := 0
	for part, rows := range d.rows {
		s := *all
		to := from + len(rows)*p
		s.Pixels = all.Pixels[from:to:to]
		s.Sensitive, from = nil, to
		sets[part] = &s
	}
	return sets
}

// arrange moves row order[k] of rows of n bytes to place k, for every k, along
// the cycles of the permutation. Rows that are not in order may end up anywhere.
func arrange(rows []uint8, n int, order []int) {
	source := complete(order, len(rows)/n)
	spare := make([]uint8, n)
	for start := range source {
		if source[start] < 0 || source[start] == start {
			continue
		}
		copy(spare, rows[start*n:])
		at := start
		for source[at] != start {
			from := source[at]
			copy(rows[at*n:][:n], rows[from*n:])
			source[at], at = -1, from
		}
		copy(rows[at*n:][:n], spare)
		source[at] = -1
	}
}

// complete extends distinct indices below n to a permutation of all.
func complete(order []int, n int) []int {
	all := append(make([]int, 0, n), order...)
	seen := make([]bool, n)
	for _, i := range order {
		seen[i] = true
	}
	for i, in := range seen {
		if !in {
			all = append(all, i)
		}
	}
	return all
}

// baseName is the last element of a path: for "." the name of the folder.
func baseName(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	return filepath.Base(path)
}
