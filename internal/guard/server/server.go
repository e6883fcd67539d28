// Package server is a sidecar that releases features with noise: a client sends an input, and gets
// the features of the input with the noise of package guard, or what an upstream model answers to
// them. It speaks the Open Inference Protocol v2 (package infer).
//
// Every release is recorded in the ledger (package guard/ledger) before it leaves. The same input
// of the same subject gets the stored release again. Every request needs budget for its different
// inputs, whether they are stored or not; status 429 says that there is none. Features, noise and
// a write to disk are the same work for both. Nothing here returns features without noise.
//
// # Metrics
//
// /metrics has counts in the text format of Prometheus, written here: the format is a few lines,
// and the client library would bring eight modules. Every client may read them, so they count
// requests only, by status and by time, and never what is in a request or in the ledger. Each count
// has noise, so that it says next to nothing about one request.
package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"sync/atomic"
	"time"

	"tattle/internal/engine/nn"
	"tattle/internal/guard"
	"tattle/internal/guard/ledger"
	"tattle/internal/infer"
	"tattle/internal/protect/lattice"
)

const (
	// DefaultName is the name of the model in addresses.
	DefaultName = "guard"
	// DefaultMaxBatch are the examples of one request.
	DefaultMaxBatch = 64
	// featuresOutput and releaseOutput are the outputs without an upstream: FP32 numbers, and the
	// INT64 integers that they are, times the parameter scale.
	featuresOutput = "features"
	releaseOutput  = "release"

	// maxSubject bounds the name of a subject, in bytes.
	maxSubject = 1024
	// maxActive bounds the inferences in memory: most of them wait for the disk.
	maxActive = 512
	// numberBytes is the most that one number of a request takes, as JSON with spaces.
	numberBytes = 32
)

// Options are the settings of a Server.
type Options struct {
	Name      string // DefaultName if empty
	Front     *nn.Graph
	Lattice   guard.Lattice
	Inputs    guard.Inputs // those out of range are refused
	Mechanism string       // what makes releases of inputs, by a digest: the ledger stores releases under it
	Ledger    *ledger.Ledger

	// Upstream answers to features with noise; nil: the features are the answer.
	Upstream *infer.Client

	Token    string // bearer token of all but the health checks; empty for none
	MaxBatch int    // DefaultMaxBatch if 0
}

// A Server answers inferences with releases.
type Server struct {
	o         Options
	front     *infer.Model
	shape     []int // of the features of one example
	mechanism *guard.Mechanism
	metrics   *metrics
	failed    atomic.Bool // the last debit could not be written
}

// New returns a server. It returns an error if the front is not well formed, if the lattice is not
// one for its features, and if the operating system gives no random numbers. Call Close.
func New(o Options) (*Server, error) {
	o.Name, o.MaxBatch = cmp.Or(o.Name, DefaultName), cmp.Or(o.MaxBatch, DefaultMaxBatch)
	front, err := infer.NewModel(o.Name, o.Front)
	if err != nil {
		return nil, err
	}
	shapes, err := o.Front.Shapes()
	if err != nil {
		return nil, err
	}
	s := &Server{o: o, front: front, shape: shapes[o.Front.Output]}
	if n := nn.Size(s.shape); n != o.Lattice.Dim {
		return nil, fmt.Errorf("the front has %d features, and the lattice is for %d", n, o.Lattice.Dim)
	}
	if s.metrics, err = newMetrics(); err != nil {
		return nil, err
	}
	if s.mechanism, err = guard.New(o.Lattice); err != nil {
		return nil, err
	}
	return s, nil
}

// Close stops the mechanism. The ledger stays open.
func (s *Server) Close() error { return s.mechanism.Close() }

// Handler returns what serves /v2, the protocol, and /metrics.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	p := int64(nn.Size(s.o.Front.InputShape))
	v2 := infer.Handler(map[string]*Server{s.o.Name: s}, infer.ServerOptions{Token: s.o.Token, MaxBatch: s.o.MaxBatch,
		MaxBody: min(infer.DefaultMaxBody, int64(s.o.MaxBatch)*p*numberBytes+1<<16), MaxActive: maxActive, Ready: s.ready})
	mux.Handle("/", v2)
	mux.Handle("/v2/models/{model}/infer", s.metrics.timed(v2))
	mux.Handle("/v2/models/{model}/versions/{version}/infer", s.metrics.timed(v2))
	mux.Handle("/metrics", infer.WithToken(s.o.Token, http.HandlerFunc(s.report)))
	return mux
}

// ready returns an error while the ledger cannot be written, and without noise.
func (s *Server) ready() error {
	if err := s.mechanism.Err(); err != nil {
		return err
	}
	if !s.failed.Load() {
		return nil
	}
	if err := s.o.Ledger.Probe(); err != nil {
		return err
	}
	s.failed.Store(false)
	return nil
}

// Describe implements infer.Service.
func (s *Server) Describe(ctx context.Context) (*infer.Metadata, error) {
	m, err := s.front.Describe(ctx)
	if err != nil {
		return nil, err
	}
	m.Platform = "tattle_guard"
	if in := s.o.Inputs; in.Scaling != "" {
		m.Inputs[0].Parameters = map[string]any{"scaling": in.Scaling, "layout": in.Layout}
		if in.Range != nil {
			m.Inputs[0].Parameters["range"] = in.Range
		}
	}
	if s.o.Upstream != nil {
		up, err := s.o.Upstream.Metadata(ctx)
		if err != nil {
			return nil, &infer.Refusal{Status: http.StatusBadGateway, Text: err.Error()}
		}
		if m.Outputs = up.Outputs; len(m.Outputs) != 1 {
			m.Outputs = []infer.Tensor{{Name: "output", Datatype: "FP32", Shape: []int{-1}}}
		}
		return m, nil
	}
	shape := m.Outputs[0].Shape
	m.Outputs = []infer.Tensor{{Name: featuresOutput, Datatype: "FP32", Shape: shape}, {Name: releaseOutput, Datatype: "INT64", Shape: shape}}
	return m, nil
}

// Answer implements infer.Service: it releases the features of the inputs.
func (s *Server) Answer(ctx context.Context, r *infer.Request) ([]infer.Output, error) {
	if err := s.check(r); err != nil {
		return nil, err
	}
	released, err := s.release(ctx, r)
	if err != nil {
		return nil, s.refusal(err)
	}
	n := s.o.Lattice.Dim
	values := make([]float32, r.N*n)
	for i, integers := range released {
		s.o.Lattice.Values(values[i*n:(i+1)*n], integers)
	}
	if s.o.Upstream != nil {
		return s.forward(ctx, values, r.N)
	}
	return s.outputs(r, released, values), nil
}

// check returns a refusal of a request that names no subject, or has inputs that are not numbers or out of
// range.
func (s *Server) check(r *infer.Request) error {
	switch {
	case r.Subject == "":
		return &infer.Refusal{Status: http.StatusBadRequest, Text: "no subject: name whom the inputs are about in the header " + infer.SubjectHeader + " or the parameter subject of the request; budgets are counted for each subject"}
	case len(r.Subject) > maxSubject:
		return &infer.Refusal{Status: http.StatusBadRequest, Text: fmt.Sprintf("the subject is longer than %d bytes", maxSubject)}
	}
	p := len(r.X) / r.N
	for i, v := range r.X {
		if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
			return &infer.Refusal{Status: http.StatusBadRequest, Text: fmt.Sprintf("number %d of input %d is %v: it must be finite", i%p, i/p, v)}
		}
		if b := s.o.Inputs.Of(i%p, p); b != nil && !within(float64(v), b) {
			return &infer.Refusal{Status: http.StatusBadRequest, Text: fmt.Sprintf("number %d of input %d is %v: must be from %.4g to %.4g; the certificate is for inputs scaled as %s", i%p, i/p, v, b[0], b[1], s.o.Inputs.Scaling)}
		}
	}
	return nil
}

// within reports whether a value is in a range, up to the rounding of float32.
func within(v float64, of []float64) bool {
	slack := 1e-5 * (of[1] - of[0])
	return v >= of[0]-slack && v <= of[1]+slack
}

// release returns the release of each input, which is on disk: the stored one, or else a new one.
// It does the same for both.
func (s *Server) release(ctx context.Context, r *infer.Request) ([][]int64, error) {
	p, n := len(r.X)/r.N, s.o.Lattice.Dim
	subject := s.o.Ledger.Subject(r.Subject)
	inputs := make([]ledger.Input, r.N)
	for i := range inputs {
		inputs[i] = s.o.Ledger.Input(subject, s.o.Mechanism, r.X[i*p:(i+1)*p])
	}
	if err := s.o.Ledger.Covers(subject, inputs); err != nil {
		return nil, err
	}
	features, err := s.front.Forward(ctx, r.X)
	if err != nil {
		return nil, err
	}
	released := make([][]int64, r.N)
	for i := range released {
		released[i] = make([]int64, n)
		if _, err := s.mechanism.Release(released[i], features[i*n:(i+1)*n]); err != nil {
			return nil, err
		}
	}
	released, _, err = s.o.Ledger.Debit(ctx, subject, inputs, released)
	if err == nil {
		s.failed.Store(false)
	}
	return released, err
}

// refusal returns the answer to an error of release.
func (s *Server) refusal(err error) error {
	var exhausted *ledger.ExhaustedError
	switch {
	case errors.As(err, &exhausted):
		return budgetRefusal(exhausted)
	case errors.Is(err, lattice.ErrNaN):
		return &infer.Refusal{Status: http.StatusUnprocessableEntity, Text: "the features of an input are not numbers: the input is outside of what the model takes"}
	case errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded):
		return &infer.Refusal{Status: http.StatusServiceUnavailable, Text: "the request was cancelled; what was debited stays so"}
	}
	s.failed.Store(true)
	return &infer.Refusal{Status: http.StatusServiceUnavailable, Text: "nothing is released: " + err.Error()}
}

// budgetRefusal says that a budget is exhausted, and when to come again.
func budgetRefusal(e *ledger.ExhaustedError) *infer.Refusal {
	r := &infer.Refusal{Status: http.StatusTooManyRequests, Text: e.Error(), More: map[string]any{
		"budget": e.Budget.Releases, "used": e.Used, "asked": e.Asked,
	}}
	if e.Budget.Period > 0 {
		r.More["period_seconds"] = int64(e.Budget.Period / time.Second)
	}
	if e.Wait > 0 && e.Asked <= e.Budget.Releases { // else waiting does not help
		r.Retry = e.Wait
		r.More["retry_after_seconds"] = int64(math.Ceil(e.Wait.Seconds()))
	}
	return r
}

// outputs returns the outputs that a request names, the features if it names none.
func (s *Server) outputs(r *infer.Request, released [][]int64, values []float32) (out []infer.Output) {
	shape := append([]int{r.N}, s.shape...)
	names := r.Outputs
	if len(names) == 0 {
		names = []string{featuresOutput}
	}
	for _, name := range names {
		o := infer.Output{Name: name, Shape: shape, Floats: values}
		if name == releaseOutput {
			o.Floats, o.Scale = nil, s.o.Lattice.Delta
			for _, integers := range released {
				o.Ints = append(o.Ints, integers...)
			}
		}
		out = append(out, o)
	}
	return out
}

// forward returns what the upstream answers to features with noise.
func (s *Server) forward(ctx context.Context, values []float32, n int) ([]infer.Output, error) {
	is, err := s.Describe(ctx)
	if err != nil {
		return nil, err
	}
	y, shape, err := s.o.Upstream.Infer(ctx, values, n)
	if err != nil {
		return nil, &infer.Refusal{Status: http.StatusBadGateway, Text: "the upstream does not answer (the request is debited): " + err.Error()}
	}
	return []infer.Output{{Name: is.Outputs[0].Name, Shape: shape, Floats: y}}, nil
}
