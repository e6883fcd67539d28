package infer

import (
	"cmp"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
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
