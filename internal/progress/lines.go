package progress

import (
	"fmt"
	"io"
	"sync"
	"time"

	"tattle/internal/file"
)

// LineInterval is how often a line says how far work has come, where there is no terminal
// for a bar: in the log of a build, for one. 0 is never. Tests set it.
var LineInterval = 30 * time.Second

// A pace decides when the next line is due. The bars of one command share it, so that short
// phases that alternate do not fill the log.
type pace struct {
	mu   sync.Mutex
	seen map[string]bool // phases that had a line
	last time.Time       // when the last line was written
}

// wait returns how long a phase that begins now waits for its first line.
func (p *pace) wait(what string) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.seen[what] {
		return quietFor
	}
	return max(quietFor, time.Until(p.last.Add(LineInterval)))
}

// wrote notes a line on a phase.
func (p *pace) wrote(what string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.seen == nil {
		p.seen = map[string]bool{}
	}
	p.seen[what], p.last = true, time.Now()
}

// shown returns what lines are written to, nil if there is a terminal or nobody reads.
func shown(w io.Writer) io.Writer {
	if LineInterval <= 0 || w == nil || Terminal(w) != nil || inner(w) == io.Discard {
		return nil
	}
	return w
}

// inner returns the writer that others wrap.
func inner(w io.Writer) io.Writer {
	if s, ok := w.(*file.Screen); ok {
		w = s.W
	}
	return w
}

// line writes how far the work has come, and again after LineInterval until the bar is
// closed.
func (b *Bar) line() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.lines == nil {
		return
	}
	fmt.Fprintf(b.lines, "tattle: %s%s\n", b.what, b.state())
	b.pacer.wrote(b.what)
	b.timer.Reset(LineInterval)
}

// state returns what is done and the time left, in words; the time so far if the time left is
// not known.
func (b *Bar) state() (s string) {
	switch done := max(b.done, 0); {
	case b.bytes && b.total > 0:
		s += fmt.Sprintf(": %.1f of %.1f MB", float64(done)/1e6, float64(b.total)/1e6)
	case b.bytes:
		s += fmt.Sprintf(": %.1f MB", float64(done)/1e6)
	case b.total > 0:
		s += fmt.Sprintf(": %d of %d", done, b.total)
	case done > 0:
		s += fmt.Sprintf(": %d", done)
	}
	left := ""
	if b.first >= 0 {
		left = timeLeft(time.Since(b.started), b.done-b.first, b.total-b.done)
	}
	if since := time.Since(b.started).Round(time.Second); left == "" && since > quietFor {
		left = fmt.Sprintf(", after %v", since)
	}
	return s + left
}
