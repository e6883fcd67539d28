package cluster

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"

	"tattle/internal/must"
)

// serving starts a server of ours and returns its URL; stop ends it.
func serving(t *testing.T, o ServerOptions) (url string, stop func()) {
	t.Helper()
	if o.Listen == "" {
		o.Listen = "127.0.0.1:0"
	}
	if o.Store == "" {
		o.Store = t.TempDir()
	}
	ctx, cancel := context.WithCancel(context.Background())
	up, end := make(chan string, 1), make(chan error, 1)
	go func() { end <- ListenAndServe(ctx, o, func(url string) { up <- url }) }()
	stop = func() {
		cancel()
		if err := <-end; err != nil {
			t.Errorf("server: %v", err)
		}
		end <- nil
	}
	select {
	case url = <-up:
	case err := <-end:
		t.Fatal(err)
	}
	t.Cleanup(stop)
	return url, stop
}

func write(t *testing.T, name, text string, mode os.FileMode) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	must.Do(t, os.WriteFile(path, []byte(text), mode))
	return path
}

// natsServer starts a server as a site may have one, with JetStream if it has TLS, and returns
// its URL.
func natsServer(t *testing.T, o server.Options) (url string) {
	t.Helper()
	o.Host, o.Port, o.NoSigs, o.NoLog = "127.0.0.1", server.RANDOM_PORT, true, true
	if o.StoreDir = t.TempDir(); o.TLSConfig != nil {
		o.JetStream = true
	}
	s := must.Get(server.NewServer(&o))(t)
	s.Start()
	t.Cleanup(func() {
		s.Shutdown()
		s.WaitForShutdown()
	})
	if !s.ReadyForConnections(time.Minute) {
		t.Fatal("the server is not ready")
	}
	scheme := "nats"
	if o.TLSConfig != nil {
		scheme = "tls"
	}
	return scheme + "://" + s.Addr().String()
}

// TestDoors connects to servers with a token, a key and TLS: with what they ask for, and
// without it, which is explained.
func TestDoors(t *testing.T) {
	t.Setenv(tokenVariable, "")
	pair := must.Get(nkeys.CreateUser())(t)
	public, _ := pair.PublicKey()
	seed, _ := pair.Seed()
	strange, _ := nkeys.CreateUser()
	strangeSeed, _ := strange.Seed()
	ca, cert, key := authority(t)
	otherCA, otherCert, otherKey := authority(t)
	const secret = "0123456789abcdef"
	token := write(t, "token", secret+"\n", 0o600)
	wrong := write(t, "wrong", "this-is-not-the-token\n", 0o600)
	withTLS := func(cert, key string) server.Options {
		pair := must.Get(readPair(cert, key))(t)
		return server.Options{Authorization: secret, TLSConfig: &tls.Config{Certificates: pair}, TLSTimeout: 10}
	}
	o := withTLS(cert, key)
	o.Nkeys = []*server.NkeyUser{{Nkey: public}}
	url := natsServer(t, o)
	o = withTLS(cert, key)
	o.TLSConfig.ClientAuth = tls.RequireAndVerifyClientCert
	o.TLSConfig.ClientCAs = must.Get(readPool(ca))(t)
	mutual := natsServer(t, o)
	oldCA, oldCert, oldKey := authorityUntil(t, time.Now().Add(-time.Minute))
	expired := natsServer(t, withTLS(oldCert, oldKey))
	plain, _ := serving(t, ServerOptions{})
	without := natsServer(t, server.Options{})
	silent, err := net.Listen("tcp", "127.0.0.1:0") // takes connections and says nothing
	must.Do(t, err)
	t.Cleanup(func() { silent.Close() })
	web := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	t.Cleanup(func() { web.Close() })
	go func() {
		for {
			c, err := web.Accept()
			if err != nil {
				return
			}
			c.Close()
		}
	}()
	for name, c := range map[string]struct {
		d    Dial
		want string // of the error; empty for none
	}{
		"token":             {Dial{URL: url, TokenFile: token, CA: ca}, ""},
		"key":               {Dial{URL: url, NKeyFile: write(t, "seed", string(seed), 0o600), CA: ca}, ""},
		"certificate":       {Dial{URL: mutual, TokenFile: token, CA: ca, Cert: cert, Key: key}, ""},
		"nothing to show":   {Dial{URL: url, CA: ca}, "refused: wrong token or key (none was sent): check --cluster-token-file"},
		"wrong token":       {Dial{URL: url, TokenFile: wrong, CA: ca}, "refused: wrong token or key (the token in " + wrong},
		"wrong key":         {Dial{URL: url, NKeyFile: write(t, "seed", string(strangeSeed), 0o600), CA: ca}, "refused: wrong token or key (the NKey in "},
		"unknown authority": {Dial{URL: url, TokenFile: token}, "--cluster-ca FILE"},
		"other authority":   {Dial{URL: url, TokenFile: token, CA: otherCA}, "--cluster-ca FILE"},
		"expired":           {Dial{URL: expired, TokenFile: token, CA: oldCA}, "not valid: x509: certificate has expired"},
		"other host":        {Dial{URL: strings.Replace(url, "127.0.0.1", "localhost", 1), TokenFile: token, CA: ca}, "for another host"},
		"no certificate":    {Dial{URL: mutual, TokenFile: token, CA: ca}, "--cluster-cert and --cluster-key"},
		"other certificate": {Dial{URL: mutual, TokenFile: token, CA: ca, Cert: otherCert, Key: otherKey}, "--cluster-cert and --cluster-key"},
		"no TLS there":      {Dial{URL: strings.Replace(plain, "nats:", "tls:", 1)}, "does not use TLS"},
		"plain":             {Dial{URL: plain}, ""},
		"nobody":            {Dial{URL: "nats://127.0.0.1:1"}, "nothing listens there"},
		"no NATS":           {Dial{URL: "nats://" + web.Addr().String()}, "is a NATS server"},
		"no JetStream":      {Dial{URL: without}, "has no JetStream"},
		"one of two":        {Dial{URL: "nats://127.0.0.1:1," + plain}, ""},
		"silence":           {Dial{URL: "nats://" + silent.Addr().String(), timeout: 100 * time.Millisecond}, "no answer in"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conn, err := Connect(context.Background(), c.d)
			if err == nil {
				conn.Close()
			}
			says(t, err, c.want)
		})
	}
}

// says holds an error to what it must say, on one line and without a secret; an empty
// want is no error.
func says(t *testing.T, err error, want string) {
	t.Helper()
	switch {
	case want == "" && err != nil:
		t.Errorf("refused: %v", err)
	case want == "":
	case err == nil:
		t.Errorf("taken; wanted %q", want)
	case !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n"):
		t.Errorf("says %q; wanted %q", err, want)
	case strings.Contains(err.Error(), "hunter2"):
		t.Errorf("tells the secret: %q", err)
	}
}

// TestURLs holds to the rule that what leaves the machine is encrypted and shows who
// asks.
func TestURLs(t *testing.T) {
	t.Setenv(tokenVariable, "")
	token := write(t, "token", "0123456789abcdef\n", 0o600)
	for url, want := range map[string]string{
		"nats://127.0.0.1:4222":                  "",
		"nats://127.9.9.9":                       "",
		"nats://localhost":                       "",
		"nats://[::1]:4222":                      "",
		"ws://127.0.0.1:80/nats":                 "",
		"nats://127.0.0.1:1, nats://127.0.0.1:2": "",
		"tls://nats.example.org":                 "requires a token or an NKey",
		"nats://10.0.0.1:4222":                   "write tls://10.0.0.1:4222",
		"nats://nats.example.org":                "write tls://nats.example.org",
		"nats://127.0.0.1.example.org":           "write tls://",
		"nats://localhost.example.org":           "write tls://",
		"nats://127.0.0.1,nats://10.0.0.1":       "write tls://",
		"nats://127.0.0.1,tls://127.0.0.1":       "the same scheme",
		"tls://hunter2@nats.example.org":         "--cluster-token-file",
		"tls://me:hunter2@nats.example.org":      "--cluster-token-file",
		"ftp://127.0.0.1":                        "a URL must begin",
		"127.0.0.1:4222":                         "a URL must be",
		"localhost:4222":                         "a URL must begin",
		"":                                       "a URL must begin",
		"nats://":                                "has no host",
		"nats://127.0.0.1/x":                     "nothing may follow",
		"nats://127.0.0.1?tls=no":                "nothing may follow",
		"nats://127.0.0.1:4222,":                 "a URL must begin",
		"tls://%zz:hunter2@x":                    "a URL must be",
		"tls://a\nb":                             "a URL must be",
	} {
		_, _, err := Dial{URL: url, Log: t.Logf}.options()
		says(t, err, want)
		_, _, err = Dial{URL: url, TokenFile: token, Log: t.Logf}.options()
		if strings.Contains(want, "requires") {
			want = ""
		}
		says(t, err, want)
	}
}

func FuzzURLs(f *testing.F) {
	for _, s := range []string{"nats://127.0.0.1:4222", "tls://a,tls://b:1", "ws://[::1]", "nats://127.0.0.1.:1", "nats://0x7f.1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		urls, err := parseURLs(s)
		if err != nil {
			says(t, err, " ")
			return
		}
		for _, u := range urls {
			ip := net.ParseIP(u.Hostname())
			if here := u.Hostname() == "localhost" || ip != nil && ip.IsLoopback(); !here && !secure[u.Scheme] || u.User != nil {
				t.Errorf("%q is taken", s)
			}
		}
	})
}

// TestCredentials reads tokens and keys from files and the environment.
func TestCredentials(t *testing.T) {
	t.Setenv(tokenVariable, "")
	const long = "0123456789abcdef"
	for name, c := range map[string]struct{ text, want string }{
		"token":     {long, ""},
		"line":      {long + "\r\n", ""},
		"empty":     {"\n", "one line of printable"},
		"two":       {"hunter2\nhunter2\n", "one line of printable"},
		"space":     {"hunter2 ", "one line of printable"},
		"binary":    {"hunter2\x00", "one line of printable"},
		"very long": {strings.Repeat("x", maxSecret+1), "too many for a key"},
	} {
		got, warning, err := readToken(write(t, name, c.text, 0o600))
		says(t, err, c.want)
		if err == nil && got != long || warning != "" {
			t.Errorf("%s: read %q, warned %q", name, got, warning)
		}
	}
	if _, warning, err := readToken(write(t, "open", long, 0o644)); err != nil || !strings.Contains(warning, "chmod 600") {
		t.Errorf("others may read it: %q, %v", warning, err)
	}
	_, _, err := readToken(t.TempDir())
	says(t, err, "is a folder")
	_, _, err = readToken("none there")
	says(t, err, "no such file")
	t.Setenv(tokenVariable, long)
	if got, _, err := readToken(""); got != long || err != nil {
		t.Errorf("of the environment: %q, %v", got, err)
	}
	t.Setenv(tokenVariable, "hunter2 ")
	_, _, err = readToken("")
	says(t, err, tokenVariable)

	server, _ := nkeys.CreateServer()
	serverKey, _ := server.PublicKey()
	_, _, _, err = readSeed(write(t, "seed", "SUhunter2", 0o600))
	says(t, err, "must hold the seed")
	_, _, _, err = readSeed(write(t, "seed", serverKey, 0o600))
	says(t, err, "must hold the seed")
	_, err = readPool(write(t, "ca", "hunter2", 0o600))
	says(t, err, "no certificate in PEM")
	_, err = readPair("a", "")
	says(t, err, "needs its key")
}

// TestConnectEnds does not outlast its context.
func TestConnectEnds(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must.Do(t, err)
	defer l.Close()
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(20*time.Millisecond, cancel)
	_, err = Connect(ctx, Dial{URL: "nats://" + l.Addr().String()})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("ends with %v", err)
	}
}

func TestBackoff(t *testing.T) {
	for n := range 2000 {
		if d := backoff(n); d < firstRetry/2 || d > longestRetry {
			t.Fatalf("after %d attempts %v", n, d)
		}
	}
}
