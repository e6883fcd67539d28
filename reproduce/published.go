package reproduce

import (
	"embed"
	"encoding/csv"
	"fmt"
	"strconv"

	"tattle/curious"
	"tattle/curious/training"
	"tattle/internal/report"
)

//go:embed published/*.csv
var published embed.FS

// A line is one setting of a published table: how the net was trained, and the
// figures printed of it.
type line struct {
	group, column, role string
	kind                curious.Kind // Overlearning where a standard net's outputs are attacked
	outputs             curious.Outputs
	beta                curious.Beta
	widths              [5]int
	target, sensitive   string
	note                string
	figures             []figure
}

type figure struct {
	Quantity
	Published
}

// lines reads published/name.csv. Columns are known by their names, and a quantity's
// standard deviation stands under its name and "_std".
func lines(name string) ([]line, error) {
	f, err := published.Open("published/" + name + ".csv")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	records, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return nil, err
	}
	out := make([]line, 0, len(records))
	for i, r := range records[1:] {
		fields := map[string]string{}
		for j, name := range records[0] {
			fields[name] = r[j]
		}
		l, err := parseLine(fields)
		if err != nil {
			return nil, fmt.Errorf("published/%s.csv, line %d: %w", name, i+2, err)
		}
		out = append(out, l)
	}
	return out, nil
}

func parseLine(f map[string]string) (l line, err error) {
	l = line{
		group: f["group"], column: f["column"], role: f["role"], target: f["target"], sensitive: f["sensitive"], note: f["note"],
		kind: curious.Kind(f["kind"]), outputs: curious.Outputs(f["outputs"]),
	}
	if l.beta, err = curious.ParseBeta(f["beta"]); err != nil {
		return l, err
	}
	if l.widths, err = parseWidths(f["widths"]); err != nil {
		return l, err
	}
	for _, q := range quantities {
		if f[string(q.Quantity)] == "" {
			continue
		}
		p, err := parsePublished(f[string(q.Quantity)], f[string(q.Quantity)+"_std"], q.unit)
		if err != nil {
			return l, err
		}
		l.figures = append(l.figures, figure{q.Quantity, p})
	}
	return l, nil
}

// parseWidths reads "128-128-64-64-128"; those of Table 12 are zero.
func parseWidths(s string) ([5]int, error) {
	if s == defaultWidths {
		s = ""
	}
	w, err := training.ParseWidths(s)
	if err != nil {
		err = fmt.Errorf("widths%w", err)
	}
	return w, err
}

// defaultWidths are Table 12's, as Table 7 writes them.
const defaultWidths = "128-128-64-64-128"

func parsePublished(mean, std string, u report.Unit) (p Published, err error) {
	exponent := ""
	if u == report.Percent {
		exponent = "e-2"
	}
	if p.Mean, err = strconv.ParseFloat(mean+exponent, 64); err != nil || std == "" {
		return p, err
	}
	p.Std, err = strconv.ParseFloat(std+exponent, 64)
	p.Known = true
	return p, err
}
