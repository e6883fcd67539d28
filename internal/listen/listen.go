// Package listen opens the address of a web server: its listener, the token that clients must
// send, and the address that they use; and it serves until a context ends.
package listen

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"net"
	"net/url"
	"os"
)

// A Site is the address of a server.
type Site struct {
	Token  string // that clients must send; empty if none is needed
	Made   bool   // the token was made here
	Open   bool   // other machines can reach it, without TLS
	scheme string
	host   string // with its port
}

// Open listens at an address, with a certificate by HTTPS. If other machines can reach the
// server and no token is given, it makes one.
func Open(ctx context.Context, address, token string, certificate *tls.Certificate) (net.Listener, Site, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, Site{}, err
	}
	at := siteOf(l.Addr(), token)
	at.Open = certificate == nil && !loopback(l.Addr())
	if certificate != nil {
		at.scheme = "https"
		l = tls.NewListener(l, &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{*certificate}})
	}
	return l, at, nil
}

// siteOf returns the address of a listener, with its token.
func siteOf(a net.Addr, token string) Site {
	s := Site{scheme: "http", host: a.String(), Token: token}
	if loopback(a) {
		return s
	}
	if s.host = public(a); token == "" {
		s.Token, s.Made = rand.Text(), true
	}
	return s
}

// URL returns an address at the site.
func (s Site) URL(path string) string {
	return (&url.URL{Scheme: s.scheme, Host: s.host, Path: path}).String()
}

// loopback reports whether only this machine can reach an address.
func loopback(a net.Addr) bool {
	t, ok := a.(*net.TCPAddr)
	return ok && t.IP.IsLoopback()
}

// public returns an address at which other machines can reach a listener.
func public(a net.Addr) string {
	host, port, _ := net.SplitHostPort(a.String())
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		if name, err := os.Hostname(); err == nil && name != "" {
			host = name
		}
	}
	return net.JoinHostPort(host, port)
}
