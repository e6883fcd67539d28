package curious

import (
	"math"
	"testing"
)

func TestSummaryDifference(t *testing.T) {
	// .03² + .04² + .5·.5/2500 = .0026.
	got, ok := SummaryDifference(MeanStd{Mean: .6, Std: .03}, .4, .04, 2500)
	if !ok || math.Abs(got-.2/math.Sqrt(.0026)) > 1e-12 {
		t.Errorf("%v", got)
	}
	if got, ok := SummaryDifference(MeanStd{Mean: .2, Std: .03}, .7, .04, 0); !ok || math.Abs(got+10) > 1e-12 {
		t.Errorf("without examples: %v", got)
	}
	if _, ok := SummaryDifference(MeanStd{Mean: 1}, 1, 0, 100); ok {
		t.Error("a difference in units of 0")
	}
}
