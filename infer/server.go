package infer

import (
	"net/http"

	"tattle/nn"
)

// A Model is a net that Handler serves. It is safe for concurrent use.
type Model struct{}

// NewModel compiles a graph for serving; name is what the server calls it.
func NewModel(name string, g *nn.Graph) (*Model, error) { return &Model{}, nil }

// Handler serves models, by the names of the map, over the protocol's REST interface.
func Handler(models map[string]*Model, o ServerOptions) http.Handler { return http.NotFoundHandler() }
