package audit

import (
	"fmt"

	"tattle/dataset"
)

const (
	// defaultPlantedGlyphs is the number of drawn digits that a planted model learns from. Its own
	// excess is measured on as many others, to less than a point.
	defaultPlantedGlyphs = 5000
	// plantedExamples is the largest number of examples of a planted model that are audited. On a
	// larger sample attacks learn no worse, so more examples would only take time.
	plantedExamples = 10000
	// plantedEpochs is the number of passes over the glyphs: half a second on two cores.
	plantedEpochs = 10
)

// Each list gives the five families of typefaces (regular, bold, italic, mono, small caps) one of
// two classes; −1 leaves a family out. glyphFamilies are those of the study, and harder to tell
// apart than digits. plantedFamilies are as easy as digits: a planted model has an excess of 34 to
// 40 points, more than defaultBlind, so that a working audit finds it. With glyphFamilies it had
// 14 to 20 points, and finding that took 500 examples and more.
var (
	glyphFamilies   = []int{0, 0, 0, 1, 1}
	plantedFamilies = []int{-1, 0, 1, -1, -1}
)

// digitClasses returns the names of the ten digits in Y groups of neighbours, and
// the group of each.
func digitClasses(y int) (names []string, of []int) {
	of = make([]int, 10)
	names = make([]string, y)
	for d := range of {
		g := d * y / 10
		of[d] = g
		if names[g] != "" {
			names[g] += " "
		}
		names[g] += fmt.Sprint(d)
	}
	return names, of
}

// drawnDigits draws glyphs whose target is the digit in y groups and whose sensitive
// attribute is the family in two.
func drawnDigits(n, y int, seed uint64, split dataset.Split) *dataset.Set {
	set := dataset.Glyphs(dataset.GlyphOptions{N: n, Seed: seed, Split: split})
	names, of := digitClasses(y)
	relabel(set, names, of, []string{"regular, bold, italic", "mono, small caps"}, glyphFamilies)
	return set
}

// boldOrItalic is drawnDigits of the planted families alone.
func boldOrItalic(n, y int, seed uint64, split dataset.Split) *dataset.Set {
	var families []int
	for f, class := range plantedFamilies {
		if class >= 0 {
			families = append(families, f)
		}
	}
	set := dataset.Glyphs(dataset.GlyphOptions{N: n, Seed: seed, Split: split, Families: families})
	names, of := digitClasses(y)
	relabel(set, names, of, []string{"bold", "italic"}, plantedFamilies)
	return set
}

// relabel groups the classes of the target and of the first sensitive attribute.
func relabel(set *dataset.Set, yNames []string, yOf []int, sNames []string, sOf []int) {
	for i, y := range set.Y {
		set.Y[i] = yOf[y]
	}
	set.YNames = yNames
	s := set.Sensitive[0]
	labels := make([]int, len(s.Labels))
	for i, l := range s.Labels {
		labels[i] = sOf[l]
	}
	set.Sensitive = []dataset.Attribute{{Name: s.Name, Values: sNames, Labels: labels}}
}
