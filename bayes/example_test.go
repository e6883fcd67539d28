package bayes_test

import (
	"context"
	"fmt"

	"tattle/bayes"
	"tattle/release"
)

// line is a list of candidates of one feature.
type line []float64

func (l line) Len() int { return len(l) }
func (l line) Dim() int { return 1 }
func (l line) Features(_ context.Context, dst []float64, indices []int) error {
	for k, i := range indices {
		dst[k] = l[i]
	}
	return nil
}

// Two candidates, one standard deviation of the noise apart: the best adversary takes the
// nearer one and is right with probability Φ(½) = 69 %.
func ExampleRun() {
	noise, err := release.NewGaussian(1)
	if err != nil {
		panic(err)
	}
	r, err := bayes.Run(context.Background(), line{0, 1}, noise, nil, bayes.Options{Seed: 1})
	if err != nil {
		panic(err)
	}
	named, _ := r.Identified(.001)
	fmt.Printf("named in %.1f %% of releases, at most %.1f %%\n", 100*named.Mean, 100*named.High)
	// Output: named in 69.0 % of releases, at most 69.5 %
}
