package guard

import (
	"cmp"
	"crypto/rand"
	"math"
	mathrand "math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"tattle/internal/must"
	"tattle/internal/protect/lattice"
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

// counted counts the words that are drawn.
type counted struct {
	mathrand.Source
	words float64
}

func (c *counted) Uint64() uint64 {
	c.words++
	return c.Source.Uint64()
}

// TestTimingLeak: the reason for the pool. A program that samples on request draws more random words
// for large noise than for small noise, and takes longer.
func TestTimingLeak(t *testing.T) {
	g := must.Get(lattice.NewSampler(64))(t)
	source := &counted{Source: mathrand.NewChaCha8([32]byte{1})}
	requests := make([]timed, 20000)
	for i := range requests {
		source.words = 0
		requests[i].noise = g.Draw(source)
		requests[i].cost = source.words
	}
	auc, e := largeNoise(requests)
	t.Logf("random words tell large noise from small noise with AUC %.3f ± %.3f", auc, e)
	if auc-e < .6 {
		t.Errorf("AUC %v ± %v: the sampler's work does not depend on its noise, and the test has no power", auc, e)
	}
}

// timed is the noise of a request, and what the request cost.
type timed struct {
	noise int64
	cost  float64
}

// largeNoise returns the AUC of the cost as a guess whether the size of the noise is above its median,
// and half the width of its 99.9 % interval (J. Hanley, B. McNeil, Radiology 143, 1982).
func largeNoise(requests []timed) (auc, e float64) {
	size := func(a timed) int64 { return max(a.noise, -a.noise) }
	slices.SortFunc(requests, func(a, b timed) int { return cmp.Compare(size(a), size(b)) })
	median := size(requests[len(requests)/2])
	slices.SortFunc(requests, func(a, b timed) int { return cmp.Compare(a.cost, b.cost) })
	var ranks, large, small float64
	for first := 0; first < len(requests); {
		end := first
		for end < len(requests) && requests[end].cost == requests[first].cost {
			end++
		}
		for _, a := range requests[first:end] {
			if size(a) > median {
				ranks += float64(first+end+1) / 2
				large++
			} else {
				small++
			}
		}
		first = end
	}
	auc = (ranks - large*(large+1)/2) / (large * small)
	q1, q2 := auc/(2-auc), 2*auc*auc/(1+auc)
	return auc, 3.3 * math.Sqrt((auc*(1-auc)+(large-1)*(q1-auc*auc)+(small-1)*(q2-auc*auc))/(large*small))
}
