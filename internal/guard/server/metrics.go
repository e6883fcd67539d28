package server

import (
	"cmp"
	crand "crypto/rand"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"tattle/internal/protect/lattice"
)

const (
	// countNoise is the standard deviation of the discrete Gaussian noise in each count of /metrics.
	countNoise = 10
	// countPeriod is the least time between two times that requests are added to the counts.
	countPeriod = time.Minute
)

// limits are the upper limits of the latency histogram's buckets, in seconds.
var limits = [...]float64{.0005, .001, .002, .005, .01, .02, .05, .1, .2, .5, 1, 5}

// statuses are those that are counted, and 0 for all others. All are always listed.
var statuses = [...]int{200, 400, 422, 429, 502, 503, 0}

// metrics are what /metrics reports of requests. Each request changes two counts by one, once, with
// the noise of the requests that are added together.
type metrics struct {
	noise *lattice.Sampler

	mu       sync.Mutex
	added    time.Time
	statuses [len(statuses)]count
	buckets  [len(limits) + 1]count // one for each limit, and the rest
}

// count is a number of requests, published with noise.
type count struct {
	pending   int64 // not added yet
	sum       int64 // of what was added, each time with new noise
	published int64 // the largest sum: a counter never falls
}

func newMetrics() (*metrics, error) {
	noise, err := lattice.NewSampler(countNoise)
	return &metrics{noise: noise}, err
}

// timed counts and times the requests to a handler.
func (m *metrics) timed(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		watched := &statusWriter{ResponseWriter: w}
		next.ServeHTTP(watched, r)
		m.answered(cmp.Or(watched.status, http.StatusOK), time.Since(began).Seconds())
	})
}

func (m *metrics) answered(status int, seconds float64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	at := slices.Index(statuses[:], status)
	if at < 0 {
		at = len(statuses) - 1
	}
	m.statuses[at].pending++
	i, _ := slices.BinarySearch(limits[:], seconds)
	m.buckets[i].pending++
}

// add adds the requests since the last time to the counts, with noise.
func (m *metrics) add() {
	var seed [32]byte
	crand.Read(seed[:]) // never fails: crypto/rand ends the process instead
	noise := make([]int64, len(m.statuses)+len(m.buckets))
	m.noise.Sample(noise, rand.NewChaCha8(seed))
	for i := range noise {
		c := &m.statuses[min(i, len(m.statuses)-1)]
		if i >= len(m.statuses) {
			c = &m.buckets[i-len(m.statuses)]
		}
		c.sum, c.pending = c.sum+c.pending+noise[i], 0
		c.published = max(c.published, c.sum)
	}
}

// statusWriter remembers the status of an answer.
type statusWriter struct {
	http.ResponseWriter
	status int
}

// WriteHeader implements http.ResponseWriter.
func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap returns the writer below, for http.ResponseController.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// report answers with the metrics.
func (s *Server) report(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	io.WriteString(w, s.metrics.text(time.Now()))
}

// text returns the metrics in the text format of Prometheus, version 0.0.4.
func (m *metrics) text(now time.Time) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if now.Sub(m.added) >= countPeriod {
		m.add()
		m.added = now
	}
	b := &strings.Builder{}
	noisy := fmt.Sprintf("added once a minute or less often, each time with noise of standard deviation %d", countNoise)
	fmt.Fprintf(b, "# HELP tattle_guard_requests_total Inference requests by HTTP status, %s.\n# TYPE tattle_guard_requests_total counter\n", noisy)
	for i, status := range statuses {
		code := strconv.Itoa(status)
		if status == 0 {
			code = "other"
		}
		fmt.Fprintf(b, "tattle_guard_requests_total{code=%q} %d\n", code, m.statuses[i].published)
	}
	fmt.Fprintf(b, "# HELP tattle_guard_request_seconds Time from a request to its answer, %s; the sum takes each for the limit of its bucket.\n# TYPE tattle_guard_request_seconds histogram\n", noisy)
	total, seconds := int64(0), 0.
	for i, bucket := range m.buckets {
		total += bucket.published
		limit := "+Inf"
		if i < len(limits) {
			limit = strconv.FormatFloat(limits[i], 'g', -1, 64)
		}
		seconds += float64(bucket.published) * limits[min(i, len(limits)-1)]
		fmt.Fprintf(b, "tattle_guard_request_seconds_bucket{le=%q} %d\n", limit, total)
	}
	fmt.Fprintf(b, "tattle_guard_request_seconds_sum %g\ntattle_guard_request_seconds_count %d\n", seconds, total)
	return b.String()
}
