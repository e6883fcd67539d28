package infer

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"tattle/internal/math/float16"
)

// datatype is how the elements of a tensor lie in binary data, little-endian. Whole
// ones hold integers of [low, high] only, others magnitudes up to high where it is set.
type datatype struct {
	size      int
	whole     bool
	low, high float64
	get       func(b []byte) float32
	put       func(b []byte, v float32)
}

// The largest float32 below 2⁶³ and 2⁶⁴, and the largest FP16.
const (
	maxFP16   = 65504
	maxInt64  = 1<<63 - 1<<39
	maxUint64 = 1<<64 - 1<<40
)

// datatypes are the protocol's, but for BYTES, which holds no numbers. Integers beyond
// 2²⁴ and FP64 are rounded to the nearest float32 when read.
var datatypes = map[string]datatype{
	"FP32":   {size: 4, get: getFP32, put: putFP32},
	"FP64":   {size: 8, get: getFP64, put: putFP64},
	"FP16":   {size: 2, high: maxFP16, get: getFP16, put: putFP16},
	"BF16":   {size: 2, get: getBF16, put: putBF16},
	"BOOL":   integer(1, 0, 1),
	"UINT8":  integer(1, 0, math.MaxUint8),
	"UINT16": integer(2, 0, math.MaxUint16),
	"UINT32": integer(4, 0, math.MaxUint32),
	"UINT64": integer(8, 0, maxUint64),
	"INT8":   integer(1, math.MinInt8, math.MaxInt8),
	"INT16":  integer(2, math.MinInt16, math.MaxInt16),
	"INT32":  integer(4, math.MinInt32, math.MaxInt32),
	"INT64":  integer(8, math.MinInt64, maxInt64),
}

// datatypeOf returns a datatype by the protocol's name of it.
func datatypeOf(name string) (datatype, error) {
	d, ok := datatypes[name]
	if !ok {
		return d, fmt.Errorf("datatype %s, which is none of %s", oneLine(name),
			strings.Join(slices.Sorted(maps.Keys(datatypes)), ", "))
	}
	return d, nil
}

// takes reports whether v is a value of the datatype, after rounding where it is not
// whole.
func (d datatype) takes(v float32) bool {
	f := float64(v)
	if !d.whole {
		return !math.IsNaN(f) && !math.IsInf(f, 0) && (d.high == 0 || math.Abs(f) <= d.high)
	}
	return f == math.Trunc(f) && d.low <= f && f <= d.high
}

// check returns an error if a number written in JSON has no place in the datatype: INT8
// 300, BOOL 2, FP16 1e6.
func (d datatype) check(v []float32, name string) error {
	for i, f := range v {
		special := math.IsNaN(float64(f)) || math.IsInf(float64(f), 0)
		if !d.takes(f) && (d.whole || !special) {
			return fmt.Errorf("number %d is %v, which is not a value of %s", i, f, name)
		}
	}
	return nil
}

// decode returns the numbers of binary data, whose length is a multiple of the size.
func (d datatype) decode(b []byte) []float32 {
	v := make([]float32, len(b)/d.size)
	for i := range v {
		v[i] = d.get(b[i*d.size:])
	}
	return v
}

// encode appends numbers as binary data.
func (d datatype) encode(b []byte, v []float32) []byte {
	lo := len(b)
	b = append(b, make([]byte, len(v)*d.size)...)
	for i, f := range v {
		d.put(b[lo+i*d.size:], f)
	}
	return b
}

func getFP32(b []byte) float32    { return math.Float32frombits(binary.LittleEndian.Uint32(b)) }
func putFP32(b []byte, v float32) { binary.LittleEndian.PutUint32(b, math.Float32bits(v)) }

func getFP64(b []byte) float32 {
	return float32(math.Float64frombits(binary.LittleEndian.Uint64(b)))
}

func putFP64(b []byte, v float32) {
	binary.LittleEndian.PutUint64(b, math.Float64bits(float64(v)))
}

func getFP16(b []byte) float32    { return float16.FromBits(binary.LittleEndian.Uint16(b)) }
func putFP16(b []byte, v float32) { binary.LittleEndian.PutUint16(b, float16.Bits(v)) }

func getBF16(b []byte) float32    { return float16.FromBrainBits(binary.LittleEndian.Uint16(b)) }
func putBF16(b []byte, v float32) { binary.LittleEndian.PutUint16(b, float16.BrainBits(v)) }

// integer is a datatype of whole numbers in two's complement.
func integer(size int, low, high float64) datatype {
	shift := 64 - 8*size
	return datatype{size: size, whole: true, low: low, high: high,
		get: func(b []byte) float32 {
			u := word(b[:size])
			if low < 0 {
				return float32(int64(u<<shift) >> shift)
			}
			return float32(u)
		},
		put: func(b []byte, v float32) {
			u := uint64(v)
			if v < 0 {
				u = uint64(int64(v))
			}
			for i := range size {
				b[i] = byte(u >> (8 * i))
			}
		}}
}

// word reads at most eight bytes as an unsigned integer.
func word(b []byte) uint64 {
	u := uint64(0)
	for i, c := range b {
		u |= uint64(c) << (8 * i)
	}
	return u
}
