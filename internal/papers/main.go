// Command papers writes the tables of docs/papers.md: what the papers print beside what runs of tattle reproduce came to.
// Runs of an experiment are in the folders whose names begin with its name. Rows of the page that no run has stay, so that an experiment
// may be run in parts. One that has neither is listed as not run, with an estimate of its time on this machine.
package main

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"tattle/internal/paper"
	"tattle/internal/report"
)

func main() {
	runs := flag.String("runs", "", "`folder` of the runs")
	flag.Parse()
	if flag.NArg() != 1 || *runs == "" {
		fmt.Fprintln(os.Stderr, "papers: give a folder of runs and one page: papers -runs DIR docs/papers.md")
		os.Exit(2)
	}
	if err := (tables{*runs, estimate}).rewrite(context.Background(), flag.Arg(0)); err != nil {
		fmt.Fprintln(os.Stderr, "papers:", err)
		os.Exit(1)
	}
}

// tables are made from the runs in a folder. takes says how long an experiment takes.
type tables struct {
	runs  string
	takes func(ctx context.Context, x *paper.Experiment) (string, error)
}

// rewrite replaces the tables of the page at path.
func (t tables) rewrite(ctx context.Context, path string) error {
	if _, err := os.Stat(t.runs); err != nil {
		return fmt.Errorf("-runs: %w", err)
	}
	page, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	text := string(page)
	for _, of := range []struct {
		name string
		rows func(ctx context.Context, kept []row) ([]row, error)
	}{{"paper A", t.figures}, {"paper B", t.grids}} {
		before, table, after, err := cut(text, of.name)
		var rows []row
		if err == nil {
			rows, err = of.rows(ctx, keep(table))
		}
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		text = before + written(rows) + after
	}
	return os.WriteFile(path, []byte(text), 0o666)
}

// cut parts the page at the table between the two comments that are for it.
func cut(page, name string) (before, table, after string, err error) {
	begin, end := "<!-- "+name+" -->\n", "\n<!-- end of "+name+" -->"
	before, rest, ok := strings.Cut(page, begin)
	table, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		return "", "", "", fmt.Errorf("the comments %q and %q must be there, in this order", strings.TrimSpace(begin), strings.TrimSpace(end))
	}
	return before + begin, table, end + after, nil
}

const (
	columns = "| experiment | figure | published | ours | scale of ours |\n|---|---|---|---|---|"
	notRun  = "not run here"
	same    = "same" // the scale of a row that is that of the row before
)

// A row of a table has a cell for each of the columns.
type row [5]string

// newRow returns a row. Bars would end a cell, and a cell without text says so.
func newRow(cells ...string) (r row) {
	for i, c := range cells {
		if r[i] = strings.ReplaceAll(strings.TrimSpace(c), "|", "/"); r[i] == "" {
			r[i] = "–"
		}
	}
	return r
}

// same reports whether a row has the same published figures.
func (r row) same(as row) bool { return r[0] == as[0] && r[1] == as[1] && r[2] == as[2] }

// net returns what the scale of a row says of its net, "" where it is the paper's.
func (r row) net() string {
	_, net, _ := strings.Cut(r[4], ", net ")
	net, _, _ = strings.Cut(net, ";")
	return net
}

// written returns the table of these rows.
func written(rows []row) string {
	lines := []string{columns}
	for i, r := range rows {
		if i > 0 && r[3] != notRun && r[0] == rows[i-1][0] && r[4] == rows[i-1][4] {
			r[4] = same
		}
		lines = append(lines, "| "+strings.Join(r[:], " | ")+" |")
	}
	return strings.Join(lines, "\n")
}

// keep returns the rows of a table.
func keep(table string) (rows []row) {
	scale := ""
	for line := range strings.Lines(table) {
		cells := strings.Split(strings.Trim(line, "| \n"), " | ")
		if len(cells) != len(row{}) || !strings.HasPrefix(cells[0], "`") {
			continue
		}
		if cells[4] == same {
			cells[4] = scale
		}
		scale = cells[4]
		rows = append(rows, row(cells))
	}
	return rows
}

// named returns the rows of an experiment.
func named(rows []row, experiment string) (of []row) {
	for _, r := range rows {
		if r[0] == "`"+experiment+"`" {
			of = append(of, r)
		}
	}
	return of
}

// figures are the rows of paper A.
func (t tables) figures(_ context.Context, kept []row) (rows []row, err error) {
	for _, name := range paper.FigureNames() {
		if name == paper.Comparison {
			continue // it is not of the paper
		}
		f, _ := paper.GetFigure(name)
		runs, err := t.read(name)
		if err != nil {
			return nil, err
		}
		var made []row
		for _, r := range runs {
			made = append(made, r.figures(f)...)
		}
		of := slices.DeleteFunc(named(kept, name), func(k row) bool {
			return slices.ContainsFunc(made, func(m row) bool { return m.net() == k.net() })
		})
		rows = append(append(rows, of...), made...)
		if len(of)+len(made) == 0 {
			needs := "needs " + f.Data
			if !f.Trained {
				needs += " and a trained " + f.Net
			}
			for _, line := range append(f.ListPublished(), "bounds: a picture only") {
				quantity, figure, _ := strings.Cut(line, ": ")
				rows = append(rows, newRow("`"+name+"`", quantity, figure, notRun, needs))
			}
		}
	}
	return rows, nil
}

// grids are the rows of paper B.
func (t tables) grids(ctx context.Context, kept []row) (rows []row, err error) {
	for _, name := range paper.Names() {
		x, err := paper.Get(name)
		if err != nil {
			return nil, err
		}
		runs, err := t.read(name)
		if err != nil {
			return nil, err
		}
		var made []row
		for _, r := range runs {
			made = append(made, r.cells(x, nil)...)
		}
		of := slices.DeleteFunc(named(kept, name), func(k row) bool { return slices.ContainsFunc(made, k.same) })
		for _, r := range runs {
			rows = append(rows, r.cells(x, of)...)
		}
		if len(runs) > 0 {
			continue
		}
		if len(of) > 0 {
			rows = append(rows, of...)
			continue
		}
		takes, err := t.takes(ctx, x)
		if err != nil {
			return nil, err
		}
		rows = append(rows, newRow("`"+name+"`", x.Title, published(x), notRun, takes))
	}
	return rows, nil
}

// published says what the paper prints in an experiment: how many figures, and their ranges.
func published(x *paper.Experiment) string {
	figures := map[paper.Quantity][]float64{}
	for _, t := range x.Tables {
		for _, l := range t.Lines {
			for _, p := range l.Figures {
				figures[p.Quantity] = append(figures[p.Quantity], p.Mean)
			}
		}
	}
	s := fmt.Sprintf("%d figures", len(x.ListPublished()))
	for _, q := range slices.Sorted(maps.Keys(figures)) {
		_, unit := q.Shown()
		s += fmt.Sprintf("; %s %v to %v", name(string(q)), report.Exactly(slices.Min(figures[q]), unit), report.Exactly(slices.Max(figures[q]), unit))
	}
	return s
}

// name is the name of a quantity in words: that of p01 is share s=0 y=1.
func name(quantity string) string {
	if len(quantity) == 3 && quantity[0] == 'p' {
		return fmt.Sprintf("share s=%c y=%c", quantity[1], quantity[2])
	}
	return strings.ReplaceAll(quantity, "_", " ")
}

// estimate says how long an experiment takes on this machine.
func estimate(ctx context.Context, x *paper.Experiment) (string, error) {
	if x.Data == paper.Plane {
		return "seconds", nil
	}
	g, err := x.NewGrid(paper.GridOptions{})
	if err != nil {
		return "", err
	}
	var plan strings.Builder
	if err := g.WritePlan(ctx, &plan); err != nil {
		return "", err
	}
	lines := strings.Split(strings.TrimSpace(plan.String()), "\n")
	return "needs " + string(x.Data) + "; " + lines[len(lines)-1], nil
}
