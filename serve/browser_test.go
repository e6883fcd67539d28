package serve

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	browsers "tattle/internal/browser"
	"tattle/internal/must"
)

// browser is one tab, and what it complained of.
type browser struct {
	t   *testing.T
	ctx context.Context

	mu         sync.Mutex
	complaints []string
}

// newBrowser starts a headless browser, or skips the test where there is none.
func newBrowser(t *testing.T) *browser {
	t.Helper()
	b := &browser{t: t, ctx: browsers.New(t)}
	b.listen()
	return b
}

// listen keeps all that the console says: script that fails, and what the
// content-security policy forbids.
func (b *browser) listen() {
	must.Do(b.t, chromedp.Listen(b.ctx, func(ev any) {
		b.mu.Lock()
		defer b.mu.Unlock()
		switch ev := ev.(type) {
		case *log.EventEntryAdded:
			b.complaints = append(b.complaints, fmt.Sprintf("%s (%s)", ev.Entry.Text, ev.Entry.URL))
		case *runtime.EventConsoleAPICalled:
			b.complaints = append(b.complaints, fmt.Sprint("console: ", ev.Type))
		case *runtime.EventExceptionThrown:
			b.complaints = append(b.complaints, ev.ExceptionDetails.Text)
		}
	}))
	must.Get(chromedp.Call(b.ctx, log.Enable, cdp.Empty{}))(b.t)
}

// do takes steps, which have a minute.
func (b *browser) do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, time.Minute)
	defer cancel()
	must.Do(b.t, chromedp.Do(ctx, steps...))
}

// arrive takes steps that lead to another page, and waits for that.
func (b *browser) arrive(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, time.Minute)
	defer cancel()
	must.Get(chromedp.RunResponse(ctx, steps...))(b.t)
}

// is fails if an expression has not that value in the page.
func is[T comparable](b *browser, expression string, want T) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, time.Minute)
	defer cancel()
	got := must.Get(chromedp.Run(ctx, chromedp.Evaluate[T](expression)))(b.t, expression)
	if got != want {
		b.t.Errorf("%s is %v, want %v", expression, got, want)
	}
}

// quiet fails if the browser complained.
func (b *browser) quiet(after string) {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, c := range b.complaints {
		b.t.Errorf("%s: %s", after, c)
	}
	b.complaints = nil
}

const (
	where   = "location.pathname"
	focused = "document.activeElement.getAttribute('href')"
)

func TestInABrowser(t *testing.T) {
	b := newBrowser(t)
	dir := runsOf(t)
	put(t, dir, "a-very-long-name-without-a-break-"+strings.Repeat("0123456789", 8), trained(.3, map[string]string{"x": strings.Repeat("y", 300)}), 0)
	put(t, dir, `<img src=x onerror=document.title='no'>`, trained(.31, map[string]string{}), 0)
	server := httptest.NewServer(handler(t, dir, Options{}))
	defer server.Close()
	b.clickThrough(server.URL)
	b.keyboard(server.URL)
	b.narrow(server.URL)
	guarded := httptest.NewServer(handler(t, dir, Options{Token: "open sesame"}))
	defer guarded.Close()
	b.token(guarded.URL)
	b.fromElsewhere(guarded.URL)
}

func (b *browser) clickThrough(url string) {
	b.arrive(chromedp.Navigate(url + "/"))
	is(b, "document.querySelectorAll('.run').length", 6)
	b.do(chromedp.SendKeys(chromedp.CSS("#q"), "deep"))
	b.arrive(chromedp.Click(chromedp.CSS("#filter button")))
	is(b, "location.search.includes('q=deep')", true)
	is(b, "document.querySelectorAll('.run').length", 1)
	b.arrive(chromedp.Click(chromedp.CSS("#filter .buttons a"))) // show all
	is(b, "document.querySelectorAll('.run').length", 6)
	b.arrive(chromedp.Click(chromedp.CSS(`a.open[href="/run/deep/b"]`)))
	is(b, where, "/run/deep/b")
	b.arrive(chromedp.Navigate(url + "/run/a"))
	b.quiet("lists and runs")
	b.arrive(chromedp.Click(chromedp.CSS(".actions .button")))
	is(b, where, "/file/a/report.html")
	is(b, "document.querySelector('h1').innerText", "Whole report")
	is(b, "getComputedStyle(document.querySelector('h1')).color", "rgb(1, 2, 3)") // its own style holds
	is(b, "self.origin", "null")                                                  // and it is no part of our site
	b.quiet("the report's page")
}

func (b *browser) keyboard(url string) {
	b.arrive(chromedp.Navigate(url + "/?sort=name"))
	b.do(chromedp.KeyEvent("j"), chromedp.KeyEvent("j"))
	is(b, focused, "/run/a")
	b.do(chromedp.KeyEvent("k"))
	is(b, focused, "/run/%3Cimg%20src=x%20onerror=document.title=%27no%27%3E")
	b.do(chromedp.KeyEvent("/"), chromedp.KeyEvent("jx/"))
	is(b, "document.activeElement.id", "q")
	is(b, "document.activeElement.value.endsWith('jx/')", true)
	b.do(chromedp.KeyEvent(kb.Escape), chromedp.KeyEvent(kb.ArrowDown+kb.ArrowDown+kb.ArrowUp+kb.ArrowDown+kb.ArrowDown+kb.ArrowDown))
	is(b, focused, "/run/audit")
	b.arrive(chromedp.KeyEvent(kb.Enter))
	is(b, where, "/run/audit")
	is(b, "document.title", "Is it curious? · tattle")
	b.arrive(chromedp.KeyEvent("u"))
	is(b, where, "/")
	b.quiet("the keyboard")
}

// narrow looks at every page on a screen of 360 pixels, light and dark.
func (b *browser) narrow(url string) {
	set := func(width int64, dark bool) { browsers.Screen{Width: width, Height: 700, Dark: dark}.Set(b.ctx, b.t) }
	set(360, true)
	long := "a-very-long-name-without-a-break-" + strings.Repeat("0123456789", 8)
	for _, at := range []string{"/", "/run/a", "/run/audit", "/run/" + long, "/none"} {
		b.do(chromedp.Navigate(url + at))
		is(b, "document.documentElement.scrollWidth", 360)
		is(b, "[...document.querySelectorAll('a, button, input, select, td, th, p')].filter(e => e.getBoundingClientRect().right > 361).map(e => e.outerHTML).join()", "")
	}
	is(b, "getComputedStyle(document.body).backgroundColor", "rgb(21, 24, 27)")
	b.do(chromedp.Navigate(url + "/"))
	is(b, "document.querySelector('tbody tr').getBoundingClientRect().bottom <= innerHeight", true)
	set(1200, false)
	b.mu.Lock()
	b.complaints = nil // that /none is not there
	b.mu.Unlock()
}

func (b *browser) token(url string) {
	b.arrive(chromedp.Navigate(url + "/run/a"))
	is(b, "document.title", "Token needed · tattle")
	b.do(chromedp.SendKeys(chromedp.CSS("#token"), "open sesame"))
	b.mu.Lock()
	b.complaints = nil // that the page is refused, and that its field has the focus before it asks for it
	b.mu.Unlock()
	b.arrive(chromedp.Click(chromedp.CSS(".token button")))
	is(b, "location.pathname + location.search", "/run/a")
	is(b, "document.title", "A classifier of glyphs · tattle")
	is(b, "document.cookie", "")
	b.quiet("the token")
}

// fromElsewhere follows links of another site: browsers keep a strict cookie back then.
func (b *browser) fromElsewhere(url string) {
	there := strings.Replace(url, "127.0.0.1", "localhost", 1) // another site, without a cookie yet
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<a id="admit" href="%s/run/a?token=open+sesame">1</a> <a id="later" href="%s/run/a">2</a>`, there, there)
	}))
	defer other.Close()
	for _, link := range []string{"#admit", "#later"} {
		b.arrive(chromedp.Navigate(other.URL))
		b.arrive(chromedp.Click(chromedp.CSS(link)))
		b.do(chromedp.WaitVisible(chromedp.CSS(".command")))
		is(b, "location.pathname + location.search", "/run/a")
	}
	b.mu.Lock()
	b.complaints = nil // that the page is refused at first
	b.mu.Unlock()
}
