package cluster

import (
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"tattle/internal/must"
	"tattle/internal/shared"
)

// TestStrangers lets a thousand connections without the token hang and be refused at
// once: whoever has it gets in, and what the server says of them is short and no secret.
func TestStrangers(t *testing.T) {
	shared.Long(t, "a thousand strangers")
	t.Setenv(tokenVariable, "")
	token := write(t, "token", "0123456789abcdef", 0o600)
	var log lockedLog
	url, _ := serving(t, ServerOptions{TokenFile: token, Log: &log})
	at := strings.TrimPrefix(url, "nats://")
	var all sync.WaitGroup
	for i := range 1000 {
		c := must.Get(net.Dial("tcp", at))(t, i)
		defer c.Close()
		if i%2 == 0 {
			continue // and says nothing
		}
		all.Go(func() {
			fmt.Fprintf(c, "CONNECT {\"auth_token\":\"hunter2\",\"verbose\":false}\r\nPING\r\n")
			c.SetDeadline(time.Now().Add(time.Minute))
			if said, _ := io.ReadAll(c); !strings.Contains(string(said), "Authorization Violation") {
				t.Errorf("a stranger is told %.200q", said)
			}
		})
	}
	begun := time.Now()
	c := must.Get(Connect(t.Context(), Dial{URL: url, TokenFile: token}))(t)
	defer c.Close()
	t.Logf("among strangers it takes %v to connect", time.Since(begun))
	all.Wait()
	said := log.String()
	if strings.Contains(said, "hunter2") || len(said) > 10_000 {
		t.Errorf("the server says %d bytes: %.300s", len(said), said)
	}
}

type lockedLog struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *lockedLog) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(b)
}

func (l *lockedLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// TestSandbox: clients cannot make requests to the system account.
func TestSandbox(t *testing.T) {
	url, _ := serving(t, ServerOptions{})
	c := must.Get(Connect(t.Context(), Dial{URL: url}))(t)
	defer c.Close()
	for _, subject := range []string{"$SYS.REQ.SERVER.PING", "$SYS.REQ.SERVER.PING.VARZ", "$SYS.REQ.SERVER." + c.nc.ConnectedServerId() + ".RELOAD"} {
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		if m, err := c.nc.RequestWithContext(ctx, subject, nil); err == nil {
			t.Errorf("%s is answered: %.200s", subject, m.Data)
		}
		cancel()
	}
}
