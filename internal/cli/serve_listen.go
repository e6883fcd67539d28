package cli

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
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

// open starts to listen. It warns if others on the network can read what is sent.
func (f listenFlags) open(ctx context.Context, stderr io.Writer) (net.Listener, listen.Site, error) {
	var certificate *tls.Certificate
	if f.TLSCert != "" {
		pair, err := tls.LoadX509KeyPair(f.TLSCert, f.TLSKey)
		if err != nil {
			return nil, listen.Site{}, hinted(fmt.Errorf("--tls-cert, --tls-key: %w", err), "name a certificate and its key, both PEM files")
		}
		certificate = &pair
	}
	l, at, err := listen.Open(ctx, f.Listen, f.Token, certificate)
	if err != nil {
		err = hinted(fmt.Errorf("--listen: %w", err), "choose another address or port; port 0 means any free port")
	} else if at.Open {
		fmt.Fprintln(stderr, "tattle: warning: this is HTTP, so others on the network can read the token and all that is sent: set --tls-cert and --tls-key")
	}
	return l, at, err
}
