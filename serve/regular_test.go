package serve

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A link that takes the place of a file or folder at the wrong moment leads nowhere.
func TestSwappedForALink(t *testing.T) {
	dir := runsOf(t)
	write(t, dir, ".hidden/x.json", "SECRET")
	write(t, dir, "a/plain/x.json", "fine")
	swap := func(name, link string) {
		at := filepath.Join(dir, name)
		for _, from := range []string{".link", ".plain"} {
			if from == ".link" {
				os.Symlink(link, filepath.Join(dir, ".link"))
				os.Rename(at, filepath.Join(dir, ".plain"))
			} else {
				os.Remove(at)
			}
			os.Rename(filepath.Join(dir, from), at)
		}
	}
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			default:
				swap("a/plain", "../.hidden")
				swap("a/plain/x.json", "../../.hidden/x.json")
			}
		}
	}()
	h := handler(t, dir, Options{})
	fine := 0
	for began := time.Now(); time.Since(began) < 500*time.Millisecond; {
		text := body(t, get(h, "/file/a/plain/x.json"))
		if strings.Contains(text, "SECRET") {
			t.Error("a hidden file was shown")
			break
		}
		if text == "fine" {
			fine++
		}
	}
	close(stop)
	<-done
	if fine == 0 {
		t.Error("the file was never shown")
	}
}

// A folder whose name has a backslash is opened as it is listed.
func TestBackslash(t *testing.T) {
	if filepath.Separator != '/' {
		t.Skip("a backslash parts folders here")
	}
	dir := t.TempDir()
	put(t, dir, `a\b`, bounded(1), 0)
	h := handler(t, dir, Options{})
	for _, run := range listed(page(t, h, "/")) {
		page(t, h, linkTo("/run/", run))
	}
}
