package infer

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
)

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
