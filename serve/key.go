package serve

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"net/http"
	"strings"
)

// key is what a reader must show: the token, or a cookie that was given for it.
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
		// Cookies do not tell ports apart, so the name tells tokens apart.
		cookie: "tattle-" + digest("cookie")[:8],
		pass:   digest("pass"),
	}
}

// shown tells whether a request carries our cookie, or the token as a bearer.
func (k *key) shown(r *http.Request) bool {
	if c, err := r.Cookie(k.cookie); err == nil && subtle.ConstantTimeCompare([]byte(c.Value), []byte(k.pass)) == 1 {
		return true
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	return strings.EqualFold(scheme, "bearer") && k.fits(strings.TrimSpace(token))
}

// fits compares digests, so that time tells neither contents nor length.
func (k *key) fits(token string) bool {
	sum := sha256.Sum256([]byte(token))
	return subtle.ConstantTimeCompare(sum[:], k.token[:]) == 1
}

// admit turns a token in a link into a cookie, and sends the reader on to the link
// without it, so that it stays out of history and bookmarks.
func (k *key) admit(w http.ResponseWriter, r *http.Request) {
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
