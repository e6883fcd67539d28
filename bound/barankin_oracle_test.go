package bound

import (
	"context"
	"math"
	"slices"
	"testing"
	"time"

	"tattle/stat"
)

// On paper A's MNIST net the combination certifies what Cramér-Rao estimates, and
// far more than single witnesses do.
func TestBarankinOnMNIST(t *testing.T) {
	o := loadOracle(t)
	e := o.experiment(Auto)
	e.Barankin.Witnesses = DefaultWitnesses
	start := time.Now()
	r, err := Run(context.Background(), o.net, o.data, upTo(100), e, RunOptions{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%v", time.Since(start))
	median := func(x []float64) float64 { return stat.Quantile(slices.Clone(x), .5) }
	got, cr := median(r.Barankin.Std), median(o.cr)
	t.Logf("median %.5f, Cramér-Rao %.5f, Algorithm 1 %.5f, the authors' %.5f", got, cr, median(r.Sizes[0].Std), median(o.std))
	if got < .99*cr {
		t.Errorf("median %g is below 0.99 of Cramér-Rao's, %g", got, cr)
	}
	good := 0
	least := math.Inf(1)
	for i := range 100 {
		ratio := median(r.Barankin.Std[i*784:(i+1)*784]) / median(o.cr[i*784:(i+1)*784])
		least = min(least, ratio)
		if ratio >= .99 {
			good++
		}
	}
	t.Logf("%d of 100 images reach 0.99, the least ratio is %.4f", good, least)
	if good < 95 {
		t.Errorf("%d of 100 images reach 0.99 of Cramér-Rao", good)
	}
	if a := median(r.Sizes[0].Std); got < 2.7*a {
		t.Errorf("median %g is below 2.7 times Algorithm 1's, %g", got, a)
	}
	if a := median(o.std); got < 3.3*a {
		t.Errorf("median %g is below 3.3 times the authors', %g", got, a)
	}
	for _, s := range r.Summaries {
		t.Logf("%-22s %-8s %-7s %-5s %.4f unbounded %.3f", s.Method, s.Search, s.Band, s.Domain, quantiles(s), s.UnboundedFraction)
	}
}
