// Package progress shows how far work has come: by a bar on a terminal, and elsewhere by a
// line now and then.
package progress

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"golang.org/x/term"
)

// drawInterval is the least time between two drawings of a bar.
const drawInterval = 100 * time.Millisecond

// quietFor is how long work may take before it shows a bar or a line.
const quietFor = 2 * time.Second

// A Bar shows how far work has come, with the time left, and only once the work has lasted
// quietFor. Off a terminal it is a line, and another one every LineInterval. It is safe for
// concurrent use; after Close it stays silent.
type Bar struct {
	mu      sync.Mutex
	w       io.Writer // a terminal; nil for no bar
	lines   io.Writer // in place of a terminal; nil for no lines
	pacer   *pace     // of the lines
	timer   *time.Timer
	what    string
	total   int
	bytes   bool
	started time.Time
	drawn   time.Time // when the bar was drawn
	done    int       // of the last Set
	first   int       // what was done already when the work started; -1 until that is known
}

// New returns a bar on w for work of so many steps; -1 if that is not known yet.
func New(w io.Writer, what string, total int) *Bar { return newBar(w, what, total, false, new(pace)) }

// NewBytes returns a bar for work whose steps are bytes.
func NewBytes(w io.Writer, what string, total int) *Bar {
	return newBar(w, what, total, true, new(pace))
}

func newBar(w io.Writer, what string, total int, bytes bool, p *pace) *Bar {
	lines := shown(w)
	w = Terminal(w)
	now := time.Now()
	b := &Bar{w: w, lines: lines, pacer: p, what: what, total: total, bytes: bytes, started: now, first: -1}
	if lines != nil {
		b.mu.Lock() // until the timer is known
		b.timer = time.AfterFunc(p.wait(what), b.line)
		b.mu.Unlock()
	}
	return b
}

// Terminal returns the terminal behind w, nil if there is none or it cannot move its
// cursor.
func Terminal(w io.Writer) io.Writer {
	if f, ok := inner(w).(*os.File); ok && term.IsTerminal(int(f.Fd())) && os.Getenv("TERM") != "dumb" {
		return f
	}
	return nil
}

// Set reports that done steps are done, of total (0 leaves the total as it was).
func (b *Bar) Set(done, total int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.first < 0 {
		b.first = done
	}
	b.done = done
	if total > 0 {
		b.total = total
	}
	if b.w == nil || time.Since(b.started) < quietFor || time.Since(b.drawn) < drawInterval {
		return
	}
	b.drawn = time.Now()
	io.WriteString(b.w, clearLine+b.drawing()) // an error here is the terminal's, and the work goes on
}

// clearLine moves the cursor of a terminal to the beginning of its line, and clears that.
const clearLine = "\r\x1b[K"

// SetBytes is Set for counts that are int64.
func (b *Bar) SetBytes(done, total int64) { b.Set(int(done), int(total)) }

// Name changes what the work is called.
func (b *Bar) Name(what string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.what = what
}

// barWidth is the width of a bar, in characters.
const barWidth = 20

// drawing returns a bar, if the total is known, and the words of state, in the columns that the
// terminal has: a line that is too long cannot be cleared.
func (b *Bar) drawing() string {
	columns, bar := 80, ""
	if f, ok := b.w.(*os.File); ok {
		if n, _, err := term.GetSize(int(f.Fd())); err == nil && n > 0 {
			columns = n
		}
	}
	if b.total > 0 {
		full := min(max(b.done*barWidth/b.total, 0), barWidth)
		bar = "|" + strings.Repeat("█", full) + strings.Repeat(" ", barWidth-full) + "| "
	}
	return bar + fitted(b.what, b.state(), columns-1-utf8.RuneCountInString(bar))
}

// fitted joins a label and further text in a number of columns. It shortens the label if necessary,
// and leaves the further text out if less than eight characters of the label would remain.
func fitted(label, more string, columns int) string {
	cut := func(s string, n int) string {
		if r := []rune(s); len(r) > max(n, 0) {
			return string(r[:max(n-1, 0)]) + "…"
		}
		return s
	}
	if short := cut(label, columns-utf8.RuneCountInString(more)); utf8.RuneCountInString(short) >= min(8, utf8.RuneCountInString(label)) {
		return short + more
	}
	return cut(label, columns)
}

// timeLeft returns how long the steps left will take at the pace of those done, in words.
func timeLeft(since time.Duration, done, left int) string {
	if since < 0 || done <= 0 || left <= 0 {
		return ""
	}
	nanoseconds := float64(since) / float64(done) * float64(left) // may be more than a Duration holds
	if nanoseconds > float64(100*time.Hour) {
		return ", days left"
	}
	return fmt.Sprintf(", %v left", time.Duration(nanoseconds).Round(time.Second))
}

// Close clears the bar, and ends the lines.
func (b *Bar) Close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.w != nil && !b.drawn.IsZero() {
		io.WriteString(b.w, clearLine)
	}
	if b.timer != nil {
		b.timer.Stop()
	}
	b.w, b.lines = nil, nil
}
