package bound

import (
	"fmt"
	"slices"

	"tattle/npy"
)

// column is one array of a record, with one row for each example.
type column struct {
	name string
	row  []int // shape of one row
	data anyNumbers
}

// size is the number of elements of one row.
func (c column) size() int {
	size := 1
	for _, d := range c.row {
		size *= d
	}
	return size
}

func (c column) shape(examples int) []int { return append([]int{examples}, c.row...) }

// columns are the arrays of a record.
type columns []column

// grow makes room for n examples.
func (all columns) grow(n int) {
	for _, c := range all {
		c.data.grow(n * c.size())
	}
}

// keep keeps examples lo to hi, in the same memory.
func (all columns) keep(lo, hi int) {
	for _, c := range all {
		c.data.keep(lo*c.size(), hi*c.size())
	}
}

// fits reports whether a row of an array may have this shape. The number of singular values
// differs between shards.
func (c column) fits(shape []int) bool {
	return c.name == spectrumName || slices.Equal(shape, c.row)
}

// anyNumbers is a slice of a record, of any type of number.
type anyNumbers interface {
	dtype() string                      // as NumPy writes it
	bytes() int64                       // of one element
	values() any                        // the slice
	grow(n int)                         // makes n zeros
	keep(lo, hi int)                    // keeps elements lo to hi
	read(r *npy.Rows, lo, hi int) error // rows lo to hi
}

// numbers is the slice *at.
type numbers[T number] struct{ at *[]T }

type number interface {
	float64 | float32 | int64 | int32 | int16
}

// slice returns the numbers whose slice is *at.
func slice[T number](at *[]T) anyNumbers { return numbers[T]{at} }

func (a numbers[T]) dtype() string {
	switch any(*a.at).(type) {
	case []float64:
		return "<f8"
	case []float32:
		return "<f4"
	case []int64:
		return "<i8"
	case []int32:
		return "<i4"
	}
	return "<i2"
}

func (a numbers[T]) bytes() int64    { return int64(a.dtype()[2] - '0') }
func (a numbers[T]) values() any     { return *a.at }
func (a numbers[T]) grow(n int)      { *a.at = make([]T, n) }
func (a numbers[T]) keep(lo, hi int) { *a.at = (*a.at)[lo:hi:hi] }

func (a numbers[T]) read(r *npy.Rows, lo, hi int) (err error) {
	*a.at, err = read[T](r, lo, hi)
	return err
}

// read reads rows of an array whose elements are of type T.
func read[T any](r *npy.Rows, lo, hi int) ([]T, error) {
	a, err := r.Read(lo, hi)
	if err != nil {
		return nil, err
	}
	x, ok := a.Data.([]T)
	if !ok {
		return nil, fmt.Errorf("an array of %T where %T is expected", a.Data, x)
	}
	return x, nil
}
