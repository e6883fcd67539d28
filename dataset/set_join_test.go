package dataset

import (
	"slices"
	"testing"
)

func TestJoin(t *testing.T) {
	whole := coloured()
	a, b := whole.Subset([]int{0}), whole.Subset([]int{1, 2})
	first := a.Sum()
	all := Join(a, b)
	if all.SHA256 != whole.SHA256 || !slices.Equal(all.Pixels, whole.Pixels) {
		t.Error("the halves of a set are another set")
	}
	if a.Sum() != first {
		t.Error("joining changed what was joined")
	}
	if Join(a) != a {
		t.Error("one set is not itself")
	}
}
