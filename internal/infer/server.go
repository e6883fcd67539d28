package infer

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"slices"
	"strings"
	"time"
)

// onlyVersion is the version of every model that Handler serves.
const onlyVersion = "1"

// server is what Handler's requests share.
type server struct {
	models   map[string]Service
	token    bearer
	check    func() error // of health/ready; nil: always
	maxBatch int
	maxBody  int64
	reading  chan struct{} // a place for each request that is read
	active   chan struct{} // and for each that is answered
}

// Handler serves models, by the names of the map, over the protocol's REST interface:
// health, metadata and inference in JSON and binary, and of Triton's extensions …/config
// with max_batch_size. Every model has one version, "1". Refusals are {"error": …}.
func Handler[S Service](models map[string]S, o ServerOptions) http.Handler {
	return newServer(models, o).routes()
}

func newServer[S Service](models map[string]S, o ServerOptions) *server {
	s := &server{models: map[string]Service{}, token: newBearer(o.Token), check: o.Ready,
		maxBatch: cmp.Or(o.MaxBatch, DefaultMaxBatch), maxBody: cmp.Or(o.MaxBody, DefaultMaxBody),
		reading: make(chan struct{}, maxReading), active: make(chan struct{}, cmp.Or(o.MaxActive, DefaultMaxActive))}
	for name, m := range models {
		s.models[name] = m
	}
	return s
}

func (s *server) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/v2/health/live", s.get(func(*http.Request) (any, error) { return map[string]bool{"live": true}, nil }))
	mux.HandleFunc("/v2/health/ready", s.get(s.healthy))
	mux.HandleFunc("/v2", s.guard(s.get(s.about)))
	mux.HandleFunc("/v2/{$}", s.guard(s.get(s.about)))
	for _, at := range []string{"/v2/models/{model}", "/v2/models/{model}/versions/{version}"} {
		mux.HandleFunc(at, s.said(func(m *Metadata) any { return m }))
		mux.HandleFunc(at+"/ready", s.said(func(m *Metadata) any { return map[string]any{"name": m.Name, "ready": true} }))
		mux.HandleFunc(at+"/config", s.said(func(m *Metadata) any {
			return map[string]any{"name": m.Name, "platform": m.Platform, "max_batch_size": s.maxBatch}
		}))
		mux.HandleFunc(at+"/infer", s.guard(s.infer))
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		refuse(w, &Refusal{Status: http.StatusNotFound, Text: "not found: addresses of the protocol begin with /v2"})
	})
	return mux
}

// refuse answers with an error: that of a Refusal, or status 500.
func refuse(w http.ResponseWriter, err error) {
	r := &Refusal{Status: http.StatusInternalServerError, Text: err.Error()}
	errors.As(err, &r)
	r.header(w.Header())
	body := map[string]any{}
	maps.Copy(body, r.More)
	body["error"] = oneLine(err.Error())
	reply(w, r.Status, body)
}

// reply answers with JSON.
func reply(w http.ResponseWriter, code int, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		code, body = http.StatusInternalServerError, []byte(`{"error":"the answer is no JSON"}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(code)
	w.Write(body)
}

// guard passes requests on that have the token.
func (s *server) guard(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if !s.token.admits(r) {
			refuse(w, &Refusal{Status: http.StatusUnauthorized, Text: "a valid bearer token is required"})
			return
		}
		next(w, r)
	}
}

// bearer is the token that requests need.
type bearer struct {
	sum  [sha256.Size]byte
	open bool // none is needed
}

func newBearer(token string) bearer { return bearer{sha256.Sum256([]byte(token)), token == ""} }

// admits reports whether a request has the token, compared in constant time.
func (b bearer) admits(r *http.Request) bool {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	sum := sha256.Sum256([]byte(token))
	right := strings.EqualFold(scheme, "Bearer") && subtle.ConstantTimeCompare(sum[:], b.sum[:]) == 1
	return b.open || right
}

// WithToken returns a handler that passes requests on if they have the bearer token, as Handler
// does. An empty token passes all requests on.
func WithToken(token string, next http.Handler) http.Handler {
	s := &server{token: newBearer(token)}
	return s.guard(next.ServeHTTP)
}

// get answers GET and HEAD with what f returns.
func (s *server) get(f func(*http.Request) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			refuse(w, &Refusal{Status: http.StatusMethodNotAllowed, Text: "only GET is allowed here"})
			return
		}
		v, err := f(r)
		if err != nil {
			refuse(w, err)
			return
		}
		reply(w, http.StatusOK, v)
	}
}

// healthy answers whether the server can answer inferences.
func (s *server) healthy(*http.Request) (any, error) {
	if s.check != nil {
		if err := s.check(); err != nil {
			return nil, &Refusal{Status: http.StatusServiceUnavailable, Text: err.Error(), More: map[string]any{"ready": false}}
		}
	}
	return map[string]bool{"ready": true}, nil
}

func (s *server) about(*http.Request) (any, error) {
	return map[string]any{"name": "tattle", "version": "2", "extensions": []string{binaryExtension, configExtension}}, nil
}

// model returns the model that a path names, and its metadata.
func (s *server) model(r *http.Request) (Service, *Metadata, error) {
	name, version := r.PathValue("model"), r.PathValue("version")
	m := s.models[name]
	if m == nil {
		known := slices.Sorted(maps.Keys(s.models))
		return nil, nil, &Refusal{Status: http.StatusNotFound, Text: fmt.Sprintf("no model %s here, only %s", oneLine(name), strings.Join(known, ", "))}
	}
	if version != "" && version != onlyVersion {
		return nil, nil, &Refusal{Status: http.StatusNotFound, Text: fmt.Sprintf("model %s has no version %s, only %s", oneLine(name), oneLine(version), onlyVersion)}
	}
	is, err := m.Describe(r.Context())
	if err != nil && !errors.As(err, new(*Refusal)) {
		err = &Refusal{Status: http.StatusServiceUnavailable, Text: fmt.Sprintf("model %s is not ready: %v", oneLine(name), err)}
	}
	return m, is, err
}

// said answers with what is said of the model that a path names.
func (s *server) said(of func(m *Metadata) any) http.HandlerFunc {
	return s.guard(s.get(func(r *http.Request) (any, error) {
		_, m, err := s.model(r)
		if err != nil {
			return nil, err
		}
		return of(m), nil
	}))
}

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
