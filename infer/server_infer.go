package infer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"time"
)

// infer answers a request for an inference.
func (s *server) infer(w http.ResponseWriter, r *http.Request) {
	m, header, err := s.inferred(w, r)
	if err != nil {
		refuse(w, err)
		return
	}
	if header > 0 {
		w.Header().Set(headerLength, fmt.Sprint(header))
		w.Header().Set("Content-Type", "application/octet-stream")
	} else {
		w.Header().Set("Content-Type", "application/json")
	}
	w.Header().Set("Content-Length", fmt.Sprint(len(m)))
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Write(m)
}

// inferred returns the body of the answer. If binary tensors follow its JSON part, header is
// the length of that part in bytes; otherwise it is 0.
func (s *server) inferred(w http.ResponseWriter, r *http.Request) (body []byte, header int, err error) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", "POST")
		return nil, 0, refusal{http.StatusMethodNotAllowed, "an inference needs a POST request"}
	}
	model, err := s.model(r)
	if err != nil {
		return nil, 0, err
	}
	ask, err := s.asked(w, r)
	if err != nil {
		return nil, 0, err
	}
	done, err := acquire(s.active, "inferences are running")
	if err != nil {
		return nil, 0, err
	}
	defer done()
	answer, err := s.answer(r.Context(), model, ask)
	if err != nil {
		return nil, 0, err
	}
	return answer.encode()
}

// acquire takes one of the places of a channel, which is used as a semaphore; done gives it
// back. If none is free, acquire returns an error, in which what says what holds the places.
func acquire(places chan struct{}, what string) (done func(), err error) {
	select {
	case places <- struct{}{}:
		return func() { <-places }, nil
	default:
		return nil, refusal{http.StatusServiceUnavailable, fmt.Sprintf("%d %s already", cap(places), what)}
	}
}

// asked reads a request: JSON, or JSON followed by binary tensors. Other content types are
// refused: a web page of another origin cannot send these two without a preflight request,
// which the server does not allow.
func (s *server) asked(w http.ResponseWriter, r *http.Request) (*message, error) {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "application/json" && kind != "application/octet-stream" {
		return nil, refusal{http.StatusUnsupportedMediaType, "the Content-Type must be application/json or application/octet-stream"}
	}
	done, err := acquire(s.reading, "requests are being read")
	if err != nil {
		return nil, err
	}
	defer done()
	return s.read(w, r)
}

// answer computes the model's outputs at a request's inputs.
func (s *server) answer(ctx context.Context, model *Model, ask *message) (*message, error) {
	x, b, err := s.examples(model, ask)
	if err != nil {
		return nil, err
	}
	binary, err := wanted(model, ask)
	if err != nil {
		return nil, err
	}
	y, err := model.forward(ctx, x)
	if err != nil {
		return nil, refusal{http.StatusServiceUnavailable, "the inference was cancelled"}
	}
	out := &tensor{Name: model.graph.Output, Datatype: "FP32", Shape: append(sizes{int64(b)}, widen(model.shape)...)}
	out.set(y, binary)
	return &message{ModelName: model.name, ModelVersion: onlyVersion, ID: ask.ID, Outputs: tensors{out}}, nil
}

// read reads a request's body, of at most s.maxBody bytes.
func (s *server) read(w http.ResponseWriter, r *http.Request) (*message, error) {
	if e := r.Header.Get("Content-Encoding"); e != "" && e != "identity" {
		return nil, refusal{http.StatusUnsupportedMediaType, "compressed requests are not supported: send the request uncompressed"}
	}
	control := http.NewResponseController(w)
	control.SetReadDeadline(time.Now().Add(bodyTimeout))
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, s.maxBody))
	control.SetReadDeadline(time.Time{})
	if long := (*http.MaxBytesError)(nil); errors.As(err, &long) {
		return nil, refusal{http.StatusRequestEntityTooLarge, fmt.Sprintf("the request is longer than %d bytes", s.maxBody)}
	}
	if err != nil {
		return nil, badRequest("the request ends early: %v", err)
	}
	m, err := decode(body, r.Header.Get(headerLength))
	if err != nil {
		return nil, badRequest("the request cannot be read: %v", err)
	}
	return m, nil
}

// examples returns the inputs of a request, [b, p].
func (s *server) examples(m *Model, ask *message) (x []float32, b int, err error) {
	if len(ask.Inputs) != 1 {
		return nil, 0, badRequest("there are %d inputs, but the model takes one, %s", len(ask.Inputs), m.graph.Input)
	}
	in := ask.Inputs[0]
	if in.Name != m.graph.Input {
		return nil, 0, badRequest("input %s is not the model's, %s", oneLine(in.Name), m.graph.Input)
	}
	want := widen(m.graph.InputShape)
	if len(in.Shape) == 0 || !slices.Equal(in.Shape[1:], want) && !slices.Equal(in.Shape[1:], []int64{int64(m.p)}) {
		return nil, 0, badRequest("input %s has shape %v, but the model takes %v", m.graph.Input, []int64(in.Shape), append([]int64{-1}, want...))
	}
	if in.Shape[0] < 1 || in.Shape[0] > int64(s.maxBatch) {
		return nil, 0, badRequest("a batch of %d examples: it must be from 1 to %d", in.Shape[0], s.maxBatch)
	}
	if x, err = in.values(); err != nil {
		return nil, 0, badRequest("%v", err)
	}
	return x, int(in.Shape[0]), nil
}

// wanted reports whether the request wants the output as binary data. The parameter of the
// output overrides the parameter of the whole request.
func wanted(m *Model, ask *message) (binary bool, err error) {
	if p := ask.Parameters; p != nil && p.BinaryOutput != nil {
		binary = *p.BinaryOutput
	}
	for _, t := range ask.Outputs {
		if t.Name != m.graph.Output {
			return false, badRequest("output %s is not the model's, %s", oneLine(t.Name), m.graph.Output)
		}
		if t.Parameters != nil && t.Parameters.Binary != nil {
			binary = *t.Parameters.Binary
		}
	}
	return binary, nil
}
