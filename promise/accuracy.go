package promise

import (
	"context"

	"tattle/nn"
	"tattle/release"
)

// The draws of the final accuracy.
const (
	finalDraws    = 8
	streamFinally = 0x6672657368 // "fresh": noise that the search did not use
)

// FinalAccuracy measures on test data, with noise that the search did not use, how often the
// head of a release answers right. Where right is not nil, it says which examples the original
// model classifies correctly, and drop is the difference of the two accuracies.
func FinalAccuracy(ctx context.Context, front, head nn.Model, data nn.Source, noise release.Noise, seed uint64, right []bool) (released, drop release.Accuracy, err error) {
	curve, err := release.NewCurve(ctx, front, head, data, finalDraws, seed^streamFinally)
	if err != nil {
		return released, drop, err
	}
	if right != nil {
		curve.Against(right)
	}
	u, d, err := curve.At(ctx, noise, release.Post{})
	return u.Released, release.Accuracy{Fraction: d.Mean, Interval: d.Interval}, err
}
