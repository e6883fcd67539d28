package audit

import (
	"context"
	"math"
	"math/rand/v2"

	"tattle/internal/engine/classify"
)

// coin replaces an attack that cannot read a planted code: it guesses by a hash of the row.
// A planted attribute is drawn evenly and independently of the outputs, so the guesses of
// such an attack are right for Binomial(m, ½) of m examples held back, as those of a coin
// are. Choosing between the attack that reads the code and coins is therefore as hard as
// choosing among all attacks, and harder if these agree with one another, or read the code
// as well.
type coin struct{ classify.Learner }

// coinScore is so small that a coin's guesses cost no more in log-loss than a guess of
// one half.
const coinScore = 1e-3

func (c coin) Fit(_ context.Context, _ classify.Rows, targets []classify.Target, seed uint64) (classify.Fitted, error) {
	f := fittedCoin{seed: seed}
	for _, t := range targets {
		f.widths = append(f.widths, t.Width())
	}
	return f, nil
}

type fittedCoin struct {
	seed   uint64
	widths []int
}

func (f fittedCoin) Predict(_ context.Context, dst [][]float32, rows classify.Rows) error {
	for i := range rows.Len() {
		h := f.seed
		for _, v := range rows.Row(i) {
			h = (h ^ uint64(math.Float32bits(v))) * 0x9e3779b97f4a7c15
		}
		r := rand.New(rand.NewPCG(f.seed, h))
		for t, w := range f.widths {
			if dst[t] == nil {
				continue
			}
			clear(dst[t][i*w : (i+1)*w])
			dst[t][i*w+r.IntN(w)] = coinScore
		}
	}
	return nil
}
