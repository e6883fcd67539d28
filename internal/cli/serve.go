package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"tattle/internal/file"
	"tattle/internal/listen"
	"tattle/serve"
)

type serveCmd struct {
	Dir         string   `arg:"" optional:"" help:"Show the reports in this folder and in folders below it." placeholder:"DIR"`
	Model       []string `sep:"none" help:"Serve this ONNX model by the Open Inference Protocol v2. Repeatable." placeholder:"FILE[=NAME]"`
	InputShape  string   `help:"With --model: sizes of one input, without the batch, if the file leaves them open." placeholder:"3x224x224"`
	ModelOutput string   `help:"With --model: which output, if the model has several." placeholder:"NAME"`
	listenFlags
}

func (serveCmd) Help() string {
	return "Example: tattle serve audits\n\nExample: tattle serve --model model.onnx=age --listen 127.0.0.1:8000\n\n" +
		"With a folder, serve shows a page that lists its reports, with filters; a link can have the token as ?token=…. " +
		"With models, it answers tattle audit --endpoint and any other client of the protocol. Ctrl-C ends it."
}

func (c *serveCmd) Run(ctx context.Context, e *env) error {
	if err := c.check(); err != nil {
		return err
	}
	what, err := c.service()
	if err != nil {
		return err
	}
	l, at, err := c.open(ctx, e.stderr)
	if err != nil {
		return err
	}
	defer l.Close()
	h, err := what.handler(at.Token)
	if err != nil {
		return err
	}
	if err := what.announce(e.stdout, at); err != nil {
		return err
	}
	return listen.Serve(ctx, e.stderr, l, h)
}

// A service is a folder of reports, or models.
type service interface {
	handler(token string) (http.Handler, error)
	announce(w io.Writer, at listen.Site) error // prints its address
}

func (c *serveCmd) service() (service, error) {
	if len(c.Model) == 0 {
		return pages(c.Dir), nil
	}
	return c.models()
}

// pages is a folder of reports.
type pages string

func (dir pages) handler(token string) (http.Handler, error) {
	h, err := serve.Handler(string(dir), serve.Options{Token: token})
	if err != nil {
		return nil, hinted(err, "name a folder that holds runs")
	}
	return h, nil
}

func (dir pages) announce(w io.Writer, at listen.Site) error {
	_, err := fmt.Fprintf(w, "reports in %s: %s\n", file.Name(string(dir)), at.URL("/", true))
	if err == nil && at.Token != "" && !at.Made {
		_, err = fmt.Fprintln(w, "the page asks once for the token")
	}
	return err
}

// check checks the flags.
func (c *serveCmd) check() error {
	switch {
	case c.Dir == "" && len(c.Model) == 0:
		return usage(errors.New("a folder of reports or --model is required"), "see the examples in tattle serve --help")
	case c.Dir != "" && len(c.Model) > 0:
		return usage(errors.New("a folder and --model are mutually exclusive"), "start tattle serve twice, on two ports")
	case len(c.Model) == 0 && c.InputShape+c.ModelOutput != "":
		return usage(errors.New("--input-shape and --model-output require --model"), "")
	}
	return c.listenFlags.check()
}
