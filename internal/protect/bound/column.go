package bound

import (
	"fmt"
	"math"
	"slices"

	"tattle/internal/engine/nn"
	"tattle/internal/math/float16"
	"tattle/internal/npy"
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

// anyNumbers is a slice of a record, of any type of number.
type anyNumbers interface {
	dtype() string            // of what is stored, as NumPy writes it
	accept(dtype string) bool // reports whether an array of that type can be read, and notes the type
	bytes() int64             // of one element in memory
	values() any              // what is stored
	nan() int                 // the position of the first that is not a number, else −1
	take(data any) error      // keeps what was read
	grow(n int)               // makes n zeros
	keep(lo, hi int)          // keeps elements lo to hi
}

// numbers are the slice *at of a record, stored as the first of two types or, if *small, shrunk to
// the second.
type numbers[T number] struct {
	at     *[]T
	types  [2]string // as NumPy writes them
	small  *bool
	shrink func(x []T) any
}

type number interface {
	float64 | float32 | int64 | int32 | int16
}

// slice returns numbers that are stored as they are.
func slice[T number](at *[]T) anyNumbers {
	types := map[string]string{"[]float64": "<f8", "[]float32": "<f4", "[]int64": "<i8", "[]int32": "<i4", "[]int16": "<i2"}
	return numbers[T]{at: at, types: [2]string{types[fmt.Sprintf("%T", *at)]}, small: new(bool)}
}

// figures returns numbers that are stored in float32 if *small, rounded toward what an adversary can
// do.
func figures(at *[]float64, small *bool, round func(float64) float32) anyNumbers {
	return numbers[float64]{at, [2]string{"<f8", "<f4"}, small, func(x []float64) any { return converted(x, round) }}
}

// halves returns numbers that are stored in float16 if *small. They must then be numbers of that
// format.
func halves(at *[]float32, small *bool) anyNumbers {
	half := func(v float32) npy.Float16 { return npy.Float16(float16.TowardZero(v)) }
	return numbers[float32]{at, [2]string{"<f4", "<f2"}, small, func(x []float32) any { return converted(x, half) }}
}

func converted[T, U any](x []T, f func(T) U) []U {
	y := make([]U, len(x))
	for i, v := range x {
		y[i] = f(v)
	}
	return y
}

func (a numbers[T]) dtype() string {
	if *a.small {
		return a.types[1]
	}
	return a.types[0]
}

func (a numbers[T]) accept(dtype string) bool {
	*a.small = dtype == a.types[1]
	return *a.small || dtype == a.types[0]
}

func (a numbers[T]) values() any {
	if *a.small {
		return a.shrink(*a.at)
	}
	return *a.at
}

func (a numbers[T]) bytes() int64    { return int64(a.types[0][2] - '0') }
func (a numbers[T]) nan() int        { return slices.IndexFunc(*a.at, func(v T) bool { return v != v }) }
func (a numbers[T]) grow(n int)      { *a.at = make([]T, n) }
func (a numbers[T]) keep(lo, hi int) { *a.at = (*a.at)[lo:hi:hi] }

func (a numbers[T]) take(data any) error {
	if x, ok := data.([]float32); ok && a.types[0] == "<f8" {
		data = nn.Float64s(x)
	}
	x, ok := data.([]T)
	if !ok {
		return fmt.Errorf("an array of %T where %T is expected", data, x)
	}
	*a.at = x
	return nil
}

// smallTolerance is the relative tolerance of figures that are stored in float32.
const smallTolerance = 0x1p-22

// asStored rounds x as it is stored if small, and returns the relative tolerance for that.
func asStored(x []float64, small bool, round func(float64) float32) (tolerance float64) {
	if !small {
		return 0
	}
	for i, v := range x {
		x[i] = float64(round(v))
	}
	return smallTolerance
}

// towardZero32 returns the largest float32 that is at most v ≥ 0.
func towardZero32(v float64) float32 {
	f := float32(v)
	if float64(f) > v {
		f = math.Nextafter32(f, 0)
	}
	return f
}

// fromZero32 returns the smallest float32 that is at least v ≥ 0.
func fromZero32(v float64) float32 {
	f := float32(v)
	if float64(f) < v {
		f = math.Nextafter32(f, float32(math.Inf(1)))
	}
	return f
}
