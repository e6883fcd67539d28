package cli

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tattle/curious/training"
	"tattle/dataset"
	"tattle/internal/must"
	"tattle/internal/shared"
	"tattle/reproduce"
)

// madeFaces draws faces into a new folder, laid out as a kind of data.
func madeFaces(t *testing.T, kind string, n int) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), kind)
	must.Do(t, dataset.WriteFaces(context.Background(), dir, kind, n, 1))
	return dir
}

// results reads every result.json below a folder, by its path.
func results(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	found := map[string][]byte{}
	must.Do(t, filepath.WalkDir(filepath.Join(dir, "cells"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Name() == training.ResultFile {
			key, _ := filepath.Rel(dir, path)
			found[key], err = os.ReadFile(path)
		}
		return err
	}))
	return found
}

// TestTableGoesOn runs a figure cell by cell in commands of their own, in any order; and in three
// attempts: interrupted when two cells are committed but not reported, then with another choice of
// cells, then all. Cells and tables are the same to the byte, and what was finished is not touched
// again.
func TestTableGoesOn(t *testing.T) {
	shared.Long(t, "trains eight nets")
	data := madeFaces(t, "utkface", 200)
	args := []string{"reproduce", "figure7", "--data", data, "--quick", "--epochs", "1", "--seeds", "2"}
	dir := t.TempDir()
	whole, parts := filepath.Join(dir, "whole"), filepath.Join(dir, "parts")
	must.Do(t, spread(t, whole, 0, args...))
	if err := spread(t, parts, 2, args...); !errors.Is(err, context.Canceled) {
		t.Fatalf("interrupted: %v", err)
	}
	if exists(filepath.Join(parts, "cells")) {
		t.Fatal("there are cells of which nobody was told")
	}
	first := reported(t, parts, "reproduce", "figure7", "--data", data, "--quick", "--epochs", "1", "--only", "gender-standard", "--resume")
	if want, got := "left out by --only", first.Tables[0].Rows[1].Cells[0]; got.Ours == nil && got.Note != want {
		t.Errorf("of a cell that did not run %+v", got)
	}
	before := results(t, parts)
	if len(before) < 2 || begun(filepath.Join(parts, shardsDir)) {
		t.Errorf("%d cells of what had been committed, and the stage is still there: %v", len(before), begun(filepath.Join(parts, shardsDir)))
	}
	written := times(t, parts, before)
	reported(t, parts, append(args, "--resume")...)
	for key, at := range times(t, parts, before) {
		if !at.Equal(written[key]) {
			t.Errorf("%s: a finished cell was written again", key)
		}
	}
	want, got := results(t, whole), results(t, parts)
	if len(want) != 4 || len(got) != len(want) {
		t.Fatalf("%d and %d cells, want 4", len(want), len(got))
	}
	for key := range want {
		if !bytes.Equal(want[key], got[key]) {
			t.Errorf("%s differs", key)
		}
	}
	if a, b := tablesOf(t, whole), tablesOf(t, parts); !bytes.Equal(a, b) {
		t.Errorf("the tables differ:\n%s\n%s", a, b)
	}
	ran(t, whole)
}

// times says when files were written.
func times(t *testing.T, dir string, of map[string][]byte) map[string]time.Time {
	t.Helper()
	out := map[string]time.Time{}
	for key := range of {
		info := must.Get(os.Stat(filepath.Join(dir, key)))(t)
		out[key] = info.ModTime()
	}
	return out
}

// ran wants each cell of a report to have figures, and all that the verdict is about.
func ran(t *testing.T, dir string) {
	t.Helper()
	r, cells := must.Get(readReport(dir))(t), 0
	for _, table := range r.Tables {
		for _, row := range table.Rows {
			for i, c := range row.Cells {
				if !c.Blank && c.Ours == nil {
					t.Errorf("%q, %s did not run: %s", row.Labels, table.Columns[i].Name, c.Note)
				}
				cells++
			}
		}
	}
	if cells == 0 || !strings.HasPrefix(r.Verdict, "Not comparable. All published figures of these tables were computed again") {
		t.Errorf("%d cells; %s", cells, r.Verdict)
	}
}

// tablesOf is a report but for its times and the command line.
func tablesOf(t *testing.T, dir string) []byte {
	t.Helper()
	r := must.Get(readReport(dir))(t)
	r.Timing, r.Command, r.Rendered = nil, "", nil // the page names times
	return encoded(t, r)
}

// TestPlane holds figure 4 and the convex case to B section 3 on 20,000 samples: the
// classifiers are fitted to their optimum, and what is left is the sampling of the
// boundary's neighbourhood, a few examples.
func TestPlane(t *testing.T) {
	shared.Long(t, "figure 4 and the convex case on 20,000 samples")
	convex := reported(t, filepath.Join(t.TempDir(), "convex"), "reproduce", "convex")
	if convex.Data.Examples != 20000 || len(convex.Plane.TradeOff) < 10 {
		t.Errorf("%d points on %d examples", len(convex.Plane.TradeOff), convex.Data.Examples)
	}
	for _, p := range convex.Plane.TradeOff {
		if sum := float64(p.Honesty + p.Curiosity); math.Abs(sum-1.5) > .01 {
			t.Errorf("βs = %v: δy + δs = %v, want 1.5", p.BetaS, sum)
		}
	}
	mixed := reported(t, filepath.Join(t.TempDir(), "mixtures"), "reproduce", "mixtures")
	for i, row := range mixed.Tables[0].Rows {
		for j, c := range row.Cells {
			if math.Abs(float64(c.Ours.Mean-c.Published.Mean)) > .01 {
				t.Errorf("row %d, column %d: %v, published %v", i, j, c.Ours.Mean, c.Published.Mean)
			}
		}
	}
	if len(mixed.Plane.Mixtures) != 2 || mixed.Tables[0].Reduced != "" {
		t.Errorf("%d mixtures, reduced %q", len(mixed.Plane.Mixtures), mixed.Tables[0].Reduced)
	}
}

// TestCellsAreNotTrainings wants a cell's folder refused if a training's is wanted,
// without the advice to delete what took hours.
func TestCellsAreNotTrainings(t *testing.T) {
	dir := t.TempDir()
	must.Do(t, os.WriteFile(filepath.Join(dir, training.ResultFile), []byte(`{"schema":"`+reproduce.CellSchema+`","epochs":[]}`), 0o666))
	_, err := (&taught{Run: dir}).open(t.Context(), nil)
	var s *statusError
	if !errors.As(err, &s) || s.status != statusUsage || strings.Contains(s.hint, "delete") || !strings.Contains(err.Error(), "a cell of reproduce") {
		t.Errorf("%v", err)
	}
}
