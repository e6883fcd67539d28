package main

import (
	"strings"
	"testing"

	"tattle/dataset"
)

// TestAlike names attributes that say the same, or too little beside the target.
func TestAlike(t *testing.T) {
	set := func(y []int, sensitive ...[]int) *dataset.Set {
		s := &dataset.Set{Y: y, YName: "y"}
		for i, labels := range sensitive {
			s.Sensitive = append(s.Sensitive, dataset.Attribute{Name: "s" + string(rune('1'+i)), Labels: labels})
		}
		return s
	}
	y := []int{0, 1, 2, 0, 1, 2}
	for _, c := range []struct {
		set     *dataset.Set
		refused string
		warned  int
	}{
		{set(y), "", 0},
		{set(y, []int{0, 1, 0, 1, 0, 1}), "", 0},
		{set(y, []int{2, 0, 1, 2, 0, 1}), "s1 tells the same examples apart as the target", 1},
		{set(y, []int{0, 1, 1, 0, 1, 1}), "", 1},
		{set([]int{0, 1, 1, 0, 1, 1}, y), "", 0},
		{set(y, []int{0, 0, 0, 1, 1, 1}, []int{1, 1, 1, 0, 0, 0}), "s1 and s2 tell the same", 0},
	} {
		err := alike(c.set)
		if (err != nil) != (c.refused != "") || err != nil && !strings.Contains(err.Error(), c.refused) {
			t.Errorf("%v: %v, want %q", c.set, err, c.refused)
		}
		if said := impliedByTarget(c.set); len(said) != c.warned {
			t.Errorf("%v: warned %q, want %d", c.set, said, c.warned)
		}
	}
}
