package npy

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
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

// parseHeader reads the Python dictionary of a header.
func parseHeader(text string) (header, error) {
	p := &literal{rest: text}
	h, seen := header{}, map[string]bool{}
	if !p.eat("{") {
		return h, malformed("header is not a dictionary")
	}
	for !p.eat("}") {
		key, ok := p.str()
		if !ok || !p.eat(":") || seen[key] {
			return h, malformed("header has no key where one belongs: %.40q", p.rest)
		}
		seen[key] = true
		if err := h.set(key, p); err != nil {
			return h, err
		}
		if !p.eat(",") && !strings.HasPrefix(p.trim(), "}") {
			return h, malformed("header has no comma where one belongs: %.40q", p.rest)
		}
	}
	if p.trim() != "" {
		return h, malformed("header goes on after its dictionary: %.40q", p.rest)
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

func (h *header) set(key string, p *literal) (err error) {
	switch key {
	case "descr":
		s, ok := p.str()
		if !ok {
			return malformed("element type %.40q is not a plain number: save each field as an array of its own", p.trim())
		}
		h.dtype, err = parseDtype(s)
		return err
	case "fortran_order":
		h.fortran = p.eat("True")
		if !h.fortran && !p.eat("False") {
			return malformed("fortran_order is neither True nor False: %.40q", p.rest)
		}
		return nil
	case "shape":
		h.shape, err = p.tuple()
		return err
	}
	return malformed("header has the unknown key %q", key)
}

// literal reads what Python literals a header has.
type literal struct{ rest string }

func (p *literal) trim() string {
	p.rest = strings.TrimLeft(p.rest, " \t\r\n\x00")
	return p.rest
}

func (p *literal) eat(token string) (ok bool) {
	p.rest, ok = strings.CutPrefix(p.trim(), token)
	return ok
}

func (p *literal) str() (string, bool) {
	p.trim()
	if p.rest == "" || p.rest[0] != '\'' && p.rest[0] != '"' {
		return "", false
	}
	s, rest, ok := strings.Cut(p.rest[1:], p.rest[:1])
	if ok {
		p.rest = rest
	}
	return s, ok
}

func (p *literal) tuple() ([]int, error) {
	if !p.eat("(") {
		return nil, malformed("shape is not a tuple: %.40q", p.rest)
	}
	shape := []int{}
	for !p.eat(")") {
		n := 0
		for n < len(p.rest) && p.rest[n] >= '0' && p.rest[n] <= '9' {
			n++
		}
		d, err := strconv.Atoi(p.rest[:n])
		if err != nil || len(shape) == maxDims {
			return nil, malformed("shape is not a tuple of at most %d sizes: %.40q", maxDims, p.rest)
		}
		shape = append(shape, d)
		p.rest = strings.TrimPrefix(p.rest[n:], "L") // a long of Python 2
		if !p.eat(",") && !strings.HasPrefix(p.trim(), ")") {
			return nil, malformed("shape is not a tuple: %.40q", p.rest)
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
