package dataset

import (
	"testing"

	"tattle/internal/must"
)

// Only rows that are kept are decoded; they are those that would have been read anyway.
func TestPartsKeep(t *testing.T) {
	dir := t.TempDir()
	must.Do(t, WriteFaces(t.Context(), dir, 60, 1))
	all := must.Get(OpenParts(t.Context(), dir, Options{Side: 8}))(t)
	decoded := 0
	some := must.Get(OpenParts(t.Context(), dir, Options{Side: 8, Progress: func(_, total int) { decoded = total }, Keep: func(rows *[3][]int) error {
		*rows = [3][]int{testPart: {rows[testPart][4], rows[testPart][1]}}
		return nil
	}}))(t)
	if want := all.Test.Subset([]int{4, 1}); decoded != 2 || some.Train.Len() != 0 || some.Test.SHA256 != want.SHA256 {
		t.Errorf("%d pictures decoded, %d for training, %d to test", decoded, some.Train.Len(), some.Test.Len())
	}
}
