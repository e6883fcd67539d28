package npy

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

const (
	magic      = "\x93NUMPY"
	maxHeader  = 1 << 16 // bytes; one of a plain array has about 100
	maxDims    = 64      // as in NumPy
	headerUnit = 64      // the data begin at a multiple of this
)

// header describes the array whose data follow it.
type header struct {
	dtype   dtype
	fortran bool // first index fastest
	shape   []int
	count   int // elements
}

// readHeader reads formats 1, 2 and 3. It returns how many bytes it read.
func readHeader(r io.Reader) (h header, size int, err error) {
	var pre [12]byte
	if _, err := io.ReadFull(r, pre[:8]); err != nil {
		return h, 0, cutOff("too short for an array: save it again", err)
	}
	if string(pre[:6]) != magic {
		return h, 0, malformed("does not begin as a NumPy array: save it with numpy.save or savez")
	}
	n, width := 0, 2
	switch pre[6] {
	case 1:
	case 2, 3:
		width = 4
	default:
		return h, 0, malformed("is of format %d.%d; 1, 2 and 3 are known", pre[6], pre[7])
	}
	if _, err := io.ReadFull(r, pre[8:8+width]); err != nil {
		return h, 0, cutOff("header is cut off: save it again", err)
	}
	if width == 2 {
		n = int(binary.LittleEndian.Uint16(pre[8:]))
	} else if long := binary.LittleEndian.Uint32(pre[8:]); long <= maxHeader {
		n = int(long)
	} else {
		return h, 0, malformed("header of %d bytes; at most %d are read", long, maxHeader)
	}
	text := make([]byte, n)
	if _, err := io.ReadFull(r, text); err != nil {
		return h, 0, cutOff("header is cut off: save it again", err)
	}
	h, err = parseHeader(string(text))
	return h, 8 + width + n, err
}

// cutOff says what an early end means; other errors speak for themselves.
func cutOff(detail string, err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = nil
	}
	return &FormatError{Detail: detail, Err: err}
}

// headerText matches the Python dictionary of a header: the three keys in any order, each with a plain value.
var headerText = regexp.MustCompile(`^\s*\{(?:\s*(?:['"]descr['"]\s*:\s*['"]([^'"]+)['"]` +
	`|['"]fortran_order['"]\s*:\s*(True|False)|['"]shape['"]\s*:\s*\(([0-9L,\s]*)\))\s*,?){3}\s*\}[\s\x00]*$`)

// parseHeader reads the dictionary of a header.
func parseHeader(text string) (h header, err error) {
	m := headerText.FindStringSubmatchIndex(text)
	if m == nil || slices.Min(m) < 0 {
		fix := "save it again"
		if strings.Contains(text, "[(") {
			fix = "save each field as an array of its own"
		}
		return h, malformed("header is not the dictionary of an array of numbers or text: %.60q: %s", text, fix)
	}
	h.fortran = text[m[4]:m[5]] == "True"
	if h.dtype, err = parseDtype(text[m[2]:m[3]]); err != nil {
		return h, err
	}
	if h.shape, err = parseShape(text[m[6]:m[7]]); err != nil {
		return h, err
	}
	var ok bool
	if h.count, ok = product(h.shape); !ok {
		return h, malformed("shape %v has more elements than can be counted", h.shape)
	}
	return h, nil
}

// parseShape reads the sizes of a tuple, which Python 2 ends with L.
func parseShape(text string) ([]int, error) {
	shape := []int{}
	text = strings.TrimSuffix(strings.TrimSpace(text), ",")
	for field := range strings.SplitSeq(text, ",") {
		d, err := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(field), "L"))
		switch {
		case text == "":
		case err != nil || len(shape) == maxDims:
			return nil, malformed("shape is not a tuple of at most %d sizes: (%.40s)", maxDims, text)
		default:
			shape = append(shape, d)
		}
	}
	return shape, nil
}

// product multiplies sizes; not ok where the elements, of up to 8 bytes, could
// not be addressed.
func product(shape []int) (n int, ok bool) {
	if len(shape) > maxDims || len(shape) > 0 && slices.Min(shape) < 0 {
		return 0, false
	}
	if slices.Contains(shape, 0) {
		return 0, true
	}
	n = 1
	for _, d := range shape {
		if n > math.MaxInt/8/d {
			return 0, false
		}
		n *= d
	}
	return n, true
}

// appendHeader appends the header of a C-ordered array as NumPy writes it.
func appendHeader(b []byte, d dtype, shape []int) []byte {
	var s strings.Builder
	fmt.Fprintf(&s, "{'descr': '%s', 'fortran_order': False, 'shape': (", d)
	for i, n := range shape {
		if i > 0 {
			s.WriteString(" ")
		}
		fmt.Fprintf(&s, "%d,", n)
	}
	text := s.String()
	if len(shape) > 1 {
		text = strings.TrimSuffix(text, ",")
	}
	text += "), }"
	// At most 64 sizes of 19 digits: always short enough for format 1.
	pad := headerUnit - (len(magic)+4+len(text)+1)%headerUnit
	text += strings.Repeat(" ", pad%headerUnit) + "\n"
	b = append(b, magic+"\x01\x00"...)
	b = binary.LittleEndian.AppendUint16(b, uint16(len(text)))
	return append(b, text...)
}
