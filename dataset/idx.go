package dataset

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
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

func isGzip(data []byte) bool { return len(data) >= 2 && data[0] == 0x1f && data[1] == 0x8b }

// decodeIDX decodes an idx file's bytes, compressed by gzip or not. name stands
// for the file in errors. What it allocates is bounded by the bytes there are,
// not by what a header says.
func decodeIDX(name string, data []byte) (idxArray, error) {
	var in io.Reader = bytes.NewReader(data)
	if isGzip(data) {
		zip, err := gzip.NewReader(in)
		if err != nil {
			return idxArray{}, malformed(name, "gzip header is broken (%v): get the file again", err)
		}
		in = zip
	}
	h, err := readHeader(name, in)
	if err != nil {
		return idxArray{}, err
	}
	var body bytes.Buffer
	body.Grow(min(h.bytes, 4*len(data)) + bytes.MinRead)
	n, err := body.ReadFrom(io.LimitReader(in, int64(h.bytes)+1))
	switch {
	case err != nil:
		return idxArray{}, unreadable(name, err)
	case n < int64(h.bytes):
		return idxArray{}, malformed(name, "truncated: header claims %s (%d bytes), %d are there; get the file again", h, h.bytes, n)
	case n > int64(h.bytes):
		return idxArray{}, malformed(name, "bytes follow the %s that the header claims: header or contents are wrong; get the file again", h)
	}
	return idxArray{h.shape, h.kind.decode(body.Bytes())}, nil
}

// unreadable says that a file ends early, or that what gzip packed is damaged.
func unreadable(name string, err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return malformed(name, "truncated: ends too early; get the file again")
	}
	return malformed(name, "gzip contents are damaged (%v): get the file again", err)
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
func readHeader(name string, in io.Reader) (idxHeader, error) {
	var h idxHeader
	magic := make([]byte, 4)
	if _, err := io.ReadFull(in, magic); err != nil {
		return h, unreadable(name, err)
	}
	if magic[0] != 0 || magic[1] != 0 {
		return h, malformed(name, "not an idx file: begins with % x, not 00 00; give an idx file, gzip or plain", magic)
	}
	for _, k := range kinds {
		if k.code == magic[2] {
			h.kind = k
		}
	}
	if h.kind.size == 0 || magic[3] == 0 {
		return h, malformed(name, "not an idx file: magic number % x has no type that is read (unsigned byte, int) or no dimensions; get it again", magic)
	}
	dims := make([]byte, 4*int(magic[3]))
	if _, err := io.ReadFull(in, dims); err != nil {
		return h, unreadable(name, err)
	}
	for i := 0; i < len(dims); i += 4 {
		h.shape = append(h.shape, int(binary.BigEndian.Uint32(dims[i:])))
	}
	n, ok := product(h.kind.size, h.shape)
	if !ok {
		return h, malformed(name, "header claims %s, more than %d bytes: the header is wrong; get the file again", h, uint64(maxArray))
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
