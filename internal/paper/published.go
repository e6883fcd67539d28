package paper

import (
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"

	"tattle/internal/report"
	"tattle/internal/reveal/curious"
	"tattle/internal/reveal/curious/training"
)

// A Line is one setting of a published table: how the net was trained, and the
// figures printed of it.
type Line struct {
	Group     string
	Column    string       // what columns of several quantities have in common, if anything
	Role      string       // teacher or student, where there are both
	Kind      curious.Kind // Overlearning where a standard net's outputs are attacked
	Outputs   curious.Outputs
	Beta      curious.Beta
	Widths    [5]int
	Target    string // a rule of package dataset, or the name of a column
	Sensitive string // likewise; whose curiosity it is, empty if it is no attribute's
	Note      string
	Figures   []Published
	Training  string // key; empty for what needs none
}

// Published is a figure as the paper prints it, in the quantity's unit.
type Published struct {
	Quantity
	Mean  float64
	Std   float64
	Known bool // Std is printed, and not only Mean
}

// Quantity is what a figure is of.
type Quantity string

// The quantities of paper B's tables. ShareSY is the share of the training part with
// sensitive class S and target class Y.
const (
	Honesty      Quantity = "honesty"
	Curiosity    Quantity = "curiosity"
	Entropy      Quantity = "entropy" // mean, in bits
	HonestyAUC   Quantity = "honesty_auc"
	CuriosityAUC Quantity = "curiosity_auc"
	Information  Quantity = "information" // between target and sensitive attribute in the training part, in bits
	Share00      Quantity = "p00"
	Share01      Quantity = "p01"
	Share10      Quantity = "p10"
	Share11      Quantity = "p11"
)

// quantities in the order of a table's columns, and how they are headed.
var quantities = []struct {
	Quantity
	head string
	unit report.Unit
}{
	{Share00, "s=0, y=0", report.Percent}, {Share01, "s=0, y=1", report.Percent}, {Share10, "s=1, y=0", report.Percent}, {Share11, "s=1, y=1", report.Percent},
	{Information, "information", report.Bits},
	{Honesty, "δy", report.Percent}, {Curiosity, "δs", report.Percent}, {Entropy, "entropy", report.Bits},
	{HonestyAUC, "AUC of y", report.Number}, {CuriosityAUC, "AUC of s", report.Number},
}

// Shown returns the heading of a column, and how its figures are shown.
func (q Quantity) Shown() (head string, u report.Unit) {
	for _, x := range quantities {
		if x.Quantity == q {
			return x.head, x.unit
		}
	}
	panic("no quantity " + q)
}

// readLines reads published/name.csv. Columns are known by their names, and a quantity's
// standard deviation stands under its name and "_std".
func readLines(name string) ([]Line, error) {
	f, err := published.Open("published/" + name + ".csv")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	records, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return nil, err
	}
	var lines []Line
	for i, r := range records[1:] {
		fields := map[string]string{}
		for j, name := range records[0] {
			fields[name] = r[j]
		}
		l, err := parseLine(fields)
		if err != nil {
			return nil, fmt.Errorf("published/%s.csv, line %d: %w", name, i+2, err)
		}
		lines = append(lines, l)
	}
	return lines, nil
}

func parseLine(f map[string]string) (l Line, err error) {
	l = Line{
		Group: f["group"], Column: f["column"], Role: f["role"], Target: f["target"], Sensitive: f["sensitive"], Note: f["note"],
		Kind: curious.Kind(f["kind"]), Outputs: curious.Outputs(f["outputs"]),
	}
	if l.Beta, err = curious.ParseBeta(f["beta"]); err != nil {
		return l, err
	}
	if l.Widths, err = training.ParseWidths(strings.TrimSuffix(f["widths"], defaultWidths)); err != nil {
		return l, fmt.Errorf("widths%w", err)
	}
	for _, q := range quantities {
		if mean := f[string(q.Quantity)]; mean != "" {
			p, err := parsePublished(q.Quantity, mean, f[string(q.Quantity)+"_std"], q.unit)
			if err != nil {
				return l, err
			}
			l.Figures = append(l.Figures, p)
		}
	}
	return l, nil
}

// defaultWidths are Table 12's, as Table 7 writes them.
const defaultWidths = "128-128-64-64-128"

func parsePublished(q Quantity, mean, std string, u report.Unit) (p Published, err error) {
	exponent := ""
	if u == report.Percent {
		exponent = "e-2"
	}
	p = Published{Quantity: q, Known: std != ""}
	if p.Mean, err = strconv.ParseFloat(mean+exponent, 64); err == nil && p.Known {
		p.Std, err = strconv.ParseFloat(std+exponent, 64)
	}
	return p, err
}

// measure names the measure that a line's figures are of.
func (l Line) measure() string {
	if l.Role == training.StudentMeasure {
		return l.Role
	}
	return string(l.Outputs)
}

// label is a label of the line's row.
func (l Line) label(name string) string {
	switch name {
	case "setting": // what is released and how it was trained, shortly
		switch l.Kind {
		case curious.Overlearning:
			return "Std " + string(l.Outputs)
		case curious.Parameterized:
			return string(l.Outputs) + " param."
		case curious.Regularized:
			return string(l.Outputs) + " reg."
		}
		return string(l.Kind)
	case "beta":
		return fmt.Sprintf("(%s,%s)", multiplier(l.Beta.Y), multiplier(l.Beta.S))
	case "layers":
		return layers(l.Widths)
	case "net":
		return l.Role
	}
	return l.Group
}

// multiplier writes a β as the paper does: 1, .7, 0.
func multiplier(x float64) string {
	s := strconv.FormatFloat(x, 'f', -1, 64)
	if x > 0 {
		s = strings.TrimPrefix(s, "0")
	}
	return s
}

// layers writes widths; zero is Table 12's.
func layers(w [5]int) string {
	if w == [5]int{} {
		return defaultWidths
	}
	return training.WidthsText(w)
}
