package dataset

import (
	"slices"
	"testing"

	"tattle/internal/must"
)

// Only pictures that are read are decoded; they are those that would have been read anyway.
func TestLimitsDecode(t *testing.T) {
	dir := t.TempDir()
	must.Do(t, WriteFaces(t.Context(), dir, 60, 1))
	all := must.Get(OpenParts(t.Context(), dir, Options{Side: 8}))(t)
	decoded := 0
	read := func(o Options) *Parts {
		t.Helper()
		o.Side, o.Progress = 8, func(_, total int) { decoded = total }
		return must.Get(OpenParts(t.Context(), dir, o))(t)
	}
	some := read(Options{Part: Test, Alone: true, Limit: of(t, 4, 1)})
	if want := all.Test.Subset([]int{4, 1}); decoded != 2 || some.Train.Len() != 0 || some.Test.SHA256 != want.SHA256 {
		t.Errorf("%d pictures decoded, %d for training, %d to test", decoded, some.Train.Len(), some.Test.Len())
	}
	if some = read(Options{Limit: Limit{Most: 7}}); decoded != 7+4+7 || some.Validation.SHA256 != all.Validation.SHA256 {
		t.Errorf("%d pictures decoded of three parts", decoded)
	}
	if some = read(Options{Part: Test, Limit: Limit{Most: 7}, Others: new(Limit)}); some.Test.Len() != 7 || some.Train.SHA256 != all.Train.SHA256 {
		t.Errorf("%d to test, %d for training", some.Test.Len(), some.Train.Len())
	}
	listed := of(t, 4, 1)
	if some = read(Options{Part: Test, Others: &listed}); some.Train.SHA256 != all.Train.Subset([]int{4, 1}).SHA256 {
		t.Errorf("%d of the 2 training pictures that a model learned from", some.Train.Len())
	}
	if set, _ := opened(t, dir, Options{Limit: Limit{Most: 5}, Progress: func(_, total int) { decoded = total }}); decoded != 5 || set.Len() != 5 || len(set.InPart) != 5 {
		t.Errorf("%d pictures decoded of one part", decoded)
	}
}

// The rows that are read of parts that are measured together are those that would be chosen of the parts one after the other.
func TestLimitTogether(t *testing.T) {
	parts := [3][]int{{5, 6, 7}, {2}, {9, 8}}
	for part, all := range map[Split][]int{All: {5, 6, 7, 2, 9, 8}, Train: {5, 6, 7}, Test: {9, 8}, Validation: {2}} {
		d, o := &division{rows: parts}, Options{Part: part, Alone: true, Limit: Limit{Most: 3}, Seed: 1}
		must.Do(t, d.limit(o))
		var want []int
		for _, k := range must.Get(Choose("3", len(all), 1))(t) {
			want = append(want, all[k])
		}
		if got := d.order(); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", part, got, want)
		}
	}
}

// A limit is written as it is read.
func TestLimitText(t *testing.T) {
	for text, want := range map[string]Limit{"all": {Most: allExamples}, "7": {Most: 7}, "7,a.npy": {7, "a.npy"}, "a,b.npy": {Indices: "a,b.npy"}} {
		var l Limit
		if err := l.UnmarshalText([]byte(text)); err != nil || l != want || l.String() != text {
			t.Errorf("%s is read as %+v, which is %s; %v", text, l, l, err)
		}
	}
	for text, want := range map[string]string{"0": "at least 1", "": `"": must be`, "5,": `"5,": must be`, "99999999999999999999": "too large"} {
		must.Fail(t, new(Limit).UnmarshalText([]byte(text)), want)
	}
}
