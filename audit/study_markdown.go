package audit

import (
	"bufio"
	"fmt"
	"io"
)

// Markdown writes the tables of a study: its rates, its audits by kind, and what honest
// classifiers leak.
func (s *Study) Markdown(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "%d audits, %d references each, seed %d.\n", len(s.Audits), s.References, s.Seed)
	for _, n := range s.Notes {
		fmt.Fprintf(b, "%s\n", n)
	}
	s.rateTable(b)
	s.rowTable(b)
	s.spreadTable(b)
	return b.Flush()
}

func (s *Study) rateTable(b *bufio.Writer) {
	fmt.Fprintf(b, "\n| rate | examples | of | | 99 %% interval |\n|---|---:|---:|---:|---|\n")
	for _, r := range s.Rates {
		size := "all"
		if r.Examples > 0 {
			size = fmt.Sprint(r.Examples)
		}
		fmt.Fprintf(b, "| %s | %s | %d of %d | %.1f %% | %.1f to %.1f %% |\n",
			r.Name, size, r.Count, r.Of, 100*r.Value, 100*r.Interval[0], 100*r.Interval[1])
	}
}

// rowTable has five counts a cell: curious, leaky beyond the target, leaky by correlation, no evidence,
// inconclusive.
func (s *Study) rowTable(b *bufio.Writer) {
	fmt.Fprintf(b, "\nVerdicts: curious / leaky beyond the target / leaky by correlation / no evidence / inconclusive. "+
		"Points: true excess over the best baseline, and over honest classifiers; the smallest that was said to be detectable, the mean over the audits that state one.\n")
	fmt.Fprintf(b, "\n| data | classifiers | examples | audits | excess | over honest | with references | smallest | without | smallest |\n"+
		"|---|---|---:|---:|---:|---:|---|---:|---|---:|\n")
	for _, r := range s.Rows {
		fmt.Fprintf(b, "| %s | %s, %s | %d | %d | %.1f | %+.1f | %s | %s | %s | %s |\n",
			r.Data, r.Kind, r.Outputs, r.Examples, r.Audits, 100*r.Excess, 100*r.Difference,
			r.With, r.With.Detects(r.Audits), r.Without, r.Without.Detects(r.Audits))
	}
}

func (s *Study) spreadTable(b *bufio.Writer) {
	fmt.Fprintf(b, "\n| data | outputs | honest classifiers | accuracy on y | excess | largest | sd over seeds | skewness |\n|---|---|---:|---:|---:|---:|---:|---:|\n")
	for _, p := range s.Spreads {
		fmt.Fprintf(b, "| %s | %s | %d | %.1f %% | %.1f | %.1f | %.2f | %.1f |\n",
			p.Data, p.Outputs, p.Classifiers, 100*p.Honesty, 100*p.Excess, 100*p.Largest, 100*p.SD, p.Skewness)
	}
}

// String returns the five counts in the order of StudyTally.
func (t StudyTally) String() string {
	return fmt.Sprintf("%d / %d / %d / %d / %d", t.Curious, t.LeakyBeyond, t.Leaky, t.NoEvidence, t.Inconclusive)
}
