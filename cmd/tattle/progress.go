package main

import (
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// quietFor is how long work may take before it shows a progress bar.
const quietFor = 2 * time.Second

// A meter shows how far work has come, with the time left, on a terminal and
// only once the work has lasted quietFor. The zero of its output is silence.
type meter struct {
	w       io.Writer
	what    string
	total   int64
	started time.Time
	bytes   bool
	bar     *progressbar.ProgressBar
}

// newMeter measures work of total steps (bytes where bytes is true).
func newMeter(w io.Writer, what string, total int64, bytes bool) *meter {
	if f, ok := w.(*os.File); !ok || !term.IsTerminal(int(f.Fd())) {
		w = nil
	}
	return &meter{w: w, what: what, total: total, bytes: bytes, started: time.Now()}
}

// set reports that done steps are done, of total (0 leaves the total as it was).
func (m *meter) set(done, total int64) {
	if m.w == nil {
		return
	}
	if m.bar == nil {
		if time.Since(m.started) < quietFor {
			return
		}
		m.bar = progressbar.NewOptions64(m.total,
			progressbar.OptionSetWriter(m.w),
			progressbar.OptionSetDescription(m.what),
			progressbar.OptionShowBytes(m.bytes),
			progressbar.OptionShowCount(),
			progressbar.OptionSetPredictTime(true),
			progressbar.OptionThrottle(100*time.Millisecond),
			progressbar.OptionClearOnFinish(),
		)
	}
	if total > 0 && total != m.total {
		m.total = total
		m.bar.ChangeMax64(total)
	}
	m.bar.Set64(done) // an error here is the terminal's, and the work goes on
}

// close clears the bar.
func (m *meter) close() {
	if m.bar != nil {
		m.bar.Clear()
	}
}
