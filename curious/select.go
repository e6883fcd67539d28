package curious

import (
	"slices"

	"tattle/classify"
	"tattle/nn"
)

// thresholds returns the grid of τ that the authors' program searches, in nats: .04,
// .06 and so on up to .90 (B section 5.1.4 has it tuned on the validation part).
func thresholds() []float64 {
	var taus []float64
	for i := 4; i <= 90; i += 2 {
		taus = append(taus, float64(i)/100)
	}
	return taus
}

// bestThreshold returns the threshold of the grid, the least of equally good ones,
// that guesses most of s by B eq. (4), s̄ = 1 where the entropy is above it, and the
// fraction that it guesses.
func bestThreshold(entropies []float64, s []int) (tau, accuracy float64) {
	most := -1
	for _, t := range thresholds() {
		right := 0
		for i, h := range entropies {
			if (h > t) == (s[i] == 1) {
				right++
			}
		}
		if right > most {
			most, tau = right, t
		}
	}
	return tau, float64(most) / float64(len(s))
}

// score is what the best epoch is chosen by (B section 5.1.4): δy and the mean of δs,
// weighted by βy and βs.
func score(b Beta, honesty float64, curiosity []float64) float64 {
	if len(curiosity) == 0 || b.S == 0 {
		return honesty
	}
	mean := 0.0
	for _, c := range curiosity {
		mean += c
	}
	mean /= float64(len(curiosity))
	return (b.Y*honesty + b.S*mean) / (b.Y + b.S)
}

// accuracy returns the fraction of rows whose largest entry is at the label.
func accuracy(outputs []float32, y []int) float64 {
	return classify.Accuracy(classify.Guesses(outputs, len(outputs)/len(y)), y).Value
}

// A choice keeps the parameters of the epoch with the strictly largest score.
type choice struct {
	state []*nn.Param
	kept  [][]float32
	epoch int // from 1; 0 before the first
	score float64
}

// newChoice watches graphs.
func newChoice(graphs ...*nn.Graph) *choice {
	c := &choice{}
	for _, g := range graphs {
		c.state = append(c.state, state(g)...)
	}
	return c
}

// offer keeps the parameters as they are where the score is the largest yet.
func (c *choice) offer(epoch int, score float64) bool {
	if c.epoch != 0 && !(score > c.score) {
		return false
	}
	c.epoch, c.score = epoch, score
	c.kept = sized(c.kept, len(c.state))
	for i, p := range c.state {
		c.kept[i] = append(c.kept[i][:0], p.Data...)
	}
	return true
}

// restore puts the kept parameters back and forgets gradients.
func (c *choice) restore() {
	for i, p := range c.state {
		copy(p.Data, c.kept[i])
		p.Grad = nil
		p.Changed()
	}
}

// state returns every tensor that training changes: parameters and running
// statistics.
func state(g *nn.Graph) []*nn.Param {
	var ps []*nn.Param
	for _, n := range g.Nodes {
		ps = append(ps, n.Params()...)
		if b, ok := n.Op.(*nn.BatchNorm); ok {
			ps = append(ps, b.Mean, b.Variance)
		}
	}
	seen := map[*nn.Param]bool{}
	return slices.DeleteFunc(ps, func(p *nn.Param) bool {
		was := seen[p]
		seen[p] = true
		return was
	})
}
