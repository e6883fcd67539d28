// Command papers writes the tables of docs/papers.md: what the papers print beside what runs of tattle reproduce came to.
// Runs of an experiment are in the folders whose names begin with its name. Experiments without a run are listed as not run, with an
// estimate of their time on this machine.
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
		rows func(ctx context.Context) ([]string, error)
	}{{"paper A", t.figures}, {"paper B", t.grids}} {
		rows, err := of.rows(ctx)
		if err == nil {
			text, err = replaced(text, of.name, strings.Join(rows, "\n"))
		}
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return os.WriteFile(path, []byte(text), 0o666)
}

// replaced puts a table between the two comments of the page that are for it.
func replaced(page, name, table string) (string, error) {
	begin, end := "<!-- "+name+" -->\n", "\n<!-- end of "+name+" -->"
	before, rest, ok := strings.Cut(page, begin)
	_, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		return "", fmt.Errorf("the comments %q and %q must be there, in this order", strings.TrimSpace(begin), strings.TrimSpace(end))
	}
	return before + begin + table + end + after, nil
}

const columns = "| experiment | figure | published | ours | scale of ours |\n|---|---|---|---|---|"

// row is a row of a table. Bars would end a cell, and a cell without text says so.
func row(cells ...string) string {
	for i, c := range cells {
		if cells[i] = strings.ReplaceAll(strings.TrimSpace(c), "|", "/"); cells[i] == "" {
			cells[i] = "–"
		}
	}
	return "| " + strings.Join(cells, " | ") + " |"
}

// figures are the rows of paper A.
func (t tables) figures(context.Context) ([]string, error) {
	rows := []string{columns}
	for _, name := range paper.FigureNames() {
		f, _ := paper.GetFigure(name)
		runs, err := t.read(name)
		if err != nil {
			return nil, err
		}
		for _, r := range runs {
			rows = append(rows, r.figures(f)...)
		}
		if len(runs) == 0 {
			needs := "needs " + f.Data
			if !f.Trained {
				needs += " and a trained " + f.Net
			}
			for _, line := range append(f.ListPublished(), "bounds: a picture only") {
				quantity, figure, _ := strings.Cut(line, ": ")
				rows = append(rows, row("`"+name+"`", quantity, figure, "not run here", needs))
			}
		}
	}
	return rows, nil
}

// grids are the rows of paper B.
func (t tables) grids(ctx context.Context) ([]string, error) {
	rows := []string{columns}
	for _, name := range paper.Names() {
		x, err := paper.Get(name)
		if err != nil {
			return nil, err
		}
		runs, err := t.read(name)
		if err != nil {
			return nil, err
		}
		for _, r := range runs {
			rows = append(rows, r.cells(x)...)
		}
		if len(runs) > 0 {
			continue
		}
		takes, err := t.takes(ctx, x)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row("`"+name+"`", x.Title, published(x), "not run here", takes))
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
