package report

import (
	"encoding/csv"
	"io"
	"strconv"
	"strings"

	"tattle/audit"
	"tattle/classify"
)

// writeExamples writes a line for every example: the fold it was judged in, the true
// y and the hard label (nothing of vectors), and of every attribute the truth, the chosen guess and
// whether it is right (nothing of numbers).
func (e *Evidence) writeExamples(w io.Writer) error {
	s, a := e.Sample, e.Report.Audit
	c := csv.NewWriter(w)
	head := []string{"example", "fold", "y", "label", "label_right"}
	for _, at := range s.Sensitive {
		head = append(head, inSheet("s:"+at.Name), inSheet("guess:"+at.Name), inSheet("right:"+at.Name))
	}
	if err := c.Write(head); err != nil {
		return err
	}
	width, row := s.RowWidth(), make([]string, 0, len(head))
	for i := range s.Y {
		row = append(row[:0], strconv.Itoa(i), foldOf(a, i), "")
		if s.Target != "" || s.Kind != audit.Vector {
			row[2] = inSheet(s.Classes[s.Y[i]])
		}
		if s.Kind == audit.Vector {
			row = append(row, "", "") // nothing is answered
		} else {
			label := classify.Best(s.Outputs[i*width : (i+1)*width])
			row = append(row, inSheet(s.Classes[label]), yes(label == s.Y[i]))
		}
		for k := range s.Sensitive {
			row = append(row, exampleCells(a, k, &s.Sensitive[k], i)...)
		}
		if err := c.Write(row); err != nil {
			return err
		}
	}
	c.Flush()
	return c.Error()
}

// exampleCells are the truth, the guess and whether it is right; of an attribute that
// could not be audited the truth alone.
func exampleCells(a *audit.Result, k int, at *audit.Attribute, i int) []string {
	if at.Numeric() {
		cells := []string{exact(at.Numbers[i]), "", ""}
		if k < len(a.Values) && i < len(a.Values[k]) {
			cells[1] = exact(a.Values[k][i])
		}
		return cells
	}
	cells := []string{inSheet(at.Values[at.Labels[i]]), "", ""}
	if k < len(a.Guesses) && i < len(a.Guesses[k]) {
		guess := a.Guesses[k][i]
		cells[1], cells[2] = inSheet(at.Values[guess]), yes(guess == at.Labels[i])
	}
	return cells
}

func foldOf(a *audit.Result, i int) string {
	if i < len(a.Folds) {
		return strconv.Itoa(a.Folds[i])
	}
	return ""
}

func yes(b bool) string {
	if b {
		return "1"
	}
	return "0"
}

func exact(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// inSheet keeps a spreadsheet from taking a name for a formula.
func inSheet(s string) string {
	s = printable(s)
	if s != "" && strings.ContainsRune("=+-@", rune(s[0])) {
		if _, err := strconv.ParseFloat(s, 64); err != nil {
			return "'" + s
		}
	}
	return s
}
