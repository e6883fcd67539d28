package infer

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"tattle/internal/must"
)

// TestRedirects: a request, and the token with it, is for the address that was named only.
func TestRedirects(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v2/models/n" {
			t.Error("another address was asked")
		}
		http.Redirect(w, r, "/v2/models/n?token=x", http.StatusTemporaryRedirect)
	}))
	defer s.Close()
	c := must.Get(New(s.URL, Options{Model: "m", Token: "s3cret-token"}))(t)
	f := &fakeClock{}
	f.of(c)
	mustErr(t, ask(c), "/v2/models/m: it redirects to "+s.URL+"/v2/models/n: name that address")
	if len(f.sleeps) > 0 {
		t.Error("it was asked again")
	}
}

// TestTokenIsNotTold: no error contains the token, whatever the server answers, and no formatted
// value.
func TestTokenIsNotTold(t *testing.T) {
	const token = "s3cret-token"
	echo := func(path string, code int, body string) *canned {
		h := simple(good)
		h.replies[path] = []cannedReply{{code: code, body: body}}
		return h
	}
	for name, h := range map[string]*canned{
		"error":    echo("/v2/models/m/infer", 401, `{"error":"bad token s3cret-token"}`),
		"text":     echo("/v2/models/m/infer", 400, `Bearer s3cret-token`),
		"page":     echo("/v2/models/m/infer", 200, `Bearer s3cret-token`),
		"metadata": echo("/v2/models/m", 200, `s3cret-token`),
		"names":    echo("/v2/models/m", 200, `{"outputs":[{"name":"s3cret-token"},{"name":"b"}]}`),
		"datatype": echo("/v2/models/m/infer", 200, `{"outputs":[{"name":"y","shape":[1],"datatype":"s3cret-token","data":[1]}]}`),
	} {
		c, _ := newClient(t, h, Options{Token: token})
		err := ask(c)
		mustErr(t, err, "[hidden]")
		if strings.Contains(err.Error(), token) {
			t.Errorf("%s: %v", name, err)
		}
		if h.asked[0].header.Get("Authorization") != "Bearer "+token {
			t.Errorf("%s: the token was not sent", name)
		}
		if text := fmt.Sprintf("%v %+v %#v", c, c, c); strings.Contains(text, token) {
			t.Errorf("a client prints its token")
		}
	}
	if text, err := json.Marshal(Options{Token: token}); err != nil || bytes.Contains(text, []byte(token)) {
		t.Errorf("options are written with the token: %s, %v", text, err)
	}
}

// TestUnknownCertificate: the server is not trusted, and the request is not repeated.
func TestUnknownCertificate(t *testing.T) {
	s := httptest.NewUnstartedServer(simple(good))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	defer s.Close()
	c := must.Get(New(s.URL, Options{Model: "m"}))(t)
	f := &fakeClock{}
	f.of(c)
	if mustErr(t, ask(c), "certificate"); len(f.sleeps) > 0 {
		t.Error("it was asked again")
	}
}

func TestInputsThatDoNotFit(t *testing.T) {
	c, _ := newClient(t, simple(good), Options{})
	for n, x := range map[int][]float32{0: {1}, 2: {1, 2, 3}, -1: {1}} {
		if _, _, err := c.Infer(context.Background(), x, n); err == nil {
			t.Errorf("%d numbers as %d examples", len(x), n)
		}
	}
	h := simple(good)
	h.replies["/v2/models/m"] = []cannedReply{{body: `{"inputs":[{"name":"x","datatype":"UINT8","shape":[-1,2]}],"outputs":[]}`}}
	c, _ = newClient(t, h, Options{})
	_, _, err := c.Infer(context.Background(), []float32{1, 2, 3, .5}, 2)
	mustErr(t, err, "input x takes UINT8, but example 1 has 0.5")
}
