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
