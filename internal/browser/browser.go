// Package browser runs a headless Chromium, for tests only: it opens pages at a given size, in
// light and dark, and takes pictures of them.
package browser

import (
	"context"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// names are the programs that are looked for.
var names = []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "headless-shell"}

// patience is how long a step may take on a busy machine.
const patience = 60 * time.Second

// New starts a headless browser and returns the context of its tab, for chromedp. It skips the
// test where there is no browser, or with -short.
func New(t testing.TB) context.Context {
	t.Helper()
	if testing.Short() {
		t.Skip("a browser takes a few seconds")
	}
	at := ""
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			at = path
			break
		}
	}
	if at == "" {
		t.Skip("no chromium or chrome in PATH: pages are not opened in a browser (apt-get install chromium)")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(at), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.UserDataDir(t.TempDir()))
	alloc, stop := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(stop)
	ctx, end := chromedp.NewContext(alloc)
	t.Cleanup(end)
	if err := chromedp.Do(ctx); err != nil {
		t.Skipf("%s does not start here: %v", at, err)
	}
	t.Cleanup(func() { chromedp.Cancel(ctx) }) // waits until its profile is free
	return ctx
}

// A Screen is what a page is shown on.
type Screen struct {
	Width, Height int64
	Dark          bool
}

// Set makes the tab a screen.
func (s Screen) Set(ctx context.Context, t testing.TB) {
	t.Helper()
	_, err := chromedp.Call(ctx, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: s.Width, Height: s.Height, DeviceScaleFactor: 1, Mobile: s.Width < 600})
	if err != nil {
		t.Fatal(err)
	}
	scheme := "light"
	if s.Dark {
		scheme = "dark"
	}
	if _, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}}); err != nil {
		t.Fatal(err)
	}
}

// Open opens an address.
func Open(ctx context.Context, t testing.TB, url string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, chromedp.Navigate(url)); err != nil {
		t.Fatal(err)
	}
}

// Value evaluates an expression in the page.
func Value[T any](ctx context.Context, t testing.TB, expression string) T {
	t.Helper()
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// Shoot writes a picture of the screen as PNG; with whole, of the whole page.
func Shoot(ctx context.Context, t testing.TB, path string, whole bool) {
	t.Helper()
	shot, err := chromedp.Call(ctx, page.CaptureScreenshot, page.CaptureScreenshotParams{CaptureBeyondViewport: &whole})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, shot.Data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// Print returns the page as a PDF of A4 paper.
func Print(ctx context.Context, t testing.TB) []byte {
	t.Helper()
	background := true
	pdf, err := chromedp.Call(ctx, page.PrintToPDF, page.PrintToPDFParams{PaperWidth: 8.27, PaperHeight: 11.69, PrintBackground: &background})
	if err != nil {
		t.Fatal(err)
	}
	return pdf.Data
}
