package serve

import (
	"math"
	"strings"
	"testing"

	"tattle/design"
	"tattle/report"
)

// A promise is listed with its verdict, whether it is kept or not.
func TestPromisesAreListed(t *testing.T) {
	dir := t.TempDir()
	r := &report.Report{Schema: report.Schema, Title: "What to release of m.onnx", Command: "tattle design --identify 1%@60000", Outcome: report.Met,
		Design: &report.Design{Limits: design.Limits{Identify: .01}, Met: true, Released: &report.DesignedRelease{}, Accuracy: .969, Drop: .007}}
	put(t, dir, "kept", r, 0)
	nan := report.Number(math.NaN())
	r.Outcome, r.Design = report.NotMet, &report.Design{Limits: design.Limits{Identify: .01}, Accuracy: nan, Drop: nan}
	put(t, dir, "broken", r, 0)
	text := page(t, handler(t, dir, Options{}), "/")
	for _, want := range []string{"promise kept", "promise not kept"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in the list", want)
		}
	}
	if strings.Contains(text, "NaN") {
		t.Error("the list has NaN")
	}
	for _, run := range []string{"kept", "broken"} {
		page(t, handler(t, dir, Options{}), "/run/"+run)
	}
}
