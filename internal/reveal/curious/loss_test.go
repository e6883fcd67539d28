package curious

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"tattle/internal/engine/nn"
	"tattle/internal/engine/nn/zoo"
	"tattle/internal/must"
)

// slowLoss is an objective as the equations have it, by logarithms of softmaxes, for
// labels y and s, with G in float64.
func slowLoss(t testing.TB, o *objective[float64], gs []*nn.Graph, z []float64, y []int, s [][]int) float64 {
	batch := len(y)
	n := len(z) / batch
	p := make([]float64, len(z))
	for k := range batch {
		sum := 0.0
		for _, v := range z[k*n:][:n] {
			sum += math.Exp(v)
		}
		for i := range n {
			p[k*n+i] = math.Exp(z[k*n+i]) / sum
		}
	}
	h := make([]float64, batch)
	loss := 0.0
	for k := range batch {
		for _, v := range p[k*n:][:n] {
			h[k] -= v * math.Log(v)
		}
		loss += (o.beta.X*h[k] - o.beta.Y*math.Log(p[k*n+y[k]])) / float64(batch)
	}
	for _, labels := range s {
		if o.entropies {
			loss += o.beta.S / float64(len(s)) * slowSeparation(h, labels, o.perExample)
		}
	}
	outputs := z
	if o.soft {
		outputs = p
	}
	for i, g := range gs {
		net := must.Get(nn.NewNet(g))(t)
		_, c := net.Dims()
		q := make([]float64, batch*c)
		net.Forward64(q, outputs)
		for k, label := range s[i] {
			sum := 0.0
			for _, v := range q[k*c:][:c] {
				sum += math.Exp(v)
			}
			loss -= o.beta.S / float64(len(gs)*batch) * math.Log(math.Exp(q[k*c+label])/sum)
		}
	}
	return loss
}

// slowSeparation is B eq. (3)'s second factor: per example, or by class means.
func slowSeparation(h []float64, s []int, perExample bool) float64 {
	var sum, count [2]float64
	for k, v := range s {
		sum[v] += h[k]
		count[v]++
	}
	if perExample {
		return (sum[0] - sum[1]) / float64(len(s))
	}
	term := 0.0
	for v, sign := range []float64{1, -1} {
		if count[v] > 0 {
			term += sign * sum[v] / count[v]
		}
	}
	return term
}

// lossCase is an objective with its attacks.
type lossCase struct {
	name string
	o    objective[float64]
	gs   []*nn.Graph
	s    [][]int
}

func lossCases(t testing.TB) []lossCase {
	b := Beta{X: .3, Y: .7, S: .4}
	halves, thirds, alone := []int{0, 1, 1, 0, 1, 1, 0}, []int{2, 0, 1, 1, 0, 2, 2}, []int{1, 1, 1, 1, 1, 1, 1}
	cases := []lossCase{
		{name: "standard", o: objective[float64]{beta: Beta{Y: 1}}},
		{name: "standard with entropy", o: objective[float64]{beta: Beta{X: .3, Y: 1}}},
		{name: "regularized", o: objective[float64]{beta: b, soft: true, entropies: true}, s: [][]int{halves}},
		{name: "regularized per example", o: objective[float64]{beta: b, soft: true, entropies: true, perExample: true}, s: [][]int{halves}},
		{name: "regularized, two attributes", o: objective[float64]{beta: b, soft: true, entropies: true}, s: [][]int{halves, {0, 0, 0, 0, 0, 0, 1}}},
		{name: "regularized, one class", o: objective[float64]{beta: b, soft: true, entropies: true}, s: [][]int{alone}},
	}
	for _, soft := range []bool{false, true} {
		for _, s := range [][][]int{{thirds}, {halves, thirds}} {
			c := lossCase{name: fmt.Sprintf("parameterized, soft %v, %d attributes", soft, len(s)), o: objective[float64]{beta: b, soft: soft}, s: s}
			for i, labels := range s {
				g := zoo.Attack(4, 2+max(0, labels[0]-1), uint64(5+i))
				net := must.Get(nn.NewNet(g))(t)
				c.gs = append(c.gs, g)
				c.o.attacks = append(c.o.attacks, net.Linearize64)
			}
			cases = append(cases, c)
		}
	}
	return cases
}

// TestObjectiveGradients compares every loss with the equations, and its gradient with
// central differences of them in float64, whose error is about 1e-10 at this step.
func TestObjectiveGradients(t *testing.T) {
	const batch, n, h = 7, 4, 1e-5
	r := rand.New(rand.NewPCG(1, 1))
	z, y := make([]float64, batch*n), make([]int, batch)
	for i := range z {
		z[i] = 2 * r.NormFloat64()
	}
	for k := range y {
		y[k] = r.IntN(n)
	}
	for _, c := range lossCases(t) {
		grad := make([]float64, len(z))
		total, _ := c.o.at(grad, z, y, c.s)
		if want := slowLoss(t, &c.o, c.gs, z, y, c.s); math.Abs(total-want) > 1e-12 {
			t.Errorf("%s: loss %v, want %v", c.name, total, want)
		}
		for i, v := range z {
			z[i] = v + h
			up := slowLoss(t, &c.o, c.gs, z, y, c.s)
			z[i] = v - h
			want := (up - slowLoss(t, &c.o, c.gs, z, y, c.s)) / (2 * h)
			z[i] = v
			if math.Abs(grad[i]-want) > 1e-8*(1+math.Abs(want)) {
				t.Errorf("%s: gradient %d is %v, differences give %v", c.name, i, grad[i], want)
			}
		}
	}
}

// TestObjectiveSingle compares the losses in float32 with those in float64.
func TestObjectiveSingle(t *testing.T) {
	const batch, n = 7, 4
	r := rand.New(rand.NewPCG(1, 1))
	z, z32, y := make([]float64, batch*n), make([]float32, batch*n), make([]int, batch)
	for i := range z {
		z32[i] = float32(3 * r.NormFloat64())
		z[i] = float64(z32[i])
	}
	for _, c := range lossCases(t) {
		o := objective[float32]{beta: c.o.beta, soft: c.o.soft, entropies: c.o.entropies, perExample: c.o.perExample}
		for _, g := range c.gs {
			net := must.Get(nn.NewNet(g))(t)
			o.attacks = append(o.attacks, net.Linearize)
		}
		want, grad := make([]float64, len(z)), make([]float32, len(z))
		a, ofY := c.o.at(want, z, y, c.s)
		b, ofY32 := o.at(grad, z32, y, c.s)
		if math.Abs(a-b) > 1e-6 || math.Abs(ofY-ofY32) > 1e-6 {
			t.Errorf("%s: %v in float64, %v in float32; of y %v and %v", c.name, a, b, ofY, ofY32)
		}
		for i := range grad {
			if math.Abs(float64(grad[i])-want[i]) > 1e-6 {
				t.Errorf("%s: gradient %d is %v, in float64 %v", c.name, i, grad[i], want[i])
			}
		}
	}
}

// TestObjectiveSaturated takes scores whose softmax is 0 and 1 in float64: losses and
// gradients stay finite.
func TestObjectiveSaturated(t *testing.T) {
	z, y := []float64{2000, -2000, 0, 0, -1e6, 1e6, 3, 3}, []int{0, 0}
	for _, c := range lossCases(t) {
		s := make([][]int, len(c.s))
		for i := range s {
			s[i] = c.s[i][:2]
		}
		grad := make([]float64, len(z))
		if total, _ := c.o.at(grad, z, y, s); math.IsNaN(total) || math.IsInf(total, 0) {
			t.Errorf("%s: %v", c.name, total)
		}
		for i, v := range grad {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				t.Errorf("%s: gradient %d is %v", c.name, i, v)
			}
		}
	}
}
