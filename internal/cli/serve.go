package cli

import (
	"context"
	"errors"
	"net/http"

	"tattle/internal/infer"
	"tattle/internal/listen"
)

type serveCmd struct {
	Model       []string `sep:"none" help:"Serve this ONNX model. Repeatable." placeholder:"FILE[=NAME]"`
	InputShape  string   `help:"Sizes of one input, without the batch, if the file leaves them open." placeholder:"3x224x224"`
	ModelOutput string   `help:"Which output, if the model has several." placeholder:"NAME"`
	listenFlags
}

func (serveCmd) Help() string {
	return "Example: tattle serve --model model.onnx=age --listen 127.0.0.1:8000\n\n" +
		"Serves models by the Open Inference Protocol v2, for tattle audit --endpoint and any other client. Ctrl-C ends it."
}

// Run serves until it is interrupted.
func (c *serveCmd) Run(ctx context.Context, e *env) error {
	if len(c.Model) == 0 {
		return usage(errors.New("--model is required"), "see the example in tattle serve --help")
	}
	if err := c.listenFlags.check(); err != nil {
		return err
	}
	models, err := c.models()
	if err != nil {
		return err
	}
	return c.serve(ctx, e, func(at listen.Site) (http.Handler, string, error) {
		return infer.Handler(models.models, infer.ServerOptions{Token: at.Token}), models.announce(at), nil
	})
}
