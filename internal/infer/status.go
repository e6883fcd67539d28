package infer

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// StatusError is a server's refusal.
type StatusError struct {
	URL     string // without user info
	Code    int    // HTTP status
	Message string // the server's words, on one line

	wait time.Duration // that it asks for
}

// Error returns one line with address, status and the server's words.
func (e *StatusError) Error() string {
	text := fmt.Sprintf("%s: status %d", e.URL, e.Code)
	if name := http.StatusText(e.Code); name != "" {
		text += " (" + name + ")"
	}
	if e.Message != "" {
		text += ": " + e.Message
	}
	switch e.Code {
	case http.StatusUnauthorized, http.StatusForbidden:
		text += "; a token may be missing or wrong"
	case http.StatusRequestEntityTooLarge:
		text += "; ask for fewer examples a request"
	}
	if e.wait > maxPatience {
		text += fmt.Sprintf("; it asks to come again in %v", e.wait)
	}
	return text
}

// passing reports whether another attempt may go better.
func (e *StatusError) passing() bool {
	switch e.Code {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// serverWords returns what a refusal says: the protocol's "error", or what gateways and
// frameworks write in its place, or the text itself; secrets are hidden before it is cut.
func serverWords(body []byte, hide func(string) string) string {
	var said struct {
		Error, Message, Detail json.RawMessage
	}
	if json.Unmarshal(body, &said) == nil {
		for _, raw := range []json.RawMessage{said.Error, said.Message, said.Detail} {
			if len(raw) == 0 {
				continue
			}
			text := ""
			if json.Unmarshal(raw, &text) != nil {
				text = string(raw)
			}
			return oneLine(hide(text))
		}
	}
	return oneLine(hide(string(body[:min(len(body), maxRefusal)])))
}

// retryAfter reads the header of that name: seconds, or a date.
func retryAfter(h http.Header, now time.Time) time.Duration {
	text := h.Get("Retry-After")
	if seconds, err := strconv.ParseInt(text, 10, 32); err == nil {
		return max(0, time.Duration(seconds)*time.Second)
	}
	if date, err := http.ParseTime(text); err == nil {
		return max(0, date.Sub(now))
	}
	return 0
}
