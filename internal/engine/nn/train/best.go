package train

import "tattle/internal/engine/nn"

// Best keeps the parameters of the epoch with the strictly largest score.
type Best struct {
	Epoch int // from 1; 0 before the first
	Score float64

	state []*nn.Param
	kept  [][]float32
}

// NewBest watches parameters.
func NewBest(state ...*nn.Param) *Best { return &Best{state: state} }

// Offer keeps the parameters as they are if the score is the largest yet.
func (b *Best) Offer(epoch int, score float64) bool {
	if b.Epoch != 0 && !(score > b.Score) {
		return false
	}
	b.Epoch, b.Score = epoch, score
	for i, to := range b.room() {
		copy(to, b.state[i].Data)
	}
	return true
}

// room returns the arrays that parameters are kept in.
func (b *Best) room() [][]float32 {
	if b.kept == nil {
		for _, p := range b.state {
			b.kept = append(b.kept, make([]float32, len(p.Data)))
		}
	}
	return b.kept
}

// Restore puts the kept parameters back and forgets gradients.
func (b *Best) Restore() {
	for i, p := range b.state {
		copy(p.Data, b.kept[i])
		p.Grad = nil
		p.Changed()
	}
}
