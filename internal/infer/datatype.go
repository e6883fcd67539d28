package infer

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
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

// maxRank bounds the dimensions of a tensor, more than any model has.
const maxRank = 16

// appendNumbers appends a flat JSON array of the numbers, each as the shortest decimal
// of the float32, or of the FP64 that it is sent as; what is not finite is "NaN", "Infinity" or "-Infinity".
func appendNumbers(b []byte, v []float32, datatype string) []byte {
	format := byte('g')
	if datatypes[datatype].whole {
		format = 'f' // 1000000 and not 1e+06
	}
	bits := 32
	if datatype == "FP64" {
		bits = 64 // else the server would read another number than in binary
	}
	b = append(b, '[')
	for i, f := range v {
		if i > 0 {
			b = append(b, ',')
		}
		if datatype == "BOOL" {
			b = strconv.AppendBool(b, f != 0)
		} else {
			b = appendNumber(b, f, format, bits)
		}
	}
	return append(b, ']')
}

func appendNumber(b []byte, f float32, format byte, bits int) []byte {
	switch {
	case f != f:
		return append(b, `"NaN"`...)
	case math.IsInf(float64(f), 1):
		return append(b, `"Infinity"`...)
	case math.IsInf(float64(f), -1):
		return append(b, `"-Infinity"`...)
	}
	return strconv.AppendFloat(b, float64(f), format, -1, bits)
}

// readNumbers reads a JSON array of a tensor's numbers, flat or nested as its shape is.
// data is well-formed JSON. null is NaN, as are true and false 1 and 0.
func readNumbers(data []byte, shape []int, size int) ([]float32, error) {
	if 2*size > len(data)+1 { // a number and what follows it are two bytes
		return nil, fmt.Errorf("shape %v has %d numbers, more than there are", shape, size)
	}
	r := reader{shape: shape, values: make([]float32, 0, size)}
	for len(data) > 0 {
		n, err := r.step(data)
		if err != nil {
			return nil, err
		}
		data = data[n:]
	}
	if len(r.values) != size {
		return nil, fmt.Errorf("shape %v has %d numbers, but there are %d", shape, size, len(r.values))
	}
	return r.values, nil
}

// reader walks over nested arrays.
type reader struct {
	shape  []int
	starts []int // of the arrays that are open: how many numbers were before
	depth  int   // arrays that are open about every number; 0 before the first
	values []float32
}

// step reads what data begins with and returns its length.
func (r *reader) step(data []byte) (int, error) {
	switch data[0] {
	case ' ', '\t', '\r', '\n', ',':
		return 1, nil
	case '[':
		if len(r.starts) >= max(len(r.shape), 1) {
			return 0, fmt.Errorf("the numbers are nested deeper than shape %v", r.shape)
		}
		r.starts = append(r.starts, len(r.values))
		return 1, nil
	case ']':
		return 1, r.closeArray()
	}
	n := tokenLength(data)
	if len(r.starts) == 0 {
		return 0, errors.New("the data is no array")
	}
	if r.depth == 0 {
		r.depth = len(r.starts)
	} else if len(r.starts) != r.depth {
		return 0, errors.New("some numbers are nested deeper than others")
	}
	v, err := parseNumber(data[:n])
	if err != nil {
		return 0, err
	}
	if len(r.values) == cap(r.values) {
		return 0, fmt.Errorf("there are more numbers than shape %v has", r.shape)
	}
	r.values = append(r.values, v)
	return n, nil
}

// closeArray checks that an inner array has as many numbers as its dimensions say.
func (r *reader) closeArray() error {
	depth := len(r.starts) - 1
	got := len(r.values) - r.starts[depth]
	r.starts = r.starts[:depth]
	if depth == 0 {
		return nil // all of them are counted at the end
	}
	want := 1
	for _, d := range r.shape[depth:] {
		want *= d
	}
	if got != want {
		return fmt.Errorf("an inner array has %d numbers where shape %v has %d", got, r.shape, want)
	}
	return nil
}

// tokenLength returns the length of the string or word that data begins with.
func tokenLength(data []byte) int {
	if data[0] == '"' {
		if end := bytes.IndexByte(data[1:], '"'); end >= 0 {
			return end + 2
		}
		return len(data)
	}
	if n := bytes.IndexAny(data, ", \t\r\n[]"); n > 0 {
		return n
	}
	return len(data)
}

// parseNumber reads one number as the nearest float32.
func parseNumber(token []byte) (float32, error) {
	switch string(token) {
	case "null", `"NaN"`, `"nan"`:
		return float32(math.NaN()), nil
	case `"Infinity"`, `"inf"`:
		return float32(math.Inf(1)), nil
	case `"-Infinity"`, `"-inf"`:
		return float32(math.Inf(-1)), nil
	case "true":
		return 1, nil
	case "false":
		return 0, nil
	}
	v, err := strconv.ParseFloat(string(token), 32)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return 0, fmt.Errorf("%s is out of the range of float32", oneLine(string(token)))
	case err != nil:
		return 0, fmt.Errorf("%s is not a number", oneLine(string(token)))
	}
	return float32(v), nil
}

// stringOrSpecial is a JSON string, or one of the bare words that Triton and Python write.
var stringOrSpecial = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|NaN|-?Infinity`)

// quoteSpecials puts bare NaN, Infinity and -Infinity into quotes, which makes the text JSON.
func quoteSpecials(text []byte) []byte {
	return stringOrSpecial.ReplaceAllFunc(text, func(token []byte) []byte {
		if token[0] == '"' {
			return token
		}
		return strconv.AppendQuote(nil, string(token))
	})
}
