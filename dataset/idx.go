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

// idxArray is an array as idx files hold it, in C order.
type idxArray struct {
	shape []int
	data  any // []uint8 or []int32
}

// readIDX reads an idx file, compressed by gzip or not, whatever its name.
func readIDX(path string) (idxArray, error) {
	data, err := readFile(path)
	if err != nil {
		return idxArray{}, err
	}
	return decodeIDX(path, data)
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
		return nil, malformed(path, "has %d bytes, more than the limit of %d: split it", info.Size(), uint64(maxArray))
	}
	return io.ReadAll(f)
}

// decodeIDX decodes an idx file's bytes, compressed by gzip or not. name stands
// for the file in errors. What it allocates is bounded by the bytes there are,
// not by what a header says; uncompressed bytes are aliased, not copied.
func decodeIDX(name string, data []byte) (idxArray, error) {
	in := source{name: name}
	if isGzip(data) {
		if err := in.openGzip(data); err != nil {
			return idxArray{}, err
		}
	} else {
		in.rest = data
	}
	h, err := readHeader(&in)
	if err != nil {
		return idxArray{}, err
	}
	body, err := in.take(h.bytes, h.String())
	if err != nil {
		return idxArray{}, err
	}
	return idxArray{h.shape, h.kind.decode(body)}, nil
}

// kind is an element type of idx files: code is the third byte of the magic number.
// The types of pictures and labels are read.
type kind struct {
	code byte
	name string
	size int
}

var kinds = []kind{
	{0x08, "unsigned byte", 1}, {0x0C, "int", 4},
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
		return h, malformed(in.name, "not an idx file: magic number % x has no type that is read (unsigned byte, int) or no dimensions; get it again", magic)
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

// product multiplies size by the dimensions; false if that exceeds maxArray.
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

// decode decodes big-endian elements.
func (k kind) decode(b []byte) any {
	if k.size == 1 {
		return b
	}
	out := make([]int32, len(b)/k.size)
	for i := range out {
		out[i] = int32(binary.BigEndian.Uint32(b[i*k.size:]))
	}
	return out
}
