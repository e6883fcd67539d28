package infer

import (
	"cmp"
	"context"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"tattle/internal/must"
)

// inProcess carries requests to a handler without a socket.
type inProcess struct{ http.Handler }

func (h inProcess) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	if r.Body == nil {
		r.Body = http.NoBody
	}
	h.ServeHTTP(w, r)
	return w.Result(), nil
}

// canned answers with recorded replies and keeps what it was asked.
type canned struct {
	replies map[string][]cannedReply // by path; the last one is repeated
	mu      sync.Mutex
	asked   []cannedRequest
}

type cannedReply struct {
	code   int // 0 is 200
	header map[string]string
	body   string
}

type cannedRequest struct {
	path   string
	header http.Header
	body   string
}

func (c *canned) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked = append(c.asked, cannedRequest{r.URL.Path, r.Header.Clone(), string(body)})
	list := c.replies[r.URL.Path]
	if len(list) == 0 {
		http.Error(w, `{"error":"no such path"}`, http.StatusNotFound)
		return
	}
	if len(list) > 1 {
		c.replies[r.URL.Path] = list[1:]
	}
	w.Header().Set("Content-Type", "application/json")
	for k, v := range list[0].header {
		w.Header().Set(k, v)
	}
	w.WriteHeader(cmp.Or(list[0].code, http.StatusOK))
	io.WriteString(w, list[0].body)
}

// last returns the body of the last inference that was asked for.
func (c *canned) last() string {
	for i := len(c.asked) - 1; i >= 0; i-- {
		if strings.HasSuffix(c.asked[i].path, "/infer") {
			return c.asked[i].body
		}
	}
	return ""
}

// fakeClock never waits; it keeps how long it should have.
type fakeClock struct {
	mu     sync.Mutex
	time   time.Time
	sleeps []time.Duration
}

// of gives a client the clock.
func (f *fakeClock) of(c *Client) {
	c.pace.now = func() time.Time {
		f.mu.Lock()
		defer f.mu.Unlock()
		return f.time
	}
	c.pace.sleep = func(ctx context.Context, d time.Duration) error {
		f.mu.Lock()
		defer f.mu.Unlock()
		if d > 0 {
			f.sleeps = append(f.sleeps, d)
			f.time = f.time.Add(d)
		}
		return ctx.Err()
	}
}

// newClient returns a client of model m at a handler, with a clock that never waits.
func newClient(t testing.TB, h http.Handler, o Options) (*Client, *fakeClock) {
	t.Helper()
	if o.Transport == nil {
		o.Transport = inProcess{h}
	}
	if o.Model == "" {
		o.Model = "m"
	}
	c := must.Get(New("http://models.example", o))(t)
	f := &fakeClock{time: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	f.of(c)
	return c, f
}

// simple answers for model m, which takes two numbers and gives one, with the replies.
func simple(infer ...cannedReply) *canned {
	return &canned{replies: map[string][]cannedReply{
		"/v2":                {{body: `{"name":"s","version":"1","extensions":[]}`}},
		"/v2/models/m":       {{body: `{"name":"m","inputs":[{"name":"x","datatype":"FP32","shape":[-1,2]}],"outputs":[{"name":"y","datatype":"FP32","shape":[-1,1]}]}`}},
		"/v2/models/m/infer": infer,
	}}
}

func sameBits(a, b []float32) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if math.Float32bits(a[i]) != math.Float32bits(b[i]) {
			return false
		}
	}
	return true
}

// mustErr fails unless err is one line with every part.
func mustErr(t *testing.T, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want one with %q", parts)
	}
	if strings.ContainsAny(err.Error(), "\n\r\x1b") {
		t.Errorf("not one line: %q", err)
	}
	for _, p := range parts {
		if !strings.Contains(err.Error(), p) {
			t.Errorf("%q lacks %q", err, p)
		}
	}
}
