package nn

import (
	"fmt"
	"math"
	"sync"

	"tattle/internal/math/simd"
)

// copies are forms of a parameter that kernels compute with, made when first
// asked for and made anew, in the same storage, when the parameter has changed.
// All nets of one graph share them.
type copies struct {
	mu   sync.Mutex
	made map[form]any // *packing[T]
}

// form identifies a copy of a parameter.
type form struct {
	wide, trans bool
	winograd    int    // which transform of a convolution's weight: see convWinograd
	panels      bool   // of output channels: see convWinograd
	magnitudes  bool   // see magnitudes
	lines       bool   // see convDepthwise
	window      [4]int // strides and dilations of lines
	k, n, ld    int    // all zero: the values themselves
}

// packing is one such copy: packed, plain and only wide, or a parameter.
type packing[T Float] struct {
	version uint64
	ready   bool
	packed  simd.Packed[T]
	wide    []T
	param   *Param
}

func is64[T Float]() bool { var z T; _, ok := any(z).(float64); return ok }

// copyOf returns the copy of that form, which fill makes anew where the parameter has changed.
func copyOf[T Float](p *Param, f form, fill func(c *packing[T])) *packing[T] {
	p.copies.mu.Lock()
	defer p.copies.mu.Unlock()
	if p.copies.made == nil {
		p.copies.made = map[form]any{}
	}
	c, ok := p.copies.made[f].(*packing[T])
	if !ok {
		c = &packing[T]{}
		p.copies.made[f] = c
	}
	if !c.ready || c.version != p.version {
		c.ready, c.version = true, p.version
		fill(c)
	}
	return c
}

// values returns p.Data as []T: itself for float32, else a cached wide copy; nil for no parameter.
func values[T Float](p *Param) []T {
	if p == nil {
		return nil
	}
	if own, ok := any(p.Data).([]T); ok {
		return own
	}
	return copyOf(p, form{wide: true}, func(c *packing[T]) { c.wide = widen(c.wide, p.Data) }).wide
}

// packed returns op(B), a [k, n] matrix, packed for [simd.GemmPacked]: B is p.Data,
// with rows ld apart, and op transposes it where trans is set.
func packed[T Float](p *Param, trans bool, k, n, ld int) *simd.Packed[T] {
	return &copyOf(p, form{wide: is64[T](), trans: trans, k: k, n: n, ld: ld}, func(c *packing[T]) {
		b, ok := any(p.Data).([]T)
		if !ok {
			b = widen[T](nil, p.Data)
		}
		c.packed.Pack(trans, k, n, b, ld)
	}).packed
}

// magnitudes returns the absolute values of a parameter as another, always the same: kernels keep it.
func magnitudes(p *Param) *Param {
	return copyOf(p, form{magnitudes: true}, func(c *packing[float32]) {
		if c.param == nil {
			c.param = NewParam(p.Name, p.Shape...)
		}
		for i, v := range p.Data {
			c.param.Data[i] = float32(math.Abs(float64(v)))
		}
		c.param.Changed()
	}).param
}

// widen converts x to T in the storage of dst where that suffices.
func widen[T Float](dst []T, x []float32) []T {
	dst = sized(dst, len(x))
	for i, v := range x {
		dst[i] = T(v)
	}
	return dst
}

// check returns an error if the parameter is missing or is not of that shape.
func (p *Param) check(what string, shape ...int) error {
	if p == nil {
		return fmt.Errorf("%s is missing", what)
	}
	if len(p.Shape) != len(shape) {
		return fmt.Errorf("%s %q has shape %v, want %v", what, p.Name, p.Shape, shape)
	}
	for i, d := range shape {
		if p.Shape[i] != d {
			return fmt.Errorf("%s %q has shape %v, want %v", what, p.Name, p.Shape, shape)
		}
	}
	if len(p.Data) != Size(shape) {
		return fmt.Errorf("%s %q has %d values, want %d for shape %v", what, p.Name, len(p.Data), Size(shape), shape)
	}
	return nil
}
