package curious

import "tattle/internal/engine/classify"

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
	best, right := classify.BestCut(entropies, s, thresholds(), false)
	return best.Tau, float64(right) / float64(len(s))
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
