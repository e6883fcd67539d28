package infer

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"golang.org/x/time/rate"

	"tattle/internal/file"
)

const (
	// firstWait is the pause before the second attempt; each further one is twice as
	// long, up to longestWait.
	firstWait   = 500 * time.Millisecond
	longestWait = 30 * time.Second
	// maxPatience is the longest wait that a server may ask for.
	maxPatience = 5 * time.Minute
	// maxRefusal are the bytes read of a refusal.
	maxRefusal = 64 << 10
)

// permanent is an error that another attempt cannot fix.
type permanent struct{ error }

func (e permanent) Unwrap() error { return e.error }

// question is a request that can be sent again.
type question struct {
	method, url string
	body        []byte
	header      int   // bytes of JSON where binary tensors follow, else 0
	limit       int64 // bytes of the answer
}

// answer is a reply with a status of success.
type answer struct {
	body   []byte
	header string // headerLength
	kind   string // Content-Type
}

// ask sends a question until it is answered or refused for good.
func (c *Client) ask(ctx context.Context, q question) (*answer, error) {
	for attempt := 0; ; attempt++ {
		if err := c.pace.wait(ctx); err != nil {
			return nil, fmt.Errorf("%s: %w", q.url, err)
		}
		a, err := c.once(ctx, q)
		if err == nil {
			return a, nil
		}
		wait, again := c.patience(ctx, err, attempt)
		if !again {
			if attempt > 0 {
				err = fmt.Errorf("%w (%d attempts)", err, attempt+1)
			}
			return nil, err
		}
		if err := c.pace.sleep(ctx, wait); err != nil {
			return nil, fmt.Errorf("%s: %w", q.url, err)
		}
	}
}

// patience returns how long to wait before the next attempt, if there is to be one.
func (c *Client) patience(ctx context.Context, err error, attempt int) (wait time.Duration, again bool) {
	if attempt >= c.retries || ctx.Err() != nil || lasting(err) {
		return 0, false
	}
	wait = longestWait
	if attempt < 6 {
		wait = min(wait, firstWait<<attempt)
	}
	if s := (*StatusError)(nil); errors.As(err, &s) {
		wait = max(wait, s.wait)
		return wait, s.passing() && wait <= maxPatience
	}
	return wait, true
}

// lasting reports whether an error that is no status will be there again.
func lasting(err error) bool {
	var p permanent
	var certificate *tls.CertificateVerificationError
	var dns *net.DNSError
	return errors.As(err, &p) || errors.As(err, &certificate) || errors.Is(err, http.ErrSchemeMismatch) ||
		errors.As(err, &dns) && dns.IsNotFound
}

// once sends a question once.
func (c *Client) once(ctx context.Context, q question) (*answer, error) {
	limited, cancel := context.WithTimeoutCause(ctx, c.timeout, fmt.Errorf("no answer within %v", c.timeout))
	defer cancel()
	r, err := c.send(limited, q)
	if err != nil {
		return nil, c.explain(limited, q, err)
	}
	defer r.Body.Close()
	if r.StatusCode/100 != 2 {
		text, _ := io.ReadAll(io.LimitReader(r.Body, maxRefusal))
		return nil, &StatusError{URL: q.url, Code: r.StatusCode, Message: serverWords(text, c.hide),
			wait: retryAfter(r.Header, c.pace.now())}
	}
	if e := r.Header.Get("Content-Encoding"); e != "" && e != "identity" {
		return nil, fmt.Errorf("%s: %w", q.url, permanent{fmt.Errorf("the answer is compressed as %s, which was not asked for", oneLine(e))})
	}
	body, err := readAll(r, q.limit)
	if err != nil {
		return nil, c.explain(limited, q, err)
	}
	return &answer{body: body, header: r.Header.Get(headerLength), kind: r.Header.Get("Content-Type")}, nil
}

func (c *Client) send(ctx context.Context, q question) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, q.method, q.url, bytes.NewReader(q.body))
	if err != nil {
		return nil, permanent{err}
	}
	r.Header.Set("Accept", "application/json, application/octet-stream")
	r.Header.Set("User-Agent", "tattle")
	switch {
	case q.header > 0:
		r.Header.Set("Content-Type", "application/octet-stream")
		r.Header.Set(headerLength, fmt.Sprint(q.header))
	case len(q.body) > 0:
		r.Header.Set("Content-Type", "application/json")
	}
	c.authorize(r)
	return c.http.Do(r)
}

// explain names the address once, and the timeout as what it is.
func (c *Client) explain(ctx context.Context, q question, err error) error {
	if u := (*url.Error)(nil); errors.As(err, &u) {
		err = u.Err
	}
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	return fmt.Errorf("%s: %w", q.url, err)
}

// readAll reads an answer of at most limit bytes.
func readAll(r *http.Response, limit int64) ([]byte, error) {
	if r.ContentLength > limit {
		return nil, tooLong(limit)
	}
	body, err := file.ReadAtMost(r.Body, limit)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, fmt.Errorf("the answer ends after %d bytes: %w", len(body), err)
	}
	if errors.Is(err, file.ErrTooLong) {
		return nil, tooLong(limit)
	}
	return body, err
}

func tooLong(limit int64) error {
	return permanent{fmt.Errorf("the answer is longer than %d bytes: ask for fewer examples a request", limit)}
}

// veiled is an error whose words had a secret in them.
type veiled struct {
	error
	text string
}

func (e veiled) Error() string { return e.text }
func (e veiled) Unwrap() error { return e.error }

// veil takes the token out of an error: whatever a server sends back may have it.
func (c *Client) veil(err error) error {
	if err == nil {
		return nil
	}
	if text := c.hide(err.Error()); text != err.Error() {
		return veiled{err, text}
	}
	return err
}

// pace keeps requests apart, and waits between attempts. Tests have a clock of their own.
type pace struct {
	*rate.Limiter
	now   func() time.Time
	sleep func(ctx context.Context, d time.Duration) error
}

// newPace returns a pace with the given limit of requests per second; 0 means no limit.
func newPace(requests float64) *pace {
	limit := rate.Inf
	if requests > 0 {
		limit = rate.Limit(requests)
	}
	return &pace{Limiter: rate.NewLimiter(limit, 1), now: time.Now, sleep: sleep}
}

// sleep waits, or until ctx ends.
func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return ctx.Err()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// wait returns when the next request may go.
func (p *pace) wait(ctx context.Context) error {
	now := p.now()
	return p.sleep(ctx, p.ReserveN(now, 1).DelayFrom(now))
}

// StatusError is a server's refusal.
type StatusError struct {
	URL     string // without user info
	Code    int    // HTTP status
	Message string // the server's words, on one line

	wait time.Duration // that it asks for
}

// Error returns one line with address, status and the server's words.
func (e *StatusError) Error() string {
	text := fmt.Sprintf("%s: status %d", e.URL, e.Code)
	if name := http.StatusText(e.Code); name != "" {
		text += " (" + name + ")"
	}
	if e.Message != "" {
		text += ": " + e.Message
	}
	switch e.Code {
	case http.StatusUnauthorized, http.StatusForbidden:
		text += "; a token may be missing or wrong"
	case http.StatusRequestEntityTooLarge:
		text += "; ask for fewer examples a request"
	}
	if e.wait > maxPatience {
		text += fmt.Sprintf("; it asks to come again in %v", e.wait)
	}
	return text
}

// passing reports whether another attempt may go better.
func (e *StatusError) passing() bool {
	switch e.Code {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// serverWords returns what a refusal says: the protocol's "error", or what gateways and
// frameworks write in its place, or the text itself; secrets are hidden before it is cut.
func serverWords(body []byte, hide func(string) string) string {
	var said struct {
		Error, Message, Detail json.RawMessage
	}
	if json.Unmarshal(body, &said) == nil {
		for _, raw := range []json.RawMessage{said.Error, said.Message, said.Detail} {
			if len(raw) == 0 {
				continue
			}
			text := ""
			if json.Unmarshal(raw, &text) != nil {
				text = string(raw)
			}
			return oneLine(hide(text))
		}
	}
	return oneLine(hide(string(body[:min(len(body), maxRefusal)])))
}

// retryAfter reads the header of that name: seconds, or a date.
func retryAfter(h http.Header, now time.Time) time.Duration {
	text := h.Get("Retry-After")
	if seconds, err := strconv.ParseInt(text, 10, 32); err == nil {
		return max(0, time.Duration(seconds)*time.Second)
	}
	if date, err := http.ParseTime(text); err == nil {
		return max(0, date.Sub(now))
	}
	return 0
}
