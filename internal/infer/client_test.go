package infer

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"tattle/internal/must"
)

var good = cannedReply{body: `{"outputs":[{"name":"y","shape":[1,1],"datatype":"FP32","data":[0.5]}]}`}

// ask is one inference of one example.
func ask(c *Client) error {
	_, _, err := c.Infer(context.Background(), []float32{1, 2}, 1)
	return err
}

// TestRetries: what passes is asked again, with waits that double or that the server
// asks for; what does not is not.
func TestRetries(t *testing.T) {
	busy := func(code int, after string) cannedReply {
		return cannedReply{code: code, header: map[string]string{"Retry-After": after}, body: `{"error":"not now"}`}
	}
	ms := time.Millisecond
	for name, c := range map[string]struct {
		o       Options
		replies []cannedReply
		sleeps  []time.Duration
		fails   string
	}{
		"doubling":            {replies: []cannedReply{busy(503, ""), busy(502, ""), busy(504, ""), good}, sleeps: []time.Duration{500 * ms, 1000 * ms, 2000 * ms}},
		"seconds":             {replies: []cannedReply{busy(429, "7"), busy(429, "0"), good}, sleeps: []time.Duration{7000 * ms, 1000 * ms}},
		"a date":              {replies: []cannedReply{busy(503, "Fri, 02 Jan 2026 03:04:15 GMT"), good}, sleeps: []time.Duration{10000 * ms}},
		"a date gone by":      {replies: []cannedReply{busy(503, "Fri, 02 Jan 2015 03:04:15 GMT"), good}, sleeps: []time.Duration{500 * ms}},
		"nonsense":            {replies: []cannedReply{busy(503, "-soon"), good}, sleeps: []time.Duration{500 * ms}},
		"too long a wait":     {replies: []cannedReply{busy(429, "4000"), good}, fails: "status 429 (Too Many Requests): not now; it asks to come again in 1h6m40s"},
		"for ever":            {o: Options{Retries: 2}, replies: []cannedReply{busy(503, "")}, sleeps: []time.Duration{500 * ms, 1000 * ms}, fails: "not now (3 attempts)"},
		"no retries":          {o: Options{Retries: -1}, replies: []cannedReply{busy(503, ""), good}, fails: "status 503 (Service Unavailable): not now"},
		"bad request":         {replies: []cannedReply{busy(400, "1"), good}, fails: "status 400"},
		"unauthorized":        {replies: []cannedReply{busy(401, "1"), good}, fails: "a token may be missing or wrong"},
		"not found":           {replies: []cannedReply{busy(404, ""), good}, fails: "status 404"},
		"too large a request": {replies: []cannedReply{busy(413, ""), good}, fails: "ask for fewer examples"},
		"a broken server":     {replies: []cannedReply{busy(500, ""), good}, fails: "status 500 (Internal Server Error): not now"},
	} {
		t.Run(name, func(t *testing.T) {
			client, f := newClient(t, simple(c.replies...), c.o)
			err := ask(client)
			if c.fails != "" {
				mustErr(t, err, "http://models.example/v2/models/m/infer: ", c.fails)
				if s := (*StatusError)(nil); !errors.As(err, &s) || s.Message != "not now" {
					t.Errorf("no StatusError in %v", err)
				}
			} else if err != nil {
				t.Fatal(err)
			}
			if fmt.Sprint(f.sleeps) != fmt.Sprint(c.sleeps) {
				t.Errorf("waited %v, want %v", f.sleeps, c.sleeps)
			}
		})
	}
}

// flaky fails some times before it carries requests.
type flaky struct {
	inProcess
	left int
	err  error
}

func (f *flaky) RoundTrip(r *http.Request) (*http.Response, error) {
	if f.left--; f.left >= 0 {
		return nil, f.err
	}
	return f.inProcess.RoundTrip(r)
}

func TestNetworkErrors(t *testing.T) {
	for name, c := range map[string]struct {
		err   error
		left  int
		fails string
	}{
		"a reset connection": {&net.OpError{Op: "read", Net: "tcp", Err: errors.New("connection reset")}, 3, ""},
		"nobody there":       {&net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connection refused")}, 99, "models.example/v2/models/m: dial tcp: connection refused (6 attempts)"},
		"no such host":       {&net.DNSError{Err: "no such host", Name: "models.example", IsNotFound: true}, 99, "no such host"},
		"no TLS":             {http.ErrSchemeMismatch, 99, "HTTP response to HTTPS client"},
	} {
		t.Run(name, func(t *testing.T) {
			f := &flaky{inProcess{simple(good)}, c.left, c.err}
			client, _ := newClient(t, nil, Options{Transport: f})
			if err := ask(client); c.fails == "" && err != nil {
				t.Error(err)
			} else if c.fails != "" {
				mustErr(t, err, c.fails)
			}
		})
	}
}

// TestRate: requests are as far apart as the rate says, the retries too.
func TestRate(t *testing.T) {
	c, f := newClient(t, simple(good), Options{Rate: 4, Batch: 1})
	for range 3 { // metadata of the model and of the server, then three inferences
		must.Do(t, ask(c))
	}
	total := time.Duration(0)
	for _, d := range f.sleeps {
		total += d
	}
	if want := time.Second; total != want {
		t.Errorf("five requests at 4 a second took %v, want %v", total, want)
	}
}

// TestDeadline: a slow server is given up after Timeout, and at once when ctx ends.
func TestDeadline(t *testing.T) {
	slow := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Write([]byte(`{"name":`))
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	s := httptest.NewServer(slow)
	defer s.Close()
	c, err := New(s.URL, Options{Model: "m", Timeout: 20 * time.Millisecond, Retries: 1})
	must.Do(t, err)
	(&fakeClock{}).of(c)
	mustErr(t, ask(c), "/v2/models/m: no answer within 20ms (2 attempts)")
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	c.timeout = time.Hour
	_, err = c.Metadata(ctx)
	mustErr(t, err, "/v2/models/m: ")
	if !errors.Is(err, context.DeadlineExceeded) || strings.Contains(err.Error(), "attempts") {
		t.Errorf("%v", err)
	}
}

// TestWaitEnds: a wait between attempts ends with ctx.
func TestWaitEnds(t *testing.T) {
	c, _ := newClient(t, &canned{replies: map[string][]cannedReply{"/v2/models/m": {{code: 503}}}}, Options{})
	c.pace.sleep = sleep
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	if _, err := c.Metadata(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
}

// TestTruncated: a connection that breaks within the answer is tried again.
func TestTruncated(t *testing.T) {
	times := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/infer") {
			simple(good).ServeHTTP(w, r)
			return
		}
		if times++; times < 3 {
			w.Header().Set("Content-Length", "1000")
			io.WriteString(w, good.body)
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}
		io.WriteString(w, good.body)
	}))
	defer s.Close()
	c := must.Get(New(s.URL, Options{Model: "m"}))(t)
	(&fakeClock{}).of(c)
	if err := ask(c); err != nil || times != 3 {
		t.Errorf("%d times: %v", times, err)
	}
	times = -1 << 20
	mustErr(t, ask(c), "/infer: the answer ends after ", "(6 attempts)")
}

// TestLongAnswers: no more is read than the limit, compressed or not.
func TestLongAnswers(t *testing.T) {
	long := strings.Repeat(" ", 1<<20) + good.body
	for _, compressed := range []bool{false, true} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !strings.HasSuffix(r.URL.Path, "/infer") {
				simple(good).ServeHTTP(w, r)
				return
			}
			if !compressed {
				io.WriteString(w, long)
				return
			}
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			io.WriteString(z, long)
			z.Close()
		}))
		defer s.Close()
		for limit, fails := range map[int64]bool{1 << 16: true, DefaultMaxBody: false} {
			c := must.Get(New(s.URL, Options{Model: "m"}))(t)
			(&fakeClock{}).of(c)
			c.limit = limit
			if err := ask(c); fails {
				mustErr(t, err, "/infer: the answer is longer than 65536 bytes")
			} else if err != nil {
				t.Error(err)
			}
		}
	}
}
