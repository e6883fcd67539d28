package server

import (
	"fmt"
	"io"
	"maps"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// clipBlock is the number of releases after which the number of clipped features is published, and
// the drift of one is measured.
const clipBlock = 1000

// limits are the upper limits of the latency histogram's buckets, in seconds.
var limits = []float64{.0005, .001, .002, .005, .01, .02, .05, .1, .2, .5, 1, 5}

// metrics are what /metrics reports.
type metrics struct {
	repeats   atomic.Int64 // stored releases that were sent again
	exhausted atomic.Int64 // requests refused for their budget
	upstream  atomic.Int64 // requests that the upstream did not answer
	computed  atomic.Int64 // features of inputs

	mu       sync.Mutex
	releases int64
	pending  clipping // of fewer than clipBlock releases, not published
	clipping clipping
	drift    float64 // the largest one that was measured; 0: none yet
	statuses map[int]int64
	buckets  [13]int64 // one for each limit, and the rest
	seconds  float64
}

// clipping counts features of releases that were drawn.
type clipping struct{ drawn, clipped, features int64 }

func (c *clipping) add(d clipping) {
	c.drawn, c.clipped, c.features = c.drawn+d.drawn, c.clipped+d.clipped, c.features+d.features
}

// released counts new releases, stored ones that were sent again, and clipped features.
func (m *metrics) released(debited, repeated int, c clipping) {
	m.repeats.Add(int64(repeated))
	m.mu.Lock()
	defer m.mu.Unlock()
	m.releases += int64(debited)
	m.pending.add(c)
	if m.pending.drawn >= clipBlock {
		m.clipping.add(m.pending)
		m.pending = clipping{}
	}
}

// due reports whether the drift is to be measured: with each clipBlock-th computation of features.
func (m *metrics) due(computed int) bool {
	after := m.computed.Add(int64(computed))
	return after/clipBlock > (after-int64(computed))/clipBlock
}

// drifted counts a measured drift, rounded up to a power of two. What is not a number is not released.
func (m *metrics) drifted(drift float64) {
	frac, exp := math.Frexp(drift)
	if frac == .5 {
		exp--
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if drift > 0 {
		m.drift = max(m.drift, math.Ldexp(1, exp))
	}
}

// timed counts and times the requests to a handler.
func (m *metrics) timed(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		watched := &statusWriter{ResponseWriter: w, status: http.StatusOK}
		next.ServeHTTP(watched, r)
		m.answered(watched.status, time.Since(began).Seconds())
	})
}

func (m *metrics) answered(status int, seconds float64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.statuses == nil {
		m.statuses = map[int]int64{}
	}
	m.statuses[status]++
	i, _ := slices.BinarySearch(limits, seconds)
	m.buckets[i]++
	m.seconds += seconds
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
	io.WriteString(w, s.metrics.text(s.o.DriftAllowance))
}

// text returns the metrics in the text format of Prometheus, version 0.0.4.
func (m *metrics) text(allowance float64) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	b := &strings.Builder{}
	one := func(name, kind, help string, value any) {
		fmt.Fprintf(b, "# HELP tattle_guard_%[1]s %[3]s\n# TYPE tattle_guard_%[1]s %[2]s\ntattle_guard_%[1]s %[4]v\n", name, kind, help, value)
	}
	one("releases_total", "counter", "New releases, each debited from the budget of a subject.", m.releases)
	one("repeats_total", "counter", "Stored releases that were sent again.", m.repeats.Load())
	one("refusals_total", "counter", "Requests refused because the budget of the subject is exhausted.", m.exhausted.Load())
	one("upstream_errors_total", "counter", "Requests that the upstream did not answer.", m.upstream.Load())
	one("features_total", "counter", fmt.Sprintf("Features of new releases, counted after every %d releases or more.", clipBlock), m.clipping.features)
	one("clipped_features_total", "counter", "Of features_total, those outside of the clip.", m.clipping.clipped)
	if m.drift > 0 { // it was measured
		one("drift", "gauge", fmt.Sprintf("Largest error of a feature before it is rounded to the lattice, measured once in %d new releases, rounded up to a power of two.", clipBlock), m.drift)
	}
	one("drift_allowance", "gauge", "Largest error of a feature that the certificate allows.", allowance)
	fmt.Fprint(b, "# HELP tattle_guard_requests_total Inference requests by HTTP status.\n# TYPE tattle_guard_requests_total counter\n")
	for _, status := range slices.Sorted(maps.Keys(m.statuses)) {
		fmt.Fprintf(b, "tattle_guard_requests_total{code=\"%d\"} %d\n", status, m.statuses[status])
	}
	fmt.Fprint(b, "# HELP tattle_guard_request_seconds Time from a request to its answer.\n# TYPE tattle_guard_request_seconds histogram\n")
	count := int64(0)
	for i, n := range m.buckets {
		count += n
		limit := "+Inf"
		if i < len(limits) {
			limit = strconv.FormatFloat(limits[i], 'g', -1, 64)
		}
		fmt.Fprintf(b, "tattle_guard_request_seconds_bucket{le=%q} %d\n", limit, count)
	}
	fmt.Fprintf(b, "tattle_guard_request_seconds_sum %g\ntattle_guard_request_seconds_count %d\n", m.seconds, count)
	return b.String()
}
