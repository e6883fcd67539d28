package bound

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"sync"

	"tattle/internal/math/dct"
	"tattle/internal/math/simd"
)

// Coordinates is a set of m linear functionals w of the input, the rows of W,
// each of which is to be reconstructed. An implementation is safe for concurrent
// use.
type Coordinates interface {
	Name() string
	Inputs() int                // p
	Len() int                   // m
	Apply(dst, v []float64)     // dst = W v, [batch, p] → [batch, m]; panics if lengths do not match
	Transpose(dst, y []float64) // dst = Wᵀy, [batch, m] → [batch, p], in floating point
	Rounding() float64          // |computed − exact (W v)_k| ≤ Rounding·‖v‖
	Band(size int) []int        // the size×size lowest frequencies of each channel; nil if there are none
}

// detailed are coordinates that their name and number do not identify.
type detailed interface{ detail() string }

// rowsOf checks that v is [batch, p] and dst [batch, m].
func rowsOf(dst, v []float64, p, m int) int {
	if len(v)%p != 0 || len(dst) != len(v)/p*m {
		panic(fmt.Sprintf("bound: %d and %d values for %d coordinates of %d inputs", len(dst), len(v), m, p))
	}
	return len(v) / p
}

type modes struct {
	channels, rows, cols int
	plans                sync.Pool
}

// DCT returns the modes of the orthonormal type-II cosine transform over the
// rows and columns of each channel, for inputs of shape [channels, rows, cols],
// [rows, cols] or [length]. Mode (k, l) of channel c is coordinate
// (c·rows + k)·cols + l. It panics on other shapes.
func DCT(shape []int) Coordinates {
	c := &modes{channels: 1, rows: 1}
	switch len(shape) {
	case 3:
		c.channels, c.rows, c.cols = shape[0], shape[1], shape[2]
	case 2:
		c.rows, c.cols = shape[0], shape[1]
	case 1:
		c.cols = shape[0]
	default:
		panic(fmt.Sprintf("bound: cosine transform of inputs of shape %v", shape))
	}
	c.plans.New = func() any { return dct.NewPlan(c.rows, c.cols) }
	return c
}

func (c *modes) Name() string { return "dct" }
func (c *modes) detail() string {
	return fmt.Sprintf("%d channels of %d×%d", c.channels, c.rows, c.cols)
}
func (c *modes) Len() int    { return c.channels * c.rows * c.cols }
func (c *modes) Inputs() int { return c.Len() }

func (c *modes) Apply(dst, v []float64) {
	rowsOf(dst, v, c.Len(), c.Len())
	plan := c.plans.Get().(*dct.Plan)
	defer c.plans.Put(plan)
	plan.Forward(dst, v)
}

// Transpose is the inverse transform.
func (c *modes) Transpose(dst, y []float64) {
	rowsOf(dst, y, c.Len(), c.Len())
	plan := c.plans.Get().(*dct.Plan)
	defer c.plans.Put(plan)
	plan.Inverse(dst, y)
}

// Rounding: an entry of the transform's matrix errs by at most 7u√(2/n) (angle
// within 3u of at most π/4, cosine within 2u, three roundings of the factor), so
// a row, of norm 1, errs by less than 10u in norm. A product with it errs by at
// most (n + 10)u(1+nu)‖x‖ in any order of summation, |c|ᵀ|x| being at most ‖x‖.
// The transform along the rows turns ‖x‖ into an error of norm (cols+10)u‖x‖ in
// what enters the one down the columns, which adds (rows+10)u‖x‖. The 16s leave
// room for the products of errors.
func (c *modes) Rounding() float64 { return float64(c.rows+c.cols+2*16) * ulp }

func (c *modes) Band(size int) []int {
	var band []int
	for k := range c.Len() {
		row, col := k/c.cols%c.rows, k%c.cols
		if row < size && col < size {
			band = append(band, k)
		}
	}
	return band
}

type pixels int

// Pixels returns the entries of the input themselves.
func Pixels(p int) Coordinates { return pixels(p) }

func (c pixels) Name() string      { return "pixels" }
func (c pixels) Len() int          { return int(c) }
func (c pixels) Inputs() int       { return int(c) }
func (c pixels) Rounding() float64 { return 0 }
func (c pixels) Band(int) []int    { return nil }
func (c pixels) Apply(dst, v []float64) {
	rowsOf(dst, v, int(c), int(c))
	copy(dst, v)
}

func (c pixels) Transpose(dst, y []float64) { c.Apply(dst, y) }

type vectors struct {
	name string
	m, p int
	w    []float64 // [m, p], rows of norm 1 as stored
	norm float64   // the largest norm of a row, rounded up
}

// Vectors returns the functionals whose vectors are the rows of w, [m, p], each divided by
// its norm. What is bounded is the vector as stored after the division. It returns an
// error if w is no whole number of rows or a row is zero or not finite.
func Vectors(name string, w []float64, p int) (Coordinates, error) {
	if p <= 0 || len(w) == 0 || len(w)%p != 0 {
		return nil, fmt.Errorf("coordinates %q: %d values cannot be divided into vectors of %d inputs", name, len(w), p)
	}
	c := &vectors{name: name, m: len(w) / p, p: p, w: make([]float64, len(w))}
	for i := range c.m {
		row := w[i*p : (i+1)*p]
		top := simd.MaxAbs(row)
		if !(top > 0 && top <= math.MaxFloat64) {
			return nil, fmt.Errorf("coordinates %q: vector %d is zero or not finite", name, i)
		}
		var s float64
		for _, v := range row {
			if math.IsNaN(v) {
				return nil, fmt.Errorf("coordinates %q: vector %d is not finite", name, i)
			}
			s += v / top * (v / top)
		}
		s = math.Sqrt(s)
		for j, v := range row {
			c.w[i*p+j] = v / top / s
		}
	}
	c.norm = 1 + float64(p+8)*ulp
	return c, nil
}

func (c *vectors) Name() string { return c.name }
func (c *vectors) detail() string {
	h := sha256.New()
	binary.Write(h, binary.LittleEndian, c.w) // a hash takes all
	return "SHA-256 " + hex.EncodeToString(h.Sum(nil))
}
func (c *vectors) Len() int    { return c.m }
func (c *vectors) Inputs() int { return c.p }

func (c *vectors) Apply(dst, v []float64) {
	rows := rowsOf(dst, v, c.p, c.m)
	simd.Gemm(false, true, rows, c.m, c.p, 1, v, c.p, c.w, c.p, 0, dst, c.m)
}

func (c *vectors) Transpose(dst, y []float64) {
	rows := rowsOf(dst, y, c.m, c.p)
	simd.Gemm(false, false, rows, c.p, c.m, 1, y, c.m, c.w, c.p, 0, dst, c.p)
}

// Rounding: a sum of p products errs by at most pu/(1−pu)·|w|ᵀ|v| ≤ …·‖w‖‖v‖.
func (c *vectors) Rounding() float64 { return float64(c.p+2) * ulp * c.norm }

func (c *vectors) Band(int) []int { return nil }
