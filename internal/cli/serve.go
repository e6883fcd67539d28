package cli

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"strings"

	"tattle/internal/engine/onnx"
	"tattle/internal/file"
	"tattle/internal/infer"
	"tattle/internal/listen"
	"tattle/internal/protect/measure"
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

// endpoints are models that are served.
type endpoints struct {
	models map[string]*infer.Model
	names  []string // in the order given
}

// models reads the models.
func (c *serveCmd) models() (*endpoints, error) {
	o, err := readOptions(c.InputShape, c.ModelOutput)
	if err != nil {
		return nil, err
	}
	p := &endpoints{models: map[string]*infer.Model{}}
	for _, given := range c.Model {
		path, name := servedName(given)
		if err := checkServed(name); err != nil {
			return nil, err
		}
		if p.models[name] != nil {
			return nil, usage(fmt.Errorf("--model: two models have the name %s", file.Name(name)), "give one of them another name, as in --model "+file.Quote(path+"="+name+"2"))
		}
		g, err := onnx.ReadWith(path, o)
		if err != nil {
			return nil, measure.WrongModel(err)
		}
		if p.models[name], err = infer.NewModel(name, g); err != nil {
			return nil, fmt.Errorf("--model %s: %w", file.Name(path), err)
		}
		p.names = append(p.names, name)
	}
	return p, nil
}

// servedName splits FILE=NAME; the default name is that of the file.
func servedName(given string) (path, name string) {
	if i := strings.LastIndexByte(given, '='); i >= 0 && !exists(given) {
		return given[:i], given[i+1:]
	}
	return given, strings.TrimSuffix(filepath.Base(given), filepath.Ext(given))
}

// checkServed returns an error if a name cannot be part of an address.
func checkServed(name string) error {
	odd := func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_.", r))
	}
	if name == "" || strings.Trim(name, ".") == "" || strings.ContainsFunc(name, odd) {
		return usage(fmt.Errorf("--model: the name %s cannot be part of an address", file.Name(name)), "use letters, digits, - and _, as in --model FILE=age")
	}
	return nil
}

// announce returns the commands that audit what is served.
func (p *endpoints) announce(at listen.Site) string {
	var b strings.Builder
	for _, name := range p.names {
		switch {
		case at.Made:
			b.WriteString("TATTLE_TOKEN=" + at.Token + " ")
		case at.Token != "":
			b.WriteString("TATTLE_TOKEN=… ")
		}
		fmt.Fprintf(&b, "tattle audit --endpoint %s --data PATH\n", at.URL("/v2/models/"+name))
	}
	return b.String()
}

// listenFlags say where a server listens and who may ask it.
type listenFlags struct {
	Listen  string `help:"Address to listen at; port 0: any free port (default: 127.0.0.1:8080)." default:"127.0.0.1:8080" placeholder:"HOST:PORT"`
	Token   string `env:"TATTLE_TOKEN" help:"Token that clients must send as a bearer (default: random if other machines can reach the server)." placeholder:"TOKEN"`
	TLSCert string `name:"tls-cert" help:"Serve HTTPS with this certificate, a PEM file with its chain." placeholder:"FILE"`
	TLSKey  string `name:"tls-key" help:"Key of --tls-cert, a PEM file." placeholder:"FILE"`
}

// check checks the flags.
func (f listenFlags) check() error {
	_, _, err := net.SplitHostPort(f.Listen)
	switch {
	case err != nil:
		return usage(fmt.Errorf("--listen: %w", err), "write it as 127.0.0.1:8080")
	case strings.ContainsFunc(f.Token, func(r rune) bool { return r <= ' ' || r > '~' }):
		return usage(errors.New("--token: characters that are not allowed in HTTP headers"), "remove spaces and line ends from --token or TATTLE_TOKEN")
	case (f.TLSCert == "") != (f.TLSKey == ""):
		return usage(errors.New("--tls-cert and --tls-key require each other"), "")
	}
	return nil
}

// serve listens, prints what it serves, and answers until ctx ends. It warns if others on the network
// can read what is sent. what returns the handler and what to print.
func (f listenFlags) serve(ctx context.Context, e *env, what func(at listen.Site) (h http.Handler, said string, err error)) error {
	var certificate *tls.Certificate
	if f.TLSCert != "" {
		pair, err := tls.LoadX509KeyPair(f.TLSCert, f.TLSKey)
		if err != nil {
			return hinted(fmt.Errorf("--tls-cert, --tls-key: %w", err), "name a certificate and its key, both PEM files")
		}
		certificate = &pair
	}
	l, at, err := listen.Open(ctx, f.Listen, f.Token, certificate)
	if err != nil {
		return hinted(fmt.Errorf("--listen: %w", err), "choose another address or port; port 0 means any free port")
	}
	defer l.Close()
	if at.Open {
		e.say("warning: this is HTTP, so others on the network can read the token and all that is sent: set --tls-cert and --tls-key")
	}
	h, said, err := what(at)
	switch {
	case err != nil:
		return err
	case at.Token == "":
		h = listen.ByAddress(h)
	case at.Made:
		said = "token, printed only here: " + at.Token + "\n" + said
	}
	if err := e.print("%s", said); err != nil {
		return err
	}
	return listen.Serve(ctx, e.stderr, l, h)
}
