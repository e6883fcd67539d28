package tattle

import (
	"bytes"
	"flag"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"tattle/audit"
	"tattle/bound"
	"tattle/internal/must"
	"tattle/nn"
	"tattle/onnx"
)

var update = flag.Bool("update", false, "write testdata/small.onnx")

// smallModel is the net of the examples: 8 inputs, 12 features, 3 classes.
func smallModel() *nn.Graph {
	r := rand.New(rand.NewPCG(11, 12))
	param := func(name string, scale float64, shape ...int) *nn.Param {
		x := &nn.Param{Name: name, Shape: shape, Data: make([]float32, nn.Size(shape))}
		for i := range x.Data {
			x.Data[i] = float32(scale * r.NormFloat64())
		}
		return x
	}
	return &nn.Graph{Name: "small", Input: "x", InputShape: []int{8}, Output: "scores", Nodes: []*nn.Node{
		{Name: "first", Op: &nn.Dense{In: 8, Out: 12, Weight: param("w1", .5, 12, 8), Bias: param("b1", .5, 12)}, Inputs: []string{"x"}, Output: "a"},
		{Name: "relu", Op: &nn.ReLU{}, Inputs: []string{"a"}, Output: "features"},
		{Name: "last", Op: &nn.Dense{In: 12, Out: 3, Weight: param("w2", .5, 3, 12), Bias: param("b2", .5, 3)}, Inputs: []string{"features"}, Output: "scores"},
	}}
}

// The file of the examples is the net above.
func TestSmallModel(t *testing.T) {
	const path = "testdata/small.onnx"
	want := must.Get(onnx.Encode(smallModel()))(t)
	if *update {
		must.Do(t, os.WriteFile(path, want, 0o666))
	}
	if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is not the net of smallModel (%v): go test -run TestSmallModel -update .", path, err)
	}
}

func small(t *testing.T) *Model {
	t.Helper()
	return must.Get(cut(smallModel(), ""))(t)
}

func TestBadInputs(t *testing.T) {
	m := small(t)
	noise := must.Get(m.Noise("gaussian", 1))(t)
	short, seen := make([]float32, 7), make([]float32, 12)
	for name, f := range map[string]func() error{
		"no file":  func() error { _, err := Open("testdata/absent.onnx"); return err },
		"no node":  func() error { _, err := OpenAt("testdata/small.onnx", "absent"); return err },
		"noise":    func() error { _, err := m.Noise("absent", 1); return err },
		"release":  func() error { _, err := m.Release(short, noise, rand.New(rand.NewPCG(1, 1))); return err },
		"certify":  func() error { _, err := m.Certify(t.Context(), short, noise, CertifyOptions{}); return err },
		"released": func() error { _, err := m.Attack(t.Context(), short, noise, nil, AttackOptions{}); return err },
		"known": func() error {
			_, err := m.Attack(t.Context(), seen, noise, [][]float32{short}, AttackOptions{})
			return err
		},
		"nothing known": func() error { _, err := m.Attack(t.Context(), seen, noise, nil, AttackOptions{}); return err },
		"no outputs":    func() error { _, err := Audit(t.Context(), nil, nil, nil, audit.Options{}); return err },
		"fewer labels": func() error {
			_, err := Audit(t.Context(), [][]float32{{0, 1}}, []int{1}, nil, audit.Options{})
			return err
		},
		"ragged outputs": func() error {
			_, err := Audit(t.Context(), [][]float32{{0, 1}, {1}}, []int{1, 0}, []int{0, 0}, audit.Options{})
			return err
		},
		"negative class": func() error {
			_, err := Audit(t.Context(), [][]float32{{0, 1}}, []int{1}, []int{-1}, audit.Options{})
			return err
		},
	} {
		if f() == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// The certificate is the largest of the bounds of every kind, and more queries lower it.
func TestCertifyTakesTheLargest(t *testing.T) {
	m := small(t)
	noise := must.Get(m.Noise("gaussian", .5))(t)
	x := []float32{.1, .9, .4, .6, .5, .5, .2, .8}
	domain := must.Get(bound.Legal(make([]float64, 8), []float64{1, 1, 1, 1, 1, 1, 1, 1}))(t)
	one := must.Get(m.Certify(t.Context(), x, noise, CertifyOptions{Domain: domain}))(t)
	many := must.Get(m.Certify(t.Context(), x, noise, CertifyOptions{Domain: domain, Queries: 100}))(t)
	for k, v := range one.Std {
		for _, b := range append(one.Result.Sizes, one.Result.Far, one.Result.Barankin) {
			if v < b.Std[k] || math.IsNaN(v) {
				t.Errorf("coordinate %d: %g is below %g", k, v, b.Std[k])
			}
		}
		if !(many.Std[k] <= v) {
			t.Errorf("coordinate %d: %g by 100 queries, %g by one", k, many.Std[k], v)
		}
	}
	if one.Status != bound.StatusCertified {
		t.Errorf("status %q: %s", one.Status, one.Note)
	}
}
