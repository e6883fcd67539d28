package dataset

import "slices"

// Join returns the examples of sets of one reading, one set after the other, as a set
// of its own; of a single set, that set. What the sets share (shape, names, Mean and
// Std) is taken from the first.
func Join(sets ...*Set) *Set {
	if len(sets) == 1 {
		return sets[0]
	}
	all := *sets[0]
	all.Pixels, all.Values, all.Y = slices.Clone(all.Pixels), slices.Clone(all.Values), slices.Clone(all.Y)
	all.Sensitive = slices.Clone(all.Sensitive)
	for i := range all.Sensitive {
		all.Sensitive[i].Labels = slices.Clone(all.Sensitive[i].Labels)
	}
	for _, s := range sets[1:] {
		all.Pixels, all.Values, all.Y = append(all.Pixels, s.Pixels...), append(all.Values, s.Values...), append(all.Y, s.Y...)
		for i := range all.Sensitive {
			all.Sensitive[i].Labels = append(all.Sensitive[i].Labels, s.Sensitive[i].Labels...)
		}
	}
	return all.finish()
}
