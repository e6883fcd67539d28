package progress

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"time"

	"tattle/internal/file"
)

// Off a terminal, lines name the phase, what is done and the time left, and end with the bar.
func TestLines(t *testing.T) {
	var log bytes.Buffer
	b := New(&file.Screen{W: &log}, "bounding", 100)
	b.line()
	b.started = time.Now().Add(-time.Minute)
	b.line()
	b.started = time.Now()
	b.Set(0, 0)
	b.started = time.Now().Add(-10 * time.Second)
	b.Set(40, 0)
	b.line()
	b.Close()
	b.line()
	if got := log.String(); got != "tattle: bounding: 0 of 100\ntattle: bounding: 0 of 100, after 1m0s\ntattle: bounding: 40 of 100, 15s left\n" {
		t.Errorf("lines %q", got)
	}
	log.Reset()
	bytes := NewBytes(&log, "downloading mnist", -1)
	bytes.SetBytes(1_500_000, 3_000_000)
	bytes.line()
	bytes.Close()
	if got := log.String(); !strings.HasPrefix(got, "tattle: downloading mnist: 1.5 of 3.0 MB") {
		t.Errorf("lines %q", got)
	}
}

// Work that is over soon says nothing, and nobody reads what is discarded.
func TestQuiet(t *testing.T) {
	var log bytes.Buffer
	p := &Phases{W: &log}
	p.Set("reading", 1, 2)
	p.Set("bounding", 1, 2)
	p.Close()
	if log.Len() > 0 {
		t.Errorf("lines %q", &log)
	}
	if New(io.Discard, "reading", 1).timer != nil || New(&log, "reading", 1).timer == nil {
		t.Error("lines are written to io.Discard, or to nobody")
	}
}

// A phase that begins again and again has a line now and then only.
func TestRepeatedPhases(t *testing.T) {
	var p pace
	if w := p.wait("bounding"); w != quietFor {
		t.Errorf("the first waits %v", w)
	}
	p.wrote("bounding")
	if w := p.wait("bounding"); w < LineInterval-time.Second {
		t.Errorf("the second waits %v", w)
	}
	if w := p.wait("attacking"); w != quietFor {
		t.Errorf("another waits %v", w)
	}
}
