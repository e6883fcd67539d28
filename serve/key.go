package serve

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"net/http"
	"strings"
)

// key checks the token that a reader must send, or the cookie that replaces it.
type key struct {
	token  [sha256.Size]byte // digest
	cookie string            // its name
	pass   string            // its value
}

func newKey(token string) *key {
	digest := func(of string) string {
		sum := sha256.Sum256([]byte("tattle " + of + " " + token))
		return hex.EncodeToString(sum[:])
	}
	return &key{
		token: sha256.Sum256([]byte(token)),
		// Browsers send cookies to every port of a host, so the name depends on the token.
		cookie: "tattle-" + digest("cookie")[:8],
		pass:   digest("pass"),
	}
}

// isIn reports whether a request carries our cookie, or the token as a bearer.
func (k *key) isIn(r *http.Request) bool {
	if c, err := r.Cookie(k.cookie); err == nil && subtle.ConstantTimeCompare([]byte(c.Value), []byte(k.pass)) == 1 {
		return true
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	return strings.EqualFold(scheme, "bearer") && k.isToken(strings.TrimSpace(token))
}

// isToken compares digests, so that the time it takes reveals neither contents nor length.
func (k *key) isToken(token string) bool {
	sum := sha256.Sum256([]byte(token))
	return subtle.ConstantTimeCompare(sum[:], k.token[:]) == 1
}

// setCookie replaces a token in a link by a cookie, and redirects to the link
// without it, so that it does not stay in history and bookmarks.
func (k *key) setCookie(w http.ResponseWriter, r *http.Request) {
	http.SetCookie(w, &http.Cookie{
		Name: k.cookie, Value: k.pass, Path: "/",
		HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: r.TLS != nil,
	})
	to := "/" + strings.TrimLeft(r.URL.EscapedPath(), `/\`) // never to another host
	q := r.URL.Query()
	q.Del("token")
	if len(q) > 0 {
		to += "?" + q.Encode()
	}
	w.Header().Set("Location", to)
	w.WriteHeader(http.StatusSeeOther)
}
