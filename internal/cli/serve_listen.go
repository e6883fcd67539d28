package cli

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
)

// listenFlags say where a server listens and who may ask it.
type listenFlags struct {
	Listen  string `help:"Address to listen at; port 0: any free port (default: 127.0.0.1:8080)." default:"127.0.0.1:8080" placeholder:"HOST:PORT"`
	Token   string `env:"TATTLE_TOKEN" help:"Token that clients must send, as ?token=… or bearer (default: random if other machines can reach the server)." placeholder:"TOKEN"`
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

// open starts to listen.
func (f listenFlags) open(ctx context.Context) (net.Listener, site, error) {
	var pair tls.Certificate
	secure := f.TLSCert != ""
	if secure {
		var err error
		if pair, err = tls.LoadX509KeyPair(f.TLSCert, f.TLSKey); err != nil {
			return nil, site{}, hinted(fmt.Errorf("--tls-cert, --tls-key: %w", err), "name a certificate and its key, both PEM files")
		}
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", f.Listen)
	if err != nil {
		return nil, site{}, hinted(fmt.Errorf("--listen: %w", err), "choose another address or port; port 0 means any free port")
	}
	at := siteOf(l.Addr(), f.Token)
	if secure {
		at.scheme = "https"
		l = tls.NewListener(l, &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{pair}})
	}
	return l, at, nil
}

// A site is the address of a server.
type site struct {
	scheme string
	host   string // with its port
	token  string // empty if none is needed
	made   bool   // the token was made here
}

// siteOf returns the address of a listener. If other machines can reach it, it has a
// token, made here if none is given.
func siteOf(a net.Addr, token string) site {
	s := site{scheme: "http", host: a.String(), token: token}
	if loopback(a) {
		return s
	}
	if s.host = public(a); token == "" {
		s.token, s.made = rand.Text(), true
	}
	return s
}

// url returns an address at the site; a link contains the token if it was made here.
func (s site) url(path string, link bool) string {
	u := url.URL{Scheme: s.scheme, Host: s.host, Path: path}
	if link && s.made {
		u.RawQuery = url.Values{"token": {s.token}}.Encode()
	}
	return u.String()
}

// loopback reports whether only this machine can reach an address.
func loopback(a net.Addr) bool {
	t, ok := a.(*net.TCPAddr)
	return ok && t.IP.IsLoopback()
}

// public returns an address at which other machines can reach a listener.
func public(a net.Addr) string {
	host, port, _ := net.SplitHostPort(a.String())
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		if name, err := os.Hostname(); err == nil && name != "" {
			host = name
		}
	}
	return net.JoinHostPort(host, port)
}

// byAddress refuses requests that do not name an address or localhost: a foreign page can
// point a name of its own at this machine.
func byAddress(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, err := net.SplitHostPort(r.Host)
		if err != nil {
			host = r.Host
		}
		if host != "localhost" && net.ParseIP(strings.Trim(host, "[]")) == nil {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusMisdirectedRequest)
			io.WriteString(w, `{"error":"without a token the host must be localhost or an address"}`)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// Time limits that do not concern the work itself.
const (
	headerTimeout = 10 * time.Second // for the headers of a request
	idleTimeout   = 2 * time.Minute  // between two requests
	lastAnswers   = 5 * time.Second  // for responses in progress at the end
)

// serveUntil serves until ctx ends, and then finishes the responses in progress.
func serveUntil(ctx context.Context, e *env, l net.Listener, h http.Handler) error {
	s := &http.Server{
		Handler: h, ReadHeaderTimeout: headerTimeout, IdleTimeout: idleTimeout, MaxHeaderBytes: 64 << 10,
		ErrorLog: log.New(e.stderr, "tattle: ", 0),
	}
	stopped := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastAnswers)
		defer cancel()
		if s.Shutdown(ctx) != nil {
			s.Close()
		}
		close(stopped)
	})
	err := s.Serve(l)
	if errors.Is(err, http.ErrServerClosed) {
		<-stopped
		return nil
	}
	stop()
	return err
}
