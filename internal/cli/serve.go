package cli

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"

	"tattle/internal/file"
	"tattle/serve"
)

type serveCmd struct {
	Dir         string   `arg:"" optional:"" help:"Folder whose reports are shown, those in folders below it, too." placeholder:"DIR"`
	Model       []string `sep:"none" help:"Instead of reports: serve an ONNX file by the Open Inference Protocol v2, under this name or that of the file. Several times: several models." placeholder:"FILE[=NAME]"`
	InputShape  string   `help:"Of --model: sizes of one input, without the batch, where the file leaves them open." placeholder:"3x224x224"`
	ModelOutput string   `help:"Of --model: which of the model's outputs, where it has several." placeholder:"NAME"`
	Listen      string   `help:"Address to listen at; port 0 takes a free one." default:"127.0.0.1:8080" placeholder:"HOST:PORT"`
	Token       string   `env:"TATTLE_TOKEN" help:"What readers must show: ?token=… once, or as a bearer. In the environment nobody else sees it. Listening elsewhere than on this machine there is always one: without yours a random one, printed once." placeholder:"TOKEN"`
}

func (serveCmd) Help() string {
	return "Example: tattle serve audits\n\nExample: tattle serve --model model.onnx=age --listen 127.0.0.1:8000\n\n" +
		"A folder: a page that lists its reports, filters and sorts them, and sets two runs side by side. " +
		"Models: a server of which tattle audit --endpoint, or any client of that protocol, may ask. Ctrl-C ends it."
}

func (c *serveCmd) Run(e *env) error {
	if err := c.check(); err != nil {
		return err
	}
	what, err := c.service()
	if err != nil {
		return err
	}
	l, err := new(net.ListenConfig).Listen(e.ctx, "tcp", c.Listen)
	if err != nil {
		return hinted(fmt.Errorf("--listen: %w", err), "choose another address or port; port 0 takes a free one")
	}
	defer l.Close()
	at := siteOf(l.Addr(), c.Token)
	h, err := what.handler(at.token)
	if err != nil {
		return err
	}
	if err := what.say(e.stdout, at); err != nil {
		return err
	}
	return serveUntil(e, l, h)
}

// A service is what can be served.
type service interface {
	handler(token string) (http.Handler, error)
	say(w io.Writer, at site) error // how it is reached
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

func (dir pages) say(w io.Writer, at site) error {
	_, err := fmt.Fprintf(w, "reports in %s: %s\n", file.Name(string(dir)), at.url("/", true))
	if err == nil && at.token != "" && !at.made {
		_, err = fmt.Fprintln(w, "the page asks for the token once")
	}
	return err
}

// check refuses what makes no sense.
func (c *serveCmd) check() error {
	_, _, err := net.SplitHostPort(c.Listen)
	switch {
	case c.Dir == "" && len(c.Model) == 0:
		return usage(errors.New("serve needs a folder of reports, or --model"), "tattle serve --help has an example of each")
	case c.Dir != "" && len(c.Model) > 0:
		return usage(errors.New("serve shows a folder or serves --model, not both"), "start it twice, at two ports")
	case len(c.Model) == 0 && c.InputShape+c.ModelOutput != "":
		return usage(errors.New("--input-shape and --model-output are of --model, which is missing"), "")
	case err != nil:
		return usage(fmt.Errorf("--listen: %w", err), "write it as 127.0.0.1:8080")
	case strings.ContainsFunc(c.Token, func(r rune) bool { return r <= ' ' || r > '~' }):
		return usage(errors.New("the token has characters that no header takes"), "look for a space or a line end in --token or TATTLE_TOKEN")
	}
	return nil
}
