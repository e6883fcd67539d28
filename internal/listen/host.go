package listen

import (
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// ByAddress refuses requests that do not name an address or localhost.
func ByAddress(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !isAddress(r.Host) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusMisdirectedRequest)
			io.WriteString(w, `{"error":"without a token the host must be localhost or an address"}`)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// isAddress reports whether the host of a request is an address or localhost. A foreign page
// can point its own name at a loopback address and then read what is there as its own (DNS
// rebinding). It cannot do so with an address.
func isAddress(host string) bool {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	host = strings.TrimSuffix(strings.ToLower(strings.Trim(host, "[]")), ".")
	_, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil
}
