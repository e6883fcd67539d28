package audit

import (
	"slices"
	"testing"

	"tattle/internal/must"
)

// The rows that are kept of parts are those that would be chosen of the parts one after the other.
func TestKeep(t *testing.T) {
	parts := [3][]int{{5, 6, 7}, {2}, {9, 8}}
	q := &Request{Examples: "3", Seed: 1}
	for part, all := range map[string][]int{PartAll: {5, 6, 7, 2, 9, 8}, "train": {5, 6, 7}, "test": {9, 8}, "validation": {2}} {
		rows, want := parts, []int(nil)
		of := must.Get(q.keep(part, &rows))(t)
		for _, k := range must.Get(q.choose(len(all)))(t) {
			want = append(want, all[k])
		}
		if got := slices.Concat(rows[:]...); of != len(all) || !slices.Equal(got, want) {
			t.Errorf("%s: %v of %d, want %v of %d", part, got, of, want, len(all))
		}
	}
}
