package report_test

import (
	"fmt"
	"os"

	"tattle/report"
)

// A report is built from typed values and rendered in every format.
func Example() {
	r := &report.Report{
		Schema: report.Schema, Title: "A classifier of glyphs",
		Training: &report.Training{Task: "glyphs", Parameters: 1234, Examples: 1000, Epochs: []report.Epoch{{Loss: .25, Accuracy: .9}}},
		Utility:  report.Utility{CleanAccuracy: .9, CleanInterval: [2]float64{.82, .95}, Examples: 100},
	}
	r.Outcome = report.Done
	if err := r.WriteText(os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// A classifier of glyphs
	//
	// Verdict: Trained
	// The classifier was trained for its task alone, and its accuracy measured on 100
	//   held-out examples.
	// - Accuracy: 90.0 %; 95 % interval 82.0 to 95.0 %
	// - Training: 1 epoch; on 1,000 examples
	// - Model: 1,234 parameters
	//
	// verdict: trained
	// 3 sections of details left out: see the page, or --details.
}
