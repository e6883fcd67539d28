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

// guard checks method, host and token of a request, and sets the headers of every
// response.
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
			refuse(w, http.StatusMethodNotAllowed, "Method not allowed: these pages are read-only.")
		case !s.allows(r.Host):
			refuse(w, http.StatusForbidden, "This host name is not allowed. Open the page by its address, or as localhost.")
		case s.key == nil || isAsset(r.URL.EscapedPath()):
			next.ServeHTTP(w, r)
		case s.key.isToken(r.URL.Query().Get("token")): // also where there is a cookie, to clear the address
			s.key.setCookie(w, r)
		case s.key.isIn(r):
			next.ServeHTTP(w, r)
		default:
			h.Set("WWW-Authenticate", `Bearer realm="tattle"`)
			askToken(w, r.URL.Query())
		}
	})
}

// allows reports whether a request may name that host. A foreign page can point its
// own name at a loopback address and then read what is there as its own (DNS
// rebinding). It cannot do so with an address, and it does not have our cookie.
func (s *site) allows(host string) bool {
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
