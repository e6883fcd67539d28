package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"tattle/internal/file"
)

// quietFor is how long work may take before it shows a progress bar.
const quietFor = 2 * time.Second

// A meter shows how far work has come, with the time left, on a terminal and
// only once the work has lasted quietFor. It is safe for concurrent use; after
// close it stays silent.
type meter struct {
	mu      sync.Mutex
	w       io.Writer // nil for silence
	crowd   *crowd    // who works; nil for this process alone
	what    string
	total   int64
	bytes   bool
	started time.Time
	pace    time.Time // since when the pace is measured
	done    int64     // what set was told last
	first   int64     // what was done already when the work started; -1 until that is known
	bar     *progressbar.ProgressBar
}

// newMeter measures work of total steps (bytes where bytes is true).
func newMeter(w io.Writer, what string, total int64, bytes bool) *meter {
	c, _ := w.(*crowd)
	w = onTerminal(w)
	now := time.Now()
	m := &meter{w: w, crowd: c, what: what, total: total, bytes: bytes, started: now, pace: now, first: -1}
	if c != nil && w != nil {
		go m.refresh()
	}
	return m
}

// refresh shows the bar again now and then, until it is closed: others do the work, and
// news of it may be rare.
func (m *meter) refresh() {
	for {
		time.Sleep(quietFor / 2)
		m.mu.Lock()
		done, known, closed := m.done, m.first >= 0, m.w == nil
		m.mu.Unlock()
		if closed {
			return
		}
		if known {
			m.set(done, 0)
		}
	}
}

// onTerminal is the terminal behind w, nil where it is none or cannot move its cursor.
func onTerminal(w io.Writer) io.Writer {
	if c, ok := w.(*crowd); ok {
		w = c.Writer
	}
	if s, ok := w.(*file.Screen); ok {
		w = s.W
	}
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) && os.Getenv("TERM") != "dumb" {
		return f
	}
	return nil
}

// A crowd writes, and knows how many workers take part in what is written about.
type crowd struct {
	io.Writer
	workers atomic.Int64
}

// said is the number of workers, for a bar.
func (c *crowd) said() string {
	if c == nil || c.workers.Load() == 0 {
		return ""
	}
	return ", " + counted(int(c.workers.Load()), "worker")
}

// set reports that done steps are done, of total (0 leaves the total as it was).
func (m *meter) set(done, total int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.first < 0 {
		m.first = done
	}
	if m.crowd != nil && m.pace.Equal(m.started) && done > m.first { // before that, others may not have begun
		m.first, m.pace = done, time.Now()
	}
	m.done = done
	if total > 0 {
		m.total = total
	}
	if m.w == nil || time.Since(m.started) < quietFor {
		return
	}
	if m.bar == nil {
		m.bar = m.newBar()
	}
	m.bar.ChangeMax64(m.total)
	m.bar.Describe(m.what + m.crowd.said() + timeLeft(time.Since(m.pace), done-m.first, m.total-done))
	m.bar.Set64(done) // an error here is the terminal's, and the work goes on
}

// name changes what the work is called.
func (m *meter) name(what string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.what = what
}

func (m *meter) newBar() *progressbar.ProgressBar {
	return progressbar.NewOptions64(m.total,
		progressbar.OptionSetWriter(m.w),
		progressbar.OptionShowBytes(m.bytes),
		progressbar.OptionShowCount(),
		progressbar.OptionSetPredictTime(false), // it would count what a resumed run finds done
		progressbar.OptionSetElapsedTime(false),
		progressbar.OptionSetWidth(20),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionUseANSICodes(true), // clears what the terminal echoes too
		progressbar.OptionClearOnFinish(),
	)
}

// timeLeft says how long the steps left will take at the pace of those done.
func timeLeft(since time.Duration, done, left int64) string {
	if since < 0 || done <= 0 || left <= 0 {
		return ""
	}
	nanoseconds := float64(since) / float64(done) * float64(left) // may be more than a Duration holds
	if nanoseconds > float64(100*time.Hour) {
		return ", days left"
	}
	return fmt.Sprintf(", %v left", time.Duration(nanoseconds).Round(time.Second))
}

// close clears the bar.
func (m *meter) close() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.bar != nil {
		m.bar.Clear()
	}
	m.w = nil
}

// interruptible returns what f does, or ctx's error as soon as that ends: f is
// then left to itself, and what it works with must not be touched again.
func interruptible[T any](ctx context.Context, f func() (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome, 1)
	go func() {
		v, err := f()
		done <- outcome{v, err}
	}()
	select {
	case o := <-done:
		return o.value, o.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}

// phases shows one bar after the other.
type phases struct {
	mu    sync.Mutex
	w     io.Writer
	phase string
	done  int
	bar   *meter
}

// set reports progress; a phase that begins anew has a new bar.
func (p *phases) set(phase string, done, total int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if phase != p.phase || done < p.done {
		p.end()
		p.bar, p.phase = newMeter(p.w, phase, int64(total), false), phase
	}
	p.done = done
	p.bar.set(int64(done), int64(total))
}

func (p *phases) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.end()
}

func (p *phases) end() {
	if p.bar != nil {
		p.bar.close()
	}
}
