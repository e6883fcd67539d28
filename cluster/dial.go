package cluster

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Dial describes a connection to a site's servers.
type Dial struct {
	URL       string // nats://127.0.0.1:4222, tls://host:4222, ws(s)://…; several separated by commas
	TokenFile string // holds the token; "" for TATTLE_CLUSTER_TOKEN, if set
	NKeyFile  string // holds the seed of an NKey, instead of a token
	CA        string // certificates of the server's authority; "" for those the system trusts
	Cert, Key string // of this client, if the server asks for one
	Name      string // of the connection, for the server's lists
	Log       func(format string, a ...any)

	timeout time.Duration // of one server's answer; 0 is dialTimeout
}

// Conn is a connection to a site. A lost connection is made again, for as long as that takes.
type Conn struct {
	nc       *nats.Conn
	js       jetstream.JetStream
	replicas int // servers that can keep a run: 3 in a cluster, else 1
	dial     Dial
}

// How long things may take.
const (
	dialTimeout   = 5 * time.Second
	readyTimeout  = 10 * time.Second // for JetStream to answer; nodes elect a leader first
	firstRetry    = 100 * time.Millisecond
	longestRetry  = 10 * time.Second
	pingInterval  = 10 * time.Second // silence after which a server is asked whether it lives
	pingsLost     = 2
	asyncMessages = 256 // on their way at a time
)

// Connect connects to a site. Its errors are one line that says how to fix the cause.
func Connect(ctx context.Context, d Dial) (*Conn, error) {
	if d.Log == nil {
		d.Log = func(string, ...any) {}
	}
	if d.timeout == 0 {
		d.timeout = dialTimeout
	}
	o, urls, err := d.options()
	if err != nil {
		return nil, fmt.Errorf("--cluster: %w", err)
	}
	nc, err := dial(ctx, o)
	if err != nil {
		return nil, d.explain(urls, err)
	}
	c := &Conn{nc: nc, replicas: 1, dial: d}
	if nc.ConnectedClusterName() != "" {
		c.replicas = 3
	}
	if c.js, err = jetstream.New(nc, jetstream.WithPublishAsyncMaxPending(asyncMessages)); err == nil {
		err = c.ready(ctx)
	}
	if err != nil {
		nc.Close()
		return nil, d.explain(urls, err)
	}
	return c, nil
}

// Close ends the connection.
func (c *Conn) Close() { c.nc.Close() }

// options returns the options for NATS, checked.
func (d Dial) options() (nats.Options, []*url.URL, error) {
	o := nats.GetDefaultOptions()
	urls, err := parseURLs(d.URL)
	if err != nil {
		return o, nil, err
	}
	for _, u := range urls {
		o.Servers = append(o.Servers, u.String())
	}
	o.Name = d.Name
	o.Timeout = d.timeout
	o.AllowReconnect, o.MaxReconnect = true, -1
	o.CustomReconnectDelayCB = backoff
	o.PingInterval, o.MaxPingsOut = pingInterval, pingsLost
	// Addresses of further servers are accepted over a secure connection only.
	o.IgnoreDiscoveredServers = !secure[urls[0].Scheme]
	o.AsyncErrorCB = func(*nats.Conn, *nats.Subscription, error) {} // callers get their own errors
	o.DisconnectedErrCB = func(_ *nats.Conn, err error) {
		if err != nil {
			d.Log("%s: connection lost, trying again: %v", d.URL, err)
		}
	}
	o.ReconnectedCB = func(nc *nats.Conn) { d.Log("%s: connected again", nc.ConnectedUrl()) }
	if err := d.credentials(&o, urls); err != nil {
		return o, nil, err
	}
	return o, urls, d.certificates(&o, urls)
}

// credentials sets the token or key, one of which other machines require.
func (d Dial) credentials(o *nats.Options, urls []*url.URL) (err error) {
	var warning string
	switch {
	case d.TokenFile != "" && d.NKeyFile != "":
		return errors.New("--cluster-token-file and --cluster-nkey-file are mutually exclusive")
	case d.NKeyFile != "":
		o.Nkey, o.SignatureCB, warning, err = readSeed(d.NKeyFile)
	default:
		o.Token, warning, err = readToken(d.TokenFile)
	}
	if err != nil {
		return err
	}
	if warning != "" {
		d.Log("%s", warning)
	}
	if o.Token == "" && o.Nkey == "" && !allLocal(urls) {
		return fmt.Errorf("%s: a server on another machine requires a token or an NKey: --cluster-token-file FILE, --cluster-nkey-file FILE or %s", d.URL, tokenVariable)
	}
	return nil
}

// certificates sets what TLS needs.
func (d Dial) certificates(o *nats.Options, urls []*url.URL) (err error) {
	t := &tls.Config{MinVersion: tls.VersionTLS12}
	if d.CA != "" {
		if t.RootCAs, err = readPool(d.CA); err != nil {
			return err
		}
	}
	if t.Certificates, err = readPair(d.Cert, d.Key); err != nil {
		return fmt.Errorf("--cluster-cert, --cluster-key: %w", err)
	}
	o.TLSConfig = t
	o.Secure = secure[urls[0].Scheme]
	return nil
}

// backoff returns the wait before the next attempt: doubled each time, up to a limit, and
// random so that clients do not all come at once.
func backoff(attempts int) time.Duration {
	wait := min(firstRetry<<min(attempts, 10), longestRetry)
	return wait/2 + rand.N(wait/2)
}

// dial connects, and gives up when ctx ends.
func dial(ctx context.Context, o nats.Options) (*nats.Conn, error) {
	type result struct {
		nc  *nats.Conn
		err error
	}
	done := make(chan result, 1)
	go func() {
		nc, err := o.Connect()
		done <- result{nc, err}
	}()
	select {
	case r := <-done:
		return r.nc, r.err
	case <-ctx.Done():
		go func() {
			if r := <-done; r.nc != nil {
				r.nc.Close()
			}
		}()
		return nil, ctx.Err()
	}
}

// ready waits until JetStream answers: the servers of a cluster elect a leader first.
func (c *Conn) ready(ctx context.Context) error {
	until, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	for patient := 250 * time.Millisecond; ; patient = min(2*patient, 2*time.Second) { // without a leader nobody answers
		ask, cancel := context.WithTimeout(until, patient)
		_, err := c.js.AccountInfo(ask)
		cancel()
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, jetstream.ErrJetStreamNotEnabled), errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount), until.Err() != nil:
			return err
		}
		select {
		case <-until.Done():
		case <-time.After(firstRetry):
		}
	}
}

// explain turns a failure to connect into an error that says how to fix it.
func (d Dial) explain(urls []*url.URL, err error) error {
	var (
		authority x509.UnknownAuthorityError
		host      x509.HostnameError
		expired   x509.CertificateInvalidError
		said      = err.Error()
		why       string
	)
	switch {
	case errors.Is(err, context.Canceled):
		return fmt.Errorf("--cluster %s: %w", d.URL, err)
	case errors.Is(err, nats.ErrNoServers), errors.Is(err, syscall.ECONNREFUSED):
		why = "nothing listens there: check that the server is running and that the port is right"
	case errors.Is(err, nats.ErrAuthorization), errors.Is(err, nats.ErrAuthExpired), errors.Is(err, nats.ErrAuthRevoked), errors.Is(err, nats.ErrNkeysNotSupported), strings.Contains(strings.ToLower(said), "authorization violation"):
		why = "refused: wrong token or key (" + d.shown() + "): check --cluster-token-file or --cluster-nkey-file"
	case errors.As(err, &authority):
		why = "its certificate is signed by an unknown authority: name the authority's certificate with --cluster-ca FILE"
	case errors.As(err, &host):
		why = "its certificate is for another host: " + host.Error()
	case errors.As(err, &expired):
		why = "its certificate is not valid: " + expired.Error()
	case errors.Is(err, nats.ErrSecureConnWanted):
		why = "the server does not use TLS: configure TLS there"
	case strings.Contains(said, "certificate required"), strings.Contains(said, "remote error: tls:"), strings.Contains(said, "closed by remote after TLS"):
		why = "the server requires a client certificate that it trusts: --cluster-cert and --cluster-key"
	case errors.Is(err, jetstream.ErrJetStreamNotEnabled), errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount), errors.Is(err, nats.ErrNoResponders):
		why = "the server has no JetStream, which keeps the ledger: start it as nats-server -js"
	case errors.Is(err, context.DeadlineExceeded):
		why = "JetStream does not answer: of three servers two must be running"
	case errors.Is(err, nats.ErrTimeout), errors.Is(err, os.ErrDeadlineExceeded), strings.Contains(said, "timeout"):
		why = "no answer in " + d.timeout.String() + ": check the host's name and firewalls"
	case strings.Contains(said, "EOF"):
		why = "the server closed the connection: check that it is a NATS server, with TLS if the URL says tls://"
	default:
		return fmt.Errorf("--cluster %s: %w", d.URL, err)
	}
	return &dialError{fmt.Sprintf("--cluster %s: %s", d.URL, why), err}
}

// shown names the credential that was sent.
func (d Dial) shown() string {
	switch {
	case d.NKeyFile != "":
		return "the NKey in " + d.NKeyFile
	case d.TokenFile != "":
		return "the token in " + d.TokenFile
	case os.Getenv(tokenVariable) != "":
		return "the token in " + tokenVariable
	}
	return "none was sent"
}

// A dialError explains a failure of the NATS client.
type dialError struct {
	said  string
	cause error
}

func (e *dialError) Error() string { return e.said }
func (e *dialError) Unwrap() error { return e.cause }
