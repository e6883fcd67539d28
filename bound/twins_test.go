package bound

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"tattle/nn"
	"tattle/release"
)

// greyMNIST is how many grey levels a unit of the MNIST net's inputs is worth.
const greyMNIST = 255 * .3081

func mnistRange(t testing.TB) Domain {
	t.Helper()
	low, high := float64(float32((0-.1307)/.3081)), float64(float32((1-.1307)/.3081))
	d, err := Legal(slices.Repeat([]float64{low - 1e-6}, 784), slices.Repeat([]float64{high + 1e-6}, 784))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// The first ReLU of paper A's MNIST net leaves room for legal images far from any
// digit, at least 60 grey levels, of which the certificate says that their features
// differ by rounding alone.
func TestTwinsOnMNIST(t *testing.T) {
	o := loadOracle(t)
	count := 100
	if testing.Short() {
		count = 5
	}
	f, err := NewTwinFinder(o.net.Graph(), mnistRange(t))
	if err != nil {
		t.Fatal(err)
	}
	var far, near, ratio, took []float64
	good := [2]int{}
	target := make([]float32, 784)
	for i := range count {
		theta := o.data.x[i*784 : (i+1)*784]
		k := TwinOptions{Seed: 1}.TargetIndex(o.data, i, o.data.labels[i])
		if k < 0 || !(TwinOptions{Seed: 1}).Target(target, o.data, i, o.data.labels[i]) || o.data.labels[k] == o.data.labels[i] {
			t.Fatalf("image %d of class %d: target %d", i, o.data.labels[i], k)
		}
		eps := make([]float64, 2*784)
		start := time.Now()
		found, err := f.Find(context.Background(), eps, theta, target)
		took = append(took, time.Since(start).Seconds())
		if err != nil {
			t.Fatal(err)
		}
		c := Certifier{Net: o.net, Noise: release.Gaussian{Sigma: o.sigma}, Domain: mnistRange(t)}
		for j, d := range c.DivergencesFloat64(theta, eps) {
			ratio = append(ratio, d.ZNorm/d.Allowance)
			rms := greyMNIST * math.Sqrt(square(eps[j*784:(j+1)*784])/784)
			if found[j] && d.Status == AllRounding && (rms >= 60 || j == 1) {
				good[j]++
			} else {
				t.Logf("image %d, twin %d: found %v, %.1f grey levels away, %v: %g over %g", i, j, found[j], rms, d.Status, d.ZNorm, d.Allowance)
			}
			if j == 0 {
				far = append(far, rms)
			} else {
				near = append(near, rms)
			}
		}
	}
	report := func(what string, x []float64) {
		s := Summary{}.summarize(x)
		t.Logf("%s: least %.3g, quartiles %.3g %.3g %.3g, most %.3g", what, slices.Min(x), s.Quantile(.25), s.Quantile(.5), s.Quantile(.75), slices.Max(x))
	}
	report("farthest, grey levels", far)
	report("nearest to target, grey levels from the image", near)
	report("‖z‖ over the allowance", ratio)
	report("seconds an image", took)
	if good[0]*100 < 95*count || good[1]*100 < 95*count {
		t.Errorf("%d far and %d near twins of %d images, want 95 in 100", good[0], good[1], count)
	}
}

var _ = rand.New
var _ = nn.Size
