package guard

import "math"

// Inputs say how inputs are made of data.
type Inputs struct {
	Scaling string `json:"scaling" toml:"scaling"`
	Layout  string `json:"layout" toml:"layout"`
	// Range has the least and the greatest value of pixels. There is one pair for each channel, or one
	// for all numbers. It is nil for other inputs: the data may not show how far their values go.
	Range [][2]float64 `json:"range,omitempty" toml:"range,omitempty"`
}

// Of returns the range of number i of p; nil if it is not known.
func (in Inputs) Of(i, p int) []float64 {
	n := len(in.Range)
	if n == 0 || p%n != 0 {
		return nil
	}
	return in.Range[i/(p/n)][:]
}

// Bounds returns the least and the greatest value of an input; nil if they are not known.
func (in Inputs) Bounds() []float64 {
	if len(in.Range) == 0 {
		return nil
	}
	low, high := math.Inf(1), math.Inf(-1)
	for _, c := range in.Range {
		low, high = min(low, c[0]), max(high, c[1])
	}
	return []float64{low, high}
}
