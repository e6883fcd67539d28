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
	wide, trans      bool
	winograd         int  // which transform of a convolution's weight: see convWinograd
	panels           bool // of output channels: see convWinograd
	magnitudes       bool // see magnitudes
	lines            bool // see convDepthwise
	offset, k, n, ld int  // all zero: the values themselves
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

// find returns the copy of that form, and whether it is to be made anew. Call it
// with the mutex held.
func find[T Float](p *Param, f form) (c *packing[T], stale bool) {
	if p.copies.made == nil {
		p.copies.made = map[form]any{}
	}
	c, ok := p.copies.made[f].(*packing[T])
	if !ok {
		c = &packing[T]{}
		p.copies.made[f] = c
	}
	stale = !c.ready || c.version != p.version
	c.ready, c.version = true, p.version
	return c, stale
}

// values returns p.Data as []T: itself for float32, else a cached wide copy.
func values[T Float](p *Param) []T {
	if own, ok := any(p.Data).([]T); ok {
		return own
	}
	p.copies.mu.Lock()
	defer p.copies.mu.Unlock()
	c, stale := find[T](p, form{wide: true})
	if stale {
		c.wide = widen(c.wide, p.Data)
	}
	return c.wide
}

// packed returns op(B), a [k, n] matrix, packed for [simd.GemmPacked]: B is p.Data
// from offset on, with rows ld apart, and op transposes it where trans is set.
func packed[T Float](p *Param, trans bool, offset, k, n, ld int) *simd.Packed[T] {
	p.copies.mu.Lock()
	defer p.copies.mu.Unlock()
	c, stale := find[T](p, form{wide: is64[T](), trans: trans, offset: offset, k: k, n: n, ld: ld})
	if !stale {
		return &c.packed
	}
	b, ok := any(p.Data).([]T)
	if !ok {
		b = widen[T](nil, p.Data)
	}
	c.packed.Pack(trans, k, n, b[offset:], ld)
	return &c.packed
}

// magnitudes returns the absolute values of a parameter as another, always the same: kernels keep it.
func magnitudes(p *Param) *Param {
	p.copies.mu.Lock()
	defer p.copies.mu.Unlock()
	c, stale := find[float32](p, form{magnitudes: true})
	if stale {
		if c.param == nil {
			c.param = NewParam(p.Name, p.Shape...)
		}
		for i, v := range p.Data {
			c.param.Data[i] = float32(math.Abs(float64(v)))
		}
		c.param.Changed()
	}
	return c.param
}

// widen converts x to T in the storage of dst where that suffices.
func widen[T Float](dst []T, x []float32) []T {
	if cap(dst) < len(x) {
		dst = make([]T, len(x))
	}
	dst = dst[:len(x)]
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
