package serve

import (
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestHostsAgainstRebinding(t *testing.T) {
	h := handler(t, runsOf(t), Options{})
	for host, want := range map[string]int{
		"localhost": 200, "LOCALHOST:8080": 200, "localhost.:1": 200, "127.0.0.1:8080": 200, "[::1]:8080": 200, "[::1]": 200, "192.168.1.7:80": 200,
		"evil.example": 403, "localhost.evil.example:8080": 403, "127.0.0.1.evil.example": 403, "": 403, "127.0.0.1@evil.example": 403,
	} {
		if r := get(h, "/", "Host", host); r.StatusCode != want {
			t.Errorf("host %q: %s", host, r.Status)
		}
	}
	// Whoever shows the token may use any name: a foreign page has no cookie of ours.
	if r := get(handler(t, runsOf(t), Options{Token: "s3cret"}), "/", "Host", "lab", "Authorization", "Bearer s3cret"); r.StatusCode != 200 {
		t.Errorf("with a token: %s", r.Status)
	}
}

func TestToken(t *testing.T) {
	const token = `a "long"; token`
	dir := runsOf(t)
	h := handler(t, dir, Options{Token: token})
	for _, target := range []string{"/", "/run/a", "/file/a/report.json", "/?token=wrong", "/?token="} {
		r := get(h, target)
		if r.StatusCode != http.StatusUnauthorized {
			t.Errorf("%s without the token: %s", target, r.Status)
		}
		if text := body(t, r); strings.Contains(text, "glyphs") || strings.Contains(text, filepath.Base(dir)) || strings.Contains(text, token) {
			t.Errorf("%s: tells what it keeps", target)
		}
	}
	r := get(h, "/run/a?token=a+%22long%22%3b+token&x=1")
	if r.StatusCode != http.StatusSeeOther || r.Header.Get("Location") != "/run/a?x=1" {
		t.Fatalf("token in the link: %s to %q", r.Status, r.Header.Get("Location"))
	}
	cookies := r.Cookies()
	if len(cookies) != 1 {
		t.Fatal("no cookie")
	}
	c := cookies[0]
	if !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Path != "/" || strings.Contains(c.Value, "long") {
		t.Errorf("cookie %v", c)
	}
	if r := get(h, "/run/a", "Cookie", c.Name+"="+c.Value); r.StatusCode != 200 {
		t.Errorf("with the cookie: %s", r.Status)
	}
	for _, bad := range []string{"", "x", c.Value + "0", c.Value[:10]} {
		if r := get(h, "/run/a", "Cookie", c.Name+"="+bad); r.StatusCode != 401 {
			t.Errorf("cookie %q: %s", bad, r.Status)
		}
	}
	for header, want := range map[string]int{"Bearer " + token: 200, "bearer " + token: 200, "Basic " + token: 401, token: 401, "Bearer": 401, "Bearer x": 401} {
		if r := get(h, "/", "Authorization", header); r.StatusCode != want {
			t.Errorf("%q: %s", header, r.Status)
		}
	}
}

// A token that fits sends on within the site, whatever the address looks like.
func TestTokenSendsNowhereElse(t *testing.T) {
	h := handler(t, t.TempDir(), Options{Token: "t"})
	for _, target := range []string{"//evil.example/?token=t", "/%5cevil.example?token=t", "/\\evil.example?token=t"} {
		to := get(h, "http://localhost"+target).Header.Get("Location")
		if !strings.HasPrefix(to, "/") || strings.HasPrefix(to, "//") || strings.HasPrefix(to, `/\`) {
			t.Errorf("%s: sent to %q", target, to)
		}
	}
}

// Without the token, no answer has the name of the folder, whatever is requested.
func TestAssetsAreNoWayIn(t *testing.T) {
	dir := runsOf(t)
	h := handler(t, dir, Options{Token: "t"})
	for _, target := range []string{"/assets/none", "/assets/", "/assets/a/b", "/assets/%2e%2e/run/a", "/assets/..%2frun%2fa", "/assets%2fpage.js", "/assets/../run/a"} {
		r := get(h, target)
		if text := body(t, r); r.StatusCode != http.StatusUnauthorized || strings.Contains(text, filepath.Base(dir)) {
			t.Errorf("%s without the token: %s", target, r.Status)
		}
	}
	for _, target := range []string{"/assets/style.css", "/assets/page.js"} {
		if r := get(h, target); r.StatusCode != 200 {
			t.Errorf("%s: %s", target, r.Status)
		}
	}
}

// A token leaves the address also where the reader has the cookie already.
func TestTokenLeavesTheAddress(t *testing.T) {
	h := handler(t, runsOf(t), Options{Token: "t"})
	c := get(h, "/?token=t").Cookies()[0]
	if r := get(h, "/run/a?token=t", "Cookie", c.Name+"="+c.Value); r.StatusCode != http.StatusSeeOther || r.Header.Get("Location") != "/run/a" {
		t.Errorf("%s to %q", r.Status, r.Header.Get("Location"))
	}
	if r := get(h, "/run/a?token=old", "Cookie", c.Name+"="+c.Value); r.StatusCode != 200 {
		t.Errorf("another token beside the cookie: %s", r.Status)
	}
}

// The page that asks for the token leads to what was asked for.
func TestTokenPageKeepsTheQuestion(t *testing.T) {
	h := handler(t, runsOf(t), Options{Token: "t"})
	text := body(t, get(h, `/?q=deep&sort=name&token=x&verdict="><script>`))
	for _, want := range []string{`<input type="hidden" name="q" value="deep">`, `<input type="hidden" name="sort" value="name">`, `value="&#34;&gt;&lt;script&gt;">`} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if strings.Contains(text, `value="x"`) || strings.Contains(text, "<script>") {
		t.Error("the page keeps the wrong token, or script")
	}
}

// What lies in the folder runs no script, reaches no network and is no part of the site.
func TestEvidencePolicy(t *testing.T) {
	directives := strings.Split(filePolicy, "; ")
	for _, want := range []string{"sandbox", "default-src 'none'", "form-action 'none'", "base-uri 'none'", "img-src data:"} {
		if !slices.Contains(directives, want) {
			t.Errorf("the policy lacks %s", want)
		}
	}
}
