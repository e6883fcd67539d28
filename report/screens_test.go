package report

import (
	"bytes"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"tattle/design"
	"tattle/internal/browser"
	"tattle/internal/must"
)

var (
	screens = flag.String("screens", "", "folder for pictures of every kind of report")
	pages   = flag.String("pages", "", "also these pages, as a pattern of paths: demo/report.html")
)

// kinds are reports of every kind.
func kinds(t *testing.T) map[string]*Report {
	return map[string]*Report{
		"audit": auditReport(), "bound": released(t), "curious": curiousReport(t),
		"promise": promised(t, design.Limits{Identify: .12, Candidates: 60000, Floor: .55}), "promise-none": nothingPromised(t),
		"trained": trained(), "tables": tabled(t), "figures": figured(t),
	}
}

// tabled is a report of tattle reproduce with a table of paper B.
func tabled(t *testing.T) *Report {
	r := curiousReport(t)
	r.Curiosity, r.Command = nil, "tattle reproduce table3"
	return r
}

// figured is a report of tattle reproduce with a figure of paper A.
func figured(t *testing.T) *Report {
	r := full(t)
	r.Command = "tattle reproduce figure1"
	return r
}

// released is a full report of tattle bound.
func released(t *testing.T) *Report {
	r := full(t)
	r.Methods, r.Published = nil, nil
	return r
}

// certified is the certificate of a release that keeps a promise.
func certified(t *testing.T) *Certificate {
	r := promised(t, design.Limits{Identify: .12, Candidates: 60000, Floor: .55})
	return &Certificate{
		Schema: CertificateSchema, Title: "Certificate of a release", Command: r.Command, Sentences: r.Sentences(), Promise: r.Design.Checked,
		Lattice: CertifiedLattice{Delta: .01, Sigma: 2.84, Clip: 6, Dim: 9}, Budget: CertifiedBudget{Releases: 1}, Queries: 1, Drift: 1e-4, From: "measured",
		Uncovered: []string{"Inputs that the run did not measure."},
	}
}

// trained is a report of tattle train without a sensitive attribute.
func trained() *Report {
	r := New("A classifier of glyphs", "tattle train glyphs", 1)
	r.Training = &Training{Task: "glyphs", Parameters: 1238730, Examples: 10000, Asked: 1, Optimizer: "Adam", Batch: 32, Epochs: []Epoch{{.1, .98}}}
	r.Utility = Utility{CleanAccuracy: .98, CleanInterval: [2]float64{.97, .99}, Examples: 2000, Draws: 1}
	r.Outcome = Done
	return r
}

// dialect are words that readers of reports did not understand.
var dialect = regexp.MustCompile(`(?i)for the unbiased\b|for everybody|let pass|\b(told|sees|dithered)\b|typical coarse|that it breaks|\b1 classifiers|thousandths`)

// TestEveryKind: reports of every kind use plain words, stand alone as a page, are no wider than a
// terminal, and are printed alike once they were read from JSON, which holds no infinity.
func TestEveryKind(t *testing.T) {
	all := kinds(t)
	all["sample"], all["estimated"] = sample(t), estimated(t)
	for name, r := range all {
		for i := range r.Published {
			r.Published[i].Ours = 2 // a comparison has no word for unbounded
		}
		t.Run(name, func(t *testing.T) {
			text, page := rendered(t, r)
			for _, found := range append(dialect.FindAllString(text, -1), dialect.FindAllString(page, -1)...) {
				t.Errorf("%q", found)
			}
			standsAlone(t, r)
			fits(t, text)
			var file bytes.Buffer
			must.Do(t, r.WriteJSON(&file))
			back := must.Get(ParseJSON(file.Bytes()))(t)
			textBack, pageBack := rendered(t, back)
			if text != textBack || string(WithoutPictures([]byte(page))) != pageBack {
				t.Error("printed otherwise from JSON")
			}
			if d := differing(t, r, back); d != nil {
				t.Errorf("differs from itself: %v", d)
			}
		})
	}
}

// visibleWords counts the words of a page while its details are closed.
const visibleWords = `(() => {
	const page = document.body.cloneNode(true);
	page.querySelectorAll('script, style, details > :not(summary)').forEach(e => e.remove());
	page.querySelectorAll('td, th, p, li, text, div, h1, h2, h3, span, dt, dd').forEach(e => e.append(' '));
	return page.textContent.split(/\s+/).filter(w => /[\p{L}\p{N}]/u.test(w)).length;
})()`

// TestFirstScreen opens a report of every kind in a browser: the verdict lies within the first
// screen of a desk and of a telephone, in light and dark, nothing is wider than the screen, and the
// audit prints on three pages. With -screens it takes pictures; with -v it prints lengths.
func TestFirstScreen(t *testing.T) {
	ctx := browser.New(t)
	page := map[string][]byte{}
	for name, r := range kinds(t) {
		var b bytes.Buffer
		must.Do(t, r.WriteHTML(&b))
		page[name] = b.Bytes()
	}
	var b bytes.Buffer
	must.Do(t, certified(t).WriteHTML(&b))
	page["certificate"] = b.Bytes()
	if *pages != "" {
		paths, _ := filepath.Glob(*pages)
		for _, path := range paths {
			b := must.Get(os.ReadFile(path))(t)
			page["real-"+filepath.Base(filepath.Dir(path))] = b
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
				t.Logf("%s: %d words, %d pixels high", at, browser.Value[int](ctx, t, visibleWords), browser.Value[int](ctx, t, "document.documentElement.scrollHeight"))
			}
			if *screens != "" {
				word := "light"
				if s.Dark {
					word = "dark"
				}
				base := filepath.Join(*screens, fmt.Sprintf("%s-%d-%s", name, s.Width, word))
				browser.Shoot(ctx, t, base+".png", false)
				if !s.Dark {
					s.Height = browser.Value[int64](ctx, t, "document.documentElement.scrollHeight")
					s.Set(ctx, t)
					browser.Shoot(ctx, t, base+"-whole.png", false)
				}
			}
		}
		pdf := browser.Print(ctx, t)
		n := len(regexp.MustCompile(`/Type\s*/Page\b`).FindAll(pdf, -1))
		t.Logf("%s: prints on %d pages", name, n)
		if strings.Contains(name, "audit") && n > 3 {
			t.Errorf("%s: prints on %d pages, not on at most 3", name, n)
		}
		if *screens != "" {
			must.Do(t, os.WriteFile(filepath.Join(*screens, name+".pdf"), pdf, 0o644))
		}
	}
}
