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
		Utility:  report.Utility{CleanAccuracy: .9, Examples: 100},
	}
	r.Conclude(report.Done, "trained")
	if err := r.WriteText(os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// A classifier of glyphs
	//
	// A classifier of 1234 parameters was trained on 1000 examples of glyphs for 1
	//   epoch, to a mean loss of 0.25 nats.
	// It classifies 90.00 % of 100 held-out examples correctly.
	//
	// verdict: trained
}
