package infer

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"net/http"
	"runtime"
	"strconv"
	"time"

	"tattle/internal/engine/nn"
)

// SubjectHeader is the header that names whom a request is about. The parameter "subject" of the
// request does the same.
const SubjectHeader = "X-Tattle-Subject"

// A Service is what Handler serves under a name: a Model, or an answer that is made of one. It must
// be safe for concurrent use.
type Service interface {
	// Describe returns the tensors, with one input; the batch is −1. An error means that the service
	// is not ready.
	Describe(ctx context.Context) (*Metadata, error)
	// Answer returns the outputs for a request that fits the description: those of its names, or
	// the default ones. Errors that are no Refusal have status 500.
	Answer(ctx context.Context, r *Request) ([]Output, error)
}

// A Request is an inference that a client asks for.
type Request struct {
	X       []float32 // the input, [N, …]
	N       int       // examples
	Outputs []string  // that the client names; empty if it names none
	Subject string    // whom the inputs are about; empty if the client does not say
}

// An Output is a tensor of an answer.
type Output struct {
	Name   string
	Shape  []int     // with the batch
	Floats []float32 // of FP32
	Ints   []int64   // of INT64 if Floats is nil
	Scale  float64   // of Ints: what they are to be multiplied by, if not 0
}

// A Refusal is an error with an HTTP status. The answer is a JSON object with the key "error", and
// others.
type Refusal struct {
	Status int
	Text   string         // the value of "error"
	Retry  time.Duration  // unless 0, the header Retry-After, rounded up to seconds
	More   map[string]any // further keys of the object
}

// Error returns Text.
func (e *Refusal) Error() string { return e.Text }

// header sets the headers of a refusal.
func (e *Refusal) header(h http.Header) {
	switch e.Status {
	case http.StatusUnauthorized:
		h.Set("WWW-Authenticate", "Bearer")
	case http.StatusServiceUnavailable:
		h.Set("Retry-After", "1")
	}
	if e.Retry > 0 {
		h.Set("Retry-After", strconv.FormatInt(int64((e.Retry+time.Second-1)/time.Second), 10))
	}
}

// encode returns an output as a tensor.
func (o Output) encode(asBinary bool) *tensor {
	t := &tensor{Name: o.Name, Datatype: "FP32", Shape: o.Shape}
	if o.Floats != nil {
		t.set(o.Floats, asBinary)
		return t
	}
	t.Datatype = "INT64"
	t.Parameters = &parameters{}
	if o.Scale != 0 {
		t.Parameters.Scale = &o.Scale
	}
	if asBinary {
		t.binary = make([]byte, 0, 8*len(o.Ints))
		for _, v := range o.Ints {
			t.binary = binary.LittleEndian.AppendUint64(t.binary, uint64(v))
		}
		size := int64(len(t.binary))
		t.Parameters.BinarySize = &size
		return t
	}
	data := []byte{'['}
	for i, v := range o.Ints {
		if i > 0 {
			data = append(data, ',')
		}
		data = strconv.AppendInt(data, v, 10)
	}
	t.Data = append(data, ']')
	return t
}

// subject returns whom a request is about. There is at most one header, and the parameter
// must agree with it.
func subject(r *http.Request, ask *message) (string, error) {
	if n := len(r.Header.Values(SubjectHeader)); n > 1 {
		return "", badRequest("there are %d headers %s: send one", n, SubjectHeader)
	}
	name := r.Header.Get(SubjectHeader)
	if ask.Parameters == nil || ask.Parameters.Subject == "" || ask.Parameters.Subject == name {
		return name, nil
	}
	if name != "" {
		return "", badRequest("the header %s and the parameter subject name different subjects", SubjectHeader)
	}
	return ask.Parameters.Subject, nil
}

// Describe returns the tensors of the model.
func (m *Model) Describe(context.Context) (*Metadata, error) {
	one := func(name string, shape []int) []Tensor {
		return []Tensor{{Name: name, Datatype: "FP32", Shape: append(Sizes{-1}, shape...)}}
	}
	return &Metadata{Name: m.name, Versions: []string{onlyVersion}, Platform: "tattle_nn",
		Inputs: one(m.graph.Input, m.graph.InputShape), Outputs: one(m.graph.Output, m.shape)}, nil
}

// Answer returns the output of the model.
func (m *Model) Answer(ctx context.Context, r *Request) ([]Output, error) {
	y, err := m.Forward(ctx, r.X)
	if err != nil {
		return nil, &Refusal{Status: http.StatusServiceUnavailable, Text: "the inference was cancelled"}
	}
	return []Output{{Name: m.graph.Output, Shape: append([]int{r.N}, m.shape...), Floats: y}}, nil
}

func badRequest(format string, a ...any) *Refusal {
	return &Refusal{Status: http.StatusBadRequest, Text: fmt.Sprintf(format, a...)}
}

// maxLanes bounds the batches that a model computes at a time: each has buffers of its
// own, and the cores are shared anyway.
const maxLanes = 4

// A Model is a net that Handler serves. It is safe for concurrent use. Its outputs at an
// example do not depend on what else is in a batch, to the last bit.
type Model struct {
	name  string
	graph *nn.Graph
	p, n  int
	shape []int // of one example's outputs
	nets  chan *nn.Net
}

// NewModel compiles a graph, which must not be changed afterwards, for serving; name is
// what its replies call it. It returns an error if g is not well formed.
func NewModel(name string, g *nn.Graph) (*Model, error) {
	net, err := nn.NewNet(g)
	if err != nil {
		return nil, fmt.Errorf("model %s: %w", oneLine(name), err)
	}
	shapes, err := g.Shapes()
	if err != nil {
		return nil, fmt.Errorf("model %s: %w", oneLine(name), err)
	}
	for _, c := range g.Columns {
		if c.Type == nn.ColumnText {
			return nil, fmt.Errorf("model %s takes text (%s), and only numbers are served", oneLine(name), oneLine(c.Name))
		}
	}
	m := &Model{name: name, graph: g, shape: shapes[g.Output]}
	m.p, m.n = net.Dims()
	if m.p == 0 || m.n == 0 {
		return nil, fmt.Errorf("model %s has %d inputs and %d outputs", oneLine(name), m.p, m.n)
	}
	lanes := max(1, min(maxLanes, runtime.GOMAXPROCS(0)))
	net.SetMemory(nn.DefaultMemory / int64(lanes))
	m.nets = make(chan *nn.Net, lanes)
	for m.nets <- net; len(m.nets) < lanes; {
		m.nets <- net.Clone()
	}
	return m, nil
}

// Forward returns the outputs at x, [batch, p] → [batch, n], once a net is free; it
// returns an error when ctx ends before.
func (m *Model) Forward(ctx context.Context, x []float32) ([]float32, error) {
	y := make([]float32, len(x)/m.p*m.n)
	return y, m.with(ctx, func(net *nn.Net) { net.Forward(y, x) })
}

// with calls f with a net once one is free; it returns an error when ctx ends before.
func (m *Model) with(ctx context.Context, f func(net *nn.Net)) error {
	select {
	case net := <-m.nets:
		defer func() { m.nets <- net }()
		f(net)
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Error returns the largest difference between the outputs y at x and those of float64 arithmetic,
// [batch, p] and [batch, n]; NaN if one of y is not a number. It waits and errs as Forward does.
func (m *Model) Error(ctx context.Context, x, y []float32) (largest float64, err error) {
	wide, exact := make([]float64, len(x)), make([]float64, len(y))
	for i, v := range x {
		wide[i] = float64(v)
	}
	if err := m.with(ctx, func(net *nn.Net) { net.Forward64(exact, wide) }); err != nil {
		return 0, err
	}
	for i, v := range y {
		largest = max(largest, math.Abs(float64(v)-exact[i])) // NaN stays
	}
	return largest, nil
}
