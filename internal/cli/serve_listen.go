package cli

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
)

// A site is the address of a server.
type site struct {
	host  string // with its port
	token string // empty if none is needed
	made  bool   // the token was made here
}

// siteOf returns the address of a listener. If other machines can reach it, it has a
// token, made here if none is given.
func siteOf(a net.Addr, token string) site {
	s := site{host: a.String(), token: token}
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
	u := url.URL{Scheme: "http", Host: s.host, Path: path}
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
