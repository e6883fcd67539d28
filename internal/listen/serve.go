package listen

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"time"
)

// Time limits that do not concern the work itself.
const (
	headerTimeout = 10 * time.Second // for the headers of a request
	idleTimeout   = 2 * time.Minute  // between two requests
	lastAnswers   = 5 * time.Second  // for responses in progress at the end
)

// Serve serves until ctx ends, and then finishes the responses in progress. Errors of
// connections are written to stderr.
func Serve(ctx context.Context, stderr io.Writer, l net.Listener, h http.Handler) error {
	s := &http.Server{
		Handler: h, ReadHeaderTimeout: headerTimeout, IdleTimeout: idleTimeout, MaxHeaderBytes: 64 << 10,
		ErrorLog: log.New(stderr, "tattle: ", 0),
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

// ByAddress refuses requests that do not name an address or localhost: a foreign page can
// point a name of its own at this machine.
func ByAddress(next http.Handler) http.Handler {
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
