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
	var text bytes.Buffer
	must.Do(t, first.WriteText(&text, true))
	if ran := first.Claim("ran", ""); ran.Value.X < ran.Beside[0].Value.X && !strings.Contains(strings.Join(strings.Fields(text.String()), " "), "left out by --only") {
		t.Errorf("%v ran, in\n%s", ran.Value, &text)
	}
	before := results(t, parts)
	if len(before) < 2 || exists(filepath.Join(parts, shardsDir)) {
		t.Errorf("%d cells of what had been committed, and the stage is still there: %v", len(before), exists(filepath.Join(parts, shardsDir)))
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
	r := must.Get(readReport(dir))(t)
	if c := r.Claim("ran", ""); c == nil || c.Value.X == 0 || c.Value.X != c.Beside[0].Value.X || r.Verdict() != "tables.reduced" {
		t.Errorf("%+v ran; %s", c, r.Verdict())
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
	convex, sums := reported(t, filepath.Join(t.TempDir(), "convex"), "reproduce", "convex"), 0
	for _, c := range convex.Claims {
		if c.ID == "trade.sum" {
			if sums++; math.Abs(c.Value.X-1.5) > .01 {
				t.Errorf("βs = %s: δy + δs = %v, want 1.5", c.Subject, c.Value.X)
			}
		}
	}
	if convex.Data.Examples != 20000 || sums < 10 {
		t.Errorf("%d points on %d examples", sums, convex.Data.Examples)
	}
	mixed, cells := reported(t, filepath.Join(t.TempDir(), "mixtures"), "reproduce", "mixtures"), 0
	for _, c := range mixed.Claims {
		if c.ID == "honesty" || c.ID == "curiosity" {
			if cells++; math.Abs(c.Value.X-c.Beside[0].Value.X) > .01 {
				t.Errorf("%s of %s: %v, published %v", c.ID, c.Group, c.Value.X, c.Beside[0].Value.X)
			}
		}
	}
	if cells != 4 || len(mixed.Series) != 8 || mixed.Verdict() != "tables.ran" {
		t.Errorf("%d cells, %d series; %s", cells, len(mixed.Series), mixed.Verdict())
	}
}
