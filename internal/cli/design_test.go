package cli

import (
	"encoding/json"
	"math"
	"path/filepath"

	"github.com/rogpeppe/go-internal/testscript"

	"tattle/bound"
	"tattle/report"
)

// printed REPORT DIR ARG... runs, as a shell does, the command that a design printed,
// with more arguments, into DIR. It must certify the median that the design promised,
// and its own accuracy must lie where the design's interval allows.
func printed(ts *testscript.TestScript, _ bool, args []string) {
	d := readDesign(ts, args[0]).Design
	if d == nil || d.Reproduce == "" || d.Confirmed == nil {
		ts.Fatalf("%s prints no command", args[0])
	}
	ts.Check(ts.Exec("sh", append([]string{"-c", d.Reproduce + ` "$@"`, "sh", "--out", args[1]}, args[2:]...)...))
	r := readDesign(ts, filepath.Join(args[1], reportJSON))
	median := 0.
	for _, b := range r.Bounds {
		if b.Status == bound.StatusCertified && b.Band == bound.AllBand && (b.Method == bound.MethodHCR || b.Method == bound.MethodBarankin) {
			median = max(median, b.Quantile(.5))
		}
	}
	if promised := float64(d.Confirmed.MedianStd); !(median >= promised*(1-1e-9)) || !(promised > 0) {
		ts.Fatalf("a median of %v was promised, %v certified", promised, median)
	}
	// Five of what is at most the standard deviation of a difference: 6e-7.
	if off := float64(r.Utility.ReleasedAccuracy - d.Confirmed.Accuracy); math.Abs(off) > 5*.5*math.Sqrt(2/float64(r.Utility.Examples)) {
		ts.Fatalf("accuracy %v, promised %v", r.Utility.ReleasedAccuracy, d.Confirmed.Accuracy)
	}
}

func readDesign(ts *testscript.TestScript, path string) *report.Report {
	var r report.Report
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(path)), &r))
	return &r
}
