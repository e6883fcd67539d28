package audit

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"tattle/internal/reveal/curious"
)

func firstRow(s *Sample, form string) []float32 {
	return (&folded{Sample: s}).table(form, []int{0}).Row(0)
}

func TestForms(t *testing.T) {
	raw := &Sample{Kind: curious.Raw, Classes: []string{"a", "b", "c"}, Outputs: []float32{1, 3, -2}, Y: []int{0}}
	total := math.Exp(1) + math.Exp(3) + math.Exp(-2)
	p := []float32{float32(math.Exp(1) / total), float32(math.Exp(3) / total), float32(math.Exp(-2) / total)}
	near := func(got []float32, want ...float32) bool {
		return slices.EqualFunc(got, want, func(a, b float32) bool { return math.Abs(float64(a-b)) < 2e-6 })
	}
	if got := firstRow(raw, formRaw); !near(got, 1, 3, -2) {
		t.Errorf("raw %v", got)
	}
	if got := firstRow(raw, formSoft); !near(got, p...) {
		t.Errorf("soft %v, want %v", got, p)
	}
	if got := firstRow(raw, formTop1); !near(got, 0, 1, 0, p[1], 3) {
		t.Errorf("top1 %v", got)
	}
	soft := &Sample{Kind: curious.Soft, Classes: raw.Classes, Outputs: p, Y: raw.Y}
	mean := float32(2. / 3)
	if got := firstRow(soft, formRaw); !near(got, 1-mean, 3-mean, -2-mean) {
		t.Errorf("raw of soft %v", got)
	}
	if got := firstRow(soft, formTop1); !near(got, 0, 1, 0, p[1]) {
		t.Errorf("top1 of soft %v", got)
	}
	zero := &Sample{Kind: curious.Soft, Classes: raw.Classes, Outputs: []float32{1, 0, 0}, Y: raw.Y}
	for _, v := range firstRow(zero, formRaw) {
		if math.IsInf(float64(v), 0) {
			t.Errorf("the logarithm of a zero is %v", v)
		}
	}
	wide := &Sample{Kind: curious.Raw, Classes: make([]string, 600), Outputs: make([]float32, 600), Y: []int{0}}
	for j := range wide.Outputs {
		wide.Outputs[j] = float32(j * 7 % 600) // each of 0 … 599
	}
	got := firstRow(wide, formSorted)
	descends := func(a, b float32) int { return cmp.Compare(b, a) }
	if !slices.IsSortedFunc(got, descends) || len(slices.Compact(got)) != 2*sortedEnds || got[0] != 599 || got[1] != 598 || got[sortedEnds-1] != 300 || got[sortedEnds] != 299 || got[2*sortedEnds-1] != 0 {
		t.Errorf("sorted %v", got)
	}
	far := &Sample{Kind: curious.Raw, Classes: raw.Classes, Outputs: []float32{3e38, -3e38, 3e38}, Y: raw.Y}
	if got := firstRow(far, formSoft); !near(got, .5, 0, .5) {
		t.Errorf("soft of huge scores %v", got)
	}
}
