package infer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// headerLength is the header that says how many bytes of a body are JSON; what follows
// them is binary tensors.
const headerLength = "Inference-Header-Content-Length"

const (
	binaryExtension = "binary_tensor_data"  // of tensors behind the JSON
	configExtension = "model_configuration" // of …/config, which has max_batch_size
)

const (
	maxTensors   = 256  // of a message, more than any model has
	maxShapeText = 1024 // bytes of a shape's JSON

	mostNumbers = min(1<<40, math.MaxInt/8) // of a tensor, so that its bytes have an int
)

// message is the JSON of a request or of a reply.
type message struct {
	ModelName    string      `json:"model_name,omitempty"`
	ModelVersion string      `json:"model_version,omitempty"`
	ID           string      `json:"id,omitempty"`
	Parameters   *parameters `json:"parameters,omitempty"`
	Inputs       tensors     `json:"inputs,omitempty"`
	Outputs      tensors     `json:"outputs,omitempty"`
}

// tensor is one of a message; of an output that is asked for only the name and
// parameters are there.
type tensor struct {
	Name       string          `json:"name"`
	Shape      Sizes           `json:"shape,omitempty"`
	Datatype   string          `json:"datatype,omitempty"`
	Parameters *parameters     `json:"parameters,omitempty"`
	Data       json.RawMessage `json:"data,omitempty"`

	binary []byte
}

// parameters are those of the binary extension, and of package guard; others are skipped.
type parameters struct {
	Subject      string   `json:"subject,omitempty"` // of a request: whom it is about
	Scale        *float64 `json:"scale,omitempty"`   // of integers: what they are to be multiplied by
	BinarySize   *int64   `json:"binary_data_size,omitempty"`
	Binary       *bool    `json:"binary_data,omitempty"`
	BinaryOutput *bool    `json:"binary_data_output,omitempty"`
}

// tensors are those of a message, at most maxTensors.
type tensors []*tensor

// UnmarshalJSON reads an array of tensors, one after another: a hostile body of empty
// ones must not cost a multiple of its bytes.
func (l *tensors) UnmarshalJSON(data []byte) error {
	*l = nil
	d := json.NewDecoder(bytes.NewReader(data))
	if open, err := d.Token(); err != nil || open == nil {
		return err
	} else if open != json.Delim('[') {
		return errors.New("tensors are no list")
	}
	for d.More() {
		if len(*l) == maxTensors {
			return fmt.Errorf("more than %d tensors", maxTensors)
		}
		t := &tensor{}
		if err := d.Decode(t); err != nil {
			return err
		}
		*l = append(*l, t)
	}
	return nil
}

// named returns the tensor of that name, or nil.
func (l tensors) named(name string) *tensor {
	for _, t := range l {
		if t.Name == name {
			return t
		}
	}
	return nil
}

// names returns the tensors' names for an error.
func (l tensors) names() string {
	names := make([]string, len(l))
	for i, t := range l {
		names[i] = t.Name
	}
	return oneLine(strings.Join(names, ", "))
}

// Sizes are dimensions, read as numbers or, as protobuf writes 64-bit integers in JSON, as
// strings of them.
type Sizes []int

// UnmarshalJSON reads an array of integers.
func (s *Sizes) UnmarshalJSON(data []byte) error {
	var numbers []json.Number
	if len(data) > maxShapeText {
		return errors.New("a shape is too long")
	}
	if err := json.Unmarshal(data, &numbers); err != nil {
		return errors.New("a shape is no list of integers")
	}
	*s = make(Sizes, len(numbers))
	for i, n := range numbers {
		var err error
		if (*s)[i], err = strconv.Atoi(n.String()); err != nil {
			return errors.New("a shape is no list of integers")
		}
	}
	return nil
}

// count returns the number of elements of a shape without open dimensions.
func (s Sizes) count() (int, error) {
	if len(s) > maxRank {
		return 0, fmt.Errorf("%d dimensions, more than %d", len(s), maxRank)
	}
	n := 1
	for _, d := range s {
		if d < 0 || d > 0 && n > mostNumbers/d {
			return 0, fmt.Errorf("shape %v, of no sensible size", s)
		}
		n *= d
	}
	return n, nil
}

// values returns the numbers of a tensor, from the binary data if it has any.
func (t *tensor) values() ([]float32, error) {
	v, err := t.read()
	if err != nil {
		return nil, fmt.Errorf("tensor %s: %w", oneLine(t.Name), err)
	}
	return v, nil
}

func (t *tensor) read() ([]float32, error) {
	d, err := datatypeOf(t.Datatype)
	if err != nil {
		return nil, err
	}
	n, err := t.Shape.count()
	if err != nil {
		return nil, err
	}
	switch {
	case t.binary == nil && t.Data == nil:
		return nil, errors.New("there is no data")
	case t.binary == nil:
		v, err := readNumbers(t.Data, t.Shape, n)
		if err == nil {
			err = d.check(v, t.Datatype)
		}
		return v, err
	case len(t.binary) != n*d.size:
		return nil, fmt.Errorf("shape %v of %s takes %d bytes, but there are %d", t.Shape, t.Datatype, n*d.size, len(t.binary))
	}
	return d.decode(t.binary), nil
}

// set gives a tensor its numbers, as binary data or as JSON.
func (t *tensor) set(v []float32, binary bool) {
	if !binary {
		t.Data = appendNumbers(nil, v, t.Datatype)
		return
	}
	t.binary = datatypes[t.Datatype].encode(nil, v)
	size := int64(len(t.binary))
	t.Parameters = &parameters{BinarySize: &size}
}

// encode returns a body and, where binary tensors follow the JSON, the length of the
// JSON, else 0.
func (m *message) encode() (body []byte, header int, err error) {
	body, err = json.Marshal(m)
	if err != nil {
		return nil, 0, err
	}
	header = len(body)
	for _, t := range slices.Concat(m.Inputs, m.Outputs) {
		body = append(body, t.binary...)
	}
	if len(body) == header {
		header = 0
	}
	return body, header, nil
}

// decode reads a body; header is the value of the header of that name, empty if
// there is none. The message refers to the body.
func decode(body []byte, header string) (*message, error) {
	rest := []byte(nil)
	if header != "" {
		n, err := strconv.Atoi(header)
		if err != nil || n < 0 || n > len(body) {
			return nil, fmt.Errorf("header %s is %s, but the body has %d bytes", headerLength, oneLine(header), len(body))
		}
		body, rest = body[:n], body[n:]
	}
	m := &message{}
	if err := unmarshal(body, m); err != nil {
		return nil, err
	}
	return m, m.share(rest)
}

// unmarshal is json.Unmarshal that forgives bare NaN and Infinity.
func unmarshal(text []byte, v any) error {
	err := json.Unmarshal(text, v)
	if syntax := (*json.SyntaxError)(nil); errors.As(err, &syntax) {
		err = json.Unmarshal(quoteSpecials(text), v)
	}
	return err
}

// share gives the bytes behind the JSON to the tensors, in their order. Where there is
// one tensor it need not say its size.
func (m *message) share(rest []byte) error {
	var sized tensors
	for _, t := range slices.Concat(m.Inputs, m.Outputs) {
		if t.Parameters != nil && t.Parameters.BinarySize != nil {
			sized = append(sized, t)
		}
	}
	if bare := m.bare(); len(sized) == 0 && len(rest) > 0 && bare != nil {
		bare.binary = rest
		return nil
	}
	for _, t := range sized {
		n := *t.Parameters.BinarySize
		if n < 0 || n > int64(len(rest)) {
			return fmt.Errorf("tensor %s has %d bytes of data, but %d are left", oneLine(t.Name), n, len(rest))
		}
		t.binary, rest = rest[:n:n], rest[n:]
	}
	if len(rest) > 0 {
		return fmt.Errorf("%d bytes follow the tensors", len(rest))
	}
	return nil
}

// bare returns the only tensor with a shape where it has no JSON data, or nil.
func (m *message) bare() *tensor {
	list := m.Inputs
	if len(list) == 0 {
		list = m.Outputs
	}
	if len(list) != 1 || list[0].Data != nil {
		return nil
	}
	return list[0]
}
