package bound

import (
	"fmt"
	"slices"

	"tattle/internal/engine/nn"
)

// AllBand names the band of all coordinates.
const AllBand = "all"

// A Band is a choice of coordinates: all of them where Keep is nil.
type Band struct {
	Name string
	Keep []int
}

// Of copies the values of the band from x, [examples, m].
func (b Band) Of(x []float64, m int) []float64 {
	if b.Keep == nil {
		return slices.Clone(x)
	}
	out := make([]float64, 0, len(x)/m*len(b.Keep))
	for i := 0; i < len(x); i += m {
		for _, k := range b.Keep {
			out = append(out, x[i+k])
		}
	}
	return out
}

// Bands returns all coordinates and, if there is one, the low band of size×size modes.
func Bands(c Coordinates, size int) []Band {
	all := []Band{{Name: AllBand}}
	if low := c.Band(size); len(low) > 0 && len(low) < c.Len() {
		all = append(all, Band{fmt.Sprintf("%dx%d", size, size), low})
	}
	return all
}

// lastOctave ends the octaves: modes from half of it on are one band.
const lastOctave = 1 << 10

// Octaves returns all coordinates and, of cosine modes, those from 2^i to 2^(i+1) − 1 by
// the larger of their two numbers; of tables, the columns.
func Octaves(c Coordinates) []Band {
	all := []Band{{Name: AllBand}}
	if c, ok := c.(*tableColumns); ok {
		return append(all, c.bands()...)
	}
	within := c.Band(1)
	if len(within) == 0 || len(within) == c.Len() {
		return all
	}
	all = append(all, Band{"mode 0", within})
	for size := 2; len(within) < c.Len() && size <= lastOctave; size *= 2 {
		wider := c.Band(size)
		name := fmt.Sprintf("modes %d–%d", size/2, size-1)
		if size == 2 {
			name = "mode 1"
		}
		if size == lastOctave || len(wider) <= len(within) || len(wider) == c.Len() {
			wider, name = nn.Indices(c.Len()), fmt.Sprintf("modes from %d", size/2)
		}
		inside := make(map[int]bool, len(within))
		for _, i := range within {
			inside[i] = true
		}
		all = append(all, Band{name, slices.DeleteFunc(slices.Clone(wider), func(i int) bool { return inside[i] })})
		within = wider
	}
	return all
}

// A Column is a group of inputs side by side that encode one column of a table.
type Column struct {
	Name  string  `json:"name"`
	Width int     `json:"width"`          // how many inputs
	Keep  int     `json:"keep"`           // how many of them, from the first, are the column's band: the others say that a number is missing
	Unit  float64 `json:"unit,omitempty"` // of numbers: a unit of the first input in the column's own; 0 for categories
}

// mostColumns is the largest number of columns that are bands of their own.
const mostColumns = 40

type tableColumns struct {
	pixels
	of []Column
}

// Columns returns the inputs of a table as coordinates: those of [Pixels], whose bands are the
// columns. It returns an error if the columns do not cover the inputs.
func Columns(of []Column, p int) (Coordinates, error) {
	n := 0
	for _, c := range of {
		if c.Width < 1 || c.Keep < 1 || c.Keep > c.Width || c.Width > p-n {
			return nil, fmt.Errorf("column %q has %d inputs, %d of them coordinates, and %d inputs are left for it", c.Name, c.Width, c.Keep, p-n)
		}
		n += c.Width
	}
	if n != p {
		return nil, fmt.Errorf("%d columns hold %d inputs, and there are %d", len(of), n, p)
	}
	return &tableColumns{pixels(p), of}, nil
}

func (c *tableColumns) Name() string { return "columns" }

// bands are the columns by name. Of more than can be shown, the last ones are one band.
func (c *tableColumns) bands() []Band {
	var all []Band
	used, at := map[string]bool{AllBand: true}, 0
	for i, col := range c.of {
		keep := make([]int, col.Keep)
		for k := range keep {
			keep[k] = at + k
		}
		at += col.Width
		if i >= mostColumns {
			last := &all[len(all)-1]
			last.Name, last.Keep = fmt.Sprintf("%d other columns", len(c.of)-mostColumns+1), append(last.Keep, keep...)
			continue
		}
		name := col.Name
		for n := 2; used[name]; n++ {
			name = fmt.Sprintf("%s (%d)", col.Name, n)
		}
		used[name] = true
		all = append(all, Band{name, keep})
	}
	return all
}
