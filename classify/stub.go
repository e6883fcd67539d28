package classify

import "context"

type Logistic struct{}
type Trees struct{}
type Neighbours struct{}
type Network struct{}
type Threshold struct{}

func (Logistic) Name() string   { return "logistic" }
func (Trees) Name() string      { return "trees" }
func (Neighbours) Name() string { return "neighbours" }
func (Network) Name() string    { return "network" }
func (Threshold) Name() string  { return "threshold" }

func (Logistic) Suits(Target) bool    { return true }
func (Trees) Suits(Target) bool       { return true }
func (Neighbours) Suits(Target) bool  { return true }
func (Network) Suits(Target) bool     { return true }
func (Threshold) Suits(t Target) bool { return t.Labels != nil && t.Classes == 2 }

func (l Logistic) Fit(ctx context.Context, x []float32, d int, targets []Target, seed uint64) (Fitted, error) {
	return stubFit(l, x, d, targets)
}
func (l Trees) Fit(ctx context.Context, x []float32, d int, targets []Target, seed uint64) (Fitted, error) {
	return stubFit(l, x, d, targets)
}
func (l Neighbours) Fit(ctx context.Context, x []float32, d int, targets []Target, seed uint64) (Fitted, error) {
	return stubFit(l, x, d, targets)
}
func (l Network) Fit(ctx context.Context, x []float32, d int, targets []Target, seed uint64) (Fitted, error) {
	return stubFit(l, x, d, targets)
}
func (l Threshold) Fit(ctx context.Context, x []float32, d int, targets []Target, seed uint64) (Fitted, error) {
	return stubFit(l, x, d, targets)
}

// prior guesses the shares of the classes, or the mean.
type prior struct {
	d      int
	shares [][]float32
}

func stubFit(l Learner, x []float32, d int, targets []Target) (Fitted, error) {
	n, err := check(l, x, d, targets)
	if err != nil {
		return nil, err
	}
	p := &prior{d: d}
	for _, t := range targets {
		s := make([]float32, t.Width())
		for i := range n {
			if t.Labels != nil {
				s[t.Labels[i]] += 1 / float32(n)
			} else {
				s[0] += float32(t.Values[i]) / float32(n)
			}
		}
		p.shares = append(p.shares, s)
	}
	return p, nil
}

func (p *prior) Predict(ctx context.Context, dst [][]float32, x []float32) error {
	n := len(x) / p.d
	for t, s := range p.shares {
		if dst[t] == nil {
			continue
		}
		for i := range n {
			copy(dst[t][i*len(s):], s)
		}
	}
	return ctx.Err()
}
