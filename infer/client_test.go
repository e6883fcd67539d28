package infer

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
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
		if err := ask(c); err != nil {
			t.Fatal(err)
		}
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
	if err != nil {
		t.Fatal(err)
	}
	c.pace.clock = (&fakeClock{}).clock()
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
	c.pace.clock = realClock
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
	c, err := New(s.URL, Options{Model: "m"})
	if err != nil {
		t.Fatal(err)
	}
	c.pace.clock = (&fakeClock{}).clock()
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
		for limit, fails := range map[int64]bool{1 << 16: true, 0: false} {
			c, err := New(s.URL, Options{Model: "m", MaxBody: limit})
			if err != nil {
				t.Fatal(err)
			}
			c.pace.clock = (&fakeClock{}).clock()
			if err := ask(c); fails {
				mustErr(t, err, "/infer: the answer is longer than 65536 bytes")
			} else if err != nil {
				t.Error(err)
			}
		}
	}
}

// TestRedirects: a request follows within its host only, and so does the token.
func TestRedirects(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		t.Errorf("another host was asked, with %q", r.Header)
	}))
	defer other.Close()
	to, code := "", http.StatusTemporaryRedirect
	answer := simple(good)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if path, ok := strings.CutPrefix(r.URL.Path, "/inside"); ok {
			r.URL.Path = path
			answer.ServeHTTP(w, r)
			return
		}
		http.Redirect(w, r, to+r.URL.Path, code)
	}))
	defer s.Close()
	client := func() *Client {
		c, err := New(s.URL, Options{Model: "m", Token: "s3cret-token"})
		if err != nil {
			t.Fatal(err)
		}
		c.pace.clock = (&fakeClock{}).clock()
		return c
	}
	to = "/inside"
	if err := ask(client()); err != nil {
		t.Fatal(err)
	}
	for _, r := range answer.asked {
		if r.header.Get("Authorization") != "Bearer s3cret-token" {
			t.Errorf("%s without the token", r.path)
		}
	}
	code = http.StatusFound
	mustErr(t, ask(client()), "/infer: it redirects to http://", "without the inputs")
	to = other.URL
	mustErr(t, ask(client()), "/v2/models/m: it redirects to "+other.URL)
	to = ""
	mustErr(t, ask(client()), "circles")
}

// TestTokenIsNotTold: not by errors, whatever the server says, nor by formatting.
func TestTokenIsNotTold(t *testing.T) {
	const token = "s3cret-token"
	echo := func(path string, code int, body string) *canned {
		h := simple(good)
		h.replies[path] = []cannedReply{{code: code, body: body}}
		return h
	}
	for name, h := range map[string]*canned{
		"error":    echo("/v2/models/m/infer", 401, `{"error":"bad token s3cret-token"}`),
		"text":     echo("/v2/models/m/infer", 400, `Bearer s3cret-token`),
		"page":     echo("/v2/models/m/infer", 200, `Bearer s3cret-token`),
		"metadata": echo("/v2/models/m", 200, `s3cret-token`),
		"names":    echo("/v2/models/m", 200, `{"outputs":[{"name":"s3cret-token"},{"name":"b"}]}`),
		"datatype": echo("/v2/models/m/infer", 200, `{"outputs":[{"name":"y","shape":[1],"datatype":"s3cret-token","data":[1]}]}`),
	} {
		c, _ := newClient(t, h, Options{Token: token})
		err := ask(c)
		mustErr(t, err, "[hidden]")
		if strings.Contains(err.Error(), token) {
			t.Errorf("%s: %v", name, err)
		}
		if h.asked[0].header.Get("Authorization") != "Bearer "+token {
			t.Errorf("%s: the token was not sent", name)
		}
		if text := fmt.Sprintf("%v %+v %#v", c, c, c); strings.Contains(text, token) {
			t.Errorf("a client prints its token")
		}
	}
	if text, err := json.Marshal(Options{Token: token}); err != nil || bytes.Contains(text, []byte(token)) {
		t.Errorf("options are written with the token: %s, %v", text, err)
	}
}

// TestUserInfo: sent as HTTP has it, and in no error.
func TestUserInfo(t *testing.T) {
	h := simple(cannedReply{code: 403, body: "no, hunter2"})
	c, err := New("http://me:hunter2@models.example/v2/models/m", Options{Transport: inProcess{h}})
	if err != nil {
		t.Fatal(err)
	}
	err = ask(c)
	mustErr(t, err, "http://models.example/v2/models/m/infer: status 403 (Forbidden): no, [hidden]")
	if strings.Contains(err.Error()+c.URL(), "hunter2") || h.asked[0].header.Get("Authorization") != "Basic bWU6aHVudGVyMg==" {
		t.Errorf("%v; %s", err, h.asked[0].header)
	}
}

// TestRedirectRules: who may be followed.
func TestRedirectRules(t *testing.T) {
	for to, fails := range map[string]string{
		"http://h/x":        "",
		"https://h/x":       "",
		"https://h:8443/":   "it redirects to https://h:8443/",
		"http://h:8000/":    "it redirects to http://h:8000/",
		"http://sub.h/":     "it redirects to http://sub.h/",
		"http://u:p@o/?a=b": "it redirects to http://o/: name",
	} {
		from, _ := http.NewRequest(http.MethodPost, "http://h/v2", nil)
		next, err := http.NewRequest(http.MethodPost, to, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := redirect(next, []*http.Request{from}); fails == "" && err != nil {
			t.Errorf("%s: %v", to, err)
		} else if fails != "" {
			mustErr(t, err, fails)
		}
		from.URL.Scheme, next.URL.Scheme = "https", "http"
		if redirect(next, []*http.Request{from}) == nil {
			t.Errorf("%s: https was left", to)
		}
	}
}

// TestUnknownCertificate: not trusted, and not asked again.
func TestUnknownCertificate(t *testing.T) {
	s := httptest.NewUnstartedServer(simple(good))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	defer s.Close()
	c, err := New(s.URL, Options{Model: "m"})
	if err != nil {
		t.Fatal(err)
	}
	f := &fakeClock{}
	c.pace.clock = f.clock()
	if mustErr(t, ask(c), "certificate"); len(f.sleeps) > 0 {
		t.Error("it was asked again")
	}
}

func TestInputsThatDoNotFit(t *testing.T) {
	c, _ := newClient(t, simple(good), Options{})
	for n, x := range map[int][]float32{0: {1}, 2: {1, 2, 3}, -1: {1}} {
		if _, _, err := c.Infer(context.Background(), x, n); err == nil {
			t.Errorf("%d numbers as %d examples", len(x), n)
		}
	}
	h := simple(good)
	h.replies["/v2/models/m"] = []cannedReply{{body: `{"inputs":[{"name":"x","datatype":"UINT8","shape":[-1,2]}],"outputs":[]}`}}
	c, _ = newClient(t, h, Options{})
	_, _, err := c.Infer(context.Background(), []float32{1, 2, 3, .5}, 2)
	mustErr(t, err, "input x takes UINT8, but example 1 has 0.5")
}
