package cluster

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// jetStream is jetstream.New, but for tests.
var jetStream = jetstream.New

// A host is a server in this process, which only this process can reach.
type host struct {
	server *server.Server
	conn   *nats.Conn
	js     jetstream.JetStream
	said   hostLog
}

// startHost starts a server over a store, which it makes where there is none. Where it
// errs it has stopped the server; the host then is good for full alone.
func startHost(store string) (*host, error) {
	h := &host{}
	err := h.start(store)
	if err != nil {
		h.stop()
	}
	return h, err
}

func (h *host) start(store string) (err error) {
	h.server, err = server.NewServer(&server.Options{
		DontListen: true, NoSigs: true, DisableJetStreamBanner: true,
		JetStream: true, StoreDir: store, SyncAlways: true,
		JetStreamMaxMemory: 1 << 20, JetStreamMaxStore: 1 << 40, // the disk's own limit is what counts
	})
	if err != nil {
		return err
	}
	h.server.SetLoggerV2(&h.said, false, false, false)
	h.server.Start()
	for began := time.Now(); !h.server.ReadyForConnections(startTimeout / 100); {
		if said := h.said.first(fatal); said != "" {
			return fmt.Errorf("its server does not start: %s", said)
		}
		if time.Since(began) > startTimeout {
			return fmt.Errorf("its server does not start within %v", startTimeout)
		}
	}
	if !h.server.JetStreamEnabled() {
		return fmt.Errorf("its server does not start: %s", h.said.first(fatal, broken))
	}
	h.conn, err = nats.Connect("", nats.InProcessServer(h.server), nats.MaxReconnects(-1), nats.ReconnectWait(50*time.Millisecond))
	if err != nil {
		return err
	}
	h.js, err = jetStream(h.conn)
	return err
}

// stop stops the server; what it confirmed is on the disk.
func (h *host) stop() {
	if h.conn != nil {
		h.conn.Close()
	}
	if h.server != nil {
		h.server.Shutdown()
		h.server.WaitForShutdown()
	}
}

// damage errs where the server has found its store damaged.
func (h *host) damage() error {
	if said := h.said.first(fatal, broken); said != "" {
		return errors.New(said)
	}
	return nil
}

// broken errs where the server will not serve any more.
func (h *host) broken() error {
	if h.full() {
		return syscall.ENOSPC
	}
	if !h.server.JetStreamEnabled() {
		return fmt.Errorf("its server has given up: %s", h.said.first(fatal, broken))
	}
	return nil
}

// full tells whether the server found its disk full.
func (h *host) full() bool { return h != nil && h.said.full() }

// hostLog keeps the first line of each kind that a server says.
type hostLog struct {
	mu    sync.Mutex
	lines [2]string
	space bool // it said that there is no space left
}

const (
	fatal = iota
	broken
)

func (l *hostLog) note(kind int, format string, a []any) {
	line := strings.Join(strings.Fields(fmt.Sprintf(format, a...)), " ")
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.lines[kind] == "" {
		l.lines[kind] = line
	}
	l.space = l.space || strings.Contains(line, syscall.ENOSPC.Error()) || strings.Contains(line, syscall.EDQUOT.Error())
}

func (l *hostLog) first(kinds ...int) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, k := range kinds {
		if l.lines[k] != "" {
			return l.lines[k]
		}
	}
	return ""
}

func (l *hostLog) full() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.space
}

func (l *hostLog) Fatalf(format string, a ...any) { l.note(fatal, format, a) }
func (l *hostLog) Errorf(format string, a ...any) { l.note(broken, format, a) }
func (l *hostLog) Warnf(string, ...any)           {}
func (l *hostLog) Noticef(string, ...any)         {}
func (l *hostLog) Debugf(string, ...any)          {}
func (l *hostLog) Tracef(string, ...any)          {}
