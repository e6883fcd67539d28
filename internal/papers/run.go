package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"tattle/internal/paper"
	"tattle/internal/protect/measure"
	"tattle/internal/report"
)

// A finished run is its report.
type finished struct{ *report.Report }

// read returns the run in a folder, nil if there is none.
func read(dir string) (*finished, error) {
	if !exists(dir) {
		return nil, nil
	}
	path := filepath.Join(dir, report.FileJSON)
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	r, err := report.Parse(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &finished{r}, nil
}

// beside returns what stands beside a claim under a name, empty for nothing.
func beside(c report.Claim, name string) string {
	for _, b := range c.Beside {
		if b.Name == name {
			return b.Value.String()
		}
	}
	return ""
}

// figures are the rows of a run of paper A's.
func (r *finished) figures(f paper.Figure) (rows []string) {
	name, scale := "`"+f.Name+"`", r.examined(f)
	for _, c := range r.Claims {
		switch c.ID {
		case "published":
			ours := c.Value.String()
			if theirs := beside(c, "authors'"); theirs != "" {
				ours += "; authors' procedure " + theirs
			}
			rows = append(rows, row(name, c.Subject, beside(c, "published"), ours, scale))
		case "method":
			ours := c.Value.String()
			if low := r.low(c); low != "" {
				ours += "; coarse modes " + low
			}
			rows = append(rows, row(name, c.Group+", "+c.Subject, "", ours, scale))
		default:
			continue
		}
		scale = "same"
	}
	return rows
}

// low is the figure of the coarse modes beside a claim of all.
func (r *finished) low(all report.Claim) string {
	all.ID = "method.low"
	if c := r.About(all); c != nil {
		return c.Value.String()
	}
	return ""
}

// examined says how much of the paper's experiment a run did, and how long all of it would take.
func (r *finished) examined(f paper.Figure) string {
	wanted := 10000 // all of MNIST's test images
	fmt.Sscan(f.Examples, &wanted)
	s := fmt.Sprintf("%d of %d images", r.Data.Examples, wanted)
	if set, err := measure.SetupOf(r.Report); err == nil && set.Bounds != nil {
		s += fmt.Sprintf(", %d starts", set.Bounds.Search.Restarts)
	}
	if words := strings.Fields(r.Command); slices.Contains(words, "--epochs") {
		s += ", net of " + words[slices.Index(words, "--epochs")+1] + " epochs"
	}
	if !f.Trained {
		s += ", net " + strings.TrimSuffix(filepath.Base(r.Model.Path), ".onnx")
	}
	if n := r.Data.Examples; n > 0 && n < wanted {
		all := time.Duration(r.Timing["bounds"] / float64(n) * float64(wanted) * float64(time.Second))
		s += "; all: about " + paper.Roughly(all)
	}
	return s
}

// cells are the rows of a run of paper B's: one for each row of the paper's tables that has a figure.
func (r *finished) cells(x *paper.Experiment) (rows []string) {
	of, scale, left := "`"+x.Name+"`", r.trained(), 0
	var published, ours []string
	flush := func(group string) {
		if len(ours) > 0 {
			rows = append(rows, row(of, group, strings.Join(published, ", "), strings.Join(ours, ", "), scale))
			scale = "same"
		}
		published, ours = nil, nil
	}
	group := ""
	for _, c := range r.Claims {
		p := beside(c, "published")
		if p == "" {
			continue
		}
		if c.Group != group {
			flush(group)
			group = c.Group
		}
		if math.IsNaN(c.Value.X) {
			left++
			continue
		}
		if d := beside(c, "published ±"); d != "" {
			p += " ± " + d
		}
		published, ours = append(published, name(c.ID)+" "+p), append(ours, c.Value.String())
	}
	flush(group)
	if left > 0 {
		rows = append(rows, row(of, "the other rows", report.Many(left, "figure"), "not run here", "–"))
	}
	if c := r.Claim("sum", ""); c != nil { // convex: B section 3.1
		rows = append(rows, row(of, "δy + δs of linear classifiers", "1.5", c.Value.Interval(), "the plane of Figure 2"))
	}
	if c := r.Claim("neighbourhood.held", ""); c != nil { // B appendix A.2
		rows = append(rows, row(of, "steps within the bound of A.2", "all", c.Value.String()+" of "+beside(*c, "of"), "same"))
	}
	return rows
}

// trained says how the classifiers of a run were trained, as far as that departs from the paper's procedure.
func (r *finished) trained() string {
	var o map[string]string
	if json.Unmarshal(r.Request, &o) != nil || o["epochs"] == "" {
		return "the paper's"
	}
	return fmt.Sprintf("%s of 50 epochs, %s of 5 seeds, training examples: %s", o["epochs"], o["seeds"], o["examples"])
}
