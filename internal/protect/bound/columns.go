package bound

import "fmt"

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
			return nil, fmt.Errorf("column %q: %d of %d inputs are no part of %d inputs", c.Name, c.Keep, c.Width, p-n)
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
