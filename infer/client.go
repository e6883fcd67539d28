package infer

import (
	"context"
	"errors"
)

// A Client asks one model of one server. It is safe for concurrent use.
type Client struct{}

// New returns a client of the server at an address such as http://host:8000, or of a
// model at http://host:8000/v2/models/NAME. It sends nothing yet.
func New(address string, o Options) (*Client, error) { return nil, errors.New("not yet") }

// URL returns the model's address, without user or token.
func (c *Client) URL() string { return "" }

// Metadata asks what the model takes and gives; the first answer is kept.
func (c *Client) Metadata(ctx context.Context) (*Metadata, error) { return nil, errors.New("not yet") }

// Infer returns the model's outputs [n, …] at n examples, x being [n, p], and their shape.
func (c *Client) Infer(ctx context.Context, x []float32, n int) (y []float32, shape []int, err error) {
	return nil, nil, errors.New("not yet")
}
