package audit

import (
	"encoding/csv"
	"io"
	"strconv"
	"strings"
)

// WriteCSV writes a line for each audit of the study.
func (s *Study) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	head := []string{"data", "trained", "outputs", "examples", "honest", "correlated", "honesty", "true_excess", "true_difference"}
	for _, with := range []string{"", "alone_"} {
		for _, column := range []string{"verdict", "evidence", "excess", "low", "p", "smallest"} {
			head = append(head, with+column)
		}
	}
	out.Write(head)
	for _, a := range s.Audits {
		line := []string{a.Data, a.Kind, string(a.Outputs), strconv.Itoa(a.Examples), strconv.FormatBool(a.Honest), strconv.FormatBool(a.Correlated),
			decimal(a.Honesty), decimal(a.TrueExcess), decimal(a.TrueDifference)}
		for _, v := range []StudyVerdict{a.With, a.Without} {
			smallest := ""
			if v.Smallest != nil {
				smallest = decimal(*v.Smallest)
			}
			line = append(line, string(v.Verdict), strings.Join(v.Evidence, ", "), decimal(v.Excess), decimal(v.Low), decimal(v.P), smallest)
		}
		out.Write(line)
	}
	out.Flush()
	return out.Error() // which Write's errors stay in
}

// decimal is a number to the last bit.
func decimal(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
