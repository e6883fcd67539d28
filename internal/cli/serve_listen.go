package cli

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"

	"tattle/internal/listen"
)

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
