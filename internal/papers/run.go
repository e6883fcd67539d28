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

// read returns the finished runs of an experiment.
func (t tables) read(name string) (runs []finished, err error) {
	found, err := filepath.Glob(filepath.Join(t.runs, name+"*", report.FileJSON))
	for _, path := range found {
		var r *report.Report
		b, err := os.ReadFile(path)
		if err == nil {
			r, err = report.Parse(b)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		runs = append(runs, finished{r})
	}
	return runs, err
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
func (r finished) figures(f paper.Figure) (rows []row) {
	name, scale := "`"+f.Name+"`", r.examined(f)
	for _, c := range r.Claims {
		switch c.ID {
		case "published":
			ours := c.Value.String()
			if a := r.Claim("accuracy.clean", ""); a != nil && strings.HasPrefix(c.Subject, "accuracy") {
				ours += " of " + report.Many(a.N, "image")
			}
			if theirs := beside(c, "authors'"); theirs != "" {
				ours += "; authors' procedure " + theirs
			}
			published := beside(c, "published")
			if f.Trained && r.net() != "" { // it is of the paper's own net
				published = ""
			}
			rows = append(rows, newRow(name, c.Subject, published, ours, scale))
		case "method":
			low, ours := c, c.Value.String()
			low.ID = "method.low"
			if l := r.About(low); l != nil {
				ours += "; coarse modes " + l.Value.String()
			}
			rows = append(rows, newRow(name, c.Group+", "+c.Subject, "", ours, scale))
		}
	}
	return rows
}

// net is the name of the file of a net that is not the paper's, else "".
func (r finished) net() string {
	if net := strings.TrimSuffix(filepath.Base(r.Model.Path), ".onnx"); net != "model" && net != "." {
		return net
	}
	return ""
}

// examined says how much of the paper's experiment a run did, and how long all of it would take.
func (r finished) examined(f paper.Figure) string {
	wanted := 10000 // all of MNIST's test images
	fmt.Sscan(f.Examples, &wanted)
	s := fmt.Sprintf("%d of %d images", r.Data.Examples, wanted)
	if set, err := measure.SetupOf(r.Report); err == nil && set.Bounds != nil {
		s += fmt.Sprintf(", %d starts", set.Bounds.Search.Restarts)
	}
	if words := strings.Fields(r.Command); slices.Contains(words, "--epochs") {
		s += ", net of " + words[slices.Index(words, "--epochs")+1] + " epochs"
	}
	if r.net() != "" {
		s += ", net " + r.net()
	}
	if n := r.Data.Examples; n > 0 && n < wanted {
		all := time.Duration(r.Timing["bounds"] / float64(n) * float64(wanted) * float64(time.Second))
		s += "; all: about " + paper.Roughly(all)
	}
	return s
}

// cells are the rows of a run of paper B's: one for each row of the paper's tables that has a figure, in this run or in rows that are kept.
func (r finished) cells(x *paper.Experiment, kept []row) (rows []row) {
	of, scale, left := "`"+x.Name+"`", r.trained(), 0
	for i := 0; i < len(r.Claims); {
		var published, ours, absent []string
		first := r.Claims[i]
		for ; i < len(r.Claims) && r.Claims[i].Group == first.Group && r.Claims[i].Subject == first.Subject; i++ {
			c := r.Claims[i]
			p, d := beside(c, "published"), beside(c, "published ±")
			if p == "" {
				continue
			}
			if d != "" {
				p += " ± " + d
			}
			if p = name(c.ID) + " " + p; math.IsNaN(c.Value.X) {
				absent = append(absent, p)
				continue
			}
			published, ours = append(published, p), append(ours, c.Value.String())
		}
		if len(ours) > 0 {
			rows = append(rows, newRow(of, first.Group, strings.Join(published, ", "), strings.Join(ours, ", "), scale))
		} else if at := slices.IndexFunc(kept, newRow(of, first.Group, strings.Join(absent, ", ")).same); at >= 0 {
			rows, absent = append(rows, kept[at]), nil
		}
		left += len(absent)
	}
	if left > 0 {
		rows = append(rows, newRow(of, "the other rows", report.Many(left, "figure"), notRun, ""))
	}
	if c := r.Claim("sum", ""); c != nil { // convex: B section 3.1
		rows = append(rows, newRow(of, "δy + δs of linear classifiers", "1.5", c.Value.Interval(), "the plane of Figure 2"))
	}
	if c := r.Claim("neighbourhood.held", ""); c != nil { // B appendix A.2
		rows = append(rows, newRow(of, "steps within the bound of A.2", "all", c.Value.String()+" of "+beside(*c, "of"), same))
	}
	return rows
}

// trained says how the classifiers of a run were trained, as far as that departs from the paper's procedure.
func (r finished) trained() string {
	var o map[string]string
	if json.Unmarshal(r.Request, &o) != nil || o["epochs"] == "" {
		return "the paper's"
	}
	return fmt.Sprintf("%s of 50 epochs, %s of 5 seeds, training examples: %s", o["epochs"], o["seeds"], o["examples"])
}
