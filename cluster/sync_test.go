package cluster

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
)

// TestEmbeddedSyncs wants of the server in a process that all it confirms is on the disk,
// and that nobody reaches it from outside.
func TestEmbeddedSyncs(t *testing.T) {
	t.Parallel()
	store := filepath.Join(t.TempDir(), "ledger")
	h, err := startHost(store)
	if err != nil {
		t.Fatal(err)
	}
	defer h.stop()
	c := h.server.JetStreamConfig()
	if !c.SyncAlways {
		t.Error("what it confirms may not be on the disk")
	}
	if c.StoreDir != filepath.Join(store, server.JetStreamStoreDir) {
		t.Errorf("its store is in %s", c.StoreDir)
	}
	for what, at := range map[string]any{
		"clients": h.server.Addr(), "nodes": h.server.ClusterAddr(), "monitors": h.server.MonitorAddr(), "profilers": h.server.ProfilerAddr(),
	} {
		if at := fmt.Sprint(at); at != "<nil>" {
			t.Errorf("it listens to %s at %s", what, at)
		}
	}
}

// TestServerSyncs wants it of a site's server, too, whatever else is asked of it, and that
// it listens where it was told to and nowhere else.
func TestServerSyncs(t *testing.T) {
	t.Parallel()
	for _, o := range []ServerOptions{
		{Listen: "127.0.0.1:0", Store: t.TempDir()},
		{Listen: "127.0.0.1:0", Store: t.TempDir(), Name: "a", ClusterListen: "127.0.0.1:0"},
	} {
		so, err := o.server()
		if err != nil {
			t.Fatal(err)
		}
		if !so.JetStream || !so.SyncAlways || so.StoreDir != o.Store {
			t.Errorf("%+v: JetStream %v, sync %v, in %s", o, so.JetStream, so.SyncAlways, so.StoreDir)
		}
		if so.Host != "127.0.0.1" || so.HTTPPort != 0 || so.HTTPSPort != 0 || so.ProfPort != 0 || so.Websocket.Port != 0 || so.MQTT.Port != 0 || so.LeafNode.Port != 0 || so.Gateway.Port != 0 {
			t.Errorf("%+v: it listens elsewhere, too", o)
		}
	}
}
