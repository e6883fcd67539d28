package reproduce

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
)

// WriteList names every experiment, with its title and what it needs.
func WriteList(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, name := range FigureNames() {
		f, _ := GetFigure(name)
		fmt.Fprintf(t, "%s\t%s\t%s\n", name, f.Title, cmp.Or(f.Data, "no data"))
	}
	for _, name := range Names() {
		x, err := Get(name)
		if err != nil {
			return err
		}
		data := string(x.Data)
		if x.Data == Plane {
			data = "no data"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\n", name, x.Title, data)
	}
	return t.Flush()
}

// WritePublished prints the published figures of an experiment.
func WritePublished(w io.Writer, title string, lines []string) error {
	if len(lines) == 0 {
		lines = []string{"the paper prints no numbers"}
	}
	_, err := fmt.Fprintf(w, "%s\nPublished:\n  %s\n", title, strings.Join(lines, "\n  "))
	return err
}

// WritePlan lists the trainings of a grid, with their published figures and estimated times.
func (g *Grid) WritePlan(ctx context.Context, w io.Writer) error {
	all, err := g.estimate(ctx)
	if err != nil {
		return err
	}
	cells := time.Duration(g.Seeds())
	var total time.Duration
	for _, p := range all {
		total += cells * p.Cell
		fmt.Fprintf(w, "%s\n  one seed: about %s\n", p.Key, roughly(p.Cell))
		if p.Published != "" {
			fmt.Fprintf(w, "  published: %s\n", p.Published)
		}
	}
	_, err = fmt.Fprintf(w, "together: about %s on this machine, for %d training examples\n", roughly(total), g.Examples())
	return err
}

// roughly writes a time to about two digits.
func roughly(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%.0f s", max(1, d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%.0f min", d.Minutes())
	case d < 10*time.Hour:
		return fmt.Sprintf("%.1f h", d.Hours())
	case d < 100*time.Hour:
		return fmt.Sprintf("%.0f h", d.Hours())
	}
	return fmt.Sprintf("%.0f days", d.Hours()/24)
}
