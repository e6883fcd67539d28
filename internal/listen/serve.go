package listen

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
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
