package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"tattle/audit"
	"tattle/infer"
	"tattle/internal/progress"
	"tattle/measure"
)

// openModel asks a model in a file.
func (c *auditCmd) openModel(ctx context.Context, e *env, d *audited) (err error) {
	if d.model, err = c.readFlags.open(c.Model); err != nil {
		return err
	}
	if d.model.Preprocess.IsZero() {
		d.examples, err = c.read(ctx, e, d.model.Graph.InputShape)
	} else {
		d.examples, err = c.readForeign(ctx, e, d.model, d.model.Pictures())
	}
	if err != nil {
		return err
	}
	if err := d.examples.fitsInto(d.model.Graph.InputShape); err != nil {
		return err
	}
	if d.settled != nil {
		d.unasked()
		return nil
	}
	d.Sample, err = audit.FromModel(ctx, d.model.Graph, d.examples.set, audit.ModelOptions{})
	return d.asked(ctx, e, "--model", err)
}

// asked adds what reading the examples said to the sample.
func (d *audited) asked(ctx context.Context, e *env, flag string, err error) error {
	if err != nil {
		if ctx.Err() != nil {
			return err
		}
		return usage(fmt.Errorf("%s: %w", flag, unprefixed(err)), "")
	}
	d.Sample.Notes = append(slices.Clone(d.examples.notes), d.Sample.Notes...)
	return nil
}

// openEndpoint asks a server. What it answers is kept batch by batch.
func (c *auditCmd) openEndpoint(ctx context.Context, e *env, dir string, d *audited) (err error) {
	if d.settled != nil {
		d.inputs = d.settled.Inputs
		if d.examples, err = c.readFor(ctx, e, d.inputs); err == nil {
			d.unasked()
		}
		return err
	}
	o := c.asking()
	client, err := infer.New(c.Endpoint, o)
	if err != nil {
		return usage(fmt.Errorf("--endpoint: %w", err), "")
	}
	about, err := client.Metadata(ctx) // a server that is not there is found before anything is read
	if err != nil {
		return endpointError(ctx, e, err)
	}
	d.inputs = pictureShape(about)
	if d.examples, err = c.readFor(ctx, e, d.inputs); err != nil {
		return err
	}
	o.Shape = d.examples.set.Shape
	if client, err = infer.New(c.Endpoint, o); err != nil {
		return usage(fmt.Errorf("--endpoint: %w", err), "")
	}
	d.url = client.URL()
	return c.ask(ctx, e, dir, d, client)
}

// asking returns the flags about the endpoint as options of its client.
func (c *auditCmd) asking() infer.Options {
	o := infer.Options{
		Model: c.EndpointModel, Output: c.ModelOutput, Token: token(),
		Timeout: c.Timeout, Rate: float64(c.Rate), Batch: c.Batch,
	}
	if c.Retries != nil {
		if o.Retries = *c.Retries; o.Retries == 0 {
			o.Retries = -1
		}
	}
	return o
}

// readFor reads the examples for a server that takes pictures of a shape, if it says
// which: as they are, or preprocessed as the flags say.
func (c *auditCmd) readFor(ctx context.Context, e *env, shape []int) (*examples, error) {
	o := measure.ModelOptions(c.readFlags)
	if o.Preprocess == "" {
		o.Preprocess = "none"
	}
	m, err := measure.ModelOf(nil, o)
	if err != nil {
		return nil, flagged(err, optionFlags)
	}
	if m.Preprocess.IsZero() {
		return c.read(ctx, e, shape)
	}
	return c.readForeign(ctx, e, m, shape)
}

// pictureShape is the shape of one input [channels, rows, columns] where a server says
// it in full, nil otherwise.
func pictureShape(about *infer.Metadata) []int {
	if len(about.Inputs) != 1 || len(about.Inputs[0].Shape) != 4 {
		return nil
	}
	var shape []int
	for _, n := range about.Inputs[0].Shape[1:] {
		if n < 1 || n > mostSide {
			return nil
		}
		shape = append(shape, int(n))
	}
	return shape
}

// answersDir keeps what an endpoint answered.
const answersDir = "answers"

// ask asks the server about the examples.
func (c *auditCmd) ask(ctx context.Context, e *env, dir string, d *audited, client *infer.Client) (err error) {
	bar := progress.New(e.stderr, "asking, batches", 0)
	defer bar.Close()
	d.Sample, err = audit.FromEndpoint(ctx, client, d.examples.set, audit.EndpointOptions{
		Folder: filepath.Join(dir, shardsDir, answersDir), Resume: c.Resume, Batch: c.Batch,
		Progress: bar.Set,
	})
	if err != nil {
		return endpointError(ctx, e, err)
	}
	return d.asked(ctx, e, "--endpoint", nil)
}

// endpointError names the flag, and hints at the mend of what people get wrong.
func endpointError(ctx context.Context, e *env, err error) error {
	if ctx.Err() != nil {
		return err
	}
	err = fmt.Errorf("--endpoint: %w", err)
	var refused *infer.StatusError
	if errors.As(err, &refused) && (refused.Code == 401 || refused.Code == 403) {
		return &statusError{statusUnfinished, err, "the environment variable " + tokenVariable + " holds the bearer token"}
	}
	return err
}
