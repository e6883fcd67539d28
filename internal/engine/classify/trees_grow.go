package classify

import "tattle/internal/math/simd"

const (
	// leafRidge is added to a leaf's curvature.
	leafRidge = 1
	// leastGain of the loss, in nats over all rows, is what a split must bring.
	leastGain = 1e-6
	// histogramGrain is how many sums are worth a core.
	histogramGrain = 1 << 16
)

// histogram holds the packed sums of one column's bins.
type histogram = [treeBins]int64

// split is a cut of a leaf: codes up to bin go left.
type split struct {
	gain   float64
	column int // index among the tree's columns
	bin    uint8
	left   int64 // packed sum
}

// leaf is an end of a growing tree: rows[lo:hi].
type leaf struct {
	node, lo, hi int
	total        int64
	sums         []histogram // of the tree's columns; nil once no split is wanted
	best         split
}

// grower holds the buffers for growing a tree.
type grower struct {
	rows, spare []int32
	slopes      []int64 // those of the rows of a leaf, in their order
	room        [][]histogram
	free        [][]histogram
	leaves      []leaf

	codes   [][]uint8 // [column][row]
	columns []int
	packed  []int64
	scale   float64
	least   float64
	bins    int // of a column, at most
}

func newGrower(m, columns, leaves, bins int) *grower {
	g := &grower{bins: bins, rows: make([]int32, m), spare: make([]int32, m), slopes: make([]int64, m)}
	for range leaves + 1 {
		g.room = append(g.room, make([]histogram, columns))
	}
	return g
}

// grow returns a tree that splits, one after the other, the leaf which gains most.
func (g *grower) grow(codes [][]uint8, columns []int, packed []int64, scale, least, rate float64) tree {
	g.codes, g.columns, g.packed, g.scale, g.least = codes, columns, packed, scale, least
	g.free = append(g.free[:0], g.room...)
	for i := range g.rows {
		g.rows[i] = int32(i)
	}
	t := tree{{}}
	root := leaf{hi: len(g.rows), sums: g.take()}
	for _, p := range packed {
		root.total += p
	}
	g.sum(&root)
	g.look(&root)
	g.leaves = append(g.leaves[:0], root)
	for most := len(g.room) - 1; len(g.leaves) < most; {
		best := g.mostGain()
		if best < 0 {
			break
		}
		t = g.split(t, best, len(g.leaves)+1 < most)
	}
	for _, l := range g.leaves {
		slope, curvature := unpack(l.total)
		t[l.node].value = float32(-rate * slope / (curvature + leafRidge*scale))
	}
	return t
}

// unpack returns the sums of slopes and curvatures, times scale.
func unpack(total int64) (slope, curvature float64) {
	return float64(total >> 32), float64(uint32(total))
}

func (g *grower) take() []histogram {
	last := len(g.free) - 1
	h := g.free[last]
	g.free = g.free[:last]
	return h
}

func (g *grower) mostGain() int {
	best := -1
	for i, l := range g.leaves {
		if l.best.gain > 0 && (best < 0 || l.best.gain > g.leaves[best].best.gain) {
			best = i
		}
	}
	return best
}

// sum fills the leaf's histograms.
func (g *grower) sum(l *leaf) {
	rows := g.rows[l.lo:l.hi]
	slopes := g.slopes[:len(rows)]
	for i, r := range rows {
		slopes[i] = g.packed[r]
	}
	simd.Parallel(len(g.columns), 1+histogramGrain/(len(rows)+1), func(lo, hi int) {
		for c := lo; c < hi; c++ {
			l.sums[c] = histogram{}
			addTo(&l.sums[c], g.codes[g.columns[c]], rows, slopes)
		}
	})
}

func addTo(h *histogram, codes []uint8, rows []int32, slopes []int64) {
	slopes = slopes[:len(rows)]
	for i, r := range rows {
		h[codes[r]&(treeBins-1)] += slopes[i]
	}
}

// look finds the leaf's best split, the first of equal ones.
func (g *grower) look(l *leaf) {
	slope, curvature := unpack(l.total)
	l.best = split{}
	if least := g.least * g.scale; curvature < 2*least {
		return
	}
	ridge := leafRidge * g.scale
	whole := slope * slope / (curvature + ridge)
	for c := range g.columns {
		g.lookAt(l, c, slope, curvature, whole+leastGain*g.scale)
	}
}

// lookAt compares the splits of one column by G₁²/(H₁+λ) + G₂²/(H₂+λ) − G²/(H+λ), twice
// what a Newton step gains, times scale.
func (g *grower) lookAt(l *leaf, c int, slope, curvature, whole float64) {
	ridge, least := leafRidge*g.scale, g.least*g.scale
	var left int64
	for b, sum := range l.sums[c][:g.bins] {
		if sum == 0 {
			continue
		}
		left += sum
		g1, h1 := unpack(left)
		g2, h2 := slope-g1, curvature-h1
		if h1 < least {
			continue
		}
		if h2 < least {
			return
		}
		h1, h2 = h1+ridge, h2+ridge
		if both := h1 * h2; g1*g1*h2+g2*g2*h1 > (whole+l.best.gain)*both {
			l.best = split{(g1*g1*h2+g2*g2*h1)/both - whole, c, uint8(b), left}
		}
	}
}

// split cuts leaf i in two; without more, their own splits are not looked for.
func (g *grower) split(t tree, i int, more bool) tree {
	l := g.leaves[i]
	middle := g.part(l)
	t[l.node] = node{column: int32(g.columns[l.best.column]), bin: l.best.bin, left: int32(len(t))}
	left := leaf{node: len(t), lo: l.lo, hi: middle, total: l.best.left}
	right := leaf{node: len(t) + 1, lo: middle, hi: l.hi, total: l.total - l.best.left}
	t = append(t, node{}, node{})
	if more {
		g.share(l.sums, &left, &right)
		g.look(&left)
		g.look(&right)
	}
	g.leaves[i] = left
	g.leaves = append(g.leaves, right)
	return t
}

// part moves the leaf's rows that go left before the others, which keep their order.
func (g *grower) part(l leaf) int {
	codes := g.codes[g.columns[l.best.column]]
	rows, spare := g.rows[l.lo:l.hi], g.spare
	left, right := 0, 0
	for _, r := range rows {
		rows[left], spare[right] = r, r
		if codes[r] <= l.best.bin {
			left++
		} else {
			right++
		}
	}
	copy(rows[left:], spare[:right])
	return l.lo + left
}

// share makes both histograms of a split leaf: the smaller's by summing, the larger's
// as what is left of the parent's.
func (g *grower) share(parent []histogram, left, right *leaf) {
	small, large := left, right
	if left.hi-left.lo > right.hi-right.lo {
		small, large = right, left
	}
	small.sums, large.sums = g.take(), parent
	g.sum(small)
	for c := range g.columns {
		s, p := &small.sums[c], &large.sums[c]
		for b := range g.bins {
			p[b] -= s[b]
		}
	}
}

// addTo adds the tree to the scores of the rows that it learned from.
func (g *grower) addTo(scores []float32, t tree) {
	for _, l := range g.leaves {
		for _, r := range g.rows[l.lo:l.hi] {
			scores[r] += t[l.node].value
		}
	}
}
