package dataset

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/bits"
	"strings"

	"tattle/internal/file"
)

// maxArray is the largest idx array taken, in bytes.
const maxArray = 4 << 30

// maxHeader is the longest header of an idx file, in bytes.
const maxHeader = 4 + 4*255

// IDX is an array as idx files hold it, in C order.
type IDX struct {
	Shape []int
	Data  any // []uint8, []int8, []int16, []int32, []float32 or []float64
}

// ReadIDX reads an idx file of any element type, compressed by gzip or not,
// whatever its name.
func ReadIDX(path string) (IDX, error) {
	data, err := readFile(path)
	if err != nil {
		return IDX{}, err
	}
	return DecodeIDX(path, data)
}

// readFile reads a whole file.
func readFile(path string) ([]byte, error) {
	f, err := file.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if uint64(info.Size()) > maxArray+maxHeader {
		return nil, malformed(path, "has %d bytes, more than the %d that are taken: split it", info.Size(), uint64(maxArray))
	}
	return io.ReadAll(f)
}

// DecodeIDX decodes an idx file's bytes, compressed by gzip or not. name stands
// for the file in errors. What it allocates is bounded by the bytes there are,
// not by what a header says; uncompressed bytes are aliased, not copied.
func DecodeIDX(name string, data []byte) (IDX, error) {
	in := source{name: name}
	if isGzip(data) {
		if err := in.openGzip(data); err != nil {
			return IDX{}, err
		}
	} else {
		in.rest = data
	}
	h, err := readHeader(&in)
	if err != nil {
		return IDX{}, err
	}
	body, err := in.take(h.bytes, h.String())
	if err != nil {
		return IDX{}, err
	}
	return IDX{Shape: h.shape, Data: h.kind.decode(body)}, nil
}

// kind is the element type of an idx file, the third byte of its magic number.
type kind struct {
	code byte
	name string
	size int
}

var kinds = []kind{
	{0x08, "unsigned byte", 1}, {0x09, "signed byte", 1}, {0x0B, "short", 2},
	{0x0C, "int", 4}, {0x0D, "float", 4}, {0x0E, "double", 8},
}

// idxHeader is what an idx file says of itself.
type idxHeader struct {
	kind  kind
	shape []int
	bytes int // of the array
}

// String describes the array, such as "60000×28×28 unsigned byte".
func (h idxHeader) String() string { return times(h.shape) + " " + h.kind.name }

func times(shape []int) string {
	var b strings.Builder
	for i, n := range shape {
		if i > 0 {
			b.WriteString("×")
		}
		fmt.Fprint(&b, n)
	}
	return b.String()
}

// readHeader reads the magic number 0, 0, type, rank and the big-endian
// dimensions that follow it.
func readHeader(in *source) (idxHeader, error) {
	var h idxHeader
	magic, err := in.head(4)
	if err != nil {
		return h, err
	}
	if magic[0] != 0 || magic[1] != 0 {
		return h, malformed(in.name, "not an idx file: begins with % x, not 00 00; give an idx file, gzip or plain", magic)
	}
	for _, k := range kinds {
		if k.code == magic[2] {
			h.kind = k
		}
	}
	if h.kind.size == 0 || magic[3] == 0 {
		return h, malformed(in.name, "not an idx file: magic number % x has no such type or no dimensions; get it again", magic)
	}
	dims, err := in.head(4 * int(magic[3]))
	if err != nil {
		return h, err
	}
	for i := 0; i < len(dims); i += 4 {
		h.shape = append(h.shape, int(binary.BigEndian.Uint32(dims[i:])))
	}
	n, ok := product(h.kind.size, h.shape)
	if !ok {
		return h, malformed(in.name, "header claims %s, more than %d bytes: the header is wrong; get the file again", h, uint64(maxArray))
	}
	h.bytes = n
	return h, nil
}

// product multiplies size by the dimensions; false where that exceeds maxArray.
func product(size int, shape []int) (int, bool) {
	n := uint64(size)
	over := false
	for _, d := range shape {
		if d == 0 {
			return 0, true
		}
		hi, lo := bits.Mul64(n, uint64(d))
		n = lo
		over = over || hi != 0 || n > maxArray || n > math.MaxInt
		if over {
			n = maxArray // keeps the product from wrapping while zeros are looked for
		}
	}
	return int(n), !over
}

// decode turns big-endian bytes into the elements' Go type.
func (k kind) decode(b []byte) any {
	switch k.code {
	case 0x09:
		return convert(b, 1, func(b []byte) int8 { return int8(b[0]) })
	case 0x0B:
		return convert(b, 2, func(b []byte) int16 { return int16(binary.BigEndian.Uint16(b)) })
	case 0x0C:
		return convert(b, 4, func(b []byte) int32 { return int32(binary.BigEndian.Uint32(b)) })
	case 0x0D:
		return convert(b, 4, func(b []byte) float32 { return math.Float32frombits(binary.BigEndian.Uint32(b)) })
	case 0x0E:
		return convert(b, 8, func(b []byte) float64 { return math.Float64frombits(binary.BigEndian.Uint64(b)) })
	}
	return b
}

func convert[T any](b []byte, size int, element func([]byte) T) []T {
	out := make([]T, len(b)/size)
	for i := range out {
		out[i] = element(b[i*size:])
	}
	return out
}
