package infer

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
)

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
