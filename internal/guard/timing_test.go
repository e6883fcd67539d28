package guard

import (
	"crypto/rand"
	"testing"
	"testing/synctest"
	"time"

	"tattle/internal/must"
)

// gated gives random numbers while the gate has seeds, and waits otherwise.
type gated chan struct{}

func (g gated) Read(p []byte) (int, error) {
	<-g
	return rand.Read(p)
}

// TestDrawnAhead: between a request and its release no random bit is drawn. The pool's releases leave
// while the source of bits is shut; only the one after them waits for it.
func TestDrawnAhead(t *testing.T) {
	l := Lattice{Delta: 1, Sigma: 3, Clip: 8, Dim: poolSize / blockVectors / leastBlocks}
	gate := make(gated, 1+leastBlocks)
	for range cap(gate) { // one seed to check the source, and one for each block
		gate <- struct{}{}
	}
	m := must.Get(newMechanism(l, gate))(t)
	defer m.Close()
	defer close(gate)
	dst, features := make([]int64, l.Dim), make([]float32, l.Dim)
	for range leastBlocks * blockVectors {
		must.Get(m.Release(dst, features))(t)
	}
	last := make(chan error)
	go func() {
		_, err := m.Release(dst, features)
		last <- err
	}()
	select {
	case err := <-last:
		t.Fatalf("a release without noise drawn for it: %v", err)
	case gate <- struct{}{}: // has room as soon as a block is to be filled again
	}
	must.Do(t, <-last)
}

// TestEmptyPool: a release that finds no noise waits for whole pauses, however long the noise takes.
func TestEmptyPool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := make(gated, 1)
		gate <- struct{}{}
		m := must.Get(newMechanism(small, gate))(t)
		defer m.Close()
		defer close(gate)
		dst, features := make([]int64, small.Dim), make([]float32, small.Dim)
		for i, drawing := range []time.Duration{1, emptyPause / 3, emptyPause - 1, 2*emptyPause + 1} {
			time.AfterFunc(drawing, func() { gate <- struct{}{} })
			for j := range blockVectors {
				began := time.Now()
				must.Get(m.Release(dst, features))(t)
				waited, want := time.Since(began), time.Duration(0)
				if j == 0 {
					want = emptyPause * (drawing/emptyPause + 1)
				}
				if waited != want {
					t.Errorf("block %d, drawn in %v: release %d took %v, want %v", i, drawing, j, waited, want)
				}
			}
		}
	})
}
