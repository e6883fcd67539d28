package curious

import (
	"context"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/nn"
	"tattle/internal/run"
)

// tradeOffSteps is the number of steps of βs from 0 to 1 in TradeOff.
const tradeOffSteps = 20

// TradeOffPoint is one logistic regression, of B eq. (12), on the test part.
type TradeOffPoint struct {
	BetaS     float64 // βs = 1 − βy
	Honesty   float64 // δy of ŷ > 1/2
	Curiosity float64 // δs of the same
}

// TradeOff fits logistic regressions to the first sensitive attribute with weights
// βs = 0 … 1, in tradeOffSteps steps. Where y and s are independent as on the Plane,
// δy + δs = 1.5 for each (B section 3.1): a classifier of that little capacity pays
// for curiosity with honesty. When ctx ends it returns its error and no points.
func TradeOff(ctx context.Context, p *dataset.Parts) ([]TradeOffPoint, error) {
	l, err := newRidgedLoss(p.Train)
	if err != nil {
		return nil, err
	}
	var points []TradeOffPoint
	for i := range tradeOffSteps + 1 {
		bs := float64(i) / tradeOffSteps
		g, err := l.graph("logistic", bs)
		if err != nil {
			return nil, err
		}
		out, err := Predict(ctx, g, p.Test)
		if err != nil {
			return nil, err
		}
		points = append(points, TradeOffPoint{bs, accuracy(out, p.Test.Y), accuracy(out, p.Test.Sensitive[0].Labels)})
	}
	return points, nil
}

// The setting of B figure 4: τ′ of eq. (2), the multipliers, and the number of bins of ŷ on [0, 1].
const (
	figure4Tau  = .1
	figure4Bins = 50
)

var figure4Beta = Beta{Y: .8, S: .2}

// MixtureFigure is one mixture of B figure 4 on the test part.
type MixtureFigure struct {
	Honesty, Curiosity float64
	Counts             [2][2][]int // [y][s][bin] of ŷ, the bins dividing [0, 1] equally
}

// MixPlane makes B figure 4 of the plane (or another table of two classes each): two logistic regressions, one for each
// attribute, in a hard and in a normal mixture. The ridge decides how steep the
// classifiers are, and so how the normal mixture overlaps.
func MixPlane(ctx context.Context, p *dataset.Parts) (hard, normal MixtureFigure, err error) {
	l, err := newRidgedLoss(p.Train)
	if err != nil {
		return hard, normal, err
	}
	var of [2]*nn.Graph
	for s, name := range []string{"y", "s"} {
		if of[s], err = l.graph(name, float64(s)); err != nil {
			return hard, normal, err
		}
	}
	if hard, err = mixtureFigure(ctx, of, true, mixtureDecoder(2, 2, figure4Beta), p.Test); err == nil {
		normal, err = mixtureFigure(ctx, of, false, mixtureThreshold(figure4Tau), p.Test)
	}
	return hard, normal, err
}

// mixtureFigure mixes classifiers of y and of s, and has g take them apart.
func mixtureFigure(ctx context.Context, of [2]*nn.Graph, hard bool, g *nn.Graph, test *dataset.Set) (m MixtureFigure, err error) {
	out, err := Predict(ctx, mixtureGraph(of[0], of[1], 2, 2, figure4Beta, hard), test)
	if err != nil {
		return m, err
	}
	s := test.Sensitive[0].Labels
	m.Honesty = accuracy(out, test.Y)
	if m.Curiosity, err = guessed(g, out, s); err != nil {
		return m, err
	}
	for y := range m.Counts {
		for v := range m.Counts[y] {
			m.Counts[y][v] = make([]int, figure4Bins)
		}
	}
	for i, y := range test.Y {
		bin := min(figure4Bins-1, int(figure4Bins*float64(out[2*i+1])))
		m.Counts[y][s[i]][bin]++
	}
	return m, nil
}

// guessed returns the fraction of s that an attack guesses from outputs [n, Y].
func guessed(attack *nn.Graph, outputs []float32, s []int) (float64, error) {
	net, err := nn.NewNet(attack)
	if err != nil {
		return 0, err
	}
	return accuracy(forward(net, outputs), s), nil
}

// DefaultPlane is the number of training samples of the plane: with the default ridge they
// make the classifiers so steep that the normal mixture has the accuracies that B
// figure 4 prints. The paper names neither number.
const DefaultPlane = 20000

// Streams of run.Rand for the parts of the plane.
const (
	planeTrain = iota
	planeValidation
	planeTest
)

// Plane draws the distribution of B figure 2: x uniform on the square [−1, 1]², y = 1
// where x₁ > 0 and s = 1 where x₂ > 0. n rounded up to a multiple of 4 is the number
// of training and of test samples, 0 meaning DefaultPlane; there are a tenth as many for
// validation. The four quadrants are exactly equally frequent in each part, so that
// y and s are independent there, too.
func Plane(n int, seed uint64) *dataset.Parts {
	if n <= 0 {
		n = DefaultPlane
	}
	return &dataset.Parts{
		Train:      planePart(n, seed, planeTrain),
		Validation: planePart((n+9)/10, seed, planeValidation),
		Test:       planePart(n, seed, planeTest),
	}
}

// planePart draws one part; sample i lies in quadrant i mod 4.
func planePart(n int, seed uint64, stream int) *dataset.Set {
	n = (n + 3) / 4 * 4
	r := run.Rand(seed, 0, stream)
	y, s, x := make([]int, n), make([]int, n), make([]float32, 2*n)
	for i := range n {
		y[i], s[i] = i&1, i>>1&1
		x[2*i], x[2*i+1] = beside(r.Float64(), y[i]), beside(r.Float64(), s[i])
	}
	set := &dataset.Set{
		Name: "plane", Shape: []int{2}, Values: x,
		Y: y, YName: "x1", YNames: []string{"x1 < 0", "x1 > 0"},
		Sensitive: []dataset.Attribute{{Name: "x2", Values: []string{"x2 < 0", "x2 > 0"}, Labels: s}},
	}
	set.SHA256 = set.Sum()
	return set
}

// beside maps u in [0, 1) to the side of the origin that the class says, never onto
// it.
func beside(u float64, class int) float32 {
	x := max(float32(1-u), 0x1p-24)
	if class == 0 {
		return -x
	}
	return x
}
