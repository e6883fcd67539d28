package cluster

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"tattle/internal/file"
)

// ServerOptions is a server for sites that have none.
type ServerOptions struct {
	Listen        string   // host:port for clients; port 0 takes a free one
	Store         string   // folder of the ledger
	Name          string   // of this node
	ClusterName   string   // of the nodes together
	ClusterListen string   // host:port for the other nodes; empty for a server alone
	Routes        []string // host:port of the other nodes
	TokenFile     string   // the token that clients must show
	NKeysFile     string   // public NKeys of clients, one a line
	Cert, Key     string   // of this server
	CA            string   // who signed the nodes' certificates
	ClientCerts   bool     // clients must show certificates of CA, too
	Log           io.Writer
}

const (
	startTimeout = 10 * time.Second
	handshakes   = 10 // seconds: a thousand workers come at once
	memoryLimit  = 64 << 20
)

// ListenAndServe is a NATS server with JetStream until ctx ends. It tells ready where
// clients reach it. What it has confirmed is on the disk.
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
	s.Start()
	defer func() {
		s.Shutdown()
		s.WaitForShutdown()
	}()
	for begun := time.Now(); !s.ReadyForConnections(50 * time.Millisecond); {
		select {
		case said := <-log.fatal:
			return fmt.Errorf("server: %s", said)
		case <-ctx.Done():
			return nil
		default:
		}
		if time.Since(begun) > startTimeout {
			return fmt.Errorf("server: not ready after %v", startTimeout)
		}
	}
	if ready != nil {
		ready(o.reached(s.Addr()))
	}
	select {
	case <-ctx.Done():
		return nil
	case said := <-log.fatal:
		return fmt.Errorf("server: %s", said)
	}
}

// server is what NATS wants to know, checked.
func (o ServerOptions) server() (*server.Options, error) {
	host, port, err := address("--listen", o.Listen)
	if err != nil {
		return nil, err
	}
	if o.Store == "" {
		return nil, errors.New("--store: a folder for the ledger is needed")
	}
	so := &server.Options{
		ServerName: o.Name, Host: host, Port: port,
		JetStream: true, StoreDir: o.Store, SyncAlways: true, JetStreamMaxMemory: memoryLimit,
		NoSigs: true, TLSTimeout: handshakes, AuthTimeout: handshakes + 2, DisableJetStreamBanner: true,
	}
	if err := o.credentials(so); err != nil {
		return nil, err
	}
	if err := o.certificates(so); err != nil {
		return nil, err
	}
	if !local(host) && (so.TLSConfig == nil || so.Authorization == "" && len(so.Nkeys) == 0) {
		return nil, fmt.Errorf("--listen %s: others than this machine reach it, so it needs TLS and a token or keys: --cert FILE --key FILE and --token-file FILE (--make-token writes one) or --nkeys FILE", o.Listen)
	}
	if err := taken("--listen", o.Listen); err != nil {
		return nil, err
	}
	return so, o.cluster(so)
}

// credentials are those of clients.
func (o ServerOptions) credentials(so *server.Options) error {
	token, warning, err := readToken(o.TokenFile)
	if err != nil {
		return err
	}
	if token != "" && len(token) < minToken {
		return fmt.Errorf("token: of %d characters, which can be guessed; --make-token writes one that cannot", len(token))
	}
	if warning != "" && o.Log != nil {
		fmt.Fprintln(o.Log, warning)
	}
	so.Authorization = token
	if o.NKeysFile == "" {
		return nil
	}
	keys, err := readKeys(o.NKeysFile)
	for _, k := range keys {
		so.Nkeys = append(so.Nkeys, &server.NkeyUser{Nkey: k})
	}
	return err
}

// certificates are those of TLS, where there is any.
func (o ServerOptions) certificates(so *server.Options) error {
	pair, err := readPair(o.Cert, o.Key)
	if err != nil {
		return fmt.Errorf("--cert, --key: %w", err)
	}
	if pair == nil {
		if o.ClientCerts {
			return errors.New("--client-certs: is of TLS, which needs --cert and --key")
		}
		return nil
	}
	so.TLSConfig = &tls.Config{MinVersion: tls.VersionTLS12, Certificates: pair}
	if !o.ClientCerts {
		return nil
	}
	if o.CA == "" {
		return errors.New("--client-certs: --ca FILE says who signs them")
	}
	so.TLSConfig.ClientAuth = tls.RequireAndVerifyClientCert
	so.TLSConfig.ClientCAs, err = readPool(o.CA)
	return err
}

// cluster adds what joins this node to others.
func (o ServerOptions) cluster(so *server.Options) error {
	if o.ClusterListen == "" {
		if len(o.Routes) > 0 {
			return errors.New("--routes: --cluster-listen is missing, where the other nodes reach this one")
		}
		return nil
	}
	if o.Name == "" {
		return errors.New("--cluster-listen: --name is missing; each node has another and keeps it")
	}
	host, port, err := address("--cluster-listen", o.ClusterListen)
	if err != nil {
		return err
	}
	if err := taken("--cluster-listen", o.ClusterListen); err != nil {
		return err
	}
	so.Cluster = server.ClusterOpts{Name: o.ClusterName, Host: host, Port: port, TLSTimeout: handshakes, AuthTimeout: handshakes + 2}
	if so.Cluster.Name == "" {
		so.Cluster.Name = "tattle"
	}
	alone := local(host)
	for _, r := range o.Routes {
		h, p, err := address("--routes", r)
		if err != nil {
			return err
		}
		alone = alone && local(h)
		u := &url.URL{Scheme: "nats-route", Host: net.JoinHostPort(h, strconv.Itoa(p))}
		if so.Authorization != "" {
			u.User = url.UserPassword(routeUser, so.Authorization)
		}
		so.Routes = append(so.Routes, u)
	}
	if so.Authorization != "" {
		so.Cluster.Username, so.Cluster.Password = routeUser, so.Authorization
	}
	if !alone && (so.Authorization == "" || so.TLSConfig == nil || o.CA == "") {
		return errors.New("--cluster-listen: nodes on several machines show one another a token and certificates: --token-file FILE, --cert FILE, --key FILE, and --ca FILE of who signed them")
	}
	if so.TLSConfig == nil || o.CA == "" {
		return nil
	}
	pool, err := readPool(o.CA)
	so.Cluster.TLSConfig = &tls.Config{
		MinVersion: tls.VersionTLS12, Certificates: so.TLSConfig.Certificates,
		ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: pool, RootCAs: pool,
	}
	return err
}

// routeUser is the name with which nodes show one another the token.
const routeUser = "node"

// address reads host:port; port 0 is a free one.
func address(flag, text string) (host string, port int, err error) {
	host, p, err := net.SplitHostPort(text)
	if err == nil {
		port, err = strconv.Atoi(p)
	}
	if err != nil || port < 0 || port > 65535 {
		return "", 0, fmt.Errorf("%s %s: write it as 127.0.0.1:4222", flag, file.Name(text))
	}
	if host == "" {
		host = "0.0.0.0"
	}
	if port == 0 {
		port = server.RANDOM_PORT
	}
	return host, port, nil
}

// taken errs where an address cannot be listened at.
func taken(flag, addr string) error {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return fmt.Errorf("%s: %w", flag, err)
	}
	return l.Close()
}

// reached is the URL under which clients reach a server.
func (o ServerOptions) reached(a net.Addr) string {
	host, port, _ := net.SplitHostPort(a.String())
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		if name, err := os.Hostname(); err == nil && name != "" {
			host = name
		}
	} else if asked, _, err := net.SplitHostPort(o.Listen); err == nil && asked != "" {
		host = asked // a name, perhaps, which the certificate is for
	}
	scheme := "nats"
	if o.Cert != "" {
		scheme = "tls"
	}
	return scheme + "://" + net.JoinHostPort(host, port)
}

// serverLog keeps warnings and errors of the server, and tells of what ends it.
type serverLog struct {
	mu     sync.Mutex
	to     io.Writer
	fatal  chan string
	second int64 // of the last line
	lines  int   // in that second
}

// mostLines is what is kept of a second: strangers do not fill the disk with lines.
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
