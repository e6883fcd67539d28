package bound

import (
	"fmt"
	"slices"
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

// bytes is the size of one row.
func (c column) bytes() int64 { return int64(c.data.dtype()[2]-'0') * int64(c.size()) }

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

// anyNumbers is a slice of a record, of any type of number.
type anyNumbers interface {
	dtype() string       // as NumPy writes it
	values() any         // the slice
	nan() int            // the position of the first that is not a number, else −1
	take(data any) error // keeps what was read
	grow(n int)          // makes n zeros
	keep(lo, hi int)     // keeps elements lo to hi
}

type number interface {
	float64 | float32 | int64
}

// numbers are the slice *at of a record.
type numbers[T number] struct{ at *[]T }

func slice[T number](at *[]T) anyNumbers { return numbers[T]{at} }

func (a numbers[T]) dtype() string {
	types := map[string]string{"[]float64": "<f8", "[]float32": "<f4", "[]int64": "<i8"}
	return types[fmt.Sprintf("%T", *a.at)]
}

func (a numbers[T]) values() any     { return *a.at }
func (a numbers[T]) nan() int        { return slices.IndexFunc(*a.at, func(v T) bool { return v != v }) }
func (a numbers[T]) grow(n int)      { *a.at = make([]T, n) }
func (a numbers[T]) keep(lo, hi int) { *a.at = (*a.at)[lo:hi:hi] }

func (a numbers[T]) take(data any) error {
	x, ok := data.([]T)
	if !ok {
		return fmt.Errorf("an array of %T where %T is expected", data, x)
	}
	*a.at = x
	return nil
}
