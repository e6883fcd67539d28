package classify

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

// at returns the value of row i of codes, [column][row].
func (t tree) at(codes [][]uint8, i int) float32 {
	n := &t[0]
	for n.left != 0 {
		next := n.left
		if codes[n.column][i] > n.bin {
			next++
		}
		n = &t[next]
	}
	return n.value
}

// treeBlock rows go through all trees while their codes are at hand.
const treeBlock = 512

// predict overwrites dst with the scores of n rows with codes [column][row].
func (b *boosted) predict(dst []float32, codes [][]uint8, n int) {
	k := b.response.scores()
	first := k - max(b.outputs, 1) // of two classes the second has the scores
	scores := make([]float32, n*k)
	for i := range n {
		for c := range b.outputs {
			scores[i*k+first+c] = float32(b.start[c])
		}
	}
	for _, round := range b.rounds {
		for c, t := range round {
			for i := range n {
				scores[i*k+first+c] += t.at(codes, i)
			}
		}
	}
	b.deliver(dst, scores)
}
