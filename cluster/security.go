package cluster

import (
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/nats-io/nkeys"

	"tattle/internal/file"
)

// tokenVariable may hold a token where no file does.
const tokenVariable = "TATTLE_CLUSTER_TOKEN"

// minToken is the length below which a token can be guessed.
const minToken = 16

// maxSecret bounds what is read of a file with a token, keys or certificates.
const maxSecret = 1 << 20

// secure says whether a URL's scheme encrypts.
var secure = map[string]bool{"nats": false, "ws": false, "tls": true, "wss": true}

// parseURLs reads the URLs of one site's servers, with commas between them. Those that
// do not encrypt lead to this machine only.
func parseURLs(list string) ([]*url.URL, error) {
	var urls []*url.URL
	for text := range strings.SplitSeq(list, ",") {
		u, err := parseURL(strings.TrimSpace(text))
		if err != nil {
			return nil, err
		}
		if len(urls) > 0 && u.Scheme != urls[0].Scheme {
			return nil, fmt.Errorf("%s beside %s: one scheme for all servers", u, urls[0])
		}
		urls = append(urls, u)
	}
	return urls, nil
}

func parseURL(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("a URL is written nats://127.0.0.1:4222 or tls://host:4222, not so") // the text may hold a secret
	}
	encrypts, known := secure[u.Scheme]
	switch {
	case u.User != nil:
		u.User = nil
		return nil, fmt.Errorf("%s: user, password and token do not belong into a URL, which everybody on the machine sees: --cluster-token-file FILE or %s", u, tokenVariable)
	case !known:
		return nil, fmt.Errorf("%s: a URL is written nats://127.0.0.1:4222, tls://host:4222, ws:// or wss://", file.Name(text))
	case u.Hostname() == "":
		return nil, fmt.Errorf("%s: has no host; write it as nats://127.0.0.1:4222", file.Name(text))
	case strings.Trim(u.Path, "/") != "" && !strings.HasPrefix(u.Scheme, "ws") || u.RawQuery != "" || u.Fragment != "":
		return nil, fmt.Errorf("%s: nothing follows host and port", file.Name(text))
	case !encrypts && !local(u.Hostname()):
		return nil, fmt.Errorf("%s: beyond this machine everybody on the way could read and change the run: write tls://%s (the server needs --cert and --key), and give a token or an NKey", u, u.Host)
	}
	if u.Port() == "" && !strings.HasPrefix(u.Scheme, "ws") {
		u.Host = net.JoinHostPort(u.Hostname(), "4222")
	}
	return u, nil
}

// local says whether a host is this machine.
func local(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// allLocal says whether all URLs lead to this machine.
func allLocal(urls []*url.URL) bool {
	for _, u := range urls {
		if !local(u.Hostname()) {
			return false
		}
	}
	return true
}

// readSecret is a small file's text, and a warning where others may read it.
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
		warning = fmt.Sprintf("%s: others may read it (mode %#o); mend with chmod 600", file.Name(path), m)
	}
	b, err := io.ReadAll(io.LimitReader(f, maxSecret+1))
	if err == nil && len(b) > maxSecret {
		err = fmt.Errorf("%s: has over %d bytes, which is no key", file.Name(path), maxSecret)
	}
	return string(b), warning, err
}

// readToken is the token that a file holds, or else the environment; empty for none.
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
		return "", "", fmt.Errorf("token: %s: is not one line of printable characters without spaces; tattle cluster serve --make-token writes one", from)
	}
	return token, warning, nil
}

// MakeToken writes a file with a random token that only its owner reads. Where there
// is a file it stays as it is.
func MakeToken(path string) (made bool, err error) {
	return makeSecret(path, rand.Text()+rand.Text()[:6]) // 160 bits
}

// MakeNKey writes a file with the seed of a new NKey that only its owner reads, and adds
// its public key to the file keys. Where there is a seed both stay as they are.
func MakeNKey(path, keys string) (made bool, err error) {
	pair, err := nkeys.CreateUser()
	if err != nil {
		return false, err
	}
	public, err := pair.PublicKey()
	if err != nil {
		return false, err
	}
	seed, err := pair.Seed()
	if err != nil {
		return false, err
	}
	if made, err = makeSecret(path, string(seed)); err != nil || !made {
		return false, err
	}
	f, err := os.OpenFile(keys, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666)
	if err == nil {
		_, err = fmt.Fprintf(f, "%s # %s\n", public, strings.ReplaceAll(filepath.Base(path), "\n", " "))
		err = errors.Join(err, f.Sync(), f.Close())
	}
	if err != nil {
		os.Remove(path) // of a key that opens nothing
	}
	return err == nil, err
}

// makeSecret writes a line into a file that only its owner reads, unless it is there.
func makeSecret(path, text string) (made bool, err error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	_, err = io.WriteString(f, text+"\n")
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		os.Remove(path)
	}
	return err == nil, err
}

// readKeys reads the public NKeys of users, one a line; # begins a comment.
func readKeys(path string) ([]string, error) {
	text, _, err := readSecret(path)
	if err != nil {
		return nil, fmt.Errorf("keys: %w", err)
	}
	var keys []string
	n := 0
	for line := range strings.Lines(text) {
		n++
		key, _, _ := strings.Cut(line, "#")
		key = strings.TrimSpace(key)
		switch {
		case key == "":
		case strings.HasPrefix(key, "S"):
			return nil, fmt.Errorf("keys: %s, line %d: is a seed, which is its owner's secret; the server takes the public key, which begins with U", file.Name(path), n)
		case !nkeys.IsValidPublicUserKey(key):
			return nil, fmt.Errorf("keys: %s, line %d: is no public NKey of a user (56 letters and digits that begin with U)", file.Name(path), n)
		default:
			keys = append(keys, key)
		}
	}
	if len(keys) == 0 {
		return nil, fmt.Errorf("keys: %s: holds no key", file.Name(path))
	}
	return keys, nil
}

// readSeed reads a user's NKey.
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
		return "", nil, "", fmt.Errorf("NKey: %s: holds no seed of a user's NKey (one that begins with SU)", file.Name(path))
	}
	return public, pair.Sign, warning, nil
}

// readPool reads certificates of authorities.
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

// readPair reads a certificate and its key; none where both are empty.
func readPair(cert, key string) ([]tls.Certificate, error) {
	switch {
	case cert == "" && key == "":
		return nil, nil
	case cert == "" || key == "":
		return nil, errors.New("a certificate and its key go together: one of the two files is missing")
	}
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		return nil, fmt.Errorf("certificate %s: %w", file.Name(cert), err)
	}
	return []tls.Certificate{pair}, nil
}

// CheckURL errs where Connect would, for what stands in a URL alone. It says whether
// the URL leads to this machine only.
func CheckURL(list string) (here bool, err error) {
	urls, err := parseURLs(list)
	return err == nil && allLocal(urls), err
}
