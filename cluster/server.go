package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"tattle/internal/file"
)

// ServerOptions describes a server for this machine, to try a cluster and to test it.
// Other machines need the site's own NATS server, with TLS: see docs/cluster.md.
type ServerOptions struct {
	Listen    string    // host:port on this machine; port 0 takes a free one
	Store     string    // folder for the ledgers of runs
	TokenFile string    // holds the token that clients must show; "" for TATTLE_CLUSTER_TOKEN, if set
	Log       io.Writer // receives warnings and errors; nil for none
}

const (
	startTimeout = time.Minute // the server reads its store first
	memoryLimit  = 64 << 20    // bytes, of JetStream
)

// ListenAndServe runs a NATS server with JetStream until ctx ends. It calls ready with
// the URL for clients. What the server has confirmed is on its disk. It is an error if
// the server cannot use its store.
func ListenAndServe(ctx context.Context, o ServerOptions, ready func(url string)) error {
	so, err := o.server()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(o.Store, 0o700); err != nil {
		return fmt.Errorf("--store: %w", err)
	}
	unlock, err := file.Lock(o.Store)
	if err != nil {
		return fmt.Errorf("--store: %w", err)
	}
	defer unlock()
	s, err := server.NewServer(so)
	if err != nil {
		return fmt.Errorf("server: %w", err)
	}
	log := &serverLog{to: o.Log, fatal: make(chan string, 1)}
	s.SetLoggerV2(log, false, false, false)
	switch err := start(ctx, s, log); {
	case ctx.Err() != nil:
		return nil
	case err != nil:
		return fmt.Errorf("%w: if the store is damaged, remove %s; then --resume submits the runs again, with what is finished", err, file.Name(o.Store))
	}
	defer func() {
		s.Shutdown()
		s.WaitForShutdown()
	}()
	ready(clientURL(o.Listen, s.Addr()))
	select {
	case <-ctx.Done():
		return nil
	case said := <-log.fatal:
		return fmt.Errorf("server: %s", said)
	}
}

// start starts the server, which reads its store, and waits until clients can connect.
func start(ctx context.Context, s *server.Server, log *serverLog) error {
	up := make(chan bool, 1)
	go func() {
		s.Start()
		up <- s.ReadyForConnections(startTimeout) && s.JetStreamEnabled()
	}()
	select {
	case ok := <-up:
		if !ok {
			return errors.New("server: JetStream does not start")
		}
		return nil
	case said := <-log.fatal:
		s.Shutdown()
		return fmt.Errorf("server: %s", said)
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(startTimeout):
		return fmt.Errorf("server: not ready after %v", startTimeout)
	}
}

// server returns the options of the NATS server, checked.
func (o ServerOptions) server() (*server.Options, error) {
	host, port, err := address(o.Listen)
	if err != nil {
		return nil, err
	}
	if !local(host) {
		return nil, fmt.Errorf("--listen %s: this server has no TLS and must listen on this machine only, such as 127.0.0.1:4222; for other machines run nats-server, as docs/cluster.md shows", o.Listen)
	}
	if o.Store == "" {
		return nil, errors.New("--store: must name a folder for the ledgers of runs")
	}
	token, warning, err := readToken(o.TokenFile)
	if err != nil {
		return nil, err
	}
	if token != "" && len(token) < minToken {
		return nil, fmt.Errorf("token: has %d characters, which can be guessed: must have at least %d, such as openssl rand -hex 20 prints", len(token), minToken)
	}
	if warning != "" && o.Log != nil {
		fmt.Fprintln(o.Log, warning)
	}
	l, err := net.Listen("tcp", o.Listen)
	if err != nil {
		return nil, fmt.Errorf("--listen: %w", err)
	}
	return &server.Options{
		Host: host, Port: port, Authorization: token,
		JetStream: true, StoreDir: o.Store, SyncAlways: true, JetStreamMaxMemory: memoryLimit,
		NoSigs: true, DisableJetStreamBanner: true,
	}, l.Close()
}

// address splits host:port; port 0 is a free one.
func address(text string) (host string, port int, err error) {
	host, p, err := net.SplitHostPort(text)
	if err == nil {
		port, err = strconv.Atoi(p)
	}
	if err != nil || port < 0 || port > 65535 {
		return "", 0, fmt.Errorf("--listen %s: must be written as 127.0.0.1:4222", file.Name(text))
	}
	if port == 0 {
		port = server.RANDOM_PORT
	}
	return host, port, nil
}

// clientURL returns the URL for clients of a server that listens at an address.
func clientURL(listen string, at net.Addr) string {
	host, _, _ := net.SplitHostPort(listen)
	_, port, _ := net.SplitHostPort(at.String())
	return "nats://" + net.JoinHostPort(host, port)
}

// serverLog writes the server's warnings and errors, and keeps the first fatal error.
type serverLog struct {
	mu     sync.Mutex
	to     io.Writer
	fatal  chan string
	second int64 // of the last line
	lines  int   // in that second
}

// mostLines are logged each second: connections from strangers must not fill the disk.
const mostLines = 20

func (l *serverLog) say(format string, v []any) string {
	said := strings.ReplaceAll(fmt.Sprintf(format, v...), "\n", " ")
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	if now.Unix() != l.second {
		l.second, l.lines = now.Unix(), 0
	}
	if l.lines++; l.to == nil || l.lines > mostLines {
		return said
	}
	if l.lines == mostLines {
		said += " (the rest of this second is left out)"
	}
	fmt.Fprintf(l.to, "%s %s\n", now.Format("15:04:05"), said)
	return said
}

// Fatalf, Warnf and the others implement the server's logger.
func (l *serverLog) Fatalf(format string, v ...any) {
	select {
	case l.fatal <- l.say(format, v):
	default:
	}
}
func (l *serverLog) Warnf(format string, v ...any)  { l.say(format, v) }
func (l *serverLog) Errorf(format string, v ...any) { l.say(format, v) }
func (l *serverLog) Noticef(string, ...any)         {}
func (l *serverLog) Debugf(string, ...any)          {}
func (l *serverLog) Tracef(string, ...any)          {}
