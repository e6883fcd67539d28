package curious

import (
	"context"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/nn"
)

// tradeOffSteps is the number of steps of βs from 0 to 1 in TradeOff.
const tradeOffSteps = 20

// TradeOffPoint is one logistic regression, of B eq. (12), on the test part.
type TradeOffPoint struct {
	BetaS     float64 `json:"beta_s"`    // βs = 1 − βy
	Honesty   float64 `json:"honesty"`   // δy of ŷ > 1/2
	Curiosity float64 `json:"curiosity"` // δs of the same
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

// The setting of B figure 4.
const figure4Tau = .1 // τ′ of eq. (2)

// figure4Beta are the multipliers of B figure 4.
var figure4Beta = Beta{Y: .8, S: .2}

// figure4Bins is the number of bins of ŷ on [0, 1].
const figure4Bins = 50

// Figure4 is B figure 4: two logistic regressions on the plane, one for each
// attribute, mixed.
type Figure4 struct {
	Beta   Beta          `json:"beta"`
	Tau    float64       `json:"tau"` // τ′ of the normal mixture
	Hard   MixtureFigure `json:"hard"`
	Normal MixtureFigure `json:"normal"`
}

// MixtureFigure is one mixture on the test part.
type MixtureFigure struct {
	Honesty            float64     `json:"honesty"`
	Curiosity          float64     `json:"curiosity"`
	Counts             [2][2][]int `json:"counts"` // [y][s][bin] of ŷ, the bins dividing [0, 1] equally
	Classifier, Attack *nn.Graph   `json:"-"`
}

// MixPlane makes figure 4 of the plane (or another table of two classes each) with
// its multipliers and threshold. The ridge decides how steep the classifiers are, and so
// how the normal mixture overlaps.
func MixPlane(ctx context.Context, p *dataset.Parts) (*Figure4, error) {
	l, err := newRidgedLoss(p.Train)
	if err != nil {
		return nil, err
	}
	y, err := l.graph("y", 0)
	if err != nil {
		return nil, err
	}
	s, err := l.graph("s", 1)
	if err != nil {
		return nil, err
	}
	f := &Figure4{Beta: figure4Beta, Tau: figure4Tau}
	if f.Hard, err = mixtureFigure(ctx, y, s, f.Beta, true, mixtureDecoder(2, 2, f.Beta), p.Test); err != nil {
		return nil, err
	}
	f.Normal, err = mixtureFigure(ctx, y, s, f.Beta, false, mixtureThreshold(f.Tau), p.Test)
	return f, err
}

func mixtureFigure(ctx context.Context, fy, fs *nn.Graph, b Beta, hard bool, g *nn.Graph, test *dataset.Set) (MixtureFigure, error) {
	var m MixtureFigure
	var err error
	if m.Classifier, err = mixtureGraph(fy, fs, b, hard); err != nil {
		return m, err
	}
	m.Attack = g
	out, err := Predict(ctx, m.Classifier, test)
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
