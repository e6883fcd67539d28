package audit

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"tattle/internal/must"
)

// regression writes noisy predictions of a numeric y. The attribute s is a step function of y or, if
// width is above 0, a logistic curve of that width. s moves the predictions by leak.
func regression(n int, width, noise, leak float64, seed uint64) string {
	r := random(seed, 0, 0)
	var b strings.Builder
	b.WriteString("pred,y,s\n")
	for range n {
		y, s := 20+60*r.Float64(), 0
		if width == 0 && y > 50 || width > 0 && r.Float64() < 1/(1+math.Exp((50-y)/width)) {
			s = 1
		}
		fmt.Fprintf(&b, "%g,%g,%d\n", y+noise*r.NormFloat64()+leak*float64(s), y, s)
	}
	return b.String()
}

// Beyond a numeric target nothing is found where s follows y, by a curve or a step, however
// exactly the outputs predict y, and what s adds to them is found.
func TestNumericTarget(t *testing.T) {
	for i, c := range []struct {
		width, noise, leak float64
		found              bool
	}{{8, 3, 0, false}, {8, .01, 0, false}, {0, .01, 0, false}, {0, 3, 0, false}, {8, 3, 6, true}} {
		s := must.Get(openText(t, regression(2000, c.width, c.noise, c.leak, uint64(i)), OpenOptions{Target: "y:number", Sensitive: []string{"s"}}))(t)
		if s.Kind != Vector || s.Width != 1 || s.YNumbers == nil || len(s.Classes) != 40 {
			t.Fatalf("%d: %+v", i, s)
		}
		r := must.Get((&Record{Sample: s}).Audit(context.Background(), Options{Permutations: 199, Attacks: []string{"logistic", "trees"}}))(t)
		f := r.Findings[0]
		if beyond := f.Verdict == LeakyBeyond; beyond != c.found {
			t.Errorf("%+v: verdict %s, excess %+v, gain %.4f (p %.3g), AUC %+v", c, f.Verdict, f.Baselines, f.Given.Mean, f.Given.P, f.Given.Order)
		}
	}
}

// What a numeric target tells of a numeric attribute is a baseline: 1 − ¹/₁₀₁ of the variance here.
func TestNumericTargetOfNumbers(t *testing.T) {
	r := random(7, 0, 0)
	text := "pred,y,s\n"
	for range 1000 {
		y := r.NormFloat64()
		text += fmt.Sprintf("%g,%g,%g\n", r.NormFloat64(), y, 1000+10*y+r.NormFloat64())
	}
	s := must.Get(openText(t, text, OpenOptions{Target: "y:number", Sensitive: []string{"s:number"}}))(t)
	f := must.Get((&Record{Sample: s}).Audit(t.Context(), Options{Permutations: 99, Attacks: []string{"logistic"}}))(t).Findings[0]
	for _, b := range f.Baselines {
		if b.Name == FromTarget && *b.R2 > .97 {
			return
		}
	}
	t.Errorf("%+v", f.Baselines)
}

// Of three examples the shares of all are those with half an example more in each class; the nearest of an example with another y
// are those beside it.
func TestNearby(t *testing.T) {
	g := &goal{at: &Attribute{Values: []string{"a", "b"}}}
	g.target.Labels, g.back = []int{0, 1, 0}, []int{0, 1}
	g.target.Classes = 2
	b := newNearby([]float64{3, 1, 2}, g, []int{0, 1, 2})
	if math.Abs(b.all[0]-2.5/4) > 1e-12 || math.Abs(b.all[1]-1.5/4) > 1e-12 {
		t.Errorf("shares %v, want 5/8 and 3/8", b.all)
	}
	b.k = 2
	sums := make([]float64, 2)
	for y, want := range map[float64][3]float64{0: {0, 1, 1}, 1.5: {1, 1, 2}, 2.5: {2, 0, 2}, 9: {1, 0, 1}} {
		lo, hi := b.equal(y)
		if count := b.sum(sums, lo, hi); count != want[2] || sums[0] != want[0] || sums[1] != want[1] {
			t.Errorf("near %v are %v, %v", y, sums, count)
		}
	}
}

// The gain of numbers is how much larger the baseline's squared errors are, over their mean: a share of the variance.
func TestGainsOfNumbers(t *testing.T) {
	g := guessedNumbers([]float64{1, 5, 9}, nil)
	g.base, g.given, g.spread = []float64{3, 5, 5}, []float64{1, 6, 7}, 4
	gain, left := g.gains() // errors of 2, 0, 4 and of 0, 1, 2: squares 4, 0, 16 and 0, 1, 4
	for i, want := range []float64{4, -1, 12} {
		if math.Abs(gain[i]-want*3/20) > 1e-12 {
			t.Errorf("gain %v of example %d, want %v", gain[i], i, want*3/20)
		}
	}
	if math.Abs(left-20./3/16) > 1e-12 {
		t.Errorf("the baseline leaves %v, want %v", left, 20./3/16)
	}
}

// A numeric target comes back from an .npz as it was, and is one by its name or its option only.
func TestNumericTargetIsKept(t *testing.T) {
	text := regression(100, 8, 3, 0, 1)
	for _, o := range []OpenOptions{{Target: "y:number", Sensitive: []string{"s"}}, {Target: "y:number", Sensitive: []string{"s"}, Vectors: true, Columns: []string{"pred"}}} {
		want := must.Get(openText(t, text, o))(t)
		path := filepath.Join(t.TempDir(), "a.npz")
		must.Do(t, want.write(nil, path))
		got := must.Get(OpenOutputs(context.Background(), path, OpenOptions{}))(t)
		if got.Notes, want.Notes = nil, nil; !reflect.DeepEqual(got, want) || got.Sum() != want.Sum() {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
	if s := must.Get(openText(t, text, OpenOptions{Vectors: true, Columns: []string{"pred"}, Sensitive: []string{"s"}}))(t); s.Target != "" {
		t.Errorf("%+v", s)
	}
	must.Fail(t, must.Err(openText(t, text, OpenOptions{Target: "y:number", Sensitive: []string{"y"}, Vectors: true, Columns: []string{"pred"}})), "y is both target and sensitive")
	must.Fail(t, must.Err(openText(t, "pred,y,s\n1,a,0\n2,b,1\n", OpenOptions{Target: "y:number", Sensitive: []string{"s"}})), "y has the value a: want finite numbers")
	must.Fail(t, must.Err(openText(t, "pred,y,s\n1,4,0\n2,4,1\n", OpenOptions{Target: "y:number", Sensitive: []string{"s"}})), "y has a single value")
}
