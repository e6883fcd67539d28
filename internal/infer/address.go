package infer

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// address is where a model is served, free of user and password.
type address struct {
	server         string // http://host:8000, and a path where the server has one
	model, version string
}

// parseAddress reads the address of a server, or of a model as the protocol has it,
// …/v2/models/NAME[/versions/VERSION][/infer]. It refuses a user or password: addresses
// are stored in reports and seen in lists of processes.
func parseAddress(text string, o Options) (address, error) {
	u, err := url.Parse(text)
	if err != nil { // its error would repeat the text, and what secret it has
		return address{}, errors.New("the endpoint is no URL: it should look like http://host:8000")
	}
	shown := shownOf(*u)
	switch {
	case u.User != nil:
		return address{}, fmt.Errorf("endpoint %s: an address must not contain a user or password, which reports would store: give a token instead", shown)
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return address{}, fmt.Errorf("endpoint %s: it should look like http://host:8000", shown)
	case u.RawQuery != "" || u.Fragment != "" || u.ForceQuery:
		return address{}, fmt.Errorf("endpoint %s has a query, which the protocol has no use for: leave it out", shown)
	}
	a := address{model: o.Model}
	path := strings.TrimSuffix(strings.TrimRight(u.EscapedPath(), "/"), "/infer")
	if before, after, ok := strings.Cut(path, "/v2/models/"); ok {
		if err := a.takeModel(after); err != nil {
			return address{}, fmt.Errorf("endpoint %s: %w", shown, err)
		}
		path = before
	}
	a.server = u.Scheme + "://" + u.Host + strings.TrimSuffix(path, "/v2")
	if a.model == "" {
		return address{}, fmt.Errorf("endpoint %s: name the model, as in %s/v2/models/NAME", shown, oneLine(a.server))
	}
	return a, nil
}

// shownOf is an address for an error, without what may be secret: a query, and, where
// the scheme was forgotten, a user that was not seen as one.
func shownOf(u url.URL) string {
	u.User, u.RawQuery, u.ForceQuery, u.Fragment = nil, "", false, ""
	text := u.String()
	if u.Host == "" {
		text = text[strings.LastIndexByte(text, '@')+1:]
	}
	return oneLine(text)
}

// takeModel reads NAME[/versions/VERSION], which must agree with the options.
func (a *address) takeModel(path string) error {
	name, version, _ := strings.Cut(path, "/versions/")
	for _, part := range []struct {
		text string
		to   *string
	}{{name, &a.model}, {version, &a.version}} {
		text, err := url.PathUnescape(part.text)
		if err != nil || strings.Contains(part.text, "/") {
			return errors.New("its path is none of a model: …/v2/models/NAME[/versions/VERSION]")
		}
		if *part.to != "" && text != "" && *part.to != text {
			return fmt.Errorf("it names %s, the options %s: name one", oneLine(text), oneLine(*part.to))
		}
		if text != "" {
			*part.to = text
		}
	}
	return nil
}

// of returns the model's URL.
func (a address) of() string {
	u := a.server + "/v2/models/" + url.PathEscape(a.model)
	if a.version != "" {
		u += "/versions/" + url.PathEscape(a.version)
	}
	return u
}

// redirect follows no redirect: what is asked, and the token, are for the address that was named.
func redirect(r *http.Request, _ []*http.Request) error {
	to := *r.URL
	to.User, to.RawQuery, to.Fragment = nil, "", ""
	return permanent{fmt.Errorf("it redirects to %s: name that address if it is to be trusted", oneLine(to.String()))}
}
