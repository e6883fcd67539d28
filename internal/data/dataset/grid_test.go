package dataset

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tattle/internal/must"
)

// onGrid reports whether every row of a set is on its grid, and how many rows of values the grid
// lists altogether.
func onGrid(t *testing.T, s *Set) (listed int) {
	t.Helper()
	grid, _ := s.Grid()
	p := s.size()
	x := make([]float32, p)
	for i := range s.Len() {
		s.Examples(x, []int{i})
		at := 0
		for _, c := range grid {
			found := c.Values == nil
			for lo := 0; lo < len(c.Values) && !found; lo += c.Width {
				found = slices.Equal(c.Values[lo:lo+c.Width], x[at:at+c.Width])
			}
			if !found {
				t.Fatalf("example %d: inputs from %d on are %v, which the grid does not have", i, at, x[at:at+c.Width])
			}
			at += c.Width
		}
		if at != p {
			t.Fatalf("a grid of %d inputs for %d", at, p)
		}
	}
	for _, c := range grid {
		listed += len(c.Values) / c.Width
	}
	return listed
}

// Pictures are bytes: the grid is what Examples makes of all 256, channel by channel, in
// either layout.
func TestGridOfPictures(t *testing.T) {
	for _, last := range []bool{false, true} {
		s := &Set{Shape: []int{2, 16, 16}, Mean: []float32{.1307, .5}, Std: []float32{.3081, .25}, Y: []int{0}, ChannelsLast: last}
		if last {
			s.Shape = []int{16, 16, 2}
		}
		for v := range 512 {
			s.Pixels = append(s.Pixels, uint8(v/(1+len(s.Shape)%2))) // every byte in each channel of either layout
		}
		s.finish()
		if _, known := s.Grid(); !known || onGrid(t, s) != 512*256 {
			t.Errorf("channels last %v: the grid is not 256 values for each pixel", last)
		}
	}
}

// Of a table, numbers that are integers, missing ones, categories and other numbers.
func TestGridOfTables(t *testing.T) {
	rows := []string{"age,height,colour,visits,label"}
	for i := range 60 {
		visits := "7"
		if i%4 == 0 {
			visits = "?"
		} else if i%3 == 0 {
			visits = "9"
		}
		rows = append(rows, strings.Join([]string{[]string{"20", "31", "44"}[i%3], []string{"1.5", "1.75", "1.82", "2.01"}[i*7%4], []string{"red", "green", "blue"}[i*5%7%3], visits, []string{"a", "b"}[i*3%5%2]}, ","))
	}
	path := filepath.Join(t.TempDir(), "table.csv")
	must.Do(t, os.WriteFile(path, []byte(strings.Join(rows, "\n")+"\n"), 0o666))
	s, _ := must.Get2(OpenInputs(context.Background(), path, Options{Target: "label"}))(t)
	onGrid(t, s)
	grid, known := s.Grid()
	var widths, counts []int
	for _, c := range grid {
		widths, counts = append(widths, c.Width), append(counts, len(c.Values)/c.Width)
	}
	// ages 20 to 44, any height, three colours, visits 7 to 9 or missing
	if !known || !slices.Equal(widths, []int{1, 1, 3, 2}) || !slices.Equal(counts, []int{25, 0, 3, 4}) {
		t.Errorf("known %v, widths %v, counts %v", known, widths, counts)
	}
}

// Numbers in an array may be anything.
func TestGridOfArraysIsNotKnown(t *testing.T) {
	s := (&Set{Shape: []int{2}, Values: []float32{1, 2, 3, 4}}).finish()
	if grid, known := s.Grid(); known || len(grid) != 2 || grid[0].Values != nil || grid[0].Width != 1 {
		t.Errorf("known %v, %v", known, grid)
	}
}
