package design

import (
	"context"
	"math"
	"os"
	"testing"
	"time"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/onnx"
	"tattle/internal/must"
	"tattle/internal/shared"
)

// TestPeersMNIST: methods of others on paper A's net, with 60,000 candidates. Without noise, one feature of
// 784 identifies nearly every input; noise of equal Fisher information leakage identifies more inputs than
// isotropic noise of the same mean square, because its strength depends on the input.
func TestPeersMNIST(t *testing.T) {
	if os.Getenv("TATTLE_FULL") == "" {
		t.Skip("takes a minute: set TATTLE_FULL=1")
	}
	g := must.Get(onnx.Read(shared.Path(t, "models/mnist-mlp.onnx")))(t)
	var sets [2]*dataset.Set
	for i, part := range []dataset.Split{dataset.Train, dataset.Test} {
		sets[i] = must.Get(dataset.Open(shared.Path(t, "data/mnist"), part))(t)
	}
	o := Options{Limits: Limits{Identify: .01}}
	must.Do(t, o.check(sets[0], sets[1]))
	s := must.Get(newSearcher(g, sets[0], sets[1], o))(t)
	ctx := context.Background()
	c := must.Get(s.cutAt(ctx, s.Nodes[0]))(t)
	for _, p := range s.places {
		if !p.Method.Peer() {
			continue
		}
		start := time.Now()
		f, err := s.search(ctx, p)
		if err != nil || f.Left != "" {
			t.Fatal(p, f, err)
		}
		if len(f.Points) < 6 || len(f.Points) > mostPoints {
			t.Errorf("%s: %d points", p, len(f.Points))
		}
		t.Logf("%s: %v", p, time.Since(start).Round(100*time.Millisecond))
		for _, q := range f.Points {
			t.Logf("σ %.3g, parameter %.3g: accuracy %.4f, identified %.4f, %.2f bits, floor %.1f grey levels", q.Sigma, q.Parameter, q.Accuracy[0], q.Identified, q.Bits, q.Floor*255*.3081)
			switch {
			case p.Method == TopK && q.Identified < .999:
				t.Errorf("the %v largest features identify %v", q.Parameter, q.Identified)
			case p.Method == Rounding:
				// Distinct releases, counted from the definition.
				seen := map[string]bool{}
				for i := range c.features.Len() {
					b := make([]byte, 0, c.n)
					for _, v := range c.features.row(i) {
						b = append(b, byte(math.RoundToEven(float64(v)/q.Parameter)))
					}
					seen[string(b)] = true
				}
				if want := float64(len(seen)) / float64(c.features.Len()); math.Abs(q.Identified-want) > 1e-9 {
					t.Errorf("step %v identifies %v, want %v", q.Parameter, q.Identified, want)
				}
			case p.Method == PeerDFIL && q.Identified > .001 && q.Identified < .5:
				isotropic := must.Get(s.line(ctx, c, place{Node: p.Node, Method: Isotropic}))(t)
				same := must.Get(s.at(ctx, c, isotropic, q.Sigma))(t)
				t.Logf("isotropic noise of this σ: accuracy %.4f, identified %.4f", same.Accuracy[0], same.Identified)
				if same.Identified > q.Identified {
					t.Errorf("σ = %v: %v identified, by isotropic noise %v", q.Sigma, q.Identified, same.Identified)
				}
			}
		}
	}
}
