package cli

import (
	"fmt"

	"tattle/curious"
	"tattle/dataset"
)

// alike refuses a sensitive attribute that is the target, or another sensitive one,
// under whatever names.
func alike(train *dataset.Set) error {
	for i, s := range train.Sensitive {
		if sameClasses(s.Labels, train.Y) {
			return usage(fmt.Errorf("--sensitive: %s tells the same examples apart as the target, %s: answering the one gives the other away", s.Name, train.YName), "hide what the answer does not say")
		}
		for _, t := range train.Sensitive[:i] {
			if sameClasses(s.Labels, t.Labels) {
				return usage(fmt.Errorf("--sensitive: %s and %s tell the same examples apart", t.Name, s.Name), "give each attribute once")
			}
		}
	}
	return nil
}

// impliedByTarget warns of sensitive attributes that the target gives away by itself.
func impliedByTarget(train *dataset.Set) []string {
	var said []string
	for _, s := range train.Sensitive {
		if decides(train.Y, s.Labels) {
			said = append(said, fmt.Sprintf("%s follows from %s: whoever knows the answer knows it, and no attack has an excess over that.", s.Name, train.YName))
		}
	}
	return said
}

// unattacked tells of the sensitive attributes of a classifier that nobody attacked.
func unattacked(train *dataset.Set) []string {
	var said []string
	for _, s := range train.Sensitive {
		said = append(said, fmt.Sprintf("No attack on %s ran: what a standard classifier's outputs give away of it, --attack overlearning measures.", s.Name))
	}
	return said
}

// related tells how much attributes that are not independent say of each other in the
// test examples: what an attack reads of the one it may owe to the other.
func related(v *curious.Evaluation) []string {
	var said []string
	for _, m := range v.Correlations {
		if m.Interval[0] > 0 {
			said = append(said, fmt.Sprintf("%s and %s share %.3g bits in the test examples (95 %% interval %.3g to %.3g): who knows the one knows something of the other.", m.Between[0], m.Between[1], m.Bits, m.Interval[0], m.Interval[1]))
		}
	}
	return said
}

// sameClasses says whether two labels of the same examples differ in nothing but
// the order of their classes.
func sameClasses(a, b []int) bool {
	return decides(a, b) && decides(b, a)
}

// decides says whether each class of a goes with one class of b.
func decides(a, b []int) bool {
	with := map[int]int{}
	for i, class := range a {
		if other, seen := with[class]; seen && other != b[i] {
			return false
		}
		with[class] = b[i]
	}
	return true
}
