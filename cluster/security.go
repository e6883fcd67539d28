package cluster

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"

	"github.com/nats-io/nkeys"

	"tattle/internal/file"
)

// tokenVariable is the environment variable that may hold the token.
const tokenVariable = "TATTLE_CLUSTER_TOKEN"

// minToken is the length of the shortest token that cannot be guessed.
const minToken = 16

// maxSecret is the size limit of a file with a token, key or certificates.
const maxSecret = 1 << 20

// secure maps the schemes of URLs to whether they use TLS.
var secure = map[string]bool{"nats": false, "ws": false, "tls": true, "wss": true}

// parseURLs reads the URLs of a site's servers, separated by commas. URLs without TLS must
// lead to this machine.
func parseURLs(list string) ([]*url.URL, error) {
	var urls []*url.URL
	for text := range strings.SplitSeq(list, ",") {
		u, err := parseURL(strings.TrimSpace(text))
		if err != nil {
			return nil, err
		}
		if len(urls) > 0 && u.Scheme != urls[0].Scheme {
			return nil, fmt.Errorf("%s and %s: all servers must have the same scheme", u, urls[0])
		}
		urls = append(urls, u)
	}
	return urls, nil
}

func parseURL(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("a URL must be written as nats://127.0.0.1:4222 or tls://host:4222") // the text may hold a secret
	}
	encrypts, known := secure[u.Scheme]
	switch {
	case u.User != nil:
		u.User = nil
		return nil, fmt.Errorf("%s: must not hold a user, password or token, because other users of the machine can see it: use --cluster-token-file FILE or %s", u, tokenVariable)
	case !known:
		return nil, fmt.Errorf("%s: a URL must begin with nats://, tls://, ws:// or wss://", file.Name(text))
	case u.Hostname() == "":
		return nil, fmt.Errorf("%s: has no host; a URL must be written as nats://127.0.0.1:4222", file.Name(text))
	case strings.Trim(u.Path, "/") != "" && !strings.HasPrefix(u.Scheme, "ws") || u.RawQuery != "" || u.Fragment != "":
		return nil, fmt.Errorf("%s: nothing may follow host and port", file.Name(text))
	case !encrypts && !local(u.Hostname()):
		return nil, fmt.Errorf("%s: is not encrypted, so it must lead to this machine: write tls://%s, and give a token or an NKey", u, u.Host)
	}
	if u.Port() == "" && !strings.HasPrefix(u.Scheme, "ws") {
		u.Host = net.JoinHostPort(u.Hostname(), "4222")
	}
	return u, nil
}

// local reports whether a host is this machine.
func local(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// allLocal reports whether all URLs lead to this machine.
func allLocal(urls []*url.URL) bool {
	for _, u := range urls {
		if !local(u.Hostname()) {
			return false
		}
	}
	return true
}

// readSecret returns the text of a small file, and a warning if other users can read it.
func readSecret(path string) (text, warning string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return "", "", err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", "", err
	}
	if info.IsDir() {
		return "", "", fmt.Errorf("%s: is a folder", file.Name(path))
	}
	if m := info.Mode().Perm(); m&0o077 != 0 && info.Mode().IsRegular() {
		warning = fmt.Sprintf("%s: other users can read it (mode %#o): use chmod 600", file.Name(path), m)
	}
	b, err := file.ReadAtMost(f, maxSecret)
	if errors.Is(err, file.ErrTooLong) {
		err = fmt.Errorf("%s: has more than %d bytes, too many for a key", file.Name(path), maxSecret)
	}
	return string(b), warning, err
}

// readToken returns the token in a file, or in the environment if path is ""; "" for none.
func readToken(path string) (token, warning string, err error) {
	from := tokenVariable
	if path == "" {
		token = os.Getenv(tokenVariable)
		if token == "" {
			return "", "", nil
		}
	} else {
		from = file.Name(path)
		if token, warning, err = readSecret(path); err != nil {
			return "", "", fmt.Errorf("token: %w", err)
		}
		token = strings.TrimRight(token, "\r\n")
	}
	if token == "" || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", "", fmt.Errorf("token: %s: must be one line of printable characters without spaces", from)
	}
	return token, warning, nil
}

// readSeed reads the seed of a user's NKey.
func readSeed(path string) (public string, sign func([]byte) ([]byte, error), warning string, err error) {
	text, warning, err := readSecret(path)
	if err != nil {
		return "", nil, "", fmt.Errorf("NKey: %w", err)
	}
	pair, err := nkeys.ParseDecoratedUserNKey([]byte(text))
	if err == nil {
		public, err = pair.PublicKey()
	}
	if err != nil {
		return "", nil, "", fmt.Errorf("NKey: %s: must hold the seed of a user's NKey, which begins with SU", file.Name(path))
	}
	return public, pair.Sign, warning, nil
}

// readPool reads the certificates of authorities.
func readPool(path string) (*x509.CertPool, error) {
	text, _, err := readSecret(path)
	if err != nil {
		return nil, fmt.Errorf("CA: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM([]byte(text)) {
		return nil, fmt.Errorf("CA: %s: holds no certificate in PEM", file.Name(path))
	}
	return pool, nil
}

// readPair reads a certificate and its key; none if both paths are empty.
func readPair(cert, key string) ([]tls.Certificate, error) {
	switch {
	case cert == "" && key == "":
		return nil, nil
	case cert == "" || key == "":
		return nil, errors.New("a certificate needs its key, and a key its certificate")
	}
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		return nil, fmt.Errorf("certificate %s: %w", file.Name(cert), err)
	}
	return []tls.Certificate{pair}, nil
}
