package infer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// A Client asks one model of one server. It is safe for concurrent use.
type Client struct {
	address address
	o       Options // but for the token
	http    *http.Client
	pace    *pace
	timeout time.Duration
	retries int
	limit   int64

	// The token is in these functions only, where no %v finds it.
	authorize func(*http.Request)
	hide      func(text string) string // takes the token out of a server's words

	asking   sync.Mutex // held while the metadata are requested
	metadata *Metadata
}

// New returns a client of the server at an address such as http://host:8000, or of a
// model at http://host:8000/v2/models/NAME[/versions/VERSION]. It returns an error if the
// address contains a user or password. New sends nothing yet.
func New(endpoint string, o Options) (*Client, error) {
	a, err := parseAddress(endpoint, o)
	if err != nil {
		return nil, err
	}
	if err := o.check(); err != nil {
		return nil, err
	}
	c := &Client{address: a, timeout: cmp.Or(o.Timeout, DefaultTimeout), limit: DefaultMaxBody}
	c.retries = max(0, cmp.Or(o.Retries, DefaultRetries))
	c.pace = newPace(o.Rate)
	c.http = &http.Client{Transport: o.Transport, CheckRedirect: redirect}
	c.keep(o.Token)
	o.Token = ""
	c.o = o
	return c, nil
}

// check refuses settings that no client can have.
func (o Options) check() error {
	switch {
	case strings.TrimSpace(o.Token) != o.Token || strings.ContainsFunc(o.Token, func(r rune) bool { return r < ' ' || r > '~' }):
		return errors.New("the token has characters that are not allowed in HTTP headers: remove line ends")
	case o.Timeout < 0 || o.Batch < 0:
		return errors.New("timeout and batch must not be negative")
	case math.IsNaN(o.Rate) || o.Rate < 0 || o.Rate > 0 && o.Rate < 1e-4:
		return fmt.Errorf("a rate of %v requests a second: it must be 0 for no limit, or at least 0.0001", o.Rate)
	}
	return nil
}

// keep makes requests carry the token.
func (c *Client) keep(token string) {
	c.authorize, c.hide = func(*http.Request) {}, func(text string) string { return text }
	if token != "" {
		c.authorize = func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+token) }
		c.hide = func(text string) string { return strings.ReplaceAll(text, token, "[hidden]") }
	}
}

// URL returns the model's address.
func (c *Client) URL() string { return c.address.of() }

// Infer returns the model's outputs [n, …] at n examples, x being [n, p], and their
// shape. It asks in batches that the server takes; NaN and infinities are returned as
// they are. It returns an error if the model's tensors do not fit and when ctx ends.
func (c *Client) Infer(ctx context.Context, x []float32, n int) (y []float32, shape []int, err error) {
	defer func() { err = c.veil(err) }()
	if n <= 0 || len(x)%n != 0 {
		return nil, nil, fmt.Errorf("%s: %d numbers are no %d examples", c.URL(), len(x), n)
	}
	p, err := c.plan(ctx, len(x)/n)
	if err != nil {
		return nil, nil, err
	}
	if err := p.check(x); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", c.URL(), err)
	}
	for lo := 0; lo < n; lo += p.batch {
		part, rest, err := c.inferBatch(ctx, p, x[lo*p.size:min(n, lo+p.batch)*p.size])
		if err != nil {
			return nil, nil, err
		}
		if shape != nil && !slices.Equal(shape[1:], rest) {
			return nil, nil, fmt.Errorf("%s: outputs of shape %v for one example and %v for another", c.URL(), shape[1:], rest)
		}
		shape = append([]int{n}, rest...)
		if y == nil {
			if y, err = room(len(part)/min(n, p.batch), n); err != nil {
				return nil, nil, fmt.Errorf("%s/infer: %w", c.URL(), err)
			}
		}
		y = append(y, part...)
	}
	return y, shape, nil
}

// room allocates the outputs at n examples, wide numbers each.
func room(wide, n int) ([]float32, error) {
	if wide > maxOutputs/n {
		return nil, fmt.Errorf("%d numbers of each of %d examples are more than the %d that are kept: ask for fewer examples", wide, n, maxOutputs)
	}
	return make([]float32, 0, wide*n), nil
}

// inferBatch asks for the outputs at one batch and returns the shape of one example's.
func (c *Client) inferBatch(ctx context.Context, p *plan, x []float32) ([]float32, []int, error) {
	b := len(x) / p.size
	m := p.request(x, b)
	body, header, err := m.encode()
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", c.URL(), err)
	}
	at := c.URL() + "/infer"
	a, err := c.ask(ctx, question{method: http.MethodPost, url: at, body: body, header: header, limit: c.limit})
	if err != nil {
		return nil, nil, err
	}
	reply, err := decode(a.body, a.header)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: the answer cannot be read: %w (%s)", at, err, a.excerpt(c.hide))
	}
	if len(reply.Outputs) == 0 {
		return nil, nil, fmt.Errorf("%s: the answer has no outputs: %s", at, serverWords(a.body, c.hide))
	}
	y, rest, err := p.outputs(reply, b)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", at, err)
	}
	return y, rest, nil
}

// excerpt says how an answer that cannot be read begins, secrets being hidden before it
// is cut.
func (a *answer) excerpt(hide func(string) string) string {
	head := hide(string(a.body[:min(len(a.body), maxRefusal)]))
	return fmt.Sprintf("%s, %d bytes that begin with %s", oneLine(cmp.Or(a.kind, "no Content-Type")), len(a.body), oneLine(head[:min(len(head), 80)]))
}

// maxMetadata bounds what a server says of itself or a model, in bytes.
const maxMetadata = 1 << 20

// Tensor is an input or output as a server describes it.
type Tensor struct {
	Name     string `json:"name"`
	Shape    Sizes  `json:"shape"`    // −1 if open; the first is the batch's where the model has batches
	Datatype string `json:"datatype"` // "FP32", …

	Parameters map[string]any `json:"parameters,omitempty"` // what else is known, by name
}

// Metadata describes a model, and what else the server offers. Servers need not know a
// model's tensors: MLServer often names none.
type Metadata struct {
	Name     string   `json:"name"`
	Versions []string `json:"versions"`
	Platform string   `json:"platform"`
	Inputs   []Tensor `json:"inputs"`
	Outputs  []Tensor `json:"outputs"`

	Extensions []string `json:"-"`
	MaxBatch   int      `json:"-"` // examples a request at most; 0 if it names no limit
}

// maxSide is the largest width and height of pictures.
const maxSide = 1024

// PictureShape asks for the shape [channels, rows, columns] of one input. It is nil if the server does not say it in full.
func (c *Client) PictureShape(ctx context.Context) ([]int, error) {
	about, err := c.Metadata(ctx)
	if err != nil || len(about.Inputs) != 1 || len(about.Inputs[0].Shape) != 4 {
		return nil, err
	}
	var shape []int
	for _, n := range about.Inputs[0].Shape[1:] {
		if n < 1 || n > maxSide {
			return nil, nil
		}
		shape = append(shape, int(n))
	}
	return shape, nil
}

// Metadata asks what the model takes and gives; the first answer is kept.
func (c *Client) Metadata(ctx context.Context) (*Metadata, error) {
	c.asking.Lock()
	defer c.asking.Unlock()
	if c.metadata != nil {
		return c.metadata, nil
	}
	m := &Metadata{}
	err := c.get(ctx, c.URL(), m)
	if err == nil {
		err = c.askServer(ctx, m)
	}
	if err == nil {
		err = c.askConfig(ctx, m)
	}
	if err != nil {
		return nil, c.veil(err)
	}
	c.metadata = m
	return m, nil
}

// askServer asks which extensions the server has, which a gateway in front of it may refuse.
func (c *Client) askServer(ctx context.Context, m *Metadata) error {
	var said struct {
		Extensions []string
	}
	err := c.get(ctx, c.address.server+"/v2", &said)
	m.Extensions = said.Extensions
	return unlessRefused(err)
}

// askConfig asks for the largest batch where the server has Triton's extension for it.
func (c *Client) askConfig(ctx context.Context, m *Metadata) error {
	if !slices.Contains(m.Extensions, configExtension) {
		return nil
	}
	var said struct {
		MaxBatch int `json:"max_batch_size"`
	}
	err := c.get(ctx, c.URL()+"/config", &said)
	m.MaxBatch = max(0, said.MaxBatch)
	return unlessRefused(err)
}

// unlessRefused forgives a refusal or another answer than the protocol's, as of a page
// to log in, but not that nobody answers.
func unlessRefused(err error) error {
	var s *StatusError
	var p permanent
	if errors.As(err, &s) && !s.passing() || errors.As(err, &p) {
		return nil
	}
	return err
}

// get asks for a JSON object.
func (c *Client) get(ctx context.Context, url string, v any) error {
	a, err := c.ask(ctx, question{method: http.MethodGet, url: url, limit: maxMetadata})
	if err != nil {
		return err
	}
	if err := unmarshal(a.body, v); err != nil {
		return fmt.Errorf("%s: the answer cannot be read: %w (%s)", url, permanent{err}, a.excerpt(c.hide))
	}
	return nil
}
