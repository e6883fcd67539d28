package release

import "errors"

// Table is noise of a density that a user gives.
type Table struct{ Noise }

// NewTable makes one.
func NewTable(x, density []float64, sigma float64) (*Table, error) {
	return nil, errors.New("noise table: not there yet")
}

// ReadTable reads one.
func ReadTable(path string, sigma float64) (*Table, error) {
	return nil, errors.New("noise table: not there yet")
}
