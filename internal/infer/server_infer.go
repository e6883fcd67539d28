package infer

import (
	"bytes"
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
		return nil, 0, &Refusal{Status: http.StatusMethodNotAllowed, Text: "an inference needs a POST request"}
	}
	model, is, err := s.model(r)
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
	who, err := subject(r, ask)
	if err != nil {
		return nil, 0, err
	}
	answer, err := s.answer(r.Context(), model, is, ask, who)
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
		return nil, &Refusal{Status: http.StatusServiceUnavailable, Text: fmt.Sprintf("%d %s already", cap(places), what)}
	}
}

// asked reads a request: JSON, or JSON followed by binary tensors. Other content types are
// refused: a web page of another origin cannot send these two without a preflight request,
// which the server does not allow.
func (s *server) asked(w http.ResponseWriter, r *http.Request) (*message, error) {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "application/json" && kind != "application/octet-stream" {
		return nil, &Refusal{Status: http.StatusUnsupportedMediaType, Text: "the Content-Type must be application/json or application/octet-stream"}
	}
	done, err := acquire(s.reading, "requests are being read")
	if err != nil {
		return nil, err
	}
	defer done()
	return s.read(w, r)
}

// answer computes the model's outputs at a request's inputs, which are about a subject.
func (s *server) answer(ctx context.Context, model Service, is *Metadata, ask *message, who string) (*message, error) {
	x, b, err := s.examples(is, ask)
	if err != nil {
		return nil, err
	}
	names, binary, err := wanted(is, ask)
	if err != nil {
		return nil, err
	}
	outputs, err := model.Answer(ctx, &Request{X: x, N: b, Outputs: names, Subject: who})
	if err != nil {
		return nil, err
	}
	m := &message{ModelName: is.Name, ModelVersion: onlyVersion, ID: ask.ID}
	for _, o := range outputs {
		m.Outputs = append(m.Outputs, o.encode(binary(o.Name)))
	}
	return m, nil
}

// read reads a request's body, of at most s.maxBody bytes.
func (s *server) read(w http.ResponseWriter, r *http.Request) (*message, error) {
	if e := r.Header.Get("Content-Encoding"); e != "" && e != "identity" {
		return nil, &Refusal{Status: http.StatusUnsupportedMediaType, Text: "compressed requests are not supported: send the request uncompressed"}
	}
	control := http.NewResponseController(w)
	control.SetReadDeadline(time.Now().Add(bodyTimeout))
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, s.maxBody))
	control.SetReadDeadline(time.Time{})
	if long := (*http.MaxBytesError)(nil); errors.As(err, &long) {
		return nil, &Refusal{Status: http.StatusRequestEntityTooLarge, Text: fmt.Sprintf("the request is longer than %d bytes", s.maxBody)}
	}
	if err != nil {
		return nil, badRequest("the request ends early: %v", err)
	}
	header := r.Header.Get(headerLength)
	m, err := decode(body, header)
	if err != nil && (header == "" || header == "0") && !bytes.HasPrefix(bytes.TrimSpace(body), []byte("{")) {
		return nil, badRequest("the request has no JSON: it must begin with the name, shape and datatype of the input in JSON; for binary data behind it the header %s must have the number of bytes of the JSON", headerLength)
	}
	if err != nil {
		return nil, badRequest("the request cannot be read: %v", err)
	}
	return m, nil
}

// examples returns the inputs of a request, [b, p].
func (s *server) examples(m *Metadata, ask *message) (x []float32, b int, err error) {
	takes := m.Inputs[0]
	if len(ask.Inputs) != 1 {
		return nil, 0, badRequest("there are %d inputs, but the model takes one, %s", len(ask.Inputs), takes.Name)
	}
	in := ask.Inputs[0]
	if in.Name != takes.Name {
		return nil, 0, badRequest("input %s is not the model's, %s", oneLine(in.Name), takes.Name)
	}
	want := Sizes(takes.Shape[1:])
	flat, err := want.count()
	if err != nil {
		return nil, 0, err
	}
	if len(in.Shape) == 0 || !slices.Equal(in.Shape[1:], want) && !slices.Equal(in.Shape[1:], Sizes{flat}) {
		return nil, 0, badRequest("input %s has shape %v, but the model takes %v", takes.Name, in.Shape, takes.Shape)
	}
	if in.Shape[0] < 1 || in.Shape[0] > s.maxBatch {
		return nil, 0, badRequest("a batch of %d examples: it must be from 1 to %d", in.Shape[0], s.maxBatch)
	}
	if x, err = in.values(); err != nil {
		return nil, 0, badRequest("%v", err)
	}
	return x, in.Shape[0], nil
}

// wanted returns the outputs that a request names, and what reports whether it wants an output as
// binary data: the parameter of the output overrides the parameter of the whole request.
func wanted(m *Metadata, ask *message) (names []string, binary func(output string) bool, err error) {
	whole := ask.Parameters != nil && ask.Parameters.BinaryOutput != nil && *ask.Parameters.BinaryOutput
	own := map[string]bool{}
	for _, t := range ask.Outputs {
		if !slices.ContainsFunc(m.Outputs, func(o Tensor) bool { return o.Name == t.Name }) {
			return nil, nil, badRequest("output %s is not the model's, %s", oneLine(t.Name), tensorNames(m.Outputs))
		}
		if slices.Contains(names, t.Name) {
			return nil, nil, badRequest("output %s is named twice", oneLine(t.Name))
		}
		names = append(names, t.Name)
		if t.Parameters != nil && t.Parameters.Binary != nil {
			own[t.Name] = *t.Parameters.Binary
		}
	}
	return names, func(output string) bool {
		if b, ok := own[output]; ok {
			return b
		}
		return whole
	}, nil
}
