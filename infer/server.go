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
	models   map[string]*Model
	token    [sha256.Size]byte
	open     bool // no token is needed
	maxBatch int
	maxBody  int64
	reading  chan struct{} // a place for each request that is read
	active   chan struct{} // and for each that is answered
}

// Handler serves models, by the names of the map, over the protocol's REST interface:
// health, metadata and inference in JSON and binary, and of Triton's extensions …/config
// with max_batch_size. Every model has one version, "1". Refusals are {"error": …}.
func Handler(models map[string]*Model, o ServerOptions) http.Handler {
	return newServer(models, o).routes()
}

func newServer(models map[string]*Model, o ServerOptions) *server {
	return &server{models: maps.Clone(models), token: sha256.Sum256([]byte(o.Token)), open: o.Token == "",
		maxBatch: cmp.Or(o.MaxBatch, DefaultMaxBatch), maxBody: cmp.Or(o.MaxBody, DefaultMaxBody),
		reading: make(chan struct{}, maxReading), active: make(chan struct{}, maxActive)}
}

func (s *server) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/v2/health/live", s.get(func(*http.Request) (any, error) { return map[string]bool{"live": true}, nil }))
	mux.HandleFunc("/v2/health/ready", s.get(func(*http.Request) (any, error) { return map[string]bool{"ready": true}, nil }))
	mux.HandleFunc("/v2", s.guard(s.get(s.about)))
	mux.HandleFunc("/v2/{$}", s.guard(s.get(s.about)))
	for _, at := range []string{"/v2/models/{model}", "/v2/models/{model}/versions/{version}"} {
		mux.HandleFunc(at, s.guard(s.get(s.describe)))
		mux.HandleFunc(at+"/ready", s.guard(s.get(s.ready)))
		mux.HandleFunc(at+"/config", s.guard(s.get(s.config)))
		mux.HandleFunc(at+"/infer", s.guard(s.infer))
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		refuse(w, refusal{http.StatusNotFound, "not found: addresses of the protocol begin with /v2"})
	})
	return mux
}

// refusal is an error with its HTTP status.
type refusal struct {
	code int
	text string
}

func (e refusal) Error() string { return e.text }

func badRequest(format string, a ...any) refusal {
	return refusal{http.StatusBadRequest, fmt.Sprintf(format, a...)}
}

// refuse answers with an error.
func refuse(w http.ResponseWriter, err error) {
	code, r := http.StatusInternalServerError, refusal{}
	if errors.As(err, &r) {
		code = r.code
	}
	switch code {
	case http.StatusUnauthorized:
		w.Header().Set("WWW-Authenticate", "Bearer")
	case http.StatusServiceUnavailable:
		w.Header().Set("Retry-After", "1")
	}
	reply(w, code, map[string]string{"error": oneLine(err.Error())})
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

// guard lets through who has the token, compared in constant time.
func (s *server) guard(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		sum := sha256.Sum256([]byte(token))
		right := strings.EqualFold(scheme, "Bearer") && subtle.ConstantTimeCompare(sum[:], s.token[:]) == 1
		if !s.open && !right {
			refuse(w, refusal{http.StatusUnauthorized, "a valid bearer token is required"})
			return
		}
		next(w, r)
	}
}

// get answers GET and HEAD with what f returns.
func (s *server) get(f func(*http.Request) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			refuse(w, refusal{http.StatusMethodNotAllowed, "only GET is allowed here"})
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

func (s *server) about(*http.Request) (any, error) {
	return map[string]any{"name": "tattle", "version": "2", "extensions": []string{binaryExtension, configExtension}}, nil
}

// model returns the model that a path names.
func (s *server) model(r *http.Request) (*Model, error) {
	name, version := r.PathValue("model"), r.PathValue("version")
	m := s.models[name]
	if m == nil {
		known := slices.Sorted(maps.Keys(s.models))
		return nil, refusal{http.StatusNotFound, fmt.Sprintf("no model %s here, only %s", oneLine(name), strings.Join(known, ", "))}
	}
	if version != "" && version != onlyVersion {
		return nil, refusal{http.StatusNotFound, fmt.Sprintf("model %s has no version %s, only %s", oneLine(name), oneLine(version), onlyVersion)}
	}
	return m, nil
}

func (s *server) describe(r *http.Request) (any, error) {
	m, err := s.model(r)
	if err != nil {
		return nil, err
	}
	return m.metadata(onlyVersion), nil
}

func (s *server) ready(r *http.Request) (any, error) {
	m, err := s.model(r)
	if err != nil {
		return nil, err
	}
	return map[string]any{"name": m.name, "ready": true}, nil
}

func (s *server) config(r *http.Request) (any, error) {
	m, err := s.model(r)
	if err != nil {
		return nil, err
	}
	return map[string]any{"name": m.name, "platform": "tattle_nn", "max_batch_size": s.maxBatch}, nil
}
