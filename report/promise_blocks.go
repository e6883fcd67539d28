package report

import "fmt"

// promiseTiles are the figures behind the verdict on a promise.
func (r *Report) promiseTiles() tiles {
	x := r.Promise
	if x.Released == nil {
		return nil
	}
	p := x.Released
	t := tiles{
		{"What to release", Count(p.Keep, "number"), fmt.Sprintf("of node %s, %s, noise σ = %s", p.Node, p.Method, number(p.Sigma))},
		{"Accuracy", percent1(float64(x.Accuracy)), fmt.Sprintf("%s to %s; original model: %s", bare(x.Interval[0]), bare(x.Interval[1]), percent1(float64(x.OriginalAccuracy)))},
	}
	if r.Lists == nil {
		return t
	}
	if h := r.Lists.Holder; h != nil {
		t = append(t, tile{"Identification", "at most " + shareAtMost(h.First.High), fmt.Sprintf("of releases, among %s; guessing: %s", CountGrouped(h.List.Inputs, "candidate"), percentOrLess(1/float64(h.List.Inputs)))})
	}
	if r.Lists.EverySample() != nil {
		t = append(t, r.floorTile())
	}
	return t
}

// shareAtMost prints an upper limit on a share with as many digits as it needs, rounded up.
func shareAtMost(x float64) string { return atMostNumber(100*x) + " %" }
