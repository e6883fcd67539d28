package progress

import (
	"io"
	"sync"

	"tattle/nn"
)

// Phases shows one bar after the other. It is safe for concurrent use.
type Phases struct {
	W io.Writer

	mu    sync.Mutex
	phase string
	done  int
	bar   *Bar
	pacer pace
}

// Set reports the progress of a phase. A phase that begins again has a new bar.
func (p *Phases) Set(phase string, done, total int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if phase != p.phase || done < p.done {
		p.end()
		p.bar, p.phase = newBar(p.W, phase, total, false, &p.pacer), phase
	}
	p.done = done
	p.bar.Set(done, total)
}

// Close clears the bar of the phase under way.
func (p *Phases) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.end()
}

func (p *Phases) end() {
	if p.bar != nil {
		p.bar.Close()
	}
}

// Source is a source of examples that shows on a bar how many have been read.
type Source struct {
	nn.Source
	bar  *Bar
	done *int
}

// Watch returns data with a bar.
func Watch(data nn.Source, bar *Bar) Source { return Source{data, bar, new(int)} }

// Examples implements nn.Source.
func (s Source) Examples(x []float32, indices []int) {
	s.Source.Examples(x, indices)
	*s.done += len(indices)
	s.bar.Set(*s.done, 0)
}
