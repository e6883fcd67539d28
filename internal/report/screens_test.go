package report

import (
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"tattle/internal/browser"
	"tattle/internal/must"
)

var (
	screens = flag.String("screens", "", "folder for pictures of every kind of report")
	pages   = flag.String("pages", "", "also these pages, as a pattern of paths: demo/report.html")
)

// TestFirstScreen opens a report of every kind in a browser: the verdict lies within the first screen of a desk and of a
// telephone, in light and dark, nothing is wider than the screen, and the audit prints on three pages. With -screens it
// takes pictures; with -v it prints lengths.
func TestFirstScreen(t *testing.T) { FirstScreens(t, kinds()) }

// FirstScreens is TestFirstScreen for these reports, also of curious_test.go.
func FirstScreens(t *testing.T, all map[string]*Report) {
	ctx := browser.New(t)
	page := map[string][]byte{}
	for name, r := range all {
		page[name] = []byte(written(t, r, "html"))
	}
	if *pages != "" {
		for _, path := range must.Get(filepath.Glob(*pages))(t) {
			page["real-"+filepath.Base(filepath.Dir(path))] = must.Get(os.ReadFile(path))(t)
		}
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Write(page[strings.TrimPrefix(q.URL.Path, "/")])
	}))
	defer server.Close()
	for name := range page {
		for _, s := range []browser.Screen{{Width: 1200, Height: 800}, {Width: 1200, Height: 800, Dark: true}, {Width: 400, Height: 800}, {Width: 400, Height: 800, Dark: true}} {
			s.Set(ctx, t)
			browser.Open(ctx, t, server.URL+"/"+name)
			at := fmt.Sprintf("%s, %d × %d", name, s.Width, s.Height)
			if foot := browser.Value[float64](ctx, t, "document.querySelector('.verdict').getBoundingClientRect().bottom"); foot > float64(s.Height) {
				t.Errorf("%s: the verdict ends at %.0f pixels", at, foot)
			}
			if width := browser.Value[int64](ctx, t, "document.documentElement.scrollWidth"); width > s.Width {
				t.Errorf("%s: the page is %d pixels wide", at, width)
			}
			if n := browser.Value[int](ctx, t, "document.querySelectorAll('pre.copy').length - document.querySelectorAll('button').length"); n != 0 {
				t.Errorf("%s: %d commands have no button to copy them", at, n)
			}
			if !s.Dark {
				t.Logf("%s: %d pixels high", at, browser.Value[int](ctx, t, "document.documentElement.scrollHeight"))
			}
			if *screens != "" {
				base := filepath.Join(*screens, fmt.Sprintf("%s-%d-%s", name, s.Width, map[bool]string{false: "light", true: "dark"}[s.Dark]))
				browser.Shoot(ctx, t, base+".png", false)
				if !s.Dark {
					s.Height = browser.Value[int64](ctx, t, "document.documentElement.scrollHeight")
					s.Set(ctx, t)
					browser.Shoot(ctx, t, base+"-whole.png", false)
				}
			}
		}
		n := len(regexp.MustCompile(`/Type\s*/Page\b`).FindAll(browser.Print(ctx, t), -1))
		t.Logf("%s: prints on %d pages", name, n)
		if strings.Contains(name, "audit") && n > 3 {
			t.Errorf("%s: prints on %d pages, not on at most 3", name, n)
		}
	}
}
