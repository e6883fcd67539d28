package npy

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"unsafe"

	"tattle/internal/file"
	"tattle/internal/math/float16"
)

// firstChunk bounds, in bytes, what is allocated before anything is known of
// how much data there is.
const firstChunk = 1 << 16

// unknown stands for the length of a source that may end anywhere.
const unknown = -1

// ReadFile reads a .npy file in format 1, 2 or 3, which holds one array and nothing after it. Fortran order and
// big-endian elements are converted, float16 is widened to []float32. Memory
// grows with the bytes that arrive, not with what the header claims.
func ReadFile(path string) (Array, error) {
	f, err := file.Open(path)
	if err != nil {
		return Array{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return Array{}, err
	}
	a, err := readAlone(f, info)
	return a, locate(err, path, "")
}

func readAlone(f *os.File, info fs.FileInfo) (Array, error) {
	h, used, err := readHeader(f)
	if err != nil {
		return Array{}, err
	}
	length := int64(unknown)
	if info.Mode().IsRegular() {
		length = info.Size() - int64(used)
	}
	a, err := h.read(f, h.shape, length, length != unknown)
	if err != nil {
		return Array{}, err
	}
	if n, _ := io.ReadFull(f, make([]byte, 1)); n != 0 {
		return Array{}, malformed("goes on after the last of its %d elements: save one array to a file", h.count)
	}
	return a, nil
}

// read reads data of the given shape, which is the header's or some rows of it. length is the
// number of bytes in r: a fact if sure is set, otherwise a claim of the file.
func (h header) read(r io.Reader, shape []int, length int64, sure bool) (a Array, err error) {
	n, _ := product(shape)
	if length != unknown && int64(n) > length/int64(h.dtype.size) {
		return a, malformed("shape %v of %d-byte elements needs %d bytes, there are %d: save it again", shape, h.dtype.size, n*h.dtype.size, max(length, 0))
	}
	read := header.strings
	if !h.dtype.text() {
		read = readers[h.dtype.name()]
	}
	data, err := read(h, r, n, sure)
	if err != nil {
		return a, err
	}
	return Array{shape, data}, nil
}

// readers read n elements of each type of numbers.
var readers = map[string]func(h header, r io.Reader, n int, sure bool) (any, error){
	"f4": slice[float32], "f8": slice[float64],
	"i1": slice[int8], "i2": slice[int16], "i4": slice[int32], "i8": slice[int64],
	"u1": slice[uint8], "u2": slice[uint16], "u4": slice[uint32], "u8": slice[uint64],
	"f2": converted(float16.FromBits), "b1": converted(func(v uint8) bool { return v != 0 }),
}

// converted returns a reader of elements that are stored as another type.
func converted[S number, T any](value func(S) T) func(h header, r io.Reader, n int, sure bool) (any, error) {
	return func(h header, r io.Reader, n int, sure bool) (any, error) {
		stored, err := elements[S](h, r, n, sure)
		x := make([]T, len(stored))
		for i, v := range stored {
			x[i] = value(v)
		}
		return x, err
	}
}

// slice is elements as an any that is nil on error.
func slice[T number](h header, r io.Reader, n int, sure bool) (any, error) {
	x, err := elements[T](h, r, n, sure)
	if err != nil {
		return nil, err
	}
	return x, nil
}

// elements reads n elements straight into their slice, which is allocated at
// once only where it is sure that the bytes are there.
func elements[T number](h header, r io.Reader, n int, sure bool) ([]T, error) {
	size := int(unsafe.Sizeof(*new(T)))
	room := n
	if !sure {
		room = min(n, firstChunk/size)
	}
	x := make([]T, room)
	for have := 0; have < n; {
		if have == len(x) {
			longer := make([]T, min(n, 2*have))
			copy(longer, x)
			x = longer
		}
		if got, err := io.ReadFull(r, bytesOf(x[have:])); err != nil {
			return nil, cutOff(fmt.Sprintf("shape %v needs %d bytes of data, there are %d: save it again", h.shape, n*size, have*size+got), err)
		}
		have = len(x)
	}
	if h.dtype.big != hostBig && size > 1 {
		swap(bytesOf(x), size)
	}
	return rowMajor(h, x), nil
}

// rowMajor reorders the elements of an array in Fortran order from first index fastest to last index fastest.
func rowMajor[T any](h header, x []T) []T {
	if !h.fortran || len(h.shape) < 2 {
		return x
	}
	y, shape := make([]T, len(x)), h.shape
	index := make([]int, len(shape))
	for i := range x { // index is that of x[i]
		at := 0
		for d, k := range index {
			at = at*shape[d] + k
		}
		y[at] = x[i]
		for d := range index {
			if index[d]++; index[d] < shape[d] {
				break
			}
			index[d] = 0
		}
	}
	return y
}
