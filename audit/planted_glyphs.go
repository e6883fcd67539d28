package audit

import (
	"strconv"
	"strings"

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

// hiddenUnits is the width of the net that is planted on drawn digits: enough for
// 97 to 98 % of them, trained in half a second.
const hiddenUnits = 64

// boldOrItalic draws glyphs whose target is the digit, in y groups of neighbours, and whose
// sensitive attribute is whether the type is bold or italic. The families are as easy to tell
// apart as digits: a planted model has an excess of 34 to 40 points, more than defaultBlind, so
// that a working audit finds it.
func boldOrItalic(n, y int, seed uint64, split dataset.Split) *dataset.Set {
	const bold, italic = 1, 2 // of regular, bold, italic, mono and small caps
	set := dataset.Glyphs(dataset.GlyphOptions{N: n, Seed: seed, Split: split, Families: []int{bold, italic}})
	set.YNames = make([]string, y)
	for digit := range 10 {
		name := &set.YNames[digit*y/10]
		*name = strings.TrimSpace(*name + " " + strconv.Itoa(digit))
	}
	for i, digit := range set.Y {
		set.Y[i] = digit * y / 10
	}
	s := set.Sensitive[0]
	labels := make([]int, len(s.Labels))
	for i, family := range s.Labels {
		labels[i] = family - bold
	}
	set.Sensitive = []dataset.Attribute{{Name: s.Name, Values: []string{"bold", "italic"}, Labels: labels}}
	return set
}
