package cluster

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"tattle/internal/must"
)

// authority makes a certificate authority and a certificate of 127.0.0.1 that it
// signed, for both ends of a connection.
func authority(t *testing.T) (ca, cert, key string) {
	t.Helper()
	return authorityUntil(t, time.Now().Add(time.Hour))
}

// authorityUntil makes a certificate that holds until then.
func authorityUntil(t *testing.T, end time.Time) (ca, cert, key string) {
	t.Helper()
	sign := func(template, parent *x509.Certificate, public any, private any) []byte {
		return must.Get(x509.CreateCertificate(rand.Reader, template, parent, public, private))(t)
	}
	written := func(name, kind string, der []byte) string {
		return write(t, name, string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})), 0o600)
	}
	newKey := func() *ecdsa.PrivateKey {
		return must.Get(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	}
	root, leaf := newKey(), newKey()
	begin := time.Now().Add(-time.Hour)
	issuer := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test CA"}, NotBefore: begin, NotAfter: begin.Add(3 * time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	subject := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "test"}, NotBefore: begin, NotAfter: end,
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	private := must.Get(x509.MarshalPKCS8PrivateKey(leaf))(t)
	return written("ca.pem", "CERTIFICATE", sign(issuer, issuer, &root.PublicKey, root)),
		written("cert.pem", "CERTIFICATE", sign(subject, issuer, &leaf.PublicKey, root)),
		written("key.pem", "PRIVATE KEY", private)
}

// TestServerRefuses does not start what others could misuse, or what could not work.
func TestServerRefuses(t *testing.T) {
	t.Setenv(tokenVariable, "")
	token := write(t, "token", "0123456789abcdef", 0o600)
	busy := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer busy.Close()
	used := t.TempDir()
	serving(t, ServerOptions{Store: used})
	const here = "127.0.0.1:0"
	for name, c := range map[string]struct {
		o    ServerOptions
		want string
	}{
		"open to all":     {ServerOptions{Listen: "0.0.0.0:0"}, "must listen on this machine only"},
		"all, by default": {ServerOptions{Listen: ":0"}, "must listen on this machine only"},
		"with a token":    {ServerOptions{Listen: "10.0.0.1:0", TokenFile: token}, "must listen on this machine only"},
		"short token":     {ServerOptions{Listen: here, TokenFile: write(t, "t", "hunter2", 0o600)}, "can be guessed"},
		"address":         {ServerOptions{Listen: "127.0.0.1"}, "written as 127.0.0.1:4222"},
		"port":            {ServerOptions{Listen: "127.0.0.1:99999"}, "written as 127.0.0.1:4222"},
		"taken":           {ServerOptions{Listen: busy.Addr().String()}, "address already in use"},
		"store in use":    {ServerOptions{Listen: here, Store: used}, "another run works in this folder"},
		"store is a file": {ServerOptions{Listen: here, Store: token}, "--store"},
		"no store":        {ServerOptions{Listen: here, Store: "-"}, "--store"},
	} {
		t.Run(name, func(t *testing.T) {
			if c.o.Store == "" {
				c.o.Store = t.TempDir()
			}
			if c.o.Store == "-" {
				c.o.Store = ""
			}
			ctx, cancel := context.WithCancel(context.Background())
			err := ListenAndServe(ctx, c.o, func(string) { cancel() })
			cancel()
			says(t, err, c.want)
		})
	}
}

// TestServerSyncs: what the server confirms is on its disk, and it listens on the given address
// only.
func TestServerSyncs(t *testing.T) {
	o := ServerOptions{Listen: "127.0.0.1:0", Store: t.TempDir()}
	so := must.Get(o.server())(t)
	if !so.JetStream || !so.SyncAlways || so.StoreDir != o.Store {
		t.Errorf("JetStream %v, sync %v, in %s", so.JetStream, so.SyncAlways, so.StoreDir)
	}
	if so.Host != "127.0.0.1" || so.HTTPPort != 0 || so.HTTPSPort != 0 || so.ProfPort != 0 || so.Websocket.Port != 0 || so.MQTT.Port != 0 || so.LeafNode.Port != 0 || so.Gateway.Port != 0 || so.Cluster.Port != 0 {
		t.Error("it listens elsewhere, too")
	}
}

// TestNATSFiles has the server's own parser read deploy/nats.
func TestNATSFiles(t *testing.T) {
	ca, cert, key := authority(t)
	t.Setenv("TATTLE_TOKEN", "0123456789abcdef")
	dir := t.TempDir()
	for _, name := range []string{"nats-server.conf", "one-of-three.conf"} {
		text := must.Get(os.ReadFile(filepath.Join("../deploy/nats", name)))(t)
		edited := strings.NewReplacer("/etc/nats/cert.pem", cert, "/etc/nats/key.pem", key, "/etc/nats/ca.pem", ca).Replace(string(text))
		must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte(edited), 0o600))
		o := must.Get(server.ProcessConfigFile(filepath.Join(dir, name)))(t, name)
		if !o.JetStream || !o.SyncAlways || o.StoreDir != "/var/lib/nats" || o.TLSConfig == nil || o.Authorization != "0123456789abcdef" || o.Port != 4222 {
			t.Errorf("%s: %+v", name, o)
		}
		if three := name != "nats-server.conf"; three != (len(o.Routes) == 2) || three != (o.Cluster.TLSConfig != nil) || three != (o.ServerName == "n1") {
			t.Errorf("%s: cluster %+v, routes %v", name, o.Cluster, o.Routes)
		}
	}
}
