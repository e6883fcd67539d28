package npy

import (
	"fmt"
	"math"
	"reflect"
)

// Array is an array in memory, in C order: the last index is fastest.
type Array struct {
	Shape []int
	Data  any // []float32, []float64, []int8 … []int64, []uint8 … []uint64, []bool or []string
}

// Float64s returns the values as float64: the stored slice itself where it is
// []float64. It returns an error if an integer is not exactly a float64.
func (a Array) Float64s() ([]float64, error) {
	switch x := a.Data.(type) {
	case []float64:
		return x, nil
	case []float32:
		return convert(x, func(v float32) (float64, bool) { return float64(v), true })
	}
	return fromInts(a.Data, func(v int64) (float64, bool) { return float64(v), exact(float64(v), v) })
}

// Float32s returns the values as float32: the stored slice itself where it is
// []float32. Values of a []float64 are rounded to the nearest; it returns an error if one
// is too large, and if an integer is not exactly a float32.
func (a Array) Float32s() ([]float32, error) {
	switch x := a.Data.(type) {
	case []float32:
		return x, nil
	case []float64:
		return convert(x, func(v float64) (float32, bool) {
			w := float32(v)
			return w, !math.IsInf(float64(w), 0) || math.IsInf(v, 0)
		})
	}
	return fromInts(a.Data, func(v int64) (float32, bool) {
		w := float32(v)
		return w, exact(float64(w), v)
	})
}

// Ints returns the values as int; false and true are 0 and 1. It returns an error if a
// value is not an integer or does not fit.
func (a Array) Ints() ([]int, error) {
	whole := func(v float64) (int, bool) {
		return int(v), v == math.Trunc(v) && math.Abs(v) <= 1<<53
	}
	switch x := a.Data.(type) {
	case []float64:
		return convert(x, whole)
	case []float32:
		return convert(x, func(v float32) (int, bool) { return whole(float64(v)) })
	}
	return fromInts(a.Data, func(v int64) (int, bool) { return int(v), int64(int(v)) == v })
}

// exact reports whether f is v; 2⁶³ must not be converted back.
func exact(f float64, v int64) bool { return f < 1<<63 && int64(f) == v }

func convert[S, T any](x []S, f func(S) (T, bool)) ([]T, error) {
	y := make([]T, len(x))
	for i, v := range x {
		w, ok := f(v)
		if !ok {
			return nil, malformed("element %d, %v, is not a value of type %T", i, v, w)
		}
		y[i] = w
	}
	return y, nil
}

func fromInts[T any](data any, f func(int64) (T, bool)) ([]T, error) {
	v := reflect.ValueOf(data)
	if v.Kind() != reflect.Slice || kinds[v.Type().Elem().Kind()] == 0 {
		return nil, fmt.Errorf("npy: %T holds no numbers", data)
	}
	y := make([]T, v.Len())
	for i := range y {
		e, x, fits := v.Index(i), int64(0), true
		switch {
		case e.CanInt():
			x = e.Int()
		case e.CanUint():
			x, fits = int64(e.Uint()), e.Uint() <= math.MaxInt64
		case e.Bool():
			x = 1
		}
		w, ok := f(x)
		if !ok || !fits {
			return nil, malformed("element %d, %v, is not a value of type %T", i, e, w)
		}
		y[i] = w
	}
	return y, nil
}
