package progress

import (
	"io"
	"sync"

	"tattle/internal/engine/nn"
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
	if p.bar == nil || phase != p.phase || done < p.done {
		p.begin(phase, total)
	}
	p.done = done
	p.bar.Set(done, total)
}

// Begin begins a phase of unknown length, and returns what reports its progress.
func (p *Phases) Begin(phase string) func(done, total int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.begin(phase, -1)
	return func(done, total int) { p.Set(phase, done, total) }
}

func (p *Phases) begin(phase string, total int) {
	p.end()
	p.bar, p.phase, p.done = newBar(p.W, phase, total, false, &p.pacer), phase, 0
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
	p.bar = nil
}

// Source is a source of examples that reports how many have been read.
type Source struct {
	nn.Source
	set  func(done, total int)
	done *int
}

// Watch returns data whose reading is reported to set.
func Watch(data nn.Source, set func(done, total int)) Source { return Source{data, set, new(int)} }

// Examples implements nn.Source.
func (s Source) Examples(x []float32, indices []int) {
	s.Source.Examples(x, indices)
	*s.done += len(indices)
	s.set(*s.done, s.Len())
}
