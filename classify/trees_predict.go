package classify

import "math/bits"

// node is a cut, codes of column up to bin going left and others to the node after
// that, or a leaf where left is 0.
type node struct {
	column int32
	left   int32
	value  float32
	bin    uint8
}

// tree has its root first.
type tree []node

// at returns the value of a row whose code of column j is codes[j·step].
func (t tree) at(codes []uint8, step int) float32 {
	n := &t[0]
	for n.left != 0 {
		i := n.left
		if codes[int(n.column)*step] > n.bin {
			i++
		}
		n = &t[i]
	}
	return n.value
}

// treeBlock rows go through all trees while their codes are at hand, eight to a word.
const treeBlock = 512

// lanes of a word, and the highest bit of each.
const (
	lanes    = 0x0101010101010101
	laneHigh = 0x80 * lanes
)

// scan is a tree that eight rows go through at once (QuickScorer; Lucchese et al., 2015).
// Leaves are numbered from the left, and every cut that sends a row right strikes those
// out that are left of it: the first of the rest is the row's.
type scan struct {
	cuts   []strike
	values [treeLeaves]float32
	leaves int
}

// strike is a cut: in lanes where the code is above bin, it leaves those of keep.
type strike struct {
	column int
	bin    uint64 // of each lane, and laneHigh
	keep   uint64
}

func newScan(t tree) *scan {
	s := &scan{}
	s.walk(t, 0)
	return s
}

// walk takes the subtree at a node in and returns its leaves.
func (s *scan) walk(t tree, at int32) (leaves uint8) {
	n := t[at]
	if n.left == 0 {
		s.values[s.leaves] = n.value
		s.leaves++
		return 1 << (s.leaves - 1)
	}
	left := s.walk(t, n.left)
	s.cuts = append(s.cuts, strike{int(n.column), laneHigh + lanes*uint64(n.bin), lanes * uint64(^left)})
	return left | s.walk(t, n.left+1)
}

// addTo adds the tree's values to the scores of rows with codes [d, treeBlock/8].
func (s *scan) addTo(scores *[treeBlock]float32, codes []uint64, words int) {
	for w := range words {
		left := ^uint64(0)
		for i := range s.cuts {
			c := &s.cuts[i]
			up := (c.bin - codes[c.column*(treeBlock/8)+w]) & laneHigh // the code is up to bin
			left &= c.keep | up | (up - up>>7)
		}
		for j := range 8 {
			scores[(8*w+j)&(treeBlock-1)] += s.values[bits.TrailingZeros8(uint8(left>>(8*j)))&(treeLeaves-1)]
		}
	}
}

// block holds the buffers of one core in Predict.
type block struct {
	codes  []uint64 // [d, treeBlock/8], a byte for each row
	scores [][treeBlock]float32
}

// predict overwrites dst with the scores of n coded rows.
func (b *boosted) predict(dst []float32, room *block, n int) {
	k := max(len(b.classes.present), 1)
	first := k - max(b.outputs, 1) // of two classes the second has the scores
	for len(room.scores) < k {
		room.scores = append(room.scores, [treeBlock]float32{})
	}
	for c := range k {
		start := float32(0)
		if c >= first && b.outputs > 0 {
			start = float32(b.start[c-first])
		}
		for i := range n {
			room.scores[c][i] = start
		}
	}
	for i, s := range b.scans {
		s.addTo(&room.scores[first+i%b.outputs], room.codes, (n+7)/8)
	}
	b.deliver(dst, room.scores[:k], n)
}

// deliver overwrites dst, [n, width], with scores, [present][n].
func (b *boosted) deliver(dst []float32, scores [][treeBlock]float32, n int) {
	if b.classes.present == nil {
		for i, z := range scores[0][:n] {
			dst[i] = b.standard.back(float64(z))
		}
		return
	}
	for i := range dst {
		dst[i] = absent
	}
	for c, l := range b.classes.present {
		for i, v := range scores[c][:n] {
			dst[i*b.classes.width+l] = v
		}
	}
}
