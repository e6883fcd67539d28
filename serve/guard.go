package serve

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// pagePolicy is the content-security policy of our own pages: no inline script or
// style, nothing from elsewhere, no frame around them.
const pagePolicy = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

// guard lets through what may be asked by whom, and puts the headers on every
// answer.
func (s *site) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", pagePolicy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		switch {
		case r.Method != http.MethodGet && r.Method != http.MethodHead:
			h.Set("Allow", "GET, HEAD")
			refuse(w, http.StatusMethodNotAllowed, "These pages are only to be read.")
		case !s.knows(r.Host):
			refuse(w, http.StatusForbidden, "This page does not answer to that name. Open it by its address, or by localhost.")
		case s.key == nil || isAsset(r.URL.EscapedPath()):
			next.ServeHTTP(w, r)
		case s.key.fits(r.URL.Query().Get("token")): // also where there is a cookie, to clear the address
			s.key.admit(w, r)
		case s.key.shown(r):
			next.ServeHTTP(w, r)
		default:
			h.Set("WWW-Authenticate", `Bearer realm="tattle"`)
			ask(w, r.URL.Query())
		}
	})
}

// knows tells whether a request was meant for us. A page elsewhere can point its
// own name at a loopback address and then read what is there as its own (DNS
// rebinding); it cannot do so by an address, nor has it our cookie.
func (s *site) knows(host string) bool {
	if s.key != nil {
		return true
	}
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	name = strings.TrimSuffix(strings.ToLower(strings.Trim(name, "[]")), ".")
	if name == "localhost" {
		return true
	}
	if _, err := netip.ParseAddr(name); err == nil {
		return true
	}
	return slices.ContainsFunc(s.hosts, func(h string) bool { return strings.EqualFold(h, name) })
}
