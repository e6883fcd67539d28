package measure

import (
	"fmt"

	"tattle/internal/data/dataset"
	"tattle/internal/protect/bound"
)

// DataSetup says what values inputs can have.
type DataSetup struct {
	GreyLevels float64        `json:"grey_levels,omitempty"` // of 255, that one normalised unit is; 0 if the inputs are not pictures
	Range      [][2]float64   `json:"range,omitempty"`       // of every channel: its least and greatest value
	Stored     *Stored        `json:"stored,omitempty"`
	Columns    []bound.Column `json:"columns,omitempty"` // of a table
}

// Stored says what inputs can be stored as. Pictures are bytes b, which become (b/255 − Mean)/Std.
type Stored struct {
	As           string    `json:"as"` // one of the Stored constants
	Mean         []float32 `json:"mean,omitempty"`
	Std          []float32 `json:"std,omitempty"`
	ChannelsLast bool      `json:"channels_last,omitempty"`
}

// What inputs can be stored as.
const (
	StoredBytes   = "8-bit pixels"
	StoredResized = "8-bit pixels, as resizing left them"
	StoredColumns = "values that the table's columns can hold"
	StoredFloat32 = "float32 numbers within the data's range"
)

// GreyLevels returns how many grey levels of 255 a normalised unit is. It is 0 if the inputs are not pictures.
func GreyLevels(s *dataset.Set) (levels float64) {
	for _, v := range s.Std {
		levels += 255 * float64(v) / float64(len(s.Std))
	}
	return levels
}

// dataSetup describes the values of a data set.
func dataSetup(s *dataset.Set) DataSetup {
	return DataSetup{GreyLevels: GreyLevels(s), Range: rangeOf(s), Stored: storedOf(s), Columns: Columns(s)}
}

// rangeOf returns the least and the greatest value of each channel.
func rangeOf(set *dataset.Set) [][2]float64 {
	low, high := set.Range()
	all := make([][2]float64, len(low))
	for c := range low {
		all[c] = [2]float64{float64(low[c]), float64(high[c])}
	}
	return all
}

// storedOf says what the inputs of a set can be stored as.
func storedOf(set *dataset.Set) *Stored {
	_, known := set.Grid()
	switch {
	case set.Values != nil:
		return &Stored{As: StoredColumns}
	case !known:
		return &Stored{As: StoredFloat32}
	}
	s := &Stored{As: StoredBytes, Mean: set.Mean, Std: set.Std, ChannelsLast: set.ChannelsLast}
	if set.Resized {
		s.As = StoredResized
	}
	return s
}

// legal returns the domain of n inputs within the ranges of their channels.
func (d DataSetup) legal(n int) (bound.Domain, error) {
	if len(d.Range) == 0 || n%len(d.Range) != 0 {
		return bound.Domain{}, fmt.Errorf("request: data.range: %d ranges, which are not those of the channels of %d inputs", len(d.Range), n)
	}
	return bound.Legal(inputRanges(d.Range, n))
}
