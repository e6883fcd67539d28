package training

import (
	"fmt"

	"tattle/internal/data/dataset"
	"tattle/internal/reveal/curious"
)

// alike returns an error if a sensitive attribute is the target, or another sensitive
// one, under another name.
func alike(train *dataset.Set) error {
	for i, s := range train.Sensitive {
		if sameClasses(s.Labels, train.Y) {
			return fmt.Errorf("%s is the same attribute as the target, %s: an honest answer reveals it", s.Name, train.YName)
		}
		for _, t := range train.Sensitive[:i] {
			if sameClasses(s.Labels, t.Labels) {
				return fmt.Errorf("%s and %s are the same attribute", t.Name, s.Name)
			}
		}
	}
	return nil
}

// attributeWarnings returns warnings about the attributes of a training: sensitive ones
// that the target determines or that no attack was fitted to, and those that are not independent in the test
// examples: an attack may guess one of them through the other.
func attributeWarnings(train *dataset.Set, attack curious.Kind, v *curious.Evaluation) (all []string) {
	for _, s := range train.Sensitive {
		if Determines(train.Y, s.Labels) {
			all = append(all, fmt.Sprintf("%s is determined by %s: the true target alone tells it, so no attack can exceed that baseline.", s.Name, train.YName))
		}
		if attack == curious.Standard {
			all = append(all, fmt.Sprintf("No attack on %s ran: --curious overlearning measures what the outputs of a standard classifier reveal about it.", s.Name))
		}
	}
	for _, m := range v.Correlations {
		if m.Interval[0] > 0 {
			all = append(all, fmt.Sprintf("%s and %s share %.3g bits in the test examples (95 %% interval %.3g to %.3g): each helps to guess the other.", m.Between[0], m.Between[1], m.Bits, m.Interval[0], m.Interval[1]))
		}
	}
	return all
}

// sameClasses reports whether two labels of the same examples are equal up to the names
// of their classes.
func sameClasses(a, b []int) bool {
	return Determines(a, b) && Determines(b, a)
}

// Determines reports whether the class of a determines the class of b.
func Determines(a, b []int) bool {
	with := map[int]int{}
	for i, class := range a {
		if other, seen := with[class]; seen && other != b[i] {
			return false
		}
		with[class] = b[i]
	}
	return true
}
