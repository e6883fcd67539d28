package main

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tattle/internal/must"
	"tattle/internal/paper"
	"tattle/internal/report"
)

// The page has a row for every experiment of the papers, as many published figures as the papers print, and no empty cell.
func TestPage(t *testing.T) {
	page := string(must.Get(os.ReadFile("../../docs/papers.md"))(t))
	rows := map[string][]string{}
	for line := range strings.Lines(page) {
		if cells := strings.Split(strings.Trim(line, "| \n"), " | "); strings.HasPrefix(line, "| `") {
			name := strings.Trim(cells[0], "`")
			rows[name] = append(rows[name], line)
		}
		if strings.HasPrefix(line, "|") && strings.Contains(strings.ReplaceAll(line, " ", ""), "||") {
			t.Errorf("an empty cell: %s", line)
		}
	}
	for _, name := range paper.FigureNames() {
		f, _ := paper.GetFigure(name)
		if want := len(f.ListPublished()); name != paper.Comparison && len(rows[name]) < want {
			t.Errorf("%s: %d rows, and the paper prints %d figures", name, len(rows[name]), want)
		}
	}
	for _, name := range paper.Names() {
		x := must.Get(paper.Get(name))(t)
		if n := len(x.ListPublished()); n > 0 && !covers(rows[name], n) {
			t.Errorf("%s: its rows do not cover %d published figures:\n%s", name, n, strings.Join(rows[name], ""))
		}
		if len(rows[name]) == 0 {
			t.Errorf("%s has no row", name)
		}
	}
}

// covers reports whether the published figures of rows are n: each is a figure, or "n figures" that were not run.
func covers(rows []string, n int) bool {
	total := 0
	for _, r := range rows {
		cells := strings.Split(r, " | ")
		count := 0
		if _, err := fmt.Sscanf(cells[2], "%d figure", &count); err != nil {
			count = strings.Count(cells[2], ",") + 1
		}
		total += count
	}
	return total > 0 && total%n == 0 // several runs of one experiment have as many each
}

// A finished run is printed beside the published figures, and one that was not made is said to be missing.
func TestRewrite(t *testing.T) {
	dir := t.TempDir()
	page := filepath.Join(dir, "page.md")
	begin := "Text.\n<!-- paper A -->\nold\n<!-- end of paper A -->\nMore.\n<!-- paper B -->\nold\n<!-- end of paper B -->\nEnd.\n"
	must.Do(t, os.WriteFile(page, []byte(begin), 0o666))
	r := report.New("Figure 1", "tattle reproduce figure1", 1)
	r.Data.Examples, r.Timing["bounds"] = 20, 2
	r.Add(report.Claim{ID: "published", Subject: "accuracy, clean", Value: report.Exactly(.5, report.Share), Beside: []report.Beside{{Name: "published", Value: report.Exactly(.979, report.Share)}}},
		report.Claim{ID: "published", Subject: "median", Value: report.Exactly(.25, report.Number), Beside: []report.Beside{{Name: "authors'", Value: report.Exactly(.5, report.Number)}}})
	r.Add(report.Claim{ID: "accuracy.clean", N: 8, Value: report.Exactly(.5, report.Share)})
	save(t, r, filepath.Join(dir, "figure1"))
	b := report.New("Table 3", "tattle reproduce table3", 1)
	b.SetRequest(map[string]string{"epochs": "3", "seeds": "1", "examples": "40"})
	beside := []report.Beside{{Name: "published", Value: report.Exactly(.83, report.Percent)}, {Name: "published ±", Value: report.Exactly(.01, report.Percent)}}
	b.Add(report.Claim{ID: "honesty", Group: "row", Value: report.Exactly(.75, report.Percent), Beside: beside},
		report.Claim{ID: "honesty", Group: "another", Value: report.Exactly(math.NaN(), report.Percent), Beside: beside})
	save(t, b, filepath.Join(dir, "table3"))
	made := tables{dir, func(_ context.Context, x *paper.Experiment) (string, error) { return "long", nil }}
	for range 2 { // what it wrote can be written again
		must.Do(t, made.rewrite(context.Background(), page))
	}
	got := string(must.Get(os.ReadFile(page))(t))
	for _, want := range []string{
		"Text.\n<!-- paper A -->\n| experiment",
		"| `figure1` | accuracy, clean | 97.9 % | 50.0 % of 8 images | 20 of 10000 images; all: about 17 min |\n",
		"| `figure1` | median | – | 0.25; authors' procedure 0.5 | same |\n",
		"| `figure6` | accuracy, clean | 64.0 % | not run here | needs a folder or zip of ImageNet's validation pictures and a trained swin-t |\n",
		"| `table3` | row | honesty 83.00 % ± 1.00 % | 75.00 % | 3 of 50 epochs, 1 of 5 seeds, training examples: 40 |\n| `table3` | the other rows | 1 figure | not run here | – |\n",
		"| `mixtures` | Figure 4: two mixtures of two classifiers | 4 figures; curiosity 95.00 % to 100.00 %; honesty 99.00 % to 100.00 % | not run here | long |\n",
		"<!-- end of paper B -->\nEnd.\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the page lacks %q:\n%s", want, got)
		}
	}

	// Another run has another row of the table; what is in neither folder stays as it was.
	b.Claims[0].Value, b.Claims[1].Value = b.Claims[1].Value, report.Exactly(.5, report.Percent)
	dir = t.TempDir()
	save(t, b, filepath.Join(dir, "table3"))
	must.Do(t, (tables{dir, made.takes}).rewrite(context.Background(), page))
	want := strings.Replace(got, "| `table3` | the other rows | 1 figure | not run here | – |", "| `table3` | another | honesty 83.00 % ± 1.00 % | 50.00 % | same |", 1)
	if got := string(must.Get(os.ReadFile(page))(t)); got != want {
		t.Errorf("after another run:\n%s\nwant:\n%s", got, want)
	}

	// Two runs do not repeat each other's rows.
	b.Claims[0].Value, b.Claims[1].Value = b.Claims[1].Value, b.Claims[0].Value
	save(t, b, filepath.Join(dir, "table3-more"))
	want = ""
	for range 2 {
		must.Do(t, (tables{dir, made.takes}).rewrite(context.Background(), page))
		got := string(must.Get(os.ReadFile(page))(t))
		if want = cmp.Or(want, got); got != want || strings.Count(got, "| `table3` | row |") != 1 || strings.Count(got, "| `table3` | another |") != 1 {
			t.Errorf("of two runs:\n%s\nat first:\n%s", got, want)
		}
	}

	// Rows of another net stand beside those of the paper's own, without what the paper prints of that.
	r.Model.Path = "other.onnx"
	dir = t.TempDir()
	save(t, r, filepath.Join(dir, "figure1"))
	must.Do(t, (tables{dir, made.takes}).rewrite(context.Background(), page))
	got = string(must.Get(os.ReadFile(page))(t))
	for _, want := range []string{"| `figure1` | accuracy, clean | 97.9 % | 50.0 % of 8 images | 20 of", "| `figure1` | accuracy, clean | – | 50.0 % of 8 images | 20 of 10000 images, net other;"} {
		if !strings.Contains(got, want) {
			t.Errorf("of another net:\n%s\nwithout %q", got, want)
		}
	}
	must.Do(t, os.WriteFile(page, []byte("no comments"), 0o666))
	if err := made.rewrite(context.Background(), page); err == nil || !strings.Contains(err.Error(), "must be there") {
		t.Errorf("a page without the comments: %v", err)
	}
}

func save(t *testing.T, r *report.Report, dir string) {
	t.Helper()
	must.Do(t, os.Mkdir(dir, 0o777))
	must.Do(t, r.Save(nil, dir))
}
