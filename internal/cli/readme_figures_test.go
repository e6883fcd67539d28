package cli

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tattle/internal/data/dataset"
	"tattle/internal/must"
	"tattle/internal/npy"
	"tattle/internal/protect/measure"
	"tattle/internal/report"
	"tattle/internal/reveal/curious"
	"tattle/internal/shared"
)

var figuresIn = flag.String("figures", "", "write the tables of README.md from the runs in this `folder`; those that it lacks are made, which takes half an hour")

// README's figures of long runs are what their commands print.
func TestReadmeFigures(t *testing.T) {
	dir := *figuresIn
	if dir == "" {
		shared.Full(t, "README's long runs, half an hour")
		dir = t.TempDir()
	}
	dir = must.Get(filepath.Abs(dir))(t)
	readme := must.Get(filepath.Abs("../../README.md"))(t)
	page := string(must.Get(os.ReadFile(readme))(t))
	fresh := page
	for name, rows := range map[string][]string{"face descriptors": faceRows(t, dir), "writers": writerRows(t, dir)} {
		fresh = replaced(t, fresh, name, func(table string) string {
			lines := strings.SplitAfterN(table, "\n", 4)
			return strings.Join(lines[:3], "") + strings.Join(rows, "\n") + "\n"
		})
	}
	for name, words := range map[string]string{"design": designWords(t, dir), "audits": auditWords(t)} {
		fresh = replaced(t, fresh, name, func(string) string { return words })
	}
	switch {
	case fresh == page:
	case *figuresIn != "":
		must.Do(t, os.WriteFile(readme, []byte(fresh), 0o666))
	default:
		t.Errorf("README.md has other figures than these: make figures\n%s", fresh)
	}
}

// replaced changes what stands between the comments of that name.
func replaced(t *testing.T, page, name string, change func(string) string) string {
	t.Helper()
	begin, end := "<!-- "+name+" -->", "<!-- end of "+name+" -->"
	before, rest, ok := strings.Cut(page, begin)
	old, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatalf("README.md has nothing between the comments %q", name)
	}
	return before + begin + change(old) + end + after
}

// designWords are what README says of the design that it shows.
func designWords(t *testing.T, dir string) string {
	t.Helper()
	r := ranIn(t, filepath.Join(dir, "design"), "design", "--model", shared.Path(t, "models/mnist-mlp.onnx"), "--data", shared.Path(t, "data/mnist"), "--identify", "1%@60000")
	if !r.Has("promise.kept") && !r.Has("promise.kept.recognised") {
		t.Fatal("the design of README keeps no promise")
	}
	numbers := r.Claims[slices.IndexFunc(r.Claims, func(c report.Claim) bool { return c.ID == "released.numbers" })]
	return fmt.Sprintf("%.0f numbers, at an accuracy of %.1f %%", numbers.Value.X, 100*r.Claim("accuracy", "").Value.X)
}

// auditWords are what README says of the tables of docs/detection.md, which their program prints.
func auditWords(t *testing.T) string {
	t.Helper()
	tables := strings.Split(string(must.Get(os.ReadFile("../../docs/detection.md"))(t)), "\n")
	cells := func(row string) []string {
		for _, line := range tables {
			if strings.HasPrefix(line, "| "+row) {
				return strings.Split(strings.Trim(line, "| "), " | ")
			}
		}
		t.Fatalf("docs/detection.md has no row %q", row)
		return nil
	}
	all, detected, alarms := cells("inconclusive because a control failed"), cells("detected"), cells("false alarms")
	found, of, _ := strings.Cut(detected[1], " of ")
	wrong, honest, _ := strings.Cut(alarms[1], " of ")
	return fmt.Sprintf("%s small nets with known leakage: of %s that reveal 10 points or more over honest training, %s were called `curious`. Of %s honest ones, %s\nwere. The 99 %% intervals are %s and %s",
		all[3], of, found, honest, wrong, detected[3], alarms[3])
}

// ranIn returns the report of a run in dir, which is made unless it is there.
func ranIn(t *testing.T, dir string, args ...string) *report.Report {
	t.Helper()
	if !exists(filepath.Join(dir, reportJSON)) {
		done(t, append(args, "--out", dir)...)
	}
	return must.Get(readReport(dir))(t)
}

// faceVectors writes the face descriptors of FairFace's pictures, as arrays vectors, gender, race and split.
func faceVectors(t *testing.T, path string) {
	t.Helper()
	var x []float32
	columns := map[string][]string{}
	for _, part := range []dataset.Split{dataset.Train, dataset.Test} {
		m := must.Get(measure.OpenModel(shared.Path(t, "models/face-recognition.onnx"), measure.ModelOptions{Preprocess: "resize=150,150 range=0,255"}))(t)
		set, _ := must.Get2(measure.Inputs{Path: shared.Path(t, "data/fairface64.zip"), Part: string(part), Sensitive: []string{"gender", "race"}, Seed: 1}.Open(t.Context(), m, nil))(t)
		x = append(x, must.Get(curious.Predict(t.Context(), m.Graph, set))(t)...)
		for i := range set.Len() {
			columns["split"] = append(columns["split"], string(part))
			for _, a := range set.Sensitive {
				columns[a.Name] = append(columns[a.Name], a.Values[a.Labels[i]])
			}
		}
	}
	n := len(columns["split"])
	var b bytes.Buffer
	w := npy.NewWriter(&b)
	must.Do(t, w.Add("vectors", []int{n, len(x) / n}, x))
	for _, name := range []string{"gender", "race", "split"} {
		must.Do(t, w.Add(name, []int{n}, columns[name]))
	}
	must.Do(t, w.Close())
	must.Do(t, os.WriteFile(path, b.Bytes(), 0o666))
}

// faceRows are the rows on face descriptors, by the command of docs/vectors.md.
func faceRows(t *testing.T, dir string) (rows []string) {
	t.Helper()
	vectors := filepath.Join(dir, "face.npz")
	if !exists(vectors) {
		faceVectors(t, vectors)
	}
	for _, noise := range []string{".5", "1", "2"} {
		row := "| " + noise
		var all *report.Report
		for _, n := range []string{"1000", "10000", "all"} {
			all = ranIn(t, filepath.Join(dir, "face"+noise+"-"+n), "bound", "--vectors", vectors, "--sensitive", "gender", "--sensitive", "race",
				"--sigma-scale", noise, "--candidates", n, "--list-draws", "4000", "--attack", "none", "--exposed-people", "0")
			row += share(all.Claim("identified", ""))
		}
		row += share(all.Claim("accuracy", ""))
		for _, attribute := range []string{"gender", "race"} {
			row += limit(all.About(report.Claim{ID: "guess.limit", Subject: attribute, Group: "the distribution"}))
		}
		rows = append(rows, row+" |")
	}
	return rows
}

// writerRows are the rows on MNIST: the first two of every image as of another person, the others by person.
func writerRows(t *testing.T, dir string) []string {
	t.Helper()
	var rows [6]string
	for _, sigma := range []string{"1.7", "8.5"} {
		args := []string{"bound", "--model", shared.Path(t, "models/mnist-mlp.onnx"), "--data", shared.Path(t, "data/mnist"), "--sigma", sigma, "--candidates", "all",
			"--attack", "none", "--examples", "1", "--restarts", "1", "--repeats", "1", "--barankin", "0", "--far", "0", "--twins", "0"}
		images := ranIn(t, filepath.Join(dir, "images-"+sigma), append(slices.Clone(args), "--list-draws", "10000", "--exposed-people", "0")...)
		people := ranIn(t, filepath.Join(dir, "writers-"+sigma), append(args, "--labels", shared.Path(t, "data/qmnist"), "--sensitive", "writer", "--group", "person", "--list-draws", "2000", "--exposed-people", "250")...)
		named, floor := people.Claim("identified", ""), " | none"
		if c := people.Claim("floor", "whole input"); c != nil && c.Value.Low > 0 {
			floor = fmt.Sprintf(" | %.1f", math.Floor(10*c.Value.Low)/10)
		}
		of := func(id string) *report.Claim {
			return people.About(report.Claim{ID: id, Subject: "writer", Group: "the distribution"})
		}
		heads := []string{
			fmt.Sprintf("| accuracy (%.1f %% without noise)", 100*images.Claim("accuracy.clean", "").Value.X), "| the adversary names the right image",
			fmt.Sprintf("| the adversary names the right writer (guessing: %.1f %%)", 100*named.Beside[0].Value.X), "| the 1 % most exposed writers are named in at least (estimated)",
			"| floor on the error of adversaries without a list, by person, of 255 grey levels",
			fmt.Sprintf("| census employee or student (guessing: %.0f %% of writers): upper limit", 100*of("guess.majority").Value.X),
		}
		for i, cell := range []string{share(images.Claim("accuracy", "")), share(images.Claim("identified", "")), share(named), share(people.Claim("exposed.q99", "")), floor, limit(of("guess.limit"))} {
			rows[i] = cmp.Or(rows[i], heads[i]) + cell
		}
	}
	for i := range rows {
		rows[i] += " |"
	}
	return rows[:]
}

// share is a cell with a share.
func share(c *report.Claim) string { return fmt.Sprintf(" | %.1f %%", 100*c.Value.X) }

// limit is a cell with an upper limit, which says nothing at 100 %.
func limit(c *report.Claim) string {
	if c.Value.High >= 1 {
		return " | none"
	}
	return fmt.Sprintf(" | %.1f %%", math.Ceil(1000*c.Value.High)/10)
}
