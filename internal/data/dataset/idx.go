package dataset

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"io"

	"tattle/internal/engine/nn"
	"tattle/internal/file"
)

// maxArray is the largest idx array taken, in bytes.
const maxArray = 4 << 30

// maxHeader is the longest header of an idx file, in bytes.
const maxHeader = 4 + 4*255

// idxArray is an array as idx files hold it, in C order: of unsigned bytes, or of big-endian integers of 4 bytes. These
// are the types of pictures and labels.
type idxArray struct {
	shape []int
	size  int // bytes of an element
	data  []byte
}

// String describes the array, such as "60000×28×28 unsigned byte".
func (a idxArray) String() string {
	return nn.ShapeString(a.shape) + map[int]string{1: " unsigned byte", 4: " int"}[a.size]
}

// at returns element i.
func (a idxArray) at(i int) int {
	if a.size == 1 {
		return int(a.data[i])
	}
	return int(int32(binary.BigEndian.Uint32(a.data[4*i:])))
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
	data, err := file.ReadFileAtMost(path, maxArray+maxHeader)
	if errors.Is(err, file.ErrTooLong) {
		return nil, malformed(path, "has more bytes than the limit of %d: split it", uint64(maxArray))
	}
	return data, err
}

func isGzip(data []byte) bool { return len(data) >= 2 && data[0] == 0x1f && data[1] == 0x8b }

// decodeIDX decodes an idx file's bytes, compressed by gzip or not: the magic number 0, 0, type, rank, the big-endian
// dimensions, and the elements. name stands for the file in errors. What it allocates is bounded by the bytes there
// are, not by what a header says.
func decodeIDX(name string, data []byte) (a idxArray, err error) {
	var in io.Reader = bytes.NewReader(data)
	if isGzip(data) {
		if in, err = gzip.NewReader(in); err != nil {
			return a, malformed(name, "gzip header is broken (%v): get the file again", err)
		}
	}
	magic := make([]byte, 4)
	if _, err := io.ReadFull(in, magic); err != nil {
		return a, unreadable(name, err)
	}
	if magic[0] != 0 || magic[1] != 0 {
		return a, malformed(name, "not an idx file: begins with % x, not 00 00; give an idx file, gzip or plain", magic)
	}
	if a.size = map[byte]int{0x08: 1, 0x0C: 4}[magic[2]]; a.size == 0 || magic[3] == 0 {
		return a, malformed(name, "not an idx file: magic number % x has no type that is read (unsigned byte, int) or no dimensions; get it again", magic)
	}
	dims := make([]byte, 4*int(magic[3]))
	if _, err := io.ReadFull(in, dims); err != nil {
		return a, unreadable(name, err)
	}
	for i := 0; i < len(dims); i += 4 {
		a.shape = append(a.shape, int(binary.BigEndian.Uint32(dims[i:])))
	}
	claimed, ok := nn.SizeWithin(append([]int{a.size}, a.shape...), maxArray)
	if !ok {
		return a, malformed(name, "header claims %s, more than %d bytes: the header is wrong; get the file again", a, uint64(maxArray))
	}
	var body bytes.Buffer
	body.Grow(min(claimed, 4*len(data)) + bytes.MinRead)
	n, err := body.ReadFrom(io.LimitReader(in, int64(claimed)+1))
	switch {
	case err != nil:
		return a, unreadable(name, err)
	case n < int64(claimed):
		return a, malformed(name, "truncated: header claims %s (%d bytes), %d are there; get the file again", a, claimed, n)
	case n > int64(claimed):
		return a, malformed(name, "bytes follow the %s that the header claims: header or contents are wrong; get the file again", a)
	}
	a.data = body.Bytes()
	return a, nil
}

// unreadable says that a file ends early, or that what gzip packed is damaged.
func unreadable(name string, err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return malformed(name, "truncated: ends too early; get the file again")
	}
	return malformed(name, "gzip contents are damaged (%v): get the file again", err)
}
