// Package guard adds the noise that was certified, in production: features are clipped, rounded to
// a lattice, and released as integers with discrete Gaussian noise (package lattice), drawn from
// a cryptographic generator that the operating system seeds.
//
// Nothing in this package accepts a seed. No release leaves without noise: an error of the
// operating system's generator is an error of every release after it.
package guard

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	mathrand "math/rand/v2"
	"runtime"
	"sync"
	"time"

	"tattle/internal/protect/lattice"
)

// Lattice holds the parameters of a Mechanism.
type Lattice = lattice.Lattice

// ErrClosed is the error of a release after Close.
var ErrClosed = errors.New("the mechanism is closed")

const (
	poolSize     = 1 << 19 // about how many integers of noise are drawn ahead
	blockVectors = 16      // for how many releases noise is drawn at once
	leastBlocks  = 4

	// emptyPause is how long a release waits when no noise is there, and again until there is: some
	// blocks of a thousand features are drawn meanwhile.
	emptyPause = 5 * time.Millisecond
)

// Mechanism releases features with noise. It is safe for concurrent use.
//
// Noise is drawn ahead by goroutines of its own, for blockVectors releases at a time, by ChaCha8
// with a new seed of the operating system for each such block. So the time that a release takes
// does not depend on its noise. A release that finds no noise waits for multiples of emptyPause,
// because drawing large noise takes longer. A copy of a running process, such as a snapshot of a
// virtual machine, has the same noise drawn ahead: start the process anew in each copy.
type Mechanism struct {
	lattice Lattice
	sampler *lattice.Sampler
	entropy io.Reader // of seeds

	full  chan []int64 // blocks of noise
	empty chan []int64 // blocks to be filled
	work  sync.WaitGroup

	mu    sync.Mutex
	block []int64     // the one in use
	rest  []int64     // what of it has not been used
	timer *time.Timer // of pauses

	ending sync.Once
	end    chan struct{} // closed at the end
	why    error         // the error of every release after the end
}

// New returns a mechanism with these parameters. It returns an error if they are not allowed, or
// if the operating system gives no random numbers. Call Close to stop its goroutines.
func New(l Lattice) (*Mechanism, error) { return newMechanism(l, rand.Reader) }

// newMechanism is New with seeds from entropy, for tests.
func newMechanism(l Lattice, entropy io.Reader) (*Mechanism, error) {
	if err := l.Check(); err != nil {
		return nil, err
	}
	sampler, err := lattice.NewSampler(l.Ratio())
	if err != nil {
		return nil, err
	}
	m := &Mechanism{lattice: l, sampler: sampler, entropy: entropy, end: make(chan struct{}), timer: time.NewTimer(emptyPause)}
	generator := new(mathrand.ChaCha8)
	if err := m.reseed(generator); err != nil {
		return nil, err
	}
	blocks := max(leastBlocks, poolSize/blockVectors/l.Dim)
	m.full, m.empty = make(chan []int64, blocks), make(chan []int64, blocks)
	for range blocks {
		m.empty <- make([]int64, blockVectors*l.Dim)
	}
	for range min(blocks, runtime.GOMAXPROCS(0)) {
		m.work.Go(m.fill)
	}
	return m, nil
}

// reseed sets the generator to a new seed of the operating system.
func (m *Mechanism) reseed(generator *mathrand.ChaCha8) error {
	var seed [32]byte
	if _, err := io.ReadFull(m.entropy, seed[:]); err != nil {
		return fmt.Errorf("no random numbers of the operating system: %w", err)
	}
	generator.Seed(seed)
	clear(seed[:])
	return nil
}

// fill fills empty blocks with noise until the end. Without a seed it ends the mechanism.
func (m *Mechanism) fill() {
	generator := new(mathrand.ChaCha8)
	for {
		select {
		case <-m.end:
			return
		case block := <-m.empty:
			if err := m.reseed(generator); err != nil {
				m.finish(err)
				return
			}
			m.sampler.Sample(block, generator)
			m.full <- block // has room for all blocks
		}
	}
}

// finish makes every later release fail with why.
func (m *Mechanism) finish(why error) {
	m.ending.Do(func() {
		m.why = why
		close(m.end)
	})
}

// Release overwrites dst with the lattice points of the clipped features, noise added, and
// returns how many features were clipped. The features that they stand for are Lattice.Values.
// It returns lattice.ErrNaN if a feature is not a number, ErrClosed after Close, and the error of
// the operating system's generator after one; dst is then all zeros. It panics unless both slices
// have Dim entries.
//
// The number of clipped features is about the input: do not publish it for single releases.
func (m *Mechanism) Release(dst []int64, features []float32) (clipped int, err error) {
	if len(dst) != m.lattice.Dim || len(features) != m.lattice.Dim {
		panic(fmt.Sprintf("guard: %d features into %d integers, of a mechanism for %d", len(features), len(dst), m.lattice.Dim))
	}
	if err := m.draw(dst); err != nil {
		clear(dst)
		return 0, err
	}
	return m.lattice.AddRounded(dst, features)
}

// Err returns the error that every release has, nil if releases are possible.
func (m *Mechanism) Err() error {
	select {
	case <-m.end:
		return m.why
	default:
		return nil
	}
}

// draw overwrites dst with noise that nobody else gets.
func (m *Mechanism) draw(dst []int64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.rest) == 0 {
		if m.block != nil {
			m.empty <- m.block // has room for all blocks
			m.block = nil
		}
		for m.block == nil {
			select {
			case m.block = <-m.full:
				m.rest = m.block
			default:
				if err := m.pause(); err != nil {
					return err
				}
			}
		}
	}
	if err := m.Err(); err != nil {
		return err
	}
	noise := m.rest[:len(dst)]
	m.rest = m.rest[len(dst):]
	copy(dst, noise)
	clear(noise)
	return nil
}

// pause waits for emptyPause, or returns the error of the end.
func (m *Mechanism) pause() error {
	m.timer.Reset(emptyPause)
	select {
	case <-m.end:
		return m.why
	case <-m.timer.C:
		return nil
	}
}

// Close stops the goroutines and forgets the noise that was drawn ahead. Every later release
// fails with ErrClosed.
func (m *Mechanism) Close() error {
	m.finish(ErrClosed)
	m.work.Wait()
	m.mu.Lock()
	defer m.mu.Unlock()
	clear(m.rest)
	m.block, m.rest = nil, nil
	for {
		select {
		case block := <-m.full:
			clear(block)
		default:
			return nil
		}
	}
}
