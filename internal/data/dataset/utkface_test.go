package dataset

import (
	"slices"
	"testing"

	"tattle/internal/must"
	"tattle/internal/shared"
)

// TestUTKFaceClasses holds the classes of the real UTKFace to the numbers that B prints: in appendix F.2, and in
// Tables 10 and 11 for five classes. The copy of it lacks one picture, of a black boy.
func TestUTKFaceClasses(t *testing.T) {
	path := shared.Path(t, "data/utkface64.zip")
	for rule, want := range map[string][]int{
		"gender": {12391 - 1, 11314}, "age5": {4593 - 1, 5241, 4393, 4491, 4987}, "race5": {10078, 4526 - 1, 3434, 3975, 1692},
	} {
		o := Options{Kind: KindUTKFace, Target: rule}
		src := must.Get(openOrigin(t.Context(), path, o, partKinds))(t)
		defer src.close()
		c := must.Get(src.choose(o))(t)
		counts := make([]int, len(c.target.Values))
		for _, class := range c.target.Labels {
			counts[class]++
		}
		if !slices.Equal(counts, want) {
			t.Errorf("%s: %v pictures, want %v", rule, counts, want)
		}
	}
}
