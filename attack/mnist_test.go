package attack

import (
	"context"
	"testing"
	"time"

	"tattle/bound"
	"tattle/dataset"
	"tattle/internal/shared"
	"tattle/nn"
	"tattle/npy"
	"tattle/onnx"
	"tattle/release"
)

// mnist is paper A's net and data, and the 100 images of the oracle.
type mnist struct {
	whole, front *nn.Net
	train, test  *dataset.Set
	indices      []int
	domain       bound.Domain
}

func openMNIST(t testing.TB) mnist {
	t.Helper()
	g, err := onnx.Read(shared.Path(t, "models/mnist-mlp.onnx"))
	must(t, err)
	node, err := g.FeatureNode()
	must(t, err)
	f, _, err := g.Cut(node)
	must(t, err)
	var m mnist
	m.front, err = nn.NewNet(f)
	must(t, err)
	m.whole, err = nn.NewNet(g)
	must(t, err)
	m.train, err = dataset.Open(shared.Path(t, "data/mnist"), dataset.Train)
	must(t, err)
	m.test, err = dataset.Open(shared.Path(t, "data/mnist"), dataset.Test)
	must(t, err)
	file, err := npy.Open(shared.Path(t, "oracles/hcr-mnist/algorithm1_s200_i10_r25.npz"))
	must(t, err)
	defer file.Close()
	a, err := file.Array("indices")
	must(t, err)
	for _, i := range a.Data.([]int64) {
		m.indices = append(m.indices, int(i))
	}
	m.domain = box(t, m.test)
	return m
}

func box(t testing.TB, s *dataset.Set) bound.Domain {
	lo, hi := s.Range()
	plane := s.Shape[1] * s.Shape[2]
	var low, high []float64
	for c := range lo {
		for range plane {
			low, high = append(low, float64(lo[c])), append(high, float64(hi[c]))
		}
	}
	d, err := bound.Legal(low, high)
	must(t, err)
	return d
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

const oracleSigma = 1.7024195

func TestExplore(t *testing.T) {
	m := openMNIST(t)
	ctx := context.Background()
	noise := release.Gaussian{Sigma: oracleSigma}
	o := Options{Classifier: m.whole}
	tell := func(a Attack, start time.Time) {
		made := time.Since(start)
		start = time.Now()
		r, err := Measure(ctx, a, m.front, noise, m.test, m.indices, o)
		must(t, err)
		t.Logf("%s: RMS %.4f per pixel, %.1f grey, recognised %.2f; made in %v, measured in %v", a.Name(), r.RootMeanSquare(), r.RootMeanSquare()*.3081*255, r.Recognised, made, time.Since(start))
	}
	s := time.Now()
	l, err := NewLinear(ctx, m.front, noise, m.train, LinearOptions{Domain: m.domain})
	must(t, err)
	tell(l, s)
	s = time.Now()
	t.Log(l.ridge, l.MeanSquareAt(0), l.MeanSquareAt(oracleSigma), l.MeanSquareAt(1e6), time.Since(s))
	s = time.Now()
	prior, err := bound.NewPrior(ctx, m.train, 0, 1)
	must(t, err)
	if prior == nil {
		prior = roughPrior(m.train)
	}
	t.Log("prior", time.Since(s))
	mean, err := NewMean(m.front, prior, m.domain)
	must(t, err)
	tell(mean, s)
	for _, kind := range []string{GaussianPrior, TotalVariation} {
		s = time.Now()
		a, err := NewInversion(m.front, noise, prior, InversionOptions{Prior: kind, Starts: []Attack{l}, Domain: m.domain})
		must(t, err)
		tell(a, s)
	}
}

func roughPrior(s *dataset.Set) *bound.Prior {
	p := 784
	x := make([]float32, 5000*p)
	idx := make([]int, 5000)
	for i := range idx {
		idx[i] = i
	}
	s.Examples(x, idx)
	sm := newSums(p, p)
	for i := 0; i < 5000; i += 500 {
		sm.add(x[i*p:(i+500)*p], x[i*p:(i+500)*p])
	}
	m := sm.central()
	pr := &bound.Prior{P: p, Mean: m.meanA, Covariance: make([]float64, p*p)}
	for i := range p {
		copy(pr.Covariance[i*p:(i+1)*p], m.joint[i*2*p:])
		pr.Covariance[i*p+i] += .01
	}
	return pr
}
