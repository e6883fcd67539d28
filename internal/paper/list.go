package paper

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"tattle/internal/report"
)

// WriteList names every experiment, with its title and what it needs.
func WriteList(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, f := range figures {
		fmt.Fprintf(t, "%s\t%s\t%s\n", f.Name, f.Title, f.Data)
	}
	for _, x := range experiments {
		data := x.Data
		if data == Plane {
			data = "no data"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\n", x.Name, x.Title, data)
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

// ListPublished returns a line for each figure that paper A prints of the experiment, or that
// can be read off its pictures.
func (f Figure) ListPublished() []string {
	var lines []string
	if f.Clean > 0 {
		lines = append(lines, fmt.Sprintf("accuracy, clean: %v", report.Exactly(f.Clean, report.Share)), fmt.Sprintf("accuracy, with noise: %v", report.Exactly(f.Noisy, report.Share)))
	}
	if !f.hasPublished() {
		return lines
	}
	for _, p := range f.Peaks {
		lines = append(lines, fmt.Sprintf("peak of the bounds at s = 1/%.0f, read off a picture: %.2f over all modes, %.2f over the 8×8 coarsest", 1/p.Size, p.All, p.Low))
	}
	return lines
}
