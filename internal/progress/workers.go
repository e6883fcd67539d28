package progress

import (
	"fmt"
	"io"
	"sync/atomic"
)

// Workers is a writer for a run that several processes compute: bars on it show how many.
type Workers struct {
	io.Writer
	n atomic.Int64
}

// Set sets the number of workers.
func (w *Workers) Set(n int) { w.n.Store(int64(n)) }

// words returns the number of workers for a bar.
func (w *Workers) words() string {
	if w == nil {
		return ""
	}
	switch n := w.n.Load(); n {
	case 0:
		return ""
	case 1:
		return ", 1 worker"
	default:
		return fmt.Sprintf(", %d workers", n)
	}
}
