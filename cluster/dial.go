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

// Dial says how a site's servers are reached.
type Dial struct {
	URL       string // nats://127.0.0.1:4222, tls://host:4222, ws(s)://…; commas between several nodes
	TokenFile string // the token; empty for TATTLE_CLUSTER_TOKEN, where that is set
	NKeyFile  string // the seed of an NKey, instead of a token
	CA        string // who signed the server's certificate; empty for those the system trusts
	Cert, Key string // of this client, where the server wants one
	Name      string // by which the server knows the connection
	Log       func(format string, a ...any)

	timeout time.Duration // for one server to answer; 0 is dialTimeout
}

// Conn is a connection to a site. Lost, it is made anew for as long as that takes.
type Conn struct {
	nc       *nats.Conn
	js       jetstream.JetStream
	replicas int // that the site has room for: 3 in a cluster, or 1
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

// Connect reaches a site, or says in one line why not.
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

// options are those of NATS, checked.
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
	// What a server tells of its cluster is believed where the connection is secure.
	o.IgnoreDiscoveredServers = !secure[urls[0].Scheme]
	o.AsyncErrorCB = func(*nats.Conn, *nats.Subscription, error) {} // callers see what concerns them
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

// credentials gives the options token or key, one of which is needed off this machine.
func (d Dial) credentials(o *nats.Options, urls []*url.URL) (err error) {
	var warning string
	switch {
	case d.TokenFile != "" && d.NKeyFile != "":
		return errors.New("a token or an NKey: --cluster-token-file and --cluster-nkey-file do not go together")
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
		return fmt.Errorf("%s: beyond this machine a token or an NKey is needed: --cluster-token-file FILE, --cluster-nkey-file FILE or %s", d.URL, tokenVariable)
	}
	return nil
}

// certificates gives the options what TLS needs.
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

// backoff waits twice as long with each round, up to a limit, and not all at once.
func backoff(attempts int) time.Duration {
	wait := min(firstRetry<<min(attempts, 10), longestRetry)
	return wait/2 + rand.N(wait/2)
}

// dial connects, but not beyond ctx.
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

// ready waits until JetStream answers: the nodes of a cluster elect a leader first.
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

// explain says what a failure to connect means and what mends it.
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
		why = "nobody listens there: is the server up (tattle cluster serve), and the port right?"
	case errors.Is(err, nats.ErrAuthorization), errors.Is(err, nats.ErrAuthExpired), errors.Is(err, nats.ErrAuthRevoked), errors.Is(err, nats.ErrNkeysNotSupported), strings.Contains(strings.ToLower(said), "authorization violation"):
		why = "refused: the token or key is not the server's (" + d.shown() + "): --cluster-token-file or --cluster-nkey-file"
	case errors.As(err, &authority):
		why = "its certificate is signed by nobody known here: --cluster-ca FILE names who signed it"
	case errors.As(err, &host):
		why = "its certificate is not for this host: " + host.Error()
	case errors.As(err, &expired):
		why = "its certificate does not hold: " + expired.Error()
	case errors.Is(err, nats.ErrSecureConnWanted):
		why = "the server speaks no TLS: start it with --cert and --key"
	case strings.Contains(said, "certificate required"), strings.Contains(said, "remote error: tls:"), strings.Contains(said, "closed by remote after TLS"):
		why = "the server wants a certificate of ours that it trusts: --cluster-cert and --cluster-key"
	case errors.Is(err, jetstream.ErrJetStreamNotEnabled), errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount), errors.Is(err, nats.ErrNoResponders):
		why = "the server there has no JetStream, which keeps the ledger: nats-server -js, or tattle cluster serve"
	case errors.Is(err, context.DeadlineExceeded):
		why = "JetStream does not answer: of three nodes two must be up"
	case errors.Is(err, nats.ErrTimeout), errors.Is(err, os.ErrDeadlineExceeded), strings.Contains(said, "timeout"):
		why = "no answer in " + d.timeout.String() + ": is the host right, and no firewall between?"
	case strings.Contains(said, "EOF"):
		why = "the server hung up on us: does it speak NATS, and TLS where the URL says so?"
	default:
		return fmt.Errorf("--cluster %s: %w", d.URL, err)
	}
	return &dialError{fmt.Sprintf("--cluster %s: %s", d.URL, why), err}
}

// shown says which credential was shown.
func (d Dial) shown() string {
	switch {
	case d.NKeyFile != "":
		return "shown was the NKey of " + d.NKeyFile
	case d.TokenFile != "":
		return "shown was that of " + d.TokenFile
	case os.Getenv(tokenVariable) != "":
		return "shown was that of " + tokenVariable
	}
	return "none was shown"
}

// A dialError says a failure in words of ours.
type dialError struct {
	said  string
	cause error
}

func (e *dialError) Error() string { return e.said }
func (e *dialError) Unwrap() error { return e.cause }
