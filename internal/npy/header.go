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

// item matches a key of a header and its value: text, a truth value or a tuple of sizes.
var item = regexp.MustCompile(`^[\s\x00]*['"]([^'"]*)['"][\s\x00]*:[\s\x00]*(?:['"]([^'"]*)['"]|(True|False)|(\([0-9L,\s]*\)))[\s\x00]*(,[\s\x00]*\}|,|\})`)

// parseHeader reads the Python dictionary of a header.
func parseHeader(text string) (h header, err error) {
	const blank = " \t\r\n\x00"
	rest, open := strings.CutPrefix(strings.TrimLeft(text, blank), "{")
	if !open {
		return h, malformed("header is not a dictionary")
	}
	seen := map[string]bool{}
	for end := ""; !strings.HasSuffix(end, "}"); {
		m := item.FindStringSubmatch(rest)
		if m == nil || seen[m[1]] {
			fix := "save it again"
			if strings.HasPrefix(strings.TrimLeft(rest, blank+`'"`), "descr") {
				fix = "save each field as an array of its own"
			}
			return h, malformed("header has no key with a plain value where one belongs: %.40q: %s", rest, fix)
		}
		seen[m[1]], rest, end = true, rest[len(m[0]):], m[5]
		switch m[1] {
		case "descr":
			h.dtype, err = parseDtype(m[2])
		case "fortran_order":
			if h.fortran = m[3] == "True"; m[3] == "" {
				err = malformed("fortran_order is neither True nor False")
			}
		case "shape":
			h.shape, err = parseShape(m[4])
		default:
			err = malformed("header has the unknown key %q", m[1])
		}
		if err != nil {
			return h, err
		}
	}
	if strings.Trim(rest, blank) != "" {
		return h, malformed("header goes on after its dictionary: %.40q", rest)
	}
	for _, key := range []string{"descr", "fortran_order", "shape"} {
		if !seen[key] {
			return h, malformed("header has no %q", key)
		}
	}
	n, ok := product(h.shape)
	if !ok {
		return h, malformed("shape %v has more elements than can be counted", h.shape)
	}
	h.count = n
	return h, nil
}

// parseShape reads the sizes of a tuple, which Python 2 ends with L.
func parseShape(text string) ([]int, error) {
	shape := []int{}
	inside, is := strings.CutPrefix(strings.TrimSuffix(text, ")"), "(")
	if !is {
		return nil, malformed("shape is not a tuple")
	}
	text = strings.TrimSuffix(strings.TrimSpace(inside), ",")
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
