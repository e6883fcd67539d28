package serve

import (
	"net/http"

	"tattle/internal/listen"
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
		case s.key == nil && !listen.IsAddress(r.Host): // a foreign page has no token and no cookie of ours
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
