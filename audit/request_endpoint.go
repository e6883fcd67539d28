package audit

import (
	"context"
	"errors"

	"tattle/infer"
	"tattle/measure"
)

// maxSide is the largest width and height of an endpoint's pictures.
const maxSide = 1024

// openEndpoint asks a server. Its answers are kept in the folder, batch by batch.
func (q *Request) openEndpoint(ctx context.Context, folder string, s *Subject) (err error) {
	client, err := infer.New(q.Endpoint, q.Client)
	if err != nil {
		return &measure.OptionError{Option: "Endpoint", Err: err}
	}
	about, err := client.Metadata(ctx) // a server that is not there is found before anything is read
	if err != nil {
		return wrongEndpoint(ctx, err)
	}
	s.inputs = pictureShape(about)
	if s.Examples, err = q.readFor(ctx, s.inputs); err != nil {
		return err
	}
	o := q.Client
	o.Shape = s.Examples.Set.Shape
	if client, err = infer.New(q.Endpoint, o); err != nil {
		return &measure.OptionError{Option: "Endpoint", Err: err}
	}
	s.URL = client.URL()
	s.Sample, err = fromEndpoint(ctx, client, s.Examples.Set, folder, endpointOptions{
		Pool: q.Pool, Resume: q.Resume, Batch: o.Batch, Progress: q.progress("asking the endpoint, batches"),
	})
	if err != nil {
		return wrongEndpoint(ctx, err)
	}
	s.takeNotes()
	return nil
}

// wrongEndpoint names the option, with a hint if the server refuses the token.
func wrongEndpoint(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return err
	}
	e := &measure.InputError{Option: "Endpoint", Err: err}
	var refused *infer.StatusError
	if errors.As(err, &refused) && (refused.Code == 401 || refused.Code == 403) {
		e.Hint = "the environment variable TATTLE_TOKEN holds the bearer token"
	}
	return e
}

// readFor reads the examples for a server that takes pictures of a shape, nil if it does
// not say which: as they are, or preprocessed.
func (q *Request) readFor(ctx context.Context, shape []int) (*Examples, error) {
	o := q.ModelOptions
	if o.Preprocess == "" {
		o.Preprocess = "none"
	}
	m, err := measure.ModelOf(nil, o)
	switch {
	case err != nil:
		return nil, err
	case m.Preprocess.IsZero():
		return q.read(ctx, shape)
	}
	return q.readForeign(ctx, m, shape)
}

// pictureShape returns the shape [channels, rows, columns] of one input if a server says it
// in full, nil otherwise.
func pictureShape(about *infer.Metadata) []int {
	if len(about.Inputs) != 1 || len(about.Inputs[0].Shape) != 4 {
		return nil
	}
	var shape []int
	for _, n := range about.Inputs[0].Shape[1:] {
		if n < 1 || n > maxSide {
			return nil
		}
		shape = append(shape, int(n))
	}
	return shape
}
